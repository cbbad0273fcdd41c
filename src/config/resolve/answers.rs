//! The settings that say how calls are sent, and how much of their answers is received, handed on and kept.

use super::{Faults, duration, size};
use crate::config::file::{File, Timeouts};
use crate::config::quantity;
use crate::{handler, interpret, kept};

pub(super) fn handler(file: &File, faults: &mut Faults) -> handler::http::Settings {
    let default = handler::http::Settings::default();
    let Timeouts {
        connect,
        call,
        stream,
        ..
    } = &file.timeouts;
    // Faults of these are reported where they are resolved.
    let silent = &mut Faults::default();
    let (limits, kept) = (limits(file, silent), kept(file, silent));
    handler::http::Settings {
        connect_timeout: duration(
            "timeouts.connect",
            connect.as_deref(),
            default.connect_timeout,
            faults,
        ),
        timeout: duration("timeouts.call", call.as_deref(), default.timeout, faults),
        stream_timeout: stream
            .as_deref()
            .and_then(|text| faults.take("timeouts.stream", quantity::duration(text))),
        max_reply_bytes: kept.max_bytes.max(limits.reply as u64),
    }
}

/// A text is never longer in a result than any answer may be.
pub(super) fn limits(file: &File, faults: &mut Faults) -> interpret::Limits {
    let default = interpret::Limits::default();
    let mut limit =
        |setting, text: &Option<String>, default| size(setting, text.as_deref(), default, faults);
    let reply = limit("limits.reply", &file.limits.reply, default.reply);
    let text = limit("limits.text", &file.limits.text, default.text);
    interpret::Limits {
        reply,
        text: text.min(reply),
    }
}

pub(super) fn kept(file: &File, faults: &mut Faults) -> kept::Settings {
    let default = kept::Settings::default();
    let mut limit =
        |setting, text: &Option<String>, default| size(setting, text.as_deref(), default, faults);
    let max_bytes = limit(
        "limits.kept_reply",
        &file.limits.kept_reply,
        default.max_bytes,
    );
    let total = limit(
        "limits.kept_total",
        &file.limits.kept_total,
        default.max_total_bytes,
    );
    kept::Settings {
        max_bytes,
        max_total_bytes: total,
        max_count: file.limits.kept_count.unwrap_or(default.max_count),
        lifetime: duration(
            "timeouts.kept",
            file.timeouts.kept.as_deref(),
            default.lifetime,
            faults,
        ),
    }
}
