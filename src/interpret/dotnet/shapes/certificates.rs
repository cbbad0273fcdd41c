//! Development certificates and user secrets.

use serde_json::{Map, Value, json};

use super::super::classify;
use super::super::reading::Reading;
use super::super::words;
use super::View;

/// JSON where it was asked for; otherwise the statuses 0, 6 (none) and 7 (not trusted) and a sentence.
pub(super) fn check(view: &View<'_>) -> Reading {
    let parsed: Option<Vec<Value>> = serde_json::from_str(view.stdout().trim()).ok();
    if let Some(found) = parsed.filter(|_| view.succeeded()) {
        let trusted = found.iter().any(|one| one["TrustLevel"] == "Full");
        let listed: Vec<Value> = found.iter().map(certificate).collect();
        return answer(!listed.is_empty(), Some(trusted), listed);
    }
    match view.run.exit {
        Some(0) => answer(
            true,
            view.call.is_set("trust").then_some(true),
            sentences(view.stdout()),
        ),
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

/// A JSON object between `//BEGIN` and `//END`, or a pair each.
pub(super) fn secrets(view: &View<'_>) -> Reading {
    view.or_failure(|| {
        let text = view.stdout();
        let marked = words::between(text, "//BEGIN", "//END");
        let found: Option<Map<String, Value>> =
            marked.and_then(|json| serde_json::from_str(json.trim()).ok());
        let secrets = found.unwrap_or_else(|| {
            text.lines()
                .filter_map(|line| line.split_once(" = "))
                .map(|(key, value)| (key.to_owned(), value.into()))
                .collect()
        });
        Reading::of([
            ("count", Some(secrets.len().into())),
            ("secrets", Some(secrets.into())),
        ])
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
