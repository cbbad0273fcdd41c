//! One call on its way to its yes.

use serde_json::{Map, Value};

use super::state::{Kind, State, StateFault, Subject, place};
use super::{Brought, Confirm, Decision, Fallback, Field, Gate, Preview, Query, Reply, Stopped};
use super::{Token, Unconfirmed, Way, Yes};
use crate::state::{Nonce, Spending};
use crate::tool::{Caller, Question, Tool, ToolCall};

/// How often a human who answers at once is asked the same thing.
const TRIES: u32 = 3;
/// The name of the question whether the call may be made.
pub(super) const CONFIRM: &str = "confirm";
/// References followed from a field to its schema.
const MOST_REFERENCES: u32 = 16;

/// One call's questions: those answered before this request, and those still to be put.
#[derive(Debug)]
pub struct Interview<'a> {
    pub(super) gate: &'a Gate,
    pub(super) human: &'a dyn Confirm,
    pub(super) tool: &'a Tool,
    pub(super) caller: Caller,
    pub(super) subject: Subject,
    /// What came with the call and proved genuine; gone once its answer was taken.
    pub(super) brought: Option<State>,
    /// As what it came.
    pub(super) by: Brought,
    /// The question that an answer in this request belongs to.
    round: usize,
    /// What the human has filled in so far.
    pub(super) answers: Map<String, Value>,
    /// Where the call goes, once it is shown.
    place: Option<String>,
}

impl Gate {
    /// Begins or resumes the interview of a call; none where the tool asks nothing.
    ///
    /// # Errors
    /// [`Stopped::State`] for a state or token that is not one of this call's.
    pub fn interview<'a>(
        &'a self,
        tool: &'a Tool,
        call: &ToolCall,
        human: &'a dyn Confirm,
    ) -> Result<Option<Interview<'a>>, Stopped> {
        if !tool.confirm && tool.ask.is_empty() {
            return Ok(None);
        }
        let name = tool.name.as_str();
        let subject = Subject::new(&call.caller, name, &call.arguments, &call.forwarded);
        let approves = tool.confirm && self.approves(human);
        let token = human.token().filter(|_| tool.confirm);
        let state = match human.way() {
            Way::Rounds(state) => state.map(|text| (text, Brought::State)),
            Way::Live | Way::Token(_) => None,
        };
        let token = token.map(|text| (text, Brought::Token));
        let (text, kinds): (_, &[Kind]) = match human.way() {
            Way::Rounds(_) if approves => (state.or(token), &[Kind::State, Kind::Approval]),
            Way::Rounds(_) if human.has_forms() => (state, &[Kind::State]),
            _ if approves => (token, &[Kind::Approval]),
            Way::Live if human.has_forms() => (None, &[]),
            _ => (token, &[Kind::Token]),
        };
        if text.is_some() && kinds == [Kind::Token] && self.settings.fallback != Fallback::Token {
            return Err(Stopped::Unconfirmed(Unconfirmed::Denied));
        }
        let (key, now) = (self.key.expose().as_bytes(), (self.clock)());
        let open = |(text, by)| {
            let state = State::open(text, kinds, &subject, key, now);
            state.map_err(|fault| Stopped::State(fault, by))
        };
        let mut brought = text.map(open).transpose()?;
        let answers = brought
            .as_mut()
            .map(|state| std::mem::take(&mut state.answers));
        Ok(Some(Interview {
            gate: self,
            human,
            tool,
            caller: call.caller.clone(),
            round: brought.as_ref().map_or(0, |state| state.round),
            brought,
            by: text.map_or(Brought::Nothing, |(_, by)| by),
            answers: answers.unwrap_or_default(),
            place: None,
            subject,
        }))
    }

    /// Each state is taken once.
    pub(super) async fn spend(&self, state: &State, by: Brought) -> Result<(), Stopped> {
        let now = (self.clock)();
        match self.spent.spend(state.nonce, state.expires, now).await {
            Spending::First => Ok(()),
            Spending::Again => Err(Stopped::State(StateFault::Used, by)),
            Spending::Unknown => Err(Stopped::State(StateFault::Busy, by)),
        }
    }

    pub(super) fn seal(&self, state: &State) -> Result<String, Stopped> {
        let text = state.seal(self.key.expose().as_bytes());
        text.map_err(|fault| Stopped::State(fault, Brought::Nothing))
    }

    fn fresh(&self) -> Result<(Nonce, u64), Stopped> {
        let mut nonce = Nonce::default();
        // Without randomness nothing can be told apart, so nothing is confirmed.
        getrandom::fill(&mut nonce)
            .map_err(|_| Stopped::State(StateFault::Busy, Brought::Nothing))?;
        let lasts = self.settings.ttl.as_secs().max(1);
        Ok((nonce, (self.clock)().saturating_add(lasts)))
    }
}

