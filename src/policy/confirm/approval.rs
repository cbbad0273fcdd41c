//! The yes of an operator: the call waits on a page of its own, whoever asked it.
//!
//! What comes back with a call only names it; the yes itself is in the store, where an operator put it. A call made
//! again as it was finds it there without any token.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::time::timeout;

use super::interview::{CONFIRM, Interview};
use super::preview::plain;
use super::state::{Kind, State, StateFault};
use super::{
    Brought, Confirm, Fallback, Gate, Page, Preview, Query, Reply, Stopped, Unconfirmed, Way, Yes,
};
use crate::state::{Ask, Entry, Stage};

/// Characters of a name that are shown.
const LONGEST_NAME: usize = 100;

/// How an operator is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Approvals {
    /// Every yes is an operator's, also where a client could ask its own user.
    pub required: bool,
    /// How long a call that is made again waits for the decision, before it is told to come once more.
    pub wait: Duration,
}

/// What an operator is shown of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shown {
    /// Who calls.
    pub principal: String,
    /// The client program, by its own account.
    pub client: Option<String>,
    /// `http` or `stdio`.
    pub transport: String,
    /// What is to be sent.
    pub preview: Preview,
}

/// A call that waits for an operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingApproval {
    /// What waits.
    pub preview: Preview,
    /// Where it is decided.
    pub url: String,
    /// Names it; not needed where the same call is made again.
    pub token: String,
    /// Seconds since 1970.
    pub expires: u64,
}

impl Gate {
    /// Whether it is an operator who is asked.
    pub(super) fn approves(&self, human: &dyn Confirm) -> bool {
        let Some(approvals) = &self.settings.approvals else {
            return false;
        };
        let fallen_back = !human.has_forms() && self.settings.fallback == Fallback::Approvals;
        self.page.get().is_some() && (approvals.required || fallen_back)
    }
}

