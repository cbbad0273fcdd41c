//! A yes that was found and is not used up yet: a call that has to wait for something else keeps it.

use std::sync::Arc;

use super::interview::Decision;
use super::state::{State, StateFault};
use super::{Gate, Stopped};

/// A yes to one call. Whoever makes the call takes it right before.
#[derive(Debug)]
#[must_use = "a yes that is not taken is good for another call"]
pub struct Yes<'a> {
    gate: &'a Gate,
    decision: Decision,
    proof: Proof,
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
    pub(super) fn of_state(gate: &'a Gate, decision: Decision, state: Option<State>) -> Self {
        let proof = Proof::State(state);
        Self {
            gate,
            decision,
            proof,
        }
    }

    pub(super) fn of_operator(gate: &'a Gate, by: Arc<str>, id: Arc<str>) -> Self {
        Self {
            gate,
            decision: Decision::Approval(by),
            proof: Proof::Approval(id),
        }
    }

    /// Uses it up; goes through exactly once for one yes, however many calls found it.
    ///
    /// # Errors
    /// [`Stopped::State`] where another call has taken it, or where nobody can know.
    pub async fn take(self) -> Result<Decision, Stopped> {
        match &self.proof {
            Proof::State(None) => {}
            Proof::State(Some(state)) => self.gate.spend(state).await?,
            Proof::Approval(id) => {
                if !self.gate.pending.take(id, (self.gate.clock)()).await {
                    return Err(Stopped::State(StateFault::Used));
                }
            }
        }
        Ok(self.decision)
    }
}