impl<'a> Interview<'a> {
    /// Adds what was answered in earlier rounds, then asks for what is still missing. `check`
    /// says whether arguments fit the tool, and is given no others back.
    ///
    /// # Errors
    /// [`Stopped`] where the call cannot go on in this request.
    pub async fn fill(
        &mut self,
        arguments: &mut Value,
        check: impl Fn(&mut Value) -> bool,
    ) -> Result<(), Stopped> {
        merge(arguments, &self.answers);
        if !matches!(self.human.way(), Way::Token(_)) {
            let tool = self.tool;
            for (index, question) in tool.ask.iter().enumerate().skip(self.round) {
                let query = self.form(question, arguments);
                if !query.fields.is_empty() {
                    self.ask(index, &query, arguments, &check).await?;
                }
            }
        }
        let asked = self
            .tool
            .ask
            .iter()
            .flat_map(|question| &question.arguments);
        let missing: Vec<String> = asked
            .filter(|one| one.required && is_missing(arguments, &one.argument))
            .map(|one| one.argument.clone())
            .collect();
        if missing.is_empty() {
            Ok(())
        } else {
            Err(Stopped::Missing(missing))
        }
    }

    /// Whether a human filled in anything.
    #[must_use]
    pub fn has_answers(&self) -> bool {
        !self.answers.is_empty()
    }

