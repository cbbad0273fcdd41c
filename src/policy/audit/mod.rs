//! One record per call, from one place; a call that nobody waited for is recorded as well.

mod decision;
mod line;
mod output;
mod sink;

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use data_encoding::HEXLOWER;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

pub use decision::Decided;
pub use sink::{Audit, AuditError, Destination, Settings};

use self::line::{Line, member, push_text};
use super::metrics::Counters;
use crate::tool::{CallId, Caller};

/// Of arguments, this many bytes are recorded; longer ones as their digest.
const MOST_ARGUMENTS: usize = 16 * 1024;
/// Room for the steps most calls go through, in bytes: access, rate, validate, confirm, send.
const STEPS: usize = 224;
/// Of a reason, this many characters.
const MOST_REASON: usize = 1024;

/// How arguments are recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Arguments {
    /// As they are, secrets masked.
    #[default]
    Redacted,
    /// Their length and SHA-256.
    Digest,
    /// Not at all.
    Off,
}

/// Writes its record when dropped: with the ending it was told, or as abandoned.
#[derive(Debug)]
pub struct CallRecord {
    id: CallId,
    caller: Caller,
    tool: String,
    started: Instant,
    /// Where it is audited.
    time: Option<SystemTime>,
    ending: Ending,
    status: Option<i32>,
    bytes: Option<u64>,
    operation: Option<Arc<str>>,
    /// JSON.
    arguments: Option<String>,
    /// JSON, each behind a comma, without brackets around them.
    steps: String,
    confirmation: Option<&'static str>,
    decided_by: Option<Arc<str>>,
    audit: Option<Audit>,
    counters: Option<Arc<Counters>>,
    limited: bool,
}

/// A step of a call that decides whether it goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// The headers say what the message says.
    Headers,
    /// The client has declared what the tool takes.
    Capabilities,
    /// There is such a tool.
    Find,
    /// This caller may call it.
    Access,
    /// It is not called too often.
    Rate,
    /// The arguments fit and can be bound.
    Validate,
    /// A human agrees.
    Confirm,
    /// It is carried out.
    Send,
}

/// The words of steps, and what is recorded of one that let a call pass: most calls pass them all.
macro_rules! steps {
    ($($step:ident $word:literal,)*) => {
        impl Step {
            /// As records name it.
            fn word(self) -> &'static str {
                match self { $(Self::$step => $word,)* }
            }

            /// JSON, behind a comma.
            fn allowed(self) -> &'static str {
                match self {
                    $(Self::$step => concat!(",{\"step\":\"", $word, "\",\"decision\":\"allowed\"}"),)*
                }
            }
        }
    };
}

steps! {
    Headers "headers",
    Capabilities "capabilities",
    Find "find",
    Access "access",
    Rate "rate",
    Validate "validate",
    Confirm "confirm",
    Send "send",
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// The operation succeeded.
    Done,
    /// The operation answered with an error, or not at all.
    Failed,
    /// The bridge refused the call before anything was sent.
    Refused,
    /// The caller left, or the call was cancelled.
    Abandoned,
}

impl Ending {
    fn word(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Refused => "refused",
            Self::Abandoned => "abandoned",
        }
    }
}

impl CallRecord {
    /// Starts the record of a call that has just arrived.
    #[must_use]
    pub fn start(id: CallId, caller: &Caller, tool: &str, audit: Option<&Audit>) -> Self {
        Self {
            id,
            caller: caller.clone(),
            // A name from outside is shortened, so that no caller can fill the log with one call.
            tool: shortened(tool, 128),
            started: Instant::now(),
            time: audit.map(|_| SystemTime::now()),
            ending: Ending::Abandoned,
            status: None,
            bytes: None,
            operation: None,
            arguments: None,
            steps: String::with_capacity(if audit.is_some() { STEPS } else { 0 }),
            confirmation: None,
            decided_by: None,
            audit: audit.cloned(),
            counters: None,
            limited: false,
        }
    }

    /// The same, counted here when it ends.
    #[must_use]
    pub fn counted(mut self, counters: &Arc<Counters>) -> Self {
        self.counters = Some(Arc::clone(counters));
        self
    }

    /// Whether what follows is written anywhere; it need not be made otherwise.
    #[must_use]
    pub fn is_audited(&self) -> bool {
        self.audit.is_some()
    }

    /// The operation, for instance `GET /pets/{id}`.
    pub fn operation(&mut self, operation: impl FnOnce() -> Arc<str>) {
        if self.is_audited() {
            self.operation = Some(operation());
        }
    }

