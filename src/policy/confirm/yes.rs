//! A yes that was found and is not used up yet: a call that has to wait for something else keeps it.

use std::sync::Arc;

use super::state::{State, StateFault};
use super::{Brought, Gate, Stopped};

/// Who gave the yes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// A human, asked through the client.
    Elicitation,
    /// Whoever repeated the call with its token.
    Token,
    /// The operator of this name.
    Approval(Arc<str>),
}

impl Decision {
    /// A word for the record.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Elicitation => "elicitation",
            Self::Token => "token",
            Self::Approval(_) => "approved",
        }
    }
}

/// A yes to one call. Whoever makes the call takes it right before.
#[derive(Debug)]
#[must_use = "a yes that is not taken is good for another call"]
pub struct Yes<'a> {
    gate: &'a Gate,
    decision: Decision,
    proof: Proof,
    by: Brought,
}

/// What a yes is used up with.
#[derive(Debug)]
enum Proof {
    /// The state or token that came with the call; none where the human answered while it waited.
    State(Option<State>),
    /// The entry of this id on the operators' page.
    Approval(Arc<str>),
}

impl<'a> Yes<'a> {
    /// `by` says as what the state came.
    pub(super) fn of_state(
        gate: &'a Gate,
        decision: Decision,
        state: Option<State>,
        by: Brought,
    ) -> Self {
        let proof = Proof::State(state);
        Self {
            gate,
            decision,
            proof,
            by,
        }
    }

    /// The same of an operator's yes to the entry of this id.
    pub(super) fn of_operator(
        gate: &'a Gate,
        operator: Arc<str>,
        id: Arc<str>,
        by: Brought,
    ) -> Self {
        Self {
            gate,
            decision: Decision::Approval(operator),
            proof: Proof::Approval(id),
            by,
        }
    }

    /// Uses it up; goes through exactly once for one yes, however many calls found it.
    ///
    /// # Errors
    /// [`Stopped::State`] where another call has taken it, or where nobody can know.
    pub async fn take(self) -> Result<Decision, Stopped> {
        match &self.proof {
            Proof::State(None) => {}
            Proof::State(Some(state)) => self.gate.spend(state, self.by).await?,
            Proof::Approval(id) => {
                if !self.gate.pending.take(id, (self.gate.clock)()).await {
                    return Err(Stopped::State(StateFault::Used, self.by));
                }
            }
        }
        Ok(self.decision)
    }
}
