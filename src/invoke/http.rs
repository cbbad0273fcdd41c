//! A call of an HTTP operation: bound, agreed to, sent, interpreted.

use std::error::Error as _;

use serde_json::Value;

use super::access::{self, Ended};
use super::answer::torn_at;
use super::forward::hand_on;
use super::{CallError, Invoker, Prepared, preview};
use crate::binding::{self, Fault, HttpPlan};
use crate::handler::HandleError;
use crate::interpret::{self, Interpreted, Shortening};
use crate::policy::confirm::{Confirm, Yes};
use crate::policy::{CallRecord, Step, beyond_call};
use crate::registry::Entry;
use crate::tool::{HttpTarget, ToolCall};

/// A request, and the yes to it where one is needed.
type Planned<'a> = (Box<HttpPlan>, Option<Box<Yes<'a>>>);

impl Invoker {
    /// Carries out a call whose tool is found and allowed.
    pub(super) async fn request(
        &self,
        entry: &Entry<Prepared>,
        target: &HttpTarget,
        call: &mut ToolCall,
        human: &dyn Confirm,
        record: &mut CallRecord,
    ) -> Result<Ended, CallError> {
        let (plan, yes) = match self.plan(entry, target, call, human, record).await {
            Ok(planned) => planned,
            Err(error) => return Err(self.refused(error, record)),
        };
        let limits = &self.policy.limits;
        let _place = match limits.place(target.base.authority()).await {
            Ok(place) => place,
            Err(limited) => return Ok(Ended::limited(&limited, record)),
        };
        // Not before there is a place: a yes to what was never sent is not used up.
        if let Some(yes) = yes {
            match Box::pin(yes.take()).await {
                Ok(decision) => access::agreed(&decision, record),
                Err(stopped) => return Err(self.refused(stopped.into(), record)),
            }
        }
        record.allowed(Step::Send);
        let secret = entry.handler.secret(&entry.tool);
        let sent = self.send(target, entry, plan, call);
        let interpreted = sent.await;
        Ok(Ended {
            outcome: self.keep(self.masked(interpreted, secret), &call.caller),
            refused: false,
        })
    }

    /// Validated arguments as a request; a human completes them and agrees to it where that is asked for.
    async fn plan<'a>(
        &'a self,
        entry: &'a Entry<Prepared>,
        target: &HttpTarget,
        call: &mut ToolCall,
        human: &'a dyn Confirm,
        record: &mut CallRecord,
    ) -> Result<Planned<'a>, CallError> {
        let mut interview = self.gate.interview(&entry.tool, call, human)?;
        let mut arguments = Value::Object(std::mem::take(&mut call.arguments));
        let validator = entry.handler.validator(&entry.tool)?;
        let secret = entry.handler.secret(&entry.tool);
        let hidden = |place: &str, value: &Value| self.policy.redactor.hides(place, value, secret);
        if let Err(faults) = validator.check(&mut arguments, hidden) {
            return Err(refused(entry, target, arguments, faults));
        }
        if let Some(interview) = &mut interview {
            let fits = |arguments: &mut Value| validator.check(arguments, |_, _| true).is_ok();
            let filled = Box::pin(interview.fill(&mut arguments, fits)).await;
            self.record_filled(interview, &arguments, secret, record);
            filled?;
        }
        let Value::Object(arguments) = arguments else {
            return Err(CallError::InvalidArguments(Vec::new()));
        };
        let mut plan =
            binding::bind(target, &arguments, &call.trace).map_err(CallError::InvalidArguments)?;
        // Before anybody agrees: it is part of what they agree to.
        let forwarded = std::mem::take(&mut call.forwarded);
        let forwarded = hand_on(forwarded, &mut plan.headers);
        record.allowed(Step::Validate);
        let mut yes = None;
        if let Some(interview) = interview {
            let redactor = &self.policy.redactor;
            let shown = (&arguments, &plan, &forwarded[..]);
            // No header of the caller's blanks out what somebody is to agree to.
            let preview = beyond_call(|| preview::preview(redactor, &entry.tool, target, shown));
            yes = Box::pin(interview.confirm(preview)).await?;
        }
        // In boxes, since they go through many futures on their way.
        Ok((Box::new(plan), yes.map(Box::new)))
    }

    async fn send(
        &self,
        target: &HttpTarget,
        entry: &Entry<Prepared>,
        plan: Box<HttpPlan>,
        call: &ToolCall,
    ) -> Interpreted {
        let publishes_output = entry.tool.output_schema.is_some();
        let secret = entry.handler.secret(&entry.tool);
        let subject = call.caller.subject_token.as_ref();
        let sent = self.http.send_for(target, plan, subject, &*call.progress);
        match sent.await {
            Ok(mut reply) => {
                for name in &target.answer_headers {
                    let hides = |name| self.policy.redactor.hides(name, &Value::Null, secret);
                    if reply.headers.contains_key(name) && hides(&format!("/{name}")) {
                        reply.headers.remove(name);
                    }
                }
                let is_cut = reply.cut.is_some();
                if is_cut {
                    reply.body.truncate(torn_at(&reply.body));
                }
                // Sentences are made of an error's members, and name them no more.
                if !reply.status.is_success()
                    && let Some(masked) = self.policy.redactor.error_body(&reply.body, secret)
                {
                    reply.body = masked;
                }
                let shortening = Shortening {
                    limits: self.limits,
                    before: &|text| self.before_cut(text, is_cut),
                };
                let read = interpret::http_reply(target, publishes_output, reply, shortening);
                if !is_cut {
                    self.look_at((&entry.tool, &entry.handler.watch), target, &read);
                }
                // Before masking: a secret must not hide behind what is taken out later.
                let clean = interpret::clean(read, self.cleaning);
                self.marked(clean, target)
            }
            Err(error) => {
                tell_operator(target, &error);
                interpret::http_failure(target, &error).into()
            }
        }
    }
}

/// All that is wrong with arguments that the schema refuses, but for what a human is to give.
fn refused(
    entry: &Entry<Prepared>,
    target: &HttpTarget,
    arguments: Value,
    faults: Vec<Fault>,
) -> CallError {
    let questions = &entry.tool.ask;
    let asked = questions.iter().flat_map(|question| &question.arguments);
    let is_asked = |name: &str| asked.clone().any(|one| one.argument == name);
    CallError::InvalidArguments(binding::refused(target, arguments, faults, is_asked))
}

/// What the caller is not told: which place it was, and what was in the way.
fn tell_operator(target: &HttpTarget, error: &HandleError) {
    let place = target.base.origin().ascii_serialization();
    let mut text = format!("no answer from {place}: {error}");
    let mut cause = error.source();
    while let Some(one) = cause {
        let words = one.to_string();
        if !text.ends_with(&words) {
            text.push_str(": ");
            text.push_str(&words);
        }
        cause = one.source();
    }
    tracing::warn!("{text}");
}
