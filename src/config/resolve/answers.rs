//! The settings that say how much of an answer is handed on, and how much is kept and for how long.

use super::{Faults, room, size, time_limit};
use crate::config::file::File;
use crate::config::outbound::{Hidden, Untrusted};
use crate::{interpret, state};

/// A text is never longer in a result than any answer may be.
pub(super) fn limits(file: &File, faults: &mut Faults) -> interpret::Limits {
    let default = interpret::Limits::default();
    let mut limit =
        |setting, text: &Option<String>, default| room(setting, text.as_deref(), default, faults);
    let reply = limit("limits.reply", &file.limits.reply, default.reply);
    let text = limit("limits.text", &file.limits.text, default.text);
    interpret::Limits {
        reply,
        text: text.min(reply),
    }
}

/// What is done to texts of upstreams.
pub(super) fn cleaning(file: &File) -> interpret::Cleaning {
    let (default, written) = (interpret::Cleaning::default(), &file.answers);
    let removes = |hidden: Option<Hidden>, default| match hidden {
        Some(hidden) => hidden == Hidden::Remove,
        None => default,
    };
    interpret::Cleaning {
        controls: removes(written.controls, default.controls),
        directions: removes(written.directions, default.directions),
        mark: written.untrusted == Some(Untrusted::Mark),
    }
}

pub(super) fn kept(file: &File, faults: &mut Faults) -> state::KeptSettings {
    let default = state::KeptSettings::default();
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
    state::KeptSettings {
        max_bytes,
        max_total_bytes: total,
        max_count: file.limits.kept_count.unwrap_or(default.max_count),
        lifetime: time_limit(
            "timeouts.kept",
            file.timeouts.kept.as_deref(),
            default.lifetime,
            faults,
        ),
    }
}
