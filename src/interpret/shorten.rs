//! A JSON text made shorter so that it stays JSON: arrays end after a whole item, objects keep their small
//! members. What was left out is told beside the data, never inside it.

use super::json::is_json;
use crate::pointer::escape;

/// Arrays and objects within each other that are looked into.
const MAX_DEPTH: usize = 8;
/// Members of one object that are looked at.
const MAX_MEMBERS: usize = 10_000;
/// Places that are named as cut.
const MAX_NOTES: usize = 10;

/// What is left of a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Shortened {
    /// Valid JSON, at most as long as the limit.
    pub(super) text: String,
    /// What is missing, each with its place.
    pub(super) left_out: Vec<String>,
}

/// Shortens `text` to `limit` bytes. The text itself may be cut off somewhere. Nothing where it is neither
/// an array nor an object nor a string, or no JSON at all.
pub(super) fn json(text: &str, limit: usize) -> Option<Shortened> {
    let text = text.trim();
    if !text.starts_with(['[', '{', '"']) {
        return None;
    }
    let mut cutter = Cutter {
        out: String::with_capacity(limit.min(text.len())),
        left_out: Vec::new(),
        path: String::new(),
    };
    // Of an array or an object it makes no difference.
    let whole = text.starts_with('"') && string_end(text.as_bytes(), 0) == Some(text.len());
    let value = Piece { text, whole };
    if !cutter.cut(value, limit, 0) || !is_json(cutter.out.as_bytes()) {
        return None;
    }
    Some(Shortened {
        text: cutter.out,
        left_out: cutter.left_out,
    })
}

/// A value within a text, and whether its end was seen.
#[derive(Debug, Clone, Copy)]
struct Piece<'a> {
    text: &'a str,
    whole: bool,
}

struct Cutter {
    out: String,
    left_out: Vec<String>,
    /// A JSON pointer to where we are.
    path: String,
}

impl Cutter {
    /// Writes as much of `piece` as fits into `room` bytes; whether anything was written.
    fn cut(&mut self, piece: Piece<'_>, room: usize, depth: usize) -> bool {
        if piece.whole && piece.text.len() <= room {
            self.out.push_str(piece.text);
            return true;
        }
        if room < 2 || depth == MAX_DEPTH {
            return false;
        }
        match piece.text.as_bytes().first() {
            Some(b'[') => self.array(piece.text, room, depth),
            Some(b'{') => self.object(piece.text, room, depth),
            Some(b'"') => self.string(piece, room),
            _ => return false,
        }
        true
    }

    /// As many whole items as fit; of a first item that does not fit, what fits.
    fn array(&mut self, text: &str, room: usize, depth: usize) {
        let end = self.out.len() + room - 1;
        self.out.push('[');
        let (mut at, mut kept, mut missing) = (1, 0_usize, 0_usize);
        while let Some(piece) = next(text, &mut at) {
            let comma = usize::from(kept > 0);
            let space = end.saturating_sub(self.out.len() + comma);
            if missing == 0 && piece.whole && piece.text.len() <= space {
                if kept > 0 {
                    self.out.push(',');
                }
                self.out.push_str(piece.text);
                kept += 1;
            } else if kept == 0
                && missing == 0
                && self.within("0", |own| own.cut(piece, space, depth + 1))
            {
                kept = 1;
            } else {
                missing += 1;
            }
        }
        self.out.push(']');
        if missing > 0 {
            self.note(&format!("… {} more items", grouped(missing as u64)));
        }
    }

    /// Small members whole; the room that is left is divided among the large ones.
    fn object(&mut self, text: &str, room: usize, depth: usize) {
        let (members, more) = members(text);
        let mut sizes: Vec<usize> = members
            .iter()
            .map(|(key, value)| {
                // What is not whole has an end that nobody knows.
                let size = if value.whole {
                    value.text.len()
                } else {
                    usize::MAX / 4
                };
                key.len().saturating_add(size).saturating_add(1)
            })
            .collect();
        sizes.sort_unstable();
        let share = share(&sizes, room - 2);
        let end = self.out.len() + room - 1;
        self.out.push('{');
        let (mut first, mut missing) = (true, more);
        for (key, value) in members {
            let comma = usize::from(!first);
            let free = end.saturating_sub(self.out.len() + comma);
            let space = free.min(share).saturating_sub(key.len() + 1);
            let begin = self.out.len();
            if !first {
                self.out.push(',');
            }
            self.out.push_str(key);
            self.out.push(':');
            let name = escape(key.trim_matches('"'));
            if space > 0 && self.within(&name, |own| own.cut(value, space, depth + 1)) {
                first = false;
            } else {
                self.out.truncate(begin);
                missing += 1;
            }
        }
        self.out.push('}');
        if missing > 0 {
            self.note(&format!("… {} more members", grouped(missing as u64)));
        }
    }

