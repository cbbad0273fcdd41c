//! Bytes to messages: Streamable HTTP and stdio.

pub mod access;
pub mod http;
mod readiness;
pub mod stdio;

use bytes::Bytes;

pub use readiness::{Readiness, Ready};

/// The message on one line, as lines and event streams need it. In valid JSON a line break can
/// only stand between tokens, where a space means the same.
fn one_line(message: Bytes) -> Bytes {
    if memchr::memchr2(b'\n', b'\r', &message).is_none() {
        return message;
    }
    let space = |byte: &u8| {
        if matches!(byte, b'\n' | b'\r') {
            b' '
        } else {
            *byte
        }
    };
    message.iter().map(space).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_breaks_between_tokens_become_spaces() {
        let message = Bytes::from_static(b"{\"a\":\r\n [1,\n2],\"b\":\"\\n\"}");
        assert_eq!(one_line(message), &b"{\"a\":   [1, 2],\"b\":\"\\n\"}"[..]);
    }
}