    /// Asks whether the call may be made; none where nobody has to be asked. The yes is good for one call, and has to be
    /// taken before that is made.
    ///
    /// # Errors
    /// [`Stopped`] where there is no yes in this request.
    pub async fn confirm(mut self, preview: Preview) -> Result<Option<Yes<'a>>, Stopped> {
        if !self.tool.confirm {
            return Ok(None);
        }
        let gate = self.gate;
        if gate.approves(self.human) {
            return self.approve(preview).await.map(Some);
        }
        self.place = Some(place(preview.place()));
        let agreed = self.brought.as_ref().filter(|state| state.place.is_some());
        if agreed.is_some_and(|state| state.place != self.place) {
            // The document, the base or the roots changed meanwhile, and something else would be done.
            return Err(Stopped::State(StateFault::OtherCall, self.by));
        }
        if !self.human.has_forms() {
            return match self.brought.take() {
                Some(state) => Ok(Some(Yes::of_state(
                    gate,
                    Decision::Token,
                    Some(state),
                    self.by,
                ))),
                None => Err(self.token(preview)),
            };
        }
        let query = Query {
            name: CONFIRM.to_owned(),
            message: preview.fill(&self.gate.settings.template),
            fields: Vec::new(),
            page: None,
        };
        let round = self.tool.ask.len();
        self.answer(round, &query).await?;
        let state = self.brought.take();
        Ok(Some(Yes::of_state(
            gate,
            Decision::Elicitation,
            state,
            self.by,
        )))
    }

    async fn ask(
        &mut self,
        round: usize,
        query: &Query,
        arguments: &mut Value,
        check: &impl Fn(&mut Value) -> bool,
    ) -> Result<(), Stopped> {
        for _ in 0..TRIES {
            let mut content = self.answer(round, query).await?;
            self.spend().await?;
            content.retain(|name, value| {
                !value.is_null() && query.fields.iter().any(|field| field.name == *name)
            });
            let mut filled = arguments.clone();
            merge(&mut filled, &content);
            let complete = |field: &Field| !field.required || !is_missing(&filled, &field.name);
            if query.fields.iter().all(complete) && check(&mut filled) {
                *arguments = filled;
                self.answers.extend(content);
                return Ok(());
            }
            if let Way::Rounds(_) = self.human.way() {
                return Err(self.question(round, query));
            }
        }
        Err(Stopped::Unconfirmed(Unconfirmed::Unanswered))
    }

    /// The answer to one question. A no uses up the state it came with; for anything else that is left to do.
    async fn answer(&mut self, round: usize, query: &Query) -> Result<Map<String, Value>, Stopped> {
        match self.human.way() {
            Way::Rounds(_) => {
                // An answer belongs to the state it came with. A form that only fills in what the
                // caller could have said as well needs none.
                let mine = match &self.brought {
                    Some(state) => state.round == round,
                    None => round == 0 && self.round == 0 && !self.tool.confirm,
                };
                let reply = match mine {
                    true => self.human.reply(query).await,
                    false => Reply::Absent,
                };
                if matches!(reply, Reply::Absent | Reply::Gone) {
                    return Err(self.question(round, query));
                }
                // Nothing else in this request answers anything.
                self.round = round + 1;
                if !matches!(reply, Reply::Accepted(_)) {
                    self.spend().await?;
                }
                accepted(reply)
            }
            Way::Live => {
                for _ in 0..TRIES {
                    let patience = self.gate.settings.ttl;
                    let reply = tokio::time::timeout(patience, self.human.reply(query)).await;
                    match reply {
                        Err(_) => return Err(Stopped::Unconfirmed(Unconfirmed::Late)),
                        Ok(Reply::Absent) => {}
                        Ok(reply) => return accepted(reply),
                    }
                }
                Err(Stopped::Unconfirmed(Unconfirmed::Unanswered))
            }
            Way::Token(_) => Err(Stopped::Unconfirmed(Unconfirmed::Unreachable)),
        }
    }

    /// Uses up the state that came with the call, if one did.
    async fn spend(&mut self) -> Result<(), Stopped> {
        match self.brought.take() {
            Some(state) => self.gate.spend(&state, self.by).await,
            None => Ok(()),
        }
    }

    /// A question for the client to put, with the state that its answer needs.
    fn question(&self, round: usize, query: &Query) -> Stopped {
        let alone = !self.tool.confirm && self.tool.ask.len() == 1;
        if alone {
            return Stopped::Ask(query.clone(), None);
        }
        match self.sealed(Kind::State, round) {
            Ok((text, _)) => Stopped::Ask(query.clone(), Some(text)),
            Err(stopped) => stopped,
        }
    }

    fn token(&self, preview: Preview) -> Stopped {
        if self.gate.settings.fallback != Fallback::Token {
            return Stopped::Unconfirmed(Unconfirmed::Denied);
        }
        match self.sealed(Kind::Token, self.tool.ask.len()) {
            Ok((token, expires)) => Stopped::Token(Box::new(Token {
                preview,
                token,
                expires,
            })),
            Err(stopped) => stopped,
        }
    }

    fn sealed(&self, kind: Kind, round: usize) -> Result<(String, u64), Stopped> {
        let fresh = self.gate.fresh()?;
        let mut state = State::new(kind, &self.subject, round, self.answers.clone(), fresh);
        state.place.clone_from(&self.place);
        Ok((self.gate.seal(&state)?, state.expires))
    }

    /// The form of a question: those of its arguments that the call lacks and a form can hold.
    fn form(&self, question: &Question, arguments: &Value) -> Query {
        let schema = self.tool.input_schema.parse();
        let lacking = question
            .arguments
            .iter()
            .filter(|one| is_missing(arguments, &one.argument));
        let fields = lacking.filter_map(|one| {
            let own = schema.get("properties")?.get(&one.argument)?;
            let own = match &one.form {
                Some(form) => form.parse(),
                None => resolve(&schema, own)?.clone(),
            };
            self.human.can_ask(&own).then(|| Field {
                name: one.argument.clone(),
                schema: own,
                required: one.required,
            })
        });
        let title = || format!("{} needs to know:", self.tool.name);
        Query {
            name: question.name.clone(),
            message: question.message.clone().unwrap_or_else(title),
            fields: fields.collect(),
            page: None,
        }
    }
}

fn accepted(reply: Reply) -> Result<Map<String, Value>, Stopped> {
    Err(Stopped::Unconfirmed(match reply {
        Reply::Accepted(content) => return Ok(content),
        Reply::Declined => Unconfirmed::Declined,
        Reply::Cancelled => Unconfirmed::Cancelled,
        Reply::Absent => Unconfirmed::Unanswered,
        Reply::Gone => Unconfirmed::Unreachable,
    }))
}

fn merge(arguments: &mut Value, content: &Map<String, Value>) {
    if let Some(arguments) = arguments.as_object_mut() {
        for (name, value) in content {
            arguments.insert(name.clone(), value.clone());
        }
    }
}

fn is_missing(arguments: &Value, name: &str) -> bool {
    arguments.get(name).is_none_or(Value::is_null)
}

fn resolve<'a>(root: &'a Value, mut schema: &'a Value) -> Option<&'a Value> {
    for _ in 0..MOST_REFERENCES {
        let Some(to) = schema.get("$ref") else {
            return Some(schema);
        };
        schema = root.pointer(to.as_str()?.strip_prefix('#')?)?;
    }
    None
}
