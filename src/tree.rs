//! Foreign JSON text as a tree: the one way in, and what the JSON library would misread there.

use serde::de::{DeserializeOwned, Error};

/// Members with such a name are how the JSON library tells itself of numbers and raw texts. From outside, their values
/// would be read as JSON once more, each with a depth limit of its own: a short text could end the process.
const INTERNALS: &str = "$serde_json::private::";

/// Reads a text from outside as a `Value` or a map of them.
///
/// # Errors
/// Where it is no JSON of that kind, deeper than 128 levels, or names the library's internals.
pub fn read<T: DeserializeOwned>(text: &str) -> Result<T, serde_json::Error> {
    if names_internals(text) {
        return Err(refused());
    }
    serde_json::from_str(text)
}

/// Takes the name of a member that another reader found, for a tree that may become JSON text again.
///
/// # Errors
/// Where it names the library's internals.
pub fn member<E: Error>(name: &str) -> Result<(), E> {
    match name.starts_with(INTERNALS) {
        true => Err(refused()),
        false => Ok(()),
    }
}

fn refused<E: Error>() -> E {
    E::custom(format!("`{INTERNALS}` cannot be part of it"))
}

/// [`read`], of bytes.
///
/// # Errors
/// As [`read`], and where the bytes are no UTF-8.
pub fn read_bytes<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, serde_json::Error> {
    read(std::str::from_utf8(bytes).map_err(serde_json::Error::custom)?)
}

fn names_internals(text: &str) -> bool {
    if memchr::memchr2(b'$', b'\\', text.as_bytes()).is_none() {
        return false;
    }
    if memchr::memmem::find(text.as_bytes(), INTERNALS.as_bytes()).is_some() {
        return true;
    }
    let mut pieces = text.split("\\u");
    let mut plain = pieces.next().unwrap_or_default().to_owned();
    if plain.len() == text.len() {
        return false;
    }
    for piece in pieces {
        let unit = piece
            .get(..4)
            .and_then(|digits| u32::from_str_radix(digits, 16).ok());
        match unit.and_then(char::from_u32) {
            Some(character) => {
                plain.push(character);
                plain.push_str(&piece[4..]);
            }
            None => plain.push_str(piece),
        }
    }
    plain.contains(INTERNALS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    #[test]
    fn a_text_within_a_text_is_never_read_again() {
        let mut text = String::from("[]");
        for _ in 0..40 {
            let inner = Value::from(format!("{}{text}{}", "[".repeat(100), "]".repeat(100)));
            text = format!(r#"{{"$serde_json::private::RawValue":{inner}}}"#);
            if text.len() > 1 << 20 {
                break;
            }
        }
        assert!(read::<Value>(&text).is_err());
        let escaped = r#"{"\u0024serde_json::private::RawValue":"[]"}"#;
        assert!(read::<Value>(escaped).is_err());
        assert!(read_bytes::<Value>(escaped.as_bytes()).is_err());
    }

    #[test]
    fn everything_else_is_read_as_it_stands() {
        let text = r##"{"$ref":"#/a","n":1.50,"u":"\u00e4\\u0024"}"##;
        let value: Value = read(text).unwrap();
        assert_eq!(value["n"].to_string(), "1.50");
        assert!(read::<Value>(&"[".repeat(200)).is_err());
    }
}
