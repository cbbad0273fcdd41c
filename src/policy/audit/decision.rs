//! The record of an operator's decision, written when it is made, whether or not the call comes back for it.

use std::time::SystemTime;

use serde::Serialize;

use super::Audit;
use crate::time::rfc3339;

/// An operator's decision.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Decided<'a> {
    /// Names the call on the operators' page.
    pub approval: &'a str,
    /// `approved` or `denied`.
    pub decision: &'a str,
    /// The operator.
    pub by: &'a str,
    /// Who calls.
    pub principal: &'a str,
    /// The client program.
    pub client: Option<&'a str>,
    /// `http` or `stdio`.
    pub transport: &'a str,
    /// The tool.
    pub tool: &'a str,
    /// The request's method.
    pub method: &'a str,
    /// The request's URL as it was shown, secrets masked.
    pub url: &'a str,
}

impl Decided<'_> {
    /// Writes the record to the log, and to the audit where there is one.
    pub fn record(&self, audit: Option<&Audit>) {
        #[derive(Serialize)]
        struct Line<'a> {
            time: String,
            event: &'static str,
            #[serde(flatten)]
            decided: &'a Decided<'a>,
        }
        tracing::info!(
            target: "mcpinvoke::approval",
            approval = self.approval,
            tool = self.tool,
            caller = self.principal,
            decision = self.decision,
            by = self.by,
            "decision"
        );
        let line = Line {
            time: rfc3339(SystemTime::now()),
            event: "decision",
            decided: self,
        };
        if let (Some(audit), Ok(line)) = (audit, serde_json::to_string(&line)) {
            audit.write(&line);
        }
    }
}
