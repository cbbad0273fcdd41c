//! Programs that go on after their answer: what they wrote, and their end.

use serde_json::{Map, Value, json};

use super::context::{SessionLine, SessionView};
use super::file::refused;
use super::{CommandError, Context, Made, clock, optional_text, text};
use crate::time::rfc3339;

/// Ends a session.
pub(super) async fn stop(
    arguments: &Map<String, Value>,
    context: &dyn Context,
) -> Result<Made, CommandError> {
    let id = text(arguments, "sessionId")?.trim();
    let Some(session) = context.stop(id).await else {
        return Err(unknown(context));
    };
    let mut made = described(&session);
    let summary = match session.ended {
        Some(_) => format!(
            "The session had ended already: {} of {}.",
            session.operation, session.target
        ),
        None => format!("Stopped {} of {}.", session.operation, session.target),
    };
    made.insert("success".to_owned(), true.into());
    made.insert("summary".to_owned(), summary.into());
    made.insert("status".to_owned(), "stopped".into());
    Ok(Made::of(Value::Object(made)))
}

/// The last lines of a session.
pub(super) fn logs(
    arguments: &Map<String, Value>,
    context: &dyn Context,
) -> Result<Made, CommandError> {
    let id = text(arguments, "sessionId")?.trim();
    let since = match optional_text(arguments, "since") {
        None => None,
        Some(text) => Some(clock::parse(text).ok_or_else(|| {
            let message = "Parameter 'since' must be a time as ISO 8601 writes it".to_owned();
            refused("since", "invalid value", message)
        })?),
    };
    let tail = match arguments.get("tailLines").filter(|value| !value.is_null()) {
        None => usize::MAX,
        Some(value) => value
            .as_u64()
            .and_then(|lines| usize::try_from(lines).ok())
            .filter(|lines| *lines > 0)
            .ok_or_else(|| {
                let message = "Parameter 'tailLines' must be a positive integer".to_owned();
                refused("tailLines", "invalid value", message)
            })?,
    };
    let session = context.session(id).ok_or_else(|| unknown(context))?;
    let recent: Vec<&SessionLine> = session
        .lines
        .iter()
        .filter(|line| since.is_none_or(|since| line.time >= since))
        .collect();
    let shown = recent
        .get(recent.len().saturating_sub(tail)..)
        .unwrap_or_default();
    Ok(Made::of(shown_as(&session, shown)))
}

fn shown_as(session: &SessionView, lines: &[&SessionLine]) -> Value {
    let mut made = described(session);
    let status = match session.ended {
        None => "running".to_owned(),
        Some(Some(exit)) => format!("ended with exit status {exit}"),
        Some(None) => "ended by a signal".to_owned(),
    };
    let summary = format!(
        "{} of {}: {status}; {} of {} lines.",
        session.operation,
        session.target,
        lines.len(),
        session.lines.len()
    );
    let mut text = summary.clone();
    for line in lines {
        text.push_str(if line.error { "\n[stderr] " } else { "\n" });
        text.push_str(&line.text);
    }
    let listed: Vec<Value> = lines
        .iter()
        .map(|line| {
            let stream = if line.error { "stderr" } else { "stdout" };
            json!({"time": rfc3339(line.time), "stream": stream, "text": line.text})
        })
        .collect();
    made.insert("success".to_owned(), true.into());
    made.insert("summary".to_owned(), summary.into());
    made.insert("text".to_owned(), text.into());
    made.insert("totalLines".to_owned(), session.lines.len().into());
    made.insert("droppedLines".to_owned(), session.dropped.into());
    made.insert("lines".to_owned(), listed.into());
    Value::Object(made)
}

fn described(session: &SessionView) -> Map<String, Value> {
    let mut made = Map::new();
    made.insert("sessionId".to_owned(), session.id.clone().into());
    made.insert("operation".to_owned(), session.operation.clone().into());
    made.insert("target".to_owned(), session.target.clone().into());
    made.insert("processId".to_owned(), session.process.into());
    made.insert("startTime".to_owned(), rfc3339(session.started).into());
    let status = if session.ended.is_some() {
        "completed"
    } else {
        "running"
    };
    made.insert("status".to_owned(), status.into());
    if let Some(Some(exit)) = session.ended {
        made.insert("exitCode".to_owned(), exit.into());
    }
    made
}

fn unknown(context: &dyn Context) -> CommandError {
    let known: Vec<String> = context
        .sessions()
        .into_iter()
        .map(|session| {
            format!(
                "{} ({} of {})",
                session.id, session.operation, session.target
            )
        })
        .collect();
    let rest = if known.is_empty() {
        "there are no sessions".to_owned()
    } else {
        format!("there are: {}", known.join(", "))
    };
    let message = format!(
        "Parameter 'sessionId' names no session: it may have ended or been stopped; {rest}"
    );
    refused("sessionId", "not found", message)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::testing::{Fake, call};

    #[tokio::test]
    async fn logs_are_cut_by_time_and_number() {
        let fake = Fake::new();
        let all = call("session-logs", json!({"sessionId": "s1"}), &fake)
            .await
            .expect("known");
        assert_eq!(
            (&all["status"], &all["totalLines"]),
            (&json!("running"), &json!(3))
        );
        assert_eq!(
            all["lines"][1],
            json!({"time": "2026-04-11T05:30:01.000Z", "stream": "stderr", "text": "two"})
        );
        assert!(
            all["text"]
                .as_str()
                .is_some_and(|text| text.ends_with("\none\n[stderr] two\nthree"))
        );
        let tail = call(
            "session-logs",
            json!({"sessionId": "s1", "tailLines": 1}),
            &fake,
        )
        .await
        .expect("known");
        assert_eq!(tail["lines"].as_array().map(Vec::len), Some(1));
        let since = json!({"sessionId": "s1", "since": "2026-04-11T05:30:01Z", "tailLines": 5});
        let since = call("session-logs", since, &fake).await.expect("known");
        assert_eq!(since["lines"].as_array().map(Vec::len), Some(2));
    }

    #[tokio::test]
    async fn unknown_sessions_and_bad_values_are_refused() {
        let fake = Fake::new();
        for arguments in [
            json!({"sessionId": "nothing"}),
            json!({}),
            json!({"sessionId": "s1", "since": "yesterday"}),
            json!({"sessionId": "s1", "tailLines": 0}),
            json!({"sessionId": "s1", "tailLines": -3}),
        ] {
            assert!(
                call("session-logs", arguments.clone(), &fake)
                    .await
                    .is_err(),
                "{arguments}"
            );
        }
        let error = call("stop-session", json!({"sessionId": "x"}), &fake)
            .await
            .expect_err("unknown");
        assert!(
            error.to_string().contains("s1 (run of App.csproj)"),
            "{error}"
        );
    }

    #[tokio::test]
    async fn a_stopped_session_is_gone() {
        let fake = Fake::new();
        let made = call("stop-session", json!({"sessionId": "s1"}), &fake)
            .await
            .expect("known");
        assert_eq!(
            (&made["status"], &made["processId"]),
            (&json!("stopped"), &json!(4711))
        );
        assert!(
            call("stop-session", json!({"sessionId": "s1"}), &fake)
                .await
                .is_err()
        );
    }
}
