//! The same for programs.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::Item;
use crate::state::Stage;

pub(super) fn list(waiting: &[Item], recent: &[Item]) -> String {
    let all = |items: &[Item]| -> Vec<Value> { items.iter().map(value).collect() };
    json!({"pending": all(waiting), "recent": all(recent)}).to_string()
}

pub(super) fn item(item: &Item) -> String {
    value(item).to_string()
}

pub(super) fn error(text: &str) -> String {
    json!({ "error": text }).to_string()
}

fn value(item: &Item) -> Value {
    let Item { entry, shown } = item;
    let mut value = json!({
        "id": &*entry.id,
        "status": word(&entry.stage),
        "principal": shown.principal,
        "client": shown.client,
        "transport": shown.transport,
        "preview": shown.preview,
        "createdAt": time(entry.created),
        "expiresAt": time(entry.expires),
    });
    if let Stage::Approved(verdict) | Stage::Denied(verdict) | Stage::Used(verdict) = &entry.stage {
        value["decidedBy"] = (*verdict.by).into();
        value["decidedAt"] = time(verdict.at).into();
    }
    value
}

fn word(stage: &Stage) -> &'static str {
    match stage {
        Stage::Open => "pending",
        Stage::Approved(_) => "approved",
        Stage::Denied(_) => "denied",
        Stage::Used(_) => "called",
        Stage::Withdrawn => "withdrawn",
        Stage::Expired => "expired",
    }
}

/// Seconds since 1970 as RFC 3339 has them.
pub(super) fn time(seconds: u64) -> String {
    let time = i64::try_from(seconds).ok().map(Timestamp::from_second);
    // Beyond the year 9999 there is no such text.
    time.and_then(Result::ok)
        .unwrap_or(Timestamp::MAX)
        .to_string()
}
