//! The interview, with a clock and a human made by hand.

use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::json;

mod approvals;
mod place;

use super::*;
use crate::state::{PendingInMemory, SpentInMemory};
use crate::tool::{
    Annotations, Asked, CallId, Caller, HttpTarget, Json, NoProgress, PathTemplate, Question,
    Target, Tool, ToolCall, ToolName, TraceContext,
};

/// A human by one of the ways, with one prepared answer for each question's name.
#[derive(Debug, Default)]
struct Human {
    live: bool,
    rounds: bool,
    /// They open pages, and are shown no forms.
    opens: bool,
    text: Option<String>,
    answers: Map<String, Value>,
}

impl Confirm for Human {
    fn way(&self) -> Way<'_> {
        match (self.live, self.rounds) {
            (true, _) => Way::Live,
            (_, true) => Way::Rounds(self.text.as_deref()),
            _ => Way::Token(self.text.as_deref()),
        }
    }

    fn has_forms(&self) -> bool {
        (self.live || self.rounds) && !self.opens
    }

    fn can_open(&self) -> bool {
        self.opens
    }

    fn can_ask(&self, _schema: &Value) -> bool {
        true
    }

    fn reply<'a>(&'a self, query: &'a Query) -> Pin<Box<dyn Future<Output = Reply> + Send + 'a>> {
        let reply = match self.answers.get(&query.name) {
            Some(Value::Object(content)) => Reply::Accepted(content.clone()),
            Some(Value::Bool(false)) => Reply::Declined,
            _ => Reply::Absent,
        };
        Box::pin(std::future::ready(reply))
    }
}

fn tool(confirm: bool, ask: &[&str]) -> Tool {
    Tool {
        name: ToolName::new("remove").unwrap(),
        title: None,
        description: "Removes".to_owned(),
        input_schema: Json::from_value(&json!({
            "type": "object",
            "properties": {"id": {"type": "integer"}, "why": {"type": "string"}, "who": {"$ref": "#/$defs/who"}},
            "$defs": {"who": {"type": "string"}}
        })),
        listed_schema: None,
        output_schema: None,
        annotations: Annotations::default(),
        meta: Json::from_value(&json!({})),
        target: Target::Http(Box::new(HttpTarget {
            method: http::Method::DELETE,
            base: url::Url::parse("http://a.test/").unwrap(),
            path: PathTemplate::default(),
            parameters: Vec::new(),
            body: None,
            accept: "*/*".to_owned(),
            answer_headers: Vec::new(),
            promise: None,
            security: Vec::new(),
            keys: Vec::new(),
            corrections: Vec::new(),
        })),
        requires: Vec::new(),
        confirm,
        ask: ask
            .iter()
            .map(|name| Question {
                name: format!("q_{name}"),
                message: None,
                arguments: vec![Asked {
                    argument: (*name).to_owned(),
                    required: true,
                    form: None,
                }],
            })
            .collect(),
    }
}

fn object(value: Value) -> Map<String, Value> {
    let Value::Object(members) = value else {
        panic!("expected an object, found {value}");
    };
    members
}

fn call(principal: &str, arguments: Value) -> ToolCall {
    ToolCall {
        id: CallId(1),
        caller: Caller {
            principal: principal.into(),
            ..Caller::anonymous("http")
        },
        name: "remove".to_owned(),
        arguments: object(arguments),
        progress: Arc::new(NoProgress),
        trace: TraceContext::default(),
        forwarded: Vec::new(),
    }
}

struct World {
    gate: Gate,
    now: Arc<AtomicU64>,
}

fn world(fallback: Fallback) -> World {
    let now = Arc::new(AtomicU64::new(1000));
    let seen = Arc::clone(&now);
    let settings = Settings {
        fallback,
        ttl: Duration::from_secs(60),
        ..Settings::default()
    };
    let clock: Clock = Arc::new(move || seen.load(Ordering::Relaxed));
    let gate = Gate::with(
        settings,
        Arc::new(SpentInMemory::new(100)),
        Arc::new(PendingInMemory::new(4)),
        clock,
    )
    .unwrap();
    World { gate, now }
}

impl World {
    /// One request from start to end; the arguments it would be sent with.
    async fn request(
        &self,
        tool: &Tool,
        call: &ToolCall,
        human: &Human,
    ) -> Result<(Value, Option<Decision>), Stopped> {
        let method = http::Method::DELETE;
        let url = "http://a.test/";
        let preview = Preview::new("remove", &method, url, &http::HeaderMap::new(), None);
        self.shown(tool, call, human, preview).await
    }

