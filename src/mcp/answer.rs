//! How a call ended, written as its client's revision wants it.

use std::sync::Arc;

use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::Message;
use super::content::{size_of, write_outcome};
use super::error::{Refusal, shorten};
use super::human;
use super::input::InputRequired;
use super::payload::Writer;
use super::revision::Revision;
use super::server::Server;
use super::unconfirmed::{Failures, Unconfirmed};
use crate::invoke::CallError;
use crate::tool::{CallId, Outcome};

/// How a call ended, not yet in a revision's form.
#[derive(Debug)]
pub(crate) enum Ended {
    Outcome(Outcome),
    /// A result in the bridge's own words: its data is not the operation's, whatever that publishes.
    /// The pair goes into its metadata.
    Notice(Outcome, Option<(&'static str, String)>),
    Refused(Refusal),
    InputRequired(InputRequired),
}

impl From<InputRequired> for Ended {
    fn from(input: InputRequired) -> Self {
        Self::InputRequired(input)
    }
}

/// The form the answer is to have.
#[derive(Debug)]
pub(crate) struct Form {
    pub(crate) server: Arc<Server>,
    pub(crate) id: Box<RawValue>,
    pub(crate) revision: Revision,
    pub(crate) direct: bool,
    pub(crate) publishes_output: bool,
    /// How a call that nobody agreed to is told.
    pub(crate) failures: Failures,
}

impl Form {
    /// What a call that was not carried out is to this client.
    pub(crate) fn judge(&self, error: CallError, id: CallId) -> Ended {
        let message = error.to_string();
        match error {
            CallError::UnknownTool(name) => Ended::Refused(Refusal::UnknownTool(shorten(&name))),
            CallError::InvalidArguments(faults) => {
                let faults = serde_json::to_value(&faults).unwrap_or_default();
                self.invalid(message, faults)
            }
            CallError::MissingScope(scopes) => Ended::Refused(Refusal::MissingScope(scopes)),
            CallError::Stopped(stopped) => human::judge(stopped, self.revision, self.failures),
            CallError::Unusable(error) => {
                tracing::error!(%id, %error, "a tool cannot be used");
                Ended::Refused(Refusal::Internal(Some(id.to_string())))
            }
        }
    }

    /// What a call is whose arguments cannot be taken as a tree: too deep, or with half a character.
    pub(crate) fn unreadable(&self, why: &str) -> Ended {
        if self.failures == Failures::Text {
            let faults = json!([{"path": "", "keyword": "type", "message": why}]);
            return self.invalid(format!("the arguments cannot be read: {why}"), faults);
        }
        let failure = Unconfirmed {
            code: "INVALID_PARAMS",
            category: "Validation",
            number: -32602,
            message: format!("the arguments cannot be read: {why}"),
            hint: "Send less nested arguments, with whole characters.",
            additional: json!({"parameter": "arguments", "reason": "unreadable"}),
        };
        let text = failure.message.clone();
        Ended::Outcome(self.failures.outcome(failure, text, None))
    }

    fn invalid(&self, message: String, faults: Value) -> Ended {
        if self.direct || !self.revision.invalid_arguments_are_results() {
            return Ended::Refused(Refusal::InvalidArguments { message, faults });
        }
        let data = json!({ "errors": faults }).to_string();
        Ended::Outcome(Outcome {
            structured: Some(data.into()),
            ..Outcome::failure(message)
        })
    }

    pub(crate) fn write(&self, ended: &Ended) -> Message {
        match ended {
            Ended::Outcome(outcome) => self.complete(outcome),
            Ended::Notice(outcome, meta) => self.result(outcome, false, meta.as_ref()),
            Ended::Refused(refusal) => self.refuse(refusal),
            Ended::InputRequired(input) => {
                let mut out = Vec::new();
                start(&mut out, &self.id);
                input.write(&mut out);
                out.push(b',');
                out.extend_from_slice(self.server.identity.meta.as_bytes());
                end(&mut out);
                Message::ok(out)
            }
        }
    }

    pub(crate) fn refuse(&self, refusal: &Refusal) -> Message {
        refusal.message(Some(&self.id), self.revision.is_modern())
    }

    pub(crate) fn complete(&self, outcome: &Outcome) -> Message {
        self.result(outcome, self.publishes_output, None)
    }

    fn result(
        &self,
        outcome: &Outcome,
        publishes_output: bool,
        meta: Option<&(&str, String)>,
    ) -> Message {
        let mut writer = Writer::with_capacity(256 + size_of(outcome));
        start(&mut writer.out, &self.id);
        if self.revision.is_modern() {
            let complete = b"\"resultType\":\"complete\",";
            writer.out.extend_from_slice(complete);
        }
        write_outcome(&mut writer, outcome, self.revision, publishes_output);
        match meta {
            Some((key, value)) => {
                let mut meta = json!({ *key: value });
                if self.revision.is_modern() {
                    meta["io.modelcontextprotocol/serverInfo"] = self.server.identity.info.clone();
                }
                let meta = format!(",\"_meta\":{meta}");
                writer.out.extend_from_slice(meta.as_bytes());
            }
            None if self.revision.is_modern() => {
                writer.out.push(b',');
                let meta = self.server.identity.meta.as_bytes();
                writer.out.extend_from_slice(meta);
            }
            None => {}
        }
        end(&mut writer.out);
        Message::ok(writer.finish())
    }
}

/// Opens an answer: everything up to and with the result's brace.
pub(crate) fn start(out: &mut Vec<u8>, id: &RawValue) {
    out.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"id\":");
    out.extend_from_slice(id.get().as_bytes());
    out.extend_from_slice(b",\"result\":{");
}

/// Closes what [`start`] opened.
pub(crate) fn end(out: &mut Vec<u8>) {
    out.extend_from_slice(b"}}");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::binding::Fault;
    use crate::mcp::Settings;
    use crate::mcp::testing::server;

    fn form(revision: Revision) -> Form {
        Form {
            server: server(Settings::default()),
            id: RawValue::from_string("\"a\"".to_owned()).unwrap(),
            revision,
            direct: false,
            publishes_output: false,
            failures: Failures::Text,
        }
    }

    fn wire(message: &Message) -> Value {
        serde_json::from_slice(&message.body.clone().into_bytes()).unwrap()
    }

    fn invalid() -> CallError {
        CallError::InvalidArguments(vec![Fault {
            path: "/id".to_owned(),
            keyword: "type".to_owned(),
            message: "expected an integer".to_owned(),
        }])
    }

    #[test]
    fn invalid_arguments_are_told_as_the_revision_wants() {
        let faults = json!([{"path": "/id", "keyword": "type", "message": "expected an integer"}]);
        for (revision, direct, is_error) in [
            (Revision::V2024_11_05, false, true),
            (Revision::V2025_06_18, false, true),
            (Revision::V2025_11_25, true, true),
            (Revision::V2025_11_25, false, false),
            (Revision::V2026_07_28, false, false),
        ] {
            let form = Form {
                direct,
                ..form(revision)
            };
            let value = wire(&form.write(&form.judge(invalid(), CallId(1))));
            assert_eq!(value["id"], "a");
            if is_error {
                assert_eq!(value["error"]["code"], -32602, "{revision}");
                assert_eq!(value["error"]["data"], faults);
            } else {
                assert_eq!(value["result"]["isError"], true, "{revision}");
                assert_eq!(
                    value["result"]["structuredContent"],
                    json!({"errors": faults})
                );
                let text = value["result"]["content"][0]["text"].as_str().unwrap();
                assert!(text.contains("/id: expected an integer"), "{text}");
            }
        }
        let form = Form {
            publishes_output: true,
            ..form(Revision::V2025_11_25)
        };
        let value = wire(&form.write(&form.judge(invalid(), CallId(1))));
        assert!(value["result"].get("structuredContent").is_none());
    }

    #[test]
    fn results_have_their_era_s_members() {
        let outcome = Outcome::failure("no");
        let keys = |revision| -> Vec<String> {
            let value = wire(&form(revision).complete(&outcome));
            value["result"]
                .as_object()
                .unwrap()
                .keys()
                .cloned()
                .collect()
        };
        assert_eq!(keys(Revision::V2025_11_25), ["content", "isError"]);
        let modern = ["resultType", "content", "isError", "_meta"];
        assert_eq!(keys(Revision::V2026_07_28), modern);
    }

    #[test]
    fn questions_are_a_result() {
        let question = json!({"mode": "form", "message": "sure?"});
        let input = InputRequired {
            requests: vec![("confirm".to_owned(), "elicitation/create", question.clone())],
            state: Some("v1.x".to_owned()),
        };
        let value = wire(&form(Revision::V2026_07_28).write(&input.into()));
        assert_eq!(value["result"]["resultType"], "input_required");
        assert_eq!(value["result"]["requestState"], "v1.x");
        let requests = json!({"confirm": {"method": "elicitation/create", "params": question}});
        assert_eq!(value["result"]["inputRequests"], requests);
        assert!(value["result"].get("ttlMs").is_none());
    }
}
