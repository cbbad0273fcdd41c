//! Development certificates and user secrets.

use serde_json::{Map, Value, json};

use super::super::CommandCall;
use super::super::classify;
use super::super::reading::Reading;
use super::super::words;
use super::{View, found};
use crate::handler::command::CommandReply;

/// JSON where it was asked for, with status 0 whether there are certificates or not; otherwise the statuses 0,
/// 6 (none) and 7 (not trusted) and a sentence for each certificate.
pub(super) fn check(view: &View<'_>) -> Reading {
    let is_list = |value: &Value| found::is_list_of(value, &["Thumbprint"]);
    let parsed = found::json(view.stdout(), is_list).filter(|_| view.succeeded());
    if let Some(Value::Array(certificates)) = parsed {
        let trusted = certificates.iter().any(|one| one["TrustLevel"] == "Full");
        let listed: Vec<Value> = certificates.iter().map(certificate).collect();
        return answer(!listed.is_empty(), Some(trusted), listed);
    }
    match view.run.exit {
        Some(0) => {
            let listed = sentences(view.stdout());
            if listed.is_empty() {
                return view.unreadable();
            }
            let trusted = view.stdout().contains("A trusted certificate was found");
            answer(true, trusted.then_some(true), listed)
        }
        Some(6) => answer(false, Some(false), Vec::new()),
        Some(7) => answer(true, Some(false), sentences(view.stdout())),
        _ => view.failure().into(),
    }
}

fn answer(valid: bool, trusted: Option<bool>, certificates: Vec<Value>) -> Reading {
    let text = match (valid, trusted) {
        (false, _) => "There is no valid development certificate",
        (true, Some(true)) => "There is a valid development certificate, and it is trusted",
        (true, Some(false)) => "There is a valid development certificate; it is not trusted by all",
        (true, None) => "There is a valid development certificate",
    };
    Reading::of([
        ("valid", Some(valid.into())),
        ("trusted", trusted.map(Value::from)),
        ("certificates", Some(certificates.into())),
    ])
    .telling(text)
}

fn certificate(found: &Value) -> Value {
    let names = [
        ("thumbprint", "Thumbprint"),
        ("subject", "Subject"),
        ("notBefore", "ValidityNotBefore"),
        ("notAfter", "ValidityNotAfter"),
        ("version", "Version"),
        ("trustLevel", "TrustLevel"),
        ("isExportable", "IsExportable"),
        (
            "isHttpsDevelopmentCertificate",
            "IsHttpsDevelopmentCertificate",
        ),
        ("alternativeNames", "X509SubjectAlternativeNameExtension"),
    ];
    words::members(names.map(|(member, name)| (member, found.get(name).cloned()))).into()
}

/// `THUMBPRINT - CN=localhost - Valid from A to B - IsHttpsDevelopmentCertificate: true - IsExportable: true`.
fn sentences(text: &str) -> Vec<Value> {
    text.lines()
        .filter_map(|line| {
            let (left, right) = line.split_once(" - Valid from ")?;
            let (head, subject) = left.split_once(" - ")?;
            let thumbprint = head.rsplit([' ', ')', ':']).next()?;
            let (dates, flags) = right.split_once(" - ").unwrap_or((right, ""));
            let (from, to) = dates.split_once(" to ")?;
            Some(json!({
                "thumbprint": thumbprint,
                "subject": subject,
                "notBefore": from,
                "notAfter": to,
                "isExportable": flags.contains("IsExportable: true"),
            }))
        })
        .collect()
}

/// What the statuses of a failure mean.
fn meaning(status: i32) -> Option<&'static str> {
    Some(match status {
        3 => "The certificate could not be exported: the folder has to exist and be writable",
        4 => "The certificate could not be trusted",
        5 => "The trust of the certificate was cancelled",
        10 => "The export format is not known: use pfx or pem",
        12 => "The certificate file to import is not there",
        _ => return None,
    })
}