    /// The same, and what the human is shown.
    async fn shown(
        &self,
        tool: &Tool,
        call: &ToolCall,
        human: &Human,
        preview: Preview,
    ) -> Result<(Value, Option<Decision>), Stopped> {
        let mut interview = self.gate.interview(tool, call, human)?.unwrap();
        let mut arguments = Value::Object(call.arguments.clone());
        let check = |arguments: &mut Value| {
            let texts = ["why", "who"].map(|name| arguments.get(name).is_none_or(Value::is_string));
            texts == [true, true]
        };
        interview.fill(&mut arguments, check).await?;
        let decision = match interview.confirm(preview).await? {
            Some(yes) => Some(yes.take().await?),
            None => None,
        };
        Ok((arguments, decision))
    }

    async fn state(&self, tool: &Tool, call: &ToolCall, human: &Human) -> String {
        match self.request(tool, call, human).await {
            Err(Stopped::Ask(_, Some(state))) => state,
            Err(Stopped::Token(token)) => token.token,
            other => panic!("{other:?}"),
        }
    }
}

/// Why what came with a call is refused.
fn fault<T>(result: &Result<T, Stopped>) -> Option<StateFault> {
    match result {
        Err(Stopped::State(fault, _)) => Some(*fault),
        _ => None,
    }
}

fn asked() -> Human {
    Human {
        rounds: true,
        ..Human::default()
    }
}

fn answered(state: &str, answers: Value) -> Human {
    Human {
        text: Some(state.to_owned()),
        answers: object(answers),
        ..asked()
    }
}

fn token(text: &str) -> Human {
    Human {
        text: Some(text.to_owned()),
        ..Human::default()
    }
}

fn with(mut call: ToolCall, name: &'static str, value: &'static str) -> ToolCall {
    let value = http::HeaderValue::from_static(value);
    let name = http::HeaderName::from_static(name);
    call.forwarded.push((name, value));
    call
}

/// Calls that differ by one thing from that of ann, with `x-tenant: test`.
fn other_calls() -> Vec<ToolCall> {
    let arguments = || json!({"id": 1, "why": {"b": 1.0, "a": [2]}});
    let test = |call| with(call, "x-tenant", "test");
    let ann = || call("ann", arguments());
    vec![
        test(call("bob", arguments())),
        test(call("ann", json!({"id": 2, "why": {"b": 1.0, "a": [2]}}))),
        test(call("ann", json!({"id": 1}))),
        ann(),
        with(ann(), "x-tenant", "live"),
        with(ann(), "x-other", "test"),
        with(test(ann()), "x-more", "1"),
    ]
}

#[tokio::test]
async fn a_yes_is_good_for_one_call_by_one_caller_for_a_while() {
    let (world, tool) = (world(Fallback::Token), tool(true, &[]));
    let bare = call("ann", json!({"id": 1, "why": {"b": 1.0, "a": [2]}}));
    let mine = with(bare, "x-tenant", "test");
    let reordered = call("ann", json!({"why": {"a": [2], "b": 1.0}, "id": 1}));
    let reordered = with(reordered, "x-tenant", "test");
    let yes = json!({"confirm": {}});
    for way in [asked(), Human::default()] {
        let (by, decision) = match way.rounds {
            true => (Brought::State, Decision::Elicitation),
            false => (Brought::Token, Decision::Token),
        };
        let text = world.state(&tool, &mine, &way).await;
        let human = |text: &str| match way.rounds {
            true => answered(text, yes.clone()),
            false => token(text),
        };
        for other in other_calls() {
            let result = world.request(&tool, &other, &human(&text)).await;
            assert_eq!(fault(&result), Some(StateFault::OtherCall));
        }
        for changed in [
            format!("{text}x"),
            text.replace("v1.", "v2."),
            text[..20].to_owned(),
            String::new(),
        ] {
            let result = world.request(&tool, &mine, &human(&changed)).await;
            let forged = Stopped::State(StateFault::Forged, by);
            assert_eq!(result, Err(forged), "{changed}");
        }
        // One kind never stands for the other.
        let crossed = match way.rounds {
            true => token(&text),
            false => answered(&text, yes.clone()),
        };
        let result = world.request(&tool, &mine, &crossed).await;
        assert_eq!(fault(&result), Some(StateFault::OtherCall));

        let result = world.request(&tool, &reordered, &human(&text)).await;
        assert_eq!(result.unwrap().1, Some(decision));
        let result = world.request(&tool, &mine, &human(&text)).await;
        assert_eq!(fault(&result), Some(StateFault::Used));

        let late = world.state(&tool, &mine, &way).await;
        world.now.fetch_add(60, Ordering::Relaxed);
        let result = world.request(&tool, &mine, &human(&late)).await;
        assert_eq!(fault(&result), Some(StateFault::Expired));
    }
}