    /// The beginning of a string, up to a whole character and a whole escape.
    fn string(&mut self, piece: Piece<'_>, room: usize) {
        let inner = piece.text.get(1..).unwrap_or_default();
        let end = string_cut(inner, (room - 2).min(inner.len()));
        self.out.push('"');
        self.out.push_str(&inner[..end]);
        self.out.push('"');
        let length = if piece.whole {
            format!(" of {}", grouped(piece.text.len() as u64 - 2))
        } else {
            String::new()
        };
        self.note(&format!(
            "the first {}{length} bytes of a text",
            grouped(end as u64)
        ));
    }

    fn within<T>(&mut self, name: &str, work: impl FnOnce(&mut Self) -> T) -> T {
        let length = self.path.len();
        self.path.push('/');
        self.path.extend(name.chars().take(64));
        let result = work(self);
        self.path.truncate(length);
        result
    }

    fn note(&mut self, what: &str) {
        if self.left_out.len() < MAX_NOTES {
            let place = if self.path.is_empty() {
                String::new()
            } else {
                format!("{}: ", self.path)
            };
            self.left_out.push(format!("{place}{what}"));
        }
    }
}

/// The largest size up to which every member can have what it needs and the larger ones share the rest.
fn share(sorted: &[usize], room: usize) -> usize {
    let mut left = room;
    for (index, size) in sorted.iter().enumerate() {
        let each = left / (sorted.len() - index);
        // One byte for the comma.
        if size.saturating_add(1) > each {
            return each.saturating_sub(1);
        }
        left -= size + 1;
    }
    usize::MAX
}

/// The members of an object with their keys in quotes, and how many more there are.
fn members(text: &str) -> (Vec<(&str, Piece<'_>)>, usize) {
    let (mut members, mut more, mut at) = (Vec::new(), 0, 1);
    while let Some(key) = next(text, &mut at) {
        if !key.whole || !key.text.starts_with('"') {
            break;
        }
        let Some(value) = next(text, &mut at) else {
            break;
        };
        if members.len() < MAX_MEMBERS {
            members.push((key.text, value));
        } else {
            more += 1;
        }
    }
    (members, more)
}

/// The next value at or after `at`, past blanks, commas and colons; nothing at the end of the array or object.
fn next<'a>(text: &'a str, at: &mut usize) -> Option<Piece<'a>> {
    let bytes = text.as_bytes();
    while matches!(bytes.get(*at)?, b' ' | b'\t' | b'\r' | b'\n' | b',' | b':') {
        *at += 1;
    }
    if matches!(bytes[*at], b']' | b'}') {
        return None;
    }
    let begin = *at;
    let end = value_end(bytes, begin);
    *at = end.unwrap_or(bytes.len());
    Some(Piece {
        text: text.get(begin..*at)?,
        whole: end.is_some(),
    })
}

/// Where the value that begins at `at` ends; nothing where the text ends first.
fn value_end(bytes: &[u8], mut at: usize) -> Option<usize> {
    let mut depth = 0_usize;
    loop {
        match bytes.get(at)? {
            b'"' => at = string_end(bytes, at)?,
            b'[' | b'{' => {
                depth += 1;
                at += 1;
                continue;
            }
            b']' | b'}' => {
                depth = depth.saturating_sub(1);
                at += 1;
            }
            b' ' | b'\t' | b'\r' | b'\n' | b',' | b':' => {
                at += 1;
                continue;
            }
            _ => {
                let rest = bytes.get(at..)?;
                at += rest.iter().position(|byte| {
                    matches!(
                        byte,
                        b' ' | b'\t' | b'\r' | b'\n' | b',' | b':' | b']' | b'}'
                    )
                })?;
            }
        }
        if depth == 0 {
            return Some(at);
        }
    }
}

fn string_end(bytes: &[u8], begin: usize) -> Option<usize> {
    let mut at = begin + 1;
    loop {
        at += memchr::memchr2(b'"', b'\\', bytes.get(at..)?)?;
        if bytes[at] == b'"' {
            return Some(at + 1);
        }
        at += 2;
    }
}

/// The last place up to `limit` at which a string may end: between characters, and not within an escape or
/// between the two of a surrogate pair.
fn string_cut(inner: &str, limit: usize) -> usize {
    let bytes = inner.as_bytes();
    let mut at = 0;
    while let Some(found) = bytes
        .get(at..limit)
        .and_then(|rest| memchr::memchr(b'\\', rest))
    {
        let begin = at + found;
        let length = match bytes.get(begin + 1..) {
            Some(
                [
                    b'u',
                    b'd' | b'D',
                    b'8' | b'9' | b'a' | b'b' | b'A' | b'B',
                    ..,
                ],
            ) => 12,
            Some([b'u', ..]) => 6,
            _ => 2,
        };
        if begin + length > limit {
            return begin;
        }
        at = begin + length;
    }
    super::media::head(inner, limit).0.len()
}

/// `4120` as `4,120`.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
#[path = "tests/shorten.rs"]
mod tests;