/// Trusted, removed or exported; the path is told, the password never.
pub(super) fn change(view: &View<'_>) -> Reading {
    if view.succeeded() {
        let said = view
            .stdout()
            .lines()
            .rev()
            .map(str::trim)
            .find(|line| !line.is_empty());
        let path = view.call.text("path");
        let summary = match path {
            Some(path) => format!("Exported the certificate to {path}"),
            None => said.unwrap_or("Done").to_owned(),
        };
        return Reading::done(
            words::cut(&summary, 300, "..."),
            [
                ("path", path.map(Value::from)),
                ("format", path.and_then(|_| view.given("format"))),
            ],
        );
    }
    let mut failed = view.failure();
    if let Some(hint) = meaning(classify::status(view.run))
        && let Some(first) = failed.errors.first_mut()
    {
        first.hint = Some(hint.to_owned());
    }
    failed.into()
}

/// The same reply without the values of user secrets: they are secret by their place, whatever their keys are.
pub(super) fn without_values(call: &CommandCall<'_>, reply: &CommandReply) -> CommandReply {
    let mut reply = reply.clone();
    for run in &mut reply.runs {
        run.stdout.text = hidden(call, &run.stdout.text);
    }
    reply
}

/// `//BEGIN`, JSON and `//END`, or a pair each. Of JSON that cannot be read nothing is left.
fn hidden(call: &CommandCall<'_>, text: &str) -> String {
    let hide = |value: &str| (call.mask_named)("secret", value);
    let Some((before, marked)) = text.split_once("//BEGIN") else {
        let lines = text.lines().map(|line| match line.split_once(" = ") {
            Some((key, value)) => format!("{key} = {}\n", hide(value)),
            None => format!("{line}\n"),
        });
        return lines.collect();
    };
    let json = marked.split("//END").next().unwrap_or_default();
    let shown = match crate::tree::read::<Map<String, Value>>(json.trim()) {
        Ok(mut secrets) => {
            for value in secrets.values_mut() {
                let text = value
                    .as_str()
                    .map_or_else(|| value.to_string(), str::to_owned);
                *value = hide(&text).into();
            }
            serde_json::to_string_pretty(&secrets).unwrap_or_default()
        }
        Err(_) => hide(json.trim()),
    };
    format!("{before}//BEGIN\n{shown}\n//END\n")
}

/// A JSON object between `//BEGIN` and `//END`, or a pair each, without values; people read the keys alone.
pub(super) fn secrets(view: &View<'_>) -> Reading {
    view.or_failure(|| {
        let text = view.stdout();
        let marked = words::between(text, "//BEGIN", "//END");
        let found: Option<Map<String, Value>> =
            marked.and_then(|json| crate::tree::read(json.trim()).ok());
        let secrets = match found {
            Some(secrets) => secrets,
            None if text.contains("//BEGIN") => return view.unreadable(),
            None => text
                .lines()
                .filter_map(|line| line.split_once(" = "))
                .map(|(key, value)| (key.to_owned(), value.into()))
                .collect(),
        };
        if secrets.is_empty() && marked.is_none() && !text.contains("No secrets configured") {
            return view.unreadable();
        }
        let keys: Vec<&str> = secrets.keys().map(String::as_str).collect();
        let told = match keys.is_empty() {
            true => "There are no secrets".to_owned(),
            false => format!("{} secret(s):\n{}", keys.len(), keys.join("\n")),
        };
        let mut reading = Reading::of([
            ("count", Some(secrets.len().into())),
            ("secrets", Some(secrets.into())),
        ]);
        reading.output = Some(text.trim().to_owned());
        reading.telling(words::bounded(view.call, &told))
    })
}

/// Names the key, never the value.
pub(super) fn secrets_change(view: &View<'_>) -> Reading {
    view.or_failure(|| {
        let text = view.stdout().trim();
        let id = words::between(text, "Set UserSecretsId to '", "'");
        let key = view.call.text("key");
        let absent = text.starts_with("Cannot find '");
        let summary = match (key, view.call.text("value")) {
            (Some(key), None) if absent => format!("There was no secret {key}"),
            (Some(key), Some(_)) => format!("Saved the secret {key}"),
            (Some(key), None) => format!("Removed the secret {key}"),
            (None, _) if text.is_empty() => "Removed all secrets of the project".to_owned(),
            (None, _) => text.lines().next().unwrap_or("Done").to_owned(),
        };
        Reading::done(
            summary,
            [
                ("userSecretsId", id.map(Value::from)),
                ("key", key.map(Value::from)),
            ],
        )
    })
}
