//! How stdin and stdout are served, and for whom.

use super::{Faults, access, duration, size};
use crate::config::file::File;
use crate::transport;

pub(super) fn settings(
    file: &File,
    environment: &dyn Fn(&str) -> Option<String>,
    faults: &mut Faults,
) -> transport::stdio::Settings {
    let default = transport::stdio::Settings::default();
    // The listener reports the faults of the values it shares with this.
    let silent = &mut Faults::default();
    transport::stdio::Settings {
        max_line_bytes: size(
            "limits.request",
            file.limits.request.as_deref(),
            default.max_line_bytes,
            silent,
        ),
        drain: duration(
            "timeouts.drain",
            file.timeouts.drain.as_deref(),
            default.drain,
            silent,
        ),
        caller: access::stdio(file, environment, faults),
        ..default
    }
}