    /// The arguments as the client wrote them; `mask` gives their text with secrets masked, JSON like that, or
    /// nothing where there are none.
    pub fn arguments(
        &mut self,
        arguments: &Map<String, Value>,
        mask: impl FnOnce(&str) -> Option<String>,
    ) {
        let Some(audit) = &self.audit else {
            return;
        };
        let kind = audit.arguments();
        if kind == Arguments::Off {
            return;
        }
        let Ok(text) = serde_json::to_string(arguments) else {
            return;
        };
        let text = match kind {
            Arguments::Redacted => mask(&text).unwrap_or(text),
            Arguments::Digest | Arguments::Off => digest(&text),
        };
        let text = if text.len() > MOST_ARGUMENTS {
            digest(&text)
        } else {
            text
        };
        self.arguments = Some(text);
    }

    /// A step let the call pass.
    pub fn allowed(&mut self, step: Step) {
        if self.is_audited() {
            self.steps.push_str(step.allowed());
        }
    }

    /// A step did not let the call pass, and why, where that is to be recorded. The reason holds no secret.
    pub fn refused(&mut self, step: Step, reason: Option<&str>) {
        self.limited |= step == Step::Rate;
        if !self.is_audited() {
            return;
        }
        let steps = &mut self.steps;
        for part in [r#",{"step":""#, step.word(), r#"","decision":"refused""#] {
            steps.push_str(part);
        }
        if let Some(reason) = reason {
            steps.push_str(r#","reason":"#);
            push_text(steps, &shortened(reason, MOST_REASON));
        }
        steps.push('}');
    }

    /// How a human decided: `asked`, `granted`, `declined`, ...
    pub fn confirmation(&mut self, word: &'static str) {
        self.confirmation = Some(word);
    }

    /// The operator who decided.
    pub fn decided_by(&mut self, name: &Arc<str>) {
        self.decided_by = Some(Arc::clone(name));
    }

    /// The length of the answer's content, in bytes.
    pub fn bytes(&mut self, bytes: u64) {
        self.bytes = Some(bytes);
    }

    /// Says how the call ended, with the upstream's status if there was one, and writes the record.
    pub fn end(mut self, ending: Ending, status: Option<i32>) {
        self.ending = ending;
        self.status = status;
    }

    fn line(&self, duration: Duration) -> Option<String> {
        let mut line = Line::at(self.time?);
        line.word(member!(word "event"), "call")
            .word(member!(word "id"), &self.id.to_string())
            .text(member!("principal"), &self.caller.principal)
            .text_or_null(member!("client"), self.caller.client.as_deref())
            .word(member!(word "transport"), self.caller.transport)
            .text(member!("tool"), &self.tool)
            .text_or_null(member!("operation"), self.operation.as_deref())
            .json(
                member!("steps"),
                &["[", self.steps.get(1..).unwrap_or_default(), "]"],
            )
            .text_or_null(member!("confirmation"), self.confirmation);
        if let Some(by) = &self.decided_by {
            line.text(member!("decided_by"), by);
        }
        line.word(member!(word "outcome"), self.ending.word())
            .number(member!("status"), self.status)
            .number(member!("bytes"), self.bytes)
            .milliseconds(member!("duration_ms"), duration);
        if let Some(arguments) = &self.arguments {
            line.json(member!("arguments"), &[arguments]);
        }
        Some(line.finish())
    }
}

impl Drop for CallRecord {
    fn drop(&mut self) {
        let duration = self.started.elapsed();
        tracing::info!(
            target: "mcpinvoke::call",
            id = %self.id,
            tool = self.tool.as_str(),
            caller = &*self.caller.principal,
            client = self.caller.client.as_deref(),
            transport = self.caller.transport,
            outcome = self.ending.word(),
            status = self.status,
            confirmation = self.confirmation,
            by = self.decided_by.as_deref(),
            ms = milliseconds(duration),
            "call"
        );
        if let Some(counters) = &self.counters {
            counters.count(self.ending, self.limited, duration);
        }
        if let Some(audit) = &self.audit
            && let Some(line) = self.line(duration)
        {
            audit.write(&line);
        }
    }
}

fn milliseconds(duration: Duration) -> f64 {
    let micros = u64::try_from(duration.as_micros()).unwrap_or(u64::MAX);
    micros as f64 / 1000.0
}

fn shortened(text: &str, most: usize) -> String {
    if text.len() <= most && text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return text.to_owned();
    }
    text.chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .take(most)
        .collect()
}

fn digest(text: &str) -> String {
    let hash = HEXLOWER.encode(&Sha256::digest(text.as_bytes()));
    format!(r#"{{"sha256":"{hash}","bytes":{}}}"#, text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_json_and_holds_no_argument() {
        let value: Value = serde_json::from_str(&digest("{\"a\":1}")).unwrap();
        assert_eq!(value["bytes"], 7);
        assert_eq!(value["sha256"].as_str().unwrap().len(), 64);
    }
}
