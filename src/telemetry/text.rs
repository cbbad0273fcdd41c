//! A log line for people: time, level, message, and what belongs to it.
//!
//! The same line as `tracing-subscriber` writes by itself, for half the work: each call logs one.

use std::fmt::{self, Write as _};
use std::time::SystemTime;

use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;

use crate::time::{Precision, write_rfc3339};

/// Writes a line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Text {
    pub(super) colours: bool,
}

/// Room for a line as most are, in bytes.
const ROOM: usize = 256;

const DIM: &str = "\x1b[2m";
const ITALIC: &str = "\x1b[3m";
const PLAIN: &str = "\x1b[0m";

impl<S, N> FormatEvent<S, N> for Text
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        _context: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        // Put together here: the writer takes each piece through two others.
        let mut line = String::with_capacity(ROOM);
        line.push_str(self.style(DIM));
        write_rfc3339(&mut line, SystemTime::now(), Precision::Microseconds);
        line.push_str(self.style(PLAIN));
        line.push_str(self.level(*event.metadata().level()));
        let mut fields = Fields {
            line: &mut line,
            text: *self,
        };
        event.record(&mut fields);
        line.push('\n');
        writer.write_str(&line)
    }
}

impl Text {
    fn style(self, code: &'static str) -> &'static str {
        if self.colours { code } else { "" }
    }

    fn level(self, level: Level) -> &'static str {
        match (level, self.colours) {
            (Level::ERROR, false) => " ERROR ",
            (Level::WARN, false) => "  WARN ",
            (Level::INFO, false) => "  INFO ",
            (Level::DEBUG, false) => " DEBUG ",
            (_, false) => " TRACE ",
            (Level::ERROR, true) => " \x1b[31mERROR\x1b[0m ",
            (Level::WARN, true) => " \x1b[33m WARN\x1b[0m ",
            (Level::INFO, true) => " \x1b[32m INFO\x1b[0m ",
            (Level::DEBUG, true) => " \x1b[34mDEBUG\x1b[0m ",
            (_, true) => " \x1b[35mTRACE\x1b[0m ",
        }
    }
}

/// The message, and ` name=value` of each other field.
struct Fields<'l> {
    line: &'l mut String,
    text: Text,
}

impl Fields<'_> {
    fn name(&mut self, field: &Field) {
        let name = field.name();
        if name == "message" {
            return;
        }
        if !self.text.colours {
            self.line.push(' ');
            self.line.push_str(name);
            self.line.push('=');
            return;
        }
        for piece in [" ", ITALIC, name, PLAIN, DIM, "=", PLAIN] {
            self.line.push_str(piece);
        }
    }
}

impl Visit for Fields<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.name(field);
        let _ = write!(Escaping(self.line), "{value:?}");
    }

    // What follows writes the same as the formatter would, without it.

    fn record_str(&mut self, field: &Field, value: &str) {
        if !value
            .bytes()
            .all(|byte| is_plain(byte) && byte != b'"' && byte != b'\\')
        {
            return self.record_debug(field, &value);
        }
        self.name(field);
        if field.name() == "message" {
            return self.line.push_str(value);
        }
        self.line.push('"');
        self.line.push_str(value);
        self.line.push('"');
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.name(field);
        self.line.push_str(itoa::Buffer::new().format(value));
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.name(field);
        self.line.push_str(itoa::Buffer::new().format(value));
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.name(field);
        self.line.push_str(zmij::Buffer::new().format(value));
    }
}

fn is_plain(byte: u8) -> bool {
    matches!(byte, b' '..=b'~')
}

/// Keeps what comes from outside on its line, and its codes away from the terminal.
struct Escaping<'l>(&'l mut String);

impl fmt::Write for Escaping<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if text.bytes().all(is_plain) || !text.contains(char::is_control) {
            self.0.push_str(text);
            return Ok(());
        }
        text.chars().try_for_each(|c| {
            if c.is_control() {
                write!(self.0, "{}", c.escape_default())
            } else {
                self.0.write_char(c)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use parking_lot::Mutex;
    use tracing_subscriber::fmt::MakeWriter;
    use tracing_subscriber::prelude::*;

    use super::*;

    #[derive(Clone, Default)]
    struct Sink(Arc<Mutex<Vec<u8>>>);

    impl std::io::Write for Sink {
        fn write(&mut self, text: &[u8]) -> std::io::Result<usize> {
            self.0.lock().extend_from_slice(text);
            Ok(text.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    impl<'a> MakeWriter<'a> for Sink {
        type Writer = Self;

        fn make_writer(&'a self) -> Self {
            self.clone()
        }
    }

    fn logged(colours: bool, log: impl FnOnce()) -> String {
        let sink = Sink::default();
        let layer = tracing_subscriber::fmt::layer()
            .event_format(Text { colours })
            .with_writer(sink.clone());
        tracing::subscriber::with_default(tracing_subscriber::registry().with(layer), log);
        let bytes = sink.0.lock().clone();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn a_line_has_time_level_message_and_fields() {
        let line = logged(false, || {
            tracing::info!(id = %"c1", ms = 1.5, status = Some(200), client = None::<&str>, "call");
        });
        let (time, rest) = line.split_once(' ').unwrap();
        assert!(time.ends_with('Z') && time.contains('T'), "{line}");
        assert_eq!(rest, " INFO call id=c1 ms=1.5 status=200\n");
        let line = logged(true, || tracing::warn!(id = "x", "careful"));
        assert!(line.contains("\x1b[33m WARN\x1b[0m careful"), "{line:?}");
    }

    #[test]
    fn nothing_from_outside_leaves_its_line() {
        let line = logged(false, || {
            tracing::error!(error = %"a\nb\x1b[2J\u{9b}c", "no\r");
        });
        assert!(
            line.ends_with("no\\r error=a\\nb\\u{1b}[2J\\u{9b}c\n"),
            "{line:?}"
        );
    }
}
