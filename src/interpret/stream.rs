//! Streams that were gathered: server-sent events, and JSON values after one another.

use super::json::is_json;
use super::media::Kind;

/// How long `text` is up to its last complete item; all of it where it was not `cut`.
pub(super) fn complete(kind: Kind, text: &str, cut: bool) -> usize {
    if !cut {
        return text.len();
    }
    let after = |end: Option<usize>, length: usize| end.map_or(0, |at| at + length);
    match kind {
        Kind::Events => {
            let ends = ["\n\n", "\r\n\r\n", "\r\r"];
            let last = |end: &&str| after(text.rfind(*end), end.len());
            ends.iter().map(last).max().unwrap_or_default()
        }
        // A record may have line feeds within; where the next begins, it is complete.
        _ if text.contains('\u{1e}') => text.rfind('\u{1e}').unwrap_or_default(),
        _ => after(text.rfind('\n'), 1),
    }
}

/// The items as one JSON object, `{"events":[...]}` or `{"items":[...]}`; nothing where one of them is no JSON.
/// The texts are copied as they are.
pub(super) fn structured(kind: Kind, text: &str) -> Option<String> {
    let (name, items) = match kind {
        Kind::Events => ("events", events(text)),
        _ => ("items", values(text)),
    };
    if items.is_empty() || !items.iter().all(|item| is_json(item.as_bytes())) {
        return None;
    }
    let length: usize = items.iter().map(|item| item.len() + 1).sum();
    let mut out = String::with_capacity(length + 16);
    out.push_str("{\"");
    out.push_str(name);
    out.push_str("\":[");
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        out.push_str(item.trim());
    }
    out.push_str("]}");
    Some(out)
}

/// How many items there are.
pub(super) fn count(kind: Kind, text: &str) -> usize {
    match kind {
        Kind::Events => events(text).len(),
        _ => values(text).len(),
    }
}

/// The data of each event (HTML, section 9.2.6: the lines of `data`, up to a blank line). The text `[DONE]` at
/// the end is how some services say that nothing follows.
fn events(text: &str) -> Vec<String> {
    let mut events = Vec::new();
    let mut data: Option<String> = None;
    for line in lines(text) {
        if line.is_empty() {
            events.extend(data.take());
            continue;
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        if field == "data" {
            let value = value.strip_prefix(' ').unwrap_or(value);
            match &mut data {
                None => data = Some(value.to_owned()),
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
            }
        }
    }
    // The standard forgets an event without its blank line; services forget the line.
    events.extend(data);
    if events.last().is_some_and(|last| last.trim() == "[DONE]") {
        events.pop();
    }
    events
}

/// Lines that end with a line feed, a carriage return, or both.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.split('\n').flat_map(|line| {
        let line = line.strip_suffix('\r').unwrap_or(line);
        line.split('\r')
    })
}

/// A value each line, or where record separators stand, each record.
fn values(text: &str) -> Vec<String> {
    let separator = if text.contains('\u{1e}') {
        '\u{1e}'
    } else {
        '\n'
    };
    text.split(separator)
        .map(str::trim)
        .filter(|value| !value.is_empty())
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_become_one_object() {
        let cases = [
            (
                Kind::Values,
                "{\"n\":1.50}\n\n[2]\r\n",
                Some("{\"items\":[{\"n\":1.50},[2]]}"),
            ),
            (
                Kind::Values,
                "\u{1e}{\n\"a\": 1}\n\u{1e}2\n",
                Some("{\"items\":[{\n\"a\": 1},2]}"),
            ),
            (Kind::Values, "{}\nnot json\n", None),
            (Kind::Values, "\n", None),
            (
                Kind::Events,
                ": hello\nevent: x\nid: 1\ndata: {\"a\":\ndata:1}\n\ndata: 2\r\n\r\ndata: [DONE]\n\n",
                Some("{\"events\":[{\"a\":\n1},2]}"),
            ),
            (
                Kind::Events,
                "data: 1\r\rdata: 2",
                Some("{\"events\":[1,2]}"),
            ),
            (Kind::Events, "data: hello\n\n", None),
            (Kind::Events, "event: only\n\n", None),
        ];
        for (kind, text, expected) in cases {
            assert_eq!(structured(kind, text).as_deref(), expected, "{text:?}");
        }
    }

    #[test]
    fn an_item_that_was_cut_is_none() {
        let cases = [
            (Kind::Values, "1\n2\n3", 4),
            (Kind::Values, "1", 0),
            (Kind::Values, "\u{1e}1\n\u{1e}[\n", 3),
            (Kind::Events, "data: 1\n\ndata: 2\n", 9),
            (Kind::Events, "data: 1\r\n\r\ndata: 2\r\n", 11),
        ];
        for (kind, text, length) in cases {
            assert_eq!(complete(kind, text, true), length, "{text:?}");
            assert_eq!(complete(kind, text, false), text.len());
        }
        assert_eq!(count(Kind::Events, "data: a\n\ndata: b\n\n"), 2);
    }
}
