//! Where requests may go: how documents are read, and which hosts and networks calls reach.

use std::str::FromStr;

use super::{Faults, duration, size};
use crate::config::file::File;
use crate::config::outbound::Redirects;
use crate::{handler, openapi};

/// How documents are read.
pub(super) fn documents(file: &File, faults: &mut Faults) -> openapi::Settings {
    let default = openapi::Settings::default();
    openapi::Settings {
        max_bytes: size(
            "limits.document",
            file.limits.document.as_deref(),
            default.max_bytes,
            faults,
        ),
        timeout: duration(
            "timeouts.document",
            file.timeouts.document.as_deref(),
            default.timeout,
            faults,
        ),
        // Faults of these are reported with the calls'.
        allowed_networks: all("", &file.outbound.allow, &mut Faults::default()),
        tls: super::upstream::tls(&file.tls, &mut Faults::default()),
        ..default
    }
}

/// Where calls go.
pub(super) fn calls(file: &File, faults: &mut Faults) -> handler::http::OutboundSettings {
    let written = &file.outbound;
    handler::http::OutboundSettings {
        hosts: all("outbound.hosts", &written.hosts, faults),
        redirects: match written.redirects {
            Some(Redirects::SameHost) => handler::http::Redirects::SameHost,
            Some(Redirects::None) | None => handler::http::Redirects::None,
        },
        allow: all("outbound.allow", &written.allow, faults),
    }
}

fn all<T: FromStr<Err: ToString>>(setting: &str, texts: &[String], faults: &mut Faults) -> Vec<T> {
    let read = |text: &String| text.parse().map_err(|error: T::Err| error.to_string());
    texts
        .iter()
        .filter_map(|text| faults.take(setting, read(text)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_read_and_faults_named() {
        let file = File::parse(
            "outbound: {hosts: [api.test, 'a b'], redirects: same_host, allow: [10.0.0.0/8, here]}",
        )
        .unwrap();
        let mut faults = Faults::default();
        let settings = calls(&file, &mut faults);
        assert_eq!((settings.hosts.len(), settings.allow.len()), (1, 1));
        assert_eq!(settings.redirects, handler::http::Redirects::SameHost);
        let all = faults.0.join("\n");
        assert!(
            all.contains("outbound.hosts: `a b`") && all.contains("outbound.allow: `here`"),
            "{all}"
        );
    }
}
