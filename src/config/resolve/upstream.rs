//! Towards the upstream: time limits, credentials, certificates and the headers handed on.

use std::collections::{BTreeMap, HashMap};

use http::HeaderName;

use super::{Faults, answers, duration, outbound};
use crate::config::credentials::CredentialEntry;
use crate::config::file::{DocumentEntry, File, Timeouts};
use crate::config::outbound::Tls;
use crate::config::quantity;
use crate::handler;
use crate::handler::http::credentials::{self, Credential};
use crate::tool::FRAMING_HEADERS;

pub(super) fn settings(
    file: &File,
    environment: &dyn Fn(&str) -> Option<String>,
    faults: &mut Faults,
) -> handler::http::Settings {
    let default = handler::http::Settings::default();
    let Timeouts {
        connect,
        call,
        stream,
        ..
    } = &file.timeouts;
    // Faults of these are reported where they are resolved.
    let silent = &mut Faults::default();
    let (limits, kept) = (answers::limits(file, silent), answers::kept(file, silent));
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
        credentials: credentials(file, environment, faults),
        tls: tls(&file.tls, faults),
        outbound: outbound::calls(file, faults),
    }
}

fn credentials(
    file: &File,
    environment: &dyn Fn(&str) -> Option<String>,
    faults: &mut Faults,
) -> credentials::Settings {
    let mut read = |place: &str, entries: &BTreeMap<String, CredentialEntry>| {
        let mut found: HashMap<String, Credential> = HashMap::new();
        for (name, entry) in entries {
            let setting = format!("{place}.{name}");
            let credential = faults.take(&setting, entry.resolve(environment));
            found.extend(credential.map(|credential| (name.clone(), credential)));
        }
        found
    };
    let everywhere = read("credentials", &file.credentials);
    let mut by_document = HashMap::new();
    for (number, document) in file.documents.iter().enumerate() {
        if let DocumentEntry::Full(settings) = document {
            let place = format!("documents[{number}].credentials");
            by_document.insert(number, read(&place, &settings.credentials));
        }
    }
    by_document.retain(|_, own| !own.is_empty());
    credentials::Settings {
        everywhere,
        by_document,
    }
}

pub(super) fn tls(written: &Tls, faults: &mut Faults) -> credentials::Tls {
    let identity = match (&written.certificate, &written.key) {
        (Some(certificate), Some(key)) => Some((certificate.clone(), key.clone())),
        (None, None) => None,
        _ => {
            faults
                .0
                .push("tls: expected certificate and key together".to_owned());
            None
        }
    };
    credentials::Tls {
        authorities: written.ca.clone(),
        identity,
    }
}

/// Headers of a client's request that are handed on. What belongs to one connection, to one
/// message or to MCP is not.
pub(super) fn forwarded(file: &File, faults: &mut Faults) -> Vec<HeaderName> {
    // What a browser adds by itself, such as cookies, proves nothing of the caller's will.
    const OURS: [&str; 5] = [
        "accept",
        "accept-encoding",
        "last-event-id",
        "proxy-authenticate",
        "proxy-authorization",
    ];
    let is_ours = |name: &str| {
        FRAMING_HEADERS.contains(&name) || OURS.contains(&name) || name.starts_with("mcp-")
    };
    let name = |text: &String| {
        let name: HeaderName = text
            .parse()
            .map_err(|_| format!("`{text}` is not a header name"))?;
        let asked = !file.access.keys.is_empty() || file.access.oauth.is_some();
        if name == http::header::AUTHORIZATION && asked {
            let text =
                "`Authorization` holds what this endpoint asks for, which no upstream may see";
            return Err(text.to_owned());
        }
        if is_ours(name.as_str()) {
            return Err(format!("`{text}` cannot be handed on"));
        }
        Ok(name)
    };
    let names = file.forward_headers.iter();
    names
        .filter_map(|text| faults.take("forward_headers", name(text)))
        .collect()
}
