//! Whether a human has to agree to an operation's calls: the operator's word, and what a document may add to it.

use super::hints;
use super::overrides;
use super::select;
use super::settings::{Override, Settings};
use crate::openapi::Operation;
use crate::tool::Annotations;

/// What asks for a yes. A document can ask for one, and never takes back what the operator's rules ask for.
pub(super) struct Need {
    /// The configuration's word on this very operation; nothing is above it.
    configured: Option<bool>,
    /// The document's own.
    document: Option<bool>,
    /// One of the operator's rules fits.
    pub(super) by_rule: bool,
    /// The operator wants a yes for what destroys, and the method or the configuration says that this does.
    destroys: bool,
    /// The same, where nothing but the document says that it does.
    if_hinted: bool,
}

impl Need {
    /// `over` is the merged override of the operation.
    pub(super) fn of(operation: &Operation, over: &Override, settings: &Settings) -> Self {
        let configured = overrides::configured_for(operation, &settings.overrides);
        let hint = configured
            .as_ref()
            .and_then(|over| over.annotations)
            .and_then(|hints| hints.destructive_hint);
        let by_method = hints::by_method(&operation.method).destructive_hint == Some(true);
        let (rules, asked) = (&settings.confirm.rules, settings.confirm.destructive);
        Self {
            configured: configured.and_then(|over| over.confirm),
            document: over.confirm,
            by_rule: rules.iter().any(|rule| select::fits(rule, operation)),
            destroys: asked && hint.unwrap_or(by_method),
            if_hinted: asked && hint.is_none(),
        }
    }

    /// Whether every call of a service's operation needs a yes.
    pub(super) fn any(&self, annotations: &Annotations) -> bool {
        let hinted = self.if_hinted && annotations.destructive_hint == Some(true);
        let asked = self.document == Some(true) || self.by_rule || self.destroys || hinted;
        self.configured.unwrap_or(asked)
    }

    /// The word that is for all actions of a command, or none of them.
    pub(super) fn told(&self) -> Option<bool> {
        let document = self.document.filter(|yes| *yes || !self.by_rule);
        self.configured.or(document)
    }
}