#[tokio::test]
async fn every_byte_of_a_state_is_signed() {
    let (world, tool) = (world(Fallback::Token), tool(true, &[]));
    let mine = call("ann", json!({"id": 1}));
    let text = world.state(&tool, &mine, &Human::default()).await;
    for at in 0..text.len() {
        let mut changed = text.clone().into_bytes();
        changed[at] = if changed[at] == b'A' { b'B' } else { b'A' };
        let changed = String::from_utf8(changed).unwrap();
        // The last character of base64 can hold bits that mean nothing.
        let result = world.request(&tool, &mine, &token(&changed)).await;
        assert_eq!(fault(&result), Some(StateFault::Forged), "{at}");
    }
}

#[tokio::test]
async fn a_no_uses_the_state_up_and_no_answer_asks_again() {
    let (world, tool) = (world(Fallback::Token), tool(true, &[]));
    let mine = call("ann", json!({"id": 1}));
    let state = world.state(&tool, &mine, &asked()).await;
    for nothing in [json!({}), json!({"other": {}}), json!({"confirm": 5})] {
        let again = world.state(&tool, &mine, &answered(&state, nothing)).await;
        assert_ne!(again, state);
    }
    let no = answered(&state, json!({"confirm": false}));
    let result = world.request(&tool, &mine, &no).await;
    assert_eq!(result, Err(Stopped::Unconfirmed(Unconfirmed::Declined)));
    let yes = answered(&state, json!({"confirm": {}}));
    let result = world.request(&tool, &mine, &yes).await;
    assert_eq!(fault(&result), Some(StateFault::Used));
    // An answer without the state it belongs to is none.
    let bare = Human { text: None, ..yes };
    let result = world.request(&tool, &mine, &bare).await;
    assert!(
        matches!(result, Err(Stopped::Ask(_, Some(_)))),
        "{result:?}"
    );
}

#[tokio::test]
async fn rounds_carry_their_answers() {
    let (world, tool) = (world(Fallback::Token), tool(true, &["why", "who"]));
    let mine = call("ann", json!({"id": 1}));
    let first = world.state(&tool, &mine, &asked()).await;
    // Answers to later questions do not count in this round, and invalid ones are asked again.
    let wrong = answered(
        &first,
        json!({"q_why": {"why": 5}, "q_who": {"who": "me"}, "confirm": {}}),
    );
    let first = world.state(&tool, &mine, &wrong).await;
    let good = answered(
        &first,
        json!({"q_why": {"why": "old", "id": 2}, "confirm": {}}),
    );
    let second = world.state(&tool, &mine, &good).await;
    let replay = world.request(&tool, &mine, &good).await;
    assert_eq!(fault(&replay), Some(StateFault::Used));
    let third = answered(&second, json!({"q_who": {"who": "me"}}));
    let third = world.state(&tool, &mine, &third).await;
    let result = world
        .request(&tool, &mine, &answered(&third, json!({"confirm": {}})))
        .await;
    let (arguments, decision) = result.unwrap();
    assert_eq!(arguments, json!({"id": 1, "why": "old", "who": "me"}));
    assert_eq!(decision, Some(Decision::Elicitation));
}

#[tokio::test]
async fn a_human_who_answers_at_once_is_asked_a_few_times_at_most() {
    let (world, tool) = (world(Fallback::Token), tool(true, &["why"]));
    let mine = call("ann", json!({"id": 1}));
    let human = |answers: Value| Human {
        live: true,
        answers: object(answers),
        ..Human::default()
    };
    let result = world
        .request(
            &tool,
            &mine,
            &human(json!({"q_why": {"why": "x"}, "confirm": {}})),
        )
        .await;
    assert_eq!(result.unwrap().1, Some(Decision::Elicitation));
    for (answers, why) in [
        (json!({"q_why": {"why": 5}}), Unconfirmed::Unanswered),
        (
            json!({"q_why": {"why": "x"}, "confirm": 7}),
            Unconfirmed::Unanswered,
        ),
        (
            json!({"q_why": {"why": "x"}, "confirm": false}),
            Unconfirmed::Declined,
        ),
        (json!({"q_why": false}), Unconfirmed::Declined),
    ] {
        let result = world.request(&tool, &mine, &human(answers)).await;
        assert_eq!(result, Err(Stopped::Unconfirmed(why)));
    }
}
