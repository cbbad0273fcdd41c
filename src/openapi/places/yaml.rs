//! The places of YAML: the events of a parser that marks them.

use saphyr_parser::{Event, Parser, Span};

use super::{Kind, Position, Tracker};

/// Tells the tracker each key, value and end of container of the first document.
pub(super) fn scan(text: &str, tracker: &mut Tracker) {
    for event in Parser::new_from_str(text) {
        let Ok((event, span)) = event else {
            return;
        };
        let within = match event {
            Event::MappingStart(..) => container(tracker, span, Kind::object()),
            Event::SequenceStart(..) => container(tracker, span, Kind::array()),
            Event::MappingEnd | Event::SequenceEnd => {
                tracker.close();
                true
            }
            Event::Scalar(text, ..) if tracker.awaits_key() => {
                tracker.key(text.into_owned(), position(span));
                true
            }
            // A key that is an alias has a text elsewhere; nothing in it can be asked for.
            Event::Alias(_) if tracker.awaits_key() => {
                tracker.key(String::new(), position(span));
                true
            }
            Event::Scalar(..) | Event::Alias(_) => tracker.value(position(span), None),
            Event::DocumentEnd => return,
            _ => true,
        };
        if !within {
            return;
        }
    }
}

/// A container as a key is nothing that JSON knows.
fn container(tracker: &mut Tracker, span: Span, kind: Kind) -> bool {
    !tracker.awaits_key() && tracker.value(position(span), Some(kind))
}

fn position(span: Span) -> Position {
    Position {
        line: span.start.line(),
        column: span.start.col() + 1,
    }
}
