//! The rules around calls.

use std::num::NonZeroU32;

use super::{Faults, duration, size};
use crate::config::file::File;
use crate::config::policy::{AuditArguments, Rates};
use crate::config::quantity;
use crate::{policy, transport};

const MAX_BYTES: u64 = 64 * 1024 * 1024;
const KEEP: u32 = 5;

pub(super) fn settings(file: &File, faults: &mut Faults) -> policy::Settings {
    let redact = policy::RedactSettings {
        answers: file.redact.answers.unwrap_or_default(),
        names: file.redact.names.clone(),
        pointers: file.redact.pointers.clone(),
        patterns: file.redact.patterns.clone(),
    };
    if let Err(wrong) = policy::Redactor::new(&redact) {
        faults.0.extend(wrong);
    }
    policy::Settings {
        redact,
        audit: audit(file, faults),
        rate: rates(&file.rate, faults),
    }
}

fn audit(file: &File, faults: &mut Faults) -> Option<policy::AuditSettings> {
    let written = &file.audit;
    let max_bytes = size(
        "audit.max_bytes",
        written.max_bytes.as_deref(),
        MAX_BYTES,
        faults,
    );
    let path = written.file.clone()?;
    let destination = if path.as_os_str() != "-" {
        policy::Destination::File {
            path,
            max_bytes,
            keep: written.keep.unwrap_or(KEEP),
        }
    } else {
        if file.stdio.unwrap_or_default() {
            let fault = "audit.file: `-` is standard output, which belongs to the stdio transport: name a file";
            faults.0.push(fault.to_owned());
        }
        policy::Destination::Stdout
    };
    Some(policy::AuditSettings {
        destination,
        arguments: match written.arguments {
            None | Some(AuditArguments::Redacted) => policy::Arguments::Redacted,
            Some(AuditArguments::Digest) => policy::Arguments::Digest,
            Some(AuditArguments::Off) => policy::Arguments::Off,
        },
    })
}

fn rates(written: &Rates, faults: &mut Faults) -> policy::RateSettings {
    let default = policy::RateSettings::default();
    let mut read = |setting: &str, text: &Option<String>| {
        text.as_deref()
            .and_then(|text| faults.take(setting, rate(text)))
    };
    let (caller, tool) = (
        read("rate.caller", &written.caller),
        read("rate.tool", &written.tool),
    );
    let all = read("rate.all", &written.all);
    let concurrency = written.concurrency.and_then(|most| {
        let most = NonZeroU32::new(most).ok_or_else(|| "expected at least 1, found 0".to_owned());
        faults.take("rate.concurrency", most)
    });
    policy::RateSettings {
        caller,
        tool,
        all,
        concurrency,
        patience: duration(
            "rate.patience",
            written.patience.as_deref(),
            default.patience,
            faults,
        ),
    }
}

/// Requests the endpoint takes.
pub(super) fn requests(file: &File, faults: &mut Faults) -> Option<transport::http::Requests> {
    let text = file.rate.requests.as_deref()?;
    let policy::Rate { calls, per } = faults.take("rate.requests", rate(text))?;
    Some(transport::http::Requests { count: calls, per })
}

/// The endpoint's keys.
pub(super) fn keys(file: &File, faults: &mut Faults) -> Vec<transport::http::Key> {
    let mut keys: Vec<transport::http::Key> = Vec::new();
    for (index, written) in file.access.keys.iter().enumerate() {
        let setting = format!("access.keys[{index}]");
        let key = hash(&written.hash).and_then(|hash| {
            let name = written.name.trim();
            if name.is_empty() || name == "anonymous" || keys.iter().any(|key| &*key.name == name) {
                return Err("expected a name of its own".to_owned());
            }
            let name = name.into();
            Ok(transport::http::Key { name, hash })
        });
        keys.extend(faults.take(&setting, key));
    }
    keys
}

/// The text itself is not repeated: it may be the key, put there by mistake.
fn hash(text: &str) -> Result<[u8; 32], String> {
    let expected = || "expected a SHA-256 as 64 hex digits as hash".to_owned();
    let text = text.trim().as_bytes();
    let mut hash = [0; 32];
    if text.len() != 64 {
        return Err(expected());
    }
    for (byte, digits) in hash.iter_mut().zip(text.chunks(2)) {
        let digits = std::str::from_utf8(digits).map_err(|_| expected())?;
        *byte = u8::from_str_radix(digits, 16).map_err(|_| expected())?;
    }
    Ok(hash)
}

/// `10/s`, `60/m`, `1000/h` or `5/30s`.
fn rate(text: &str) -> Result<policy::Rate, String> {
    let expected = || format!("`{text}` is not a rate: expected for instance `60/m` or `5/30s`");
    let (calls, per) = text.split_once('/').ok_or_else(expected)?;
    let per = match per.trim() {
        unit @ ("s" | "m" | "h") => format!("1{unit}"),
        other => other.to_owned(),
    };
    let per = quantity::duration(&per).map_err(|_| expected())?;
    let calls = calls.trim().parse().map_err(|_| expected())?;
    if per.is_zero() {
        return Err(expected());
    }
    Ok(policy::Rate { calls, per })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn rates_read_as_written() {
        for (text, calls, per) in [("10/s", 10, 1), ("60/m", 60, 60), (" 5 / 30s", 5, 30)] {
            let read = rate(text).unwrap();
            assert_eq!(
                (read.calls.get(), read.per),
                (calls, Duration::from_secs(per))
            );
        }
        for bad in ["", "10", "0/s", "-1/s", "1/0s", "1/week", "x/s"] {
            assert!(rate(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn keys_are_read_and_never_repeated() {
        let good = "ca64daa8b294dc4835d29ca02a6a47427ebc6a225ea3ac2e15f8417fb6601db2";
        let read = |text: &str| {
            let mut faults = Faults::default();
            let keys = keys(&File::parse(text).unwrap(), &mut faults);
            (keys.len(), faults.0.join(" "))
        };
        let one = format!("{{name: ann, hash: {good}}}");
        assert_eq!(read(&format!("access: {{keys: [{one}]}}")).0, 1);
        let (count, faults) = read(&format!("access: {{keys: [{one}, {one}]}}"));
        assert!(count == 1 && faults.contains("keys[1]"), "{faults}");
        let (count, faults) = read("access: {keys: [{name: bob, hash: topsecret}]}");
        assert!(count == 0 && faults.contains("64 hex"), "{faults}");
        assert!(!faults.contains("topsecret"));
    }

    #[test]
    fn every_fault_is_named() {
        let file = File::parse(
            "stdio: true\naudit: {file: '-', max_bytes: x}\nrate: {all: 0/s, concurrency: 0}\nredact: {patterns: ['(']}\n",
        )
        .unwrap();
        let mut faults = Faults::default();
        settings(&file, &mut faults);
        let all = faults.0.join("\n");
        for part in [
            "audit.file",
            "audit.max_bytes",
            "rate.all",
            "rate.concurrency",
            "redact.patterns",
        ] {
            assert!(all.contains(part), "{part} in {all}");
        }
    }
}
