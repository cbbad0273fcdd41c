//! The rules around calls.

use std::num::NonZeroU32;

use super::{Faults, access, duration, size};
use crate::config::file::File;
use crate::config::policy::AuditArguments;
use crate::config::quantity;
use crate::state::{Quotas, Rate};
use crate::{policy, transport};

pub(super) const MAX_BYTES: u64 = 64 * 1024 * 1024;
pub(super) const KEEP: u32 = 5;

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
        rate: rates(file, faults),
        access: access::scopes(file, faults),
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

fn rates(file: &File, faults: &mut Faults) -> policy::RateSettings {
    let written = &file.rate;
    let own = access::rates(file, faults);
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
    let quotas = Quotas {
        caller,
        own,
        tool,
        all,
    };
    let concurrency = written.concurrency.and_then(|most| {
        let most = NonZeroU32::new(most).ok_or_else(|| "expected at least 1, found 0".to_owned());
        faults.take("rate.concurrency", most)
    });
    policy::RateSettings {
        quotas,
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
    let Rate { calls, per } = faults.take("rate.requests", rate(text))?;
    Some(transport::http::Requests { count: calls, per })
}

/// `10/s`, `60/m`, `1000/h` or `5/30s`.
pub(super) fn rate(text: &str) -> Result<Rate, String> {
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
    Ok(Rate { calls, per })
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