impl<'a> Interview<'a> {
    /// Waits for the operator's yes as long as the way to the human allows.
    pub(super) async fn approve(mut self, preview: Preview) -> Result<Yes<'a>, Stopped> {
        let brought = self.brought.take();
        let brought = brought.filter(|state| state.kind == Kind::Approval);
        let (entry, new) = self.entry(brought.as_ref(), &preview).await?;
        if entry.stage != Stage::Open {
            return self.settle(&entry.id).await;
        }
        let query = self.query(&entry, &preview);
        match self.human.way() {
            Way::Live if self.human.can_open() => {
                self.watch(&entry, &query).await?;
                self.human.opened(&entry.id);
            }
            Way::Rounds(_) if self.human.can_open() => {
                let answered = brought.is_some();
                let reply = match answered {
                    true => self.human.reply(&query).await,
                    false => Reply::Absent,
                };
                match reply {
                    Reply::Accepted(_) => self.wait(&entry).await,
                    Reply::Declined | Reply::Cancelled => {
                        return Err(self.withdraw(&entry, &reply).await);
                    }
                    Reply::Absent | Reply::Gone => {}
                }
                if self.is_open(&entry).await {
                    let (token, _) = self.sealed_approval(&entry)?;
                    return Err(Stopped::Ask(query, Some(token)));
                }
            }
            _ => {
                // Whoever is told for the first time is told at once, so that somebody hears of it.
                if !new {
                    self.wait(&entry).await;
                }
                if self.is_open(&entry).await {
                    return Err(self.pending(&entry, preview)?);
                }
            }
        }
        self.settle(&entry.id).await
    }

    /// The entry the call brought, or the one of the same call, or a new one.
    async fn entry(
        &self,
        brought: Option<&State>,
        preview: &Preview,
    ) -> Result<(Entry, bool), Stopped> {
        let gate = self.gate;
        let now = (gate.clock)();
        let subject = self.subject.key(&self.answers, preview.place());
        if let Some(state) = brought {
            let id = format!("{:032x}", u128::from_be_bytes(state.nonce));
            let entry = gate.pending.find(&id, now).await;
            let entry = entry.ok_or(Stopped::State(StateFault::Expired, self.by))?;
            return match entry.ask.subject == subject {
                true => Ok((entry, false)),
                // The document or the roots changed meanwhile, and something else would be done.
                false => Err(Stopped::State(StateFault::OtherCall, self.by)),
            };
        }
        let shown = Shown {
            principal: plain(&self.caller.principal, LONGEST_NAME),
            client: self
                .caller
                .client
                .as_deref()
                .map(|name| plain(name, LONGEST_NAME)),
            transport: self.caller.transport.to_owned(),
            preview: preview.clone(),
        };
        let shown = serde_json::to_string(&shown).unwrap_or_default();
        let lasts = gate.settings.ttl.as_secs().max(1);
        let ask = Ask {
            subject,
            owner: format!("{} {}", self.caller.transport, self.caller.principal),
            shown: shown.into(),
            expires: now.saturating_add(lasts),
        };
        let entered = gate.pending.enter(ask, now).await;
        entered.map_err(|_| Stopped::State(StateFault::Busy, Brought::Nothing))
    }

    fn query(&self, entry: &Entry, preview: &Preview) -> Query {
        Query {
            name: CONFIRM.to_owned(),
            message: format!(
                "{} ({} {}) needs an approval before it is made. Open the page to decide.",
                preview.tool,
                preview.method,
                preview.brief_url()
            ),
            fields: Vec::new(),
            page: Some(Box::new(Page {
                url: self.url(entry),
                id: Arc::clone(&entry.id),
            })),
        }
    }

    fn url(&self, entry: &Entry) -> String {
        let page = self.gate.page.get().map_or("", String::as_str);
        format!("{page}/{}", entry.id)
    }

    /// Sends the user of a client that waits to the page, until somebody has decided or nobody can any more.
    async fn watch(&self, entry: &Entry, query: &Query) -> Result<(), Stopped> {
        let settled = self.gate.pending.settled(&entry.id);
        let decided = async {
            let patience = Duration::from_secs(entry.expires.saturating_sub((self.gate.clock)()));
            timeout(patience, settled).await
        };
        tokio::pin!(decided);
        let reply = tokio::select! {
            biased;
            _ = &mut decided => return Ok(()),
            reply = self.human.reply(query) => reply,
        };
        match reply {
            Reply::Accepted(_) => {
                // Agreed to look at it; the decision comes from the page. Nobody's decision shows afterwards.
                let _ = decided.await;
                Ok(())
            }
            Reply::Declined | Reply::Cancelled => Err(self.withdraw(entry, &reply).await),
            Reply::Absent => Err(Stopped::Unconfirmed(Unconfirmed::Unanswered)),
            Reply::Gone => Err(Stopped::Unconfirmed(Unconfirmed::Unreachable)),
        }
    }

    /// Waits for the decision, but not for long: the client's own patience is not known.
    async fn wait(&self, entry: &Entry) {
        let approvals = self.gate.settings.approvals.as_ref();
        let patience = approvals.map_or(Duration::ZERO, |approvals| approvals.wait);
        let left = Duration::from_secs(entry.expires.saturating_sub((self.gate.clock)()));
        // In either case the entry is looked at again.
        let _ = timeout(patience.min(left), self.gate.pending.settled(&entry.id)).await;
    }

    async fn is_open(&self, entry: &Entry) -> bool {
        let found = self.gate.pending.find(&entry.id, (self.gate.clock)()).await;
        found.is_some_and(|entry| entry.stage == Stage::Open)
    }

    async fn withdraw(&self, entry: &Entry, reply: &Reply) -> Stopped {
        let now = (self.gate.clock)();
        self.gate.pending.withdraw(&entry.id, now).await;
        Stopped::Unconfirmed(match reply {
            Reply::Declined => Unconfirmed::Declined,
            _ => Unconfirmed::Cancelled,
        })
    }

    /// What the decision comes to.
    async fn settle(&self, id: &Arc<str>) -> Result<Yes<'a>, Stopped> {
        let now = (self.gate.clock)();
        let entry = self.gate.pending.find(id, now).await;
        match entry.map(|entry| entry.stage) {
            Some(Stage::Approved(verdict)) => Ok(Yes::of_operator(
                self.gate,
                verdict.by,
                Arc::clone(id),
                self.by,
            )),
            Some(Stage::Denied(verdict)) => Err(Stopped::Disapproved(verdict.by)),
            Some(Stage::Used(_)) => Err(Stopped::State(StateFault::Used, self.by)),
            Some(Stage::Withdrawn) => Err(Stopped::Unconfirmed(Unconfirmed::Cancelled)),
            Some(Stage::Open | Stage::Expired) | None => {
                Err(Stopped::Unconfirmed(Unconfirmed::Late))
            }
        }
    }

    fn pending(&self, entry: &Entry, preview: Preview) -> Result<Stopped, Stopped> {
        let (token, expires) = self.sealed_approval(entry)?;
        Ok(Stopped::Pending(Box::new(PendingApproval {
            preview,
            url: self.url(entry),
            token,
            expires,
        })))
    }

    /// What names the entry on its way through the client; it outlives the question, so that a late yes is found.
    fn sealed_approval(&self, entry: &Entry) -> Result<(String, u64), Stopped> {
        let nonce = u128::from_str_radix(&entry.id, 16).unwrap_or_default();
        let lasts = self.gate.settings.ttl.as_secs().max(1);
        let fresh = (nonce.to_be_bytes(), entry.expires.saturating_add(lasts));
        let (round, answers) = (self.tool.ask.len(), self.answers.clone());
        let state = State::new(Kind::Approval, &self.subject, round, answers, fresh);
        Ok((self.gate.seal(&state)?, entry.expires))
    }
}
