//! The W3C trace context of a call: of its metadata, or else of the request it came in.

use std::borrow::Cow;

use serde_json::value::RawValue;

use super::message::text_of;
use super::params::Meta;
use crate::tool::TraceContext;

/// The longest member that is handed on, in bytes.
const MAX_BYTES: usize = 8192;

impl Meta<'_> {
    /// The trace context. `header` has `traceparent`, `tracestate` and `baggage` of the request, which count where the
    /// metadata names no trace. A state belongs to its parent and is dropped without one (W3C Trace Context,
    /// section 3.3).
    pub(crate) fn trace(&self, header: &[Option<&str>; 3]) -> TraceContext {
        let [parent, state, baggage] = header.map(|member| member.map(Cow::Borrowed));
        let own = text(self.traceparent).filter(|own| is_parent(own));
        let (parent, state) = match own {
            Some(own) => (Some(own), text(self.tracestate)),
            None => (parent.filter(|parent| is_parent(parent)), state),
        };
        TraceContext {
            state: state.filter(|_| parent.is_some()).and_then(fitting),
            parent: parent.map(Cow::into_owned),
            baggage: text(self.baggage).or(baggage).and_then(fitting),
        }
    }
}

fn text<'a>(raw: Option<&'a RawValue>) -> Option<Cow<'a, str>> {
    raw.and_then(text_of)
}

/// A member that can be a header, and a reasonable one.
fn fitting(member: Cow<'_, str>) -> Option<String> {
    let fits = member.len() <= MAX_BYTES && member.bytes().all(|b| (0x20..0x7f).contains(&b));
    fits.then(|| member.into_owned())
}

/// Whether a text names a trace and a span in it, in this version or one to come (W3C Trace Context, section 3.2).
fn is_parent(text: &str) -> bool {
    let hex = |part: &str, length: usize| {
        let is_hex = |b: u8| matches!(b, b'0'..=b'9' | b'a'..=b'f');
        part.len() == length && part.bytes().all(is_hex)
    };
    let is_id = |part: &str, length: usize| hex(part, length) && part.bytes().any(|b| b != b'0');
    let mut parts = text.splitn(5, '-');
    let mut next = || parts.next().unwrap_or_default();
    let (version, trace, span, flags) = (next(), next(), next(), next());
    let more = parts.next();
    hex(version, 2)
        && version != "ff"
        && is_id(trace, 32)
        && is_id(span, 16)
        && hex(flags, 2)
        && more.is_none_or(|more| version != "00" && fitting(more.into()).is_some())
}

#[cfg(test)]
mod tests {
    use super::super::params::Params;
    use super::*;

    const OURS: &str = "00-11111111111111111111111111111111-2222222222222222-01";
    const THEIRS: &str = "00-33333333333333333333333333333333-4444444444444444-00";

    #[test]
    fn a_trace_is_named_in_one_way() {
        let zero = "0".repeat(32);
        for (text, is) in [
            (OURS.to_owned(), true),
            (format!("cc{}", &OURS[2..]), true),
            (format!("cc{}-more", &OURS[2..]), true),
            (format!("{OURS}-more"), false),
            (format!("ff{}", &OURS[2..]), false),
            (OURS.replace("1111", "AAAA"), false),
            (OURS.replace(&"1".repeat(32), &zero), false),
            (OURS.replace(&"2".repeat(16), &zero[..16]), false),
            (OURS[..54].to_owned(), false),
            (format!("{OURS},{OURS}"), false),
            ("garbage".to_owned(), false),
            (String::new(), false),
        ] {
            assert_eq!(is_parent(&text), is, "{text}");
        }
    }

    #[test]
    fn a_state_stays_with_its_parent() {
        let meta = |members: &str| format!("{{\"_meta\":{{{members}}}}}");
        let own = format!("\"traceparent\":\"{OURS}\"");
        let both = format!("{own},\"tracestate\":\"a=1\",\"baggage\":\"k=v\"");
        let request = [Some(THEIRS), Some("b=2"), Some("r=1")];
        let nothing = [None, None, Some("r=1")];
        for (members, header, parent, state, baggage) in [
            ("", request, Some(THEIRS), Some("b=2"), "r=1"),
            (&*own, request, Some(OURS), None, "r=1"),
            (&both, request, Some(OURS), Some("a=1"), "k=v"),
            (
                "\"tracestate\":\"a=1\"",
                request,
                Some(THEIRS),
                Some("b=2"),
                "r=1",
            ),
            (
                "\"traceparent\":\"garbage\"",
                request,
                Some(THEIRS),
                Some("b=2"),
                "r=1",
            ),
            ("\"tracestate\":\"a=1\"", nothing, None, None, "r=1"),
            ("\"traceparent\":7", nothing, None, None, "r=1"),
        ] {
            let text = RawValue::from_string(meta(members)).unwrap();
            let params = Params::read(Some(&text)).unwrap();
            let found = params.meta().unwrap().trace(&header);
            let expected = TraceContext {
                parent: parent.map(str::to_owned),
                state: state.map(str::to_owned),
                baggage: Some(baggage.to_owned()),
            };
            assert_eq!(found, expected, "{members}");
        }
    }
}
