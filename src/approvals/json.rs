//! The same for programs.

use serde_json::{Value, json};

use super::Item;
use crate::state::Stage;
use crate::time::rfc3339_seconds;

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
        "createdAt": rfc3339_seconds(entry.created),
        "expiresAt": rfc3339_seconds(entry.expires),
    });
    if let Stage::Approved(verdict) | Stage::Denied(verdict) | Stage::Used(verdict) = &entry.stage {
        value["decidedBy"] = (*verdict.by).into();
        value["decidedAt"] = rfc3339_seconds(verdict.at).into();
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
