//! Any bytes as messages of a client: every answer is a JSON text, and none is lost to a panic.
//!
//! The first byte says how they arrive (the bits of `Way`); the messages follow, one a line, unless
//! a bit says that all the rest is one. The tools' upstream refuses every connection.
#![no_main]

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use futures_util::StreamExt as _;
use libfuzzer_sys::fuzz_target;
use mcpinvoke::discovery::{self, Source};
use mcpinvoke::handler::http::{HttpHandler, Settings as HttpSettings};
use mcpinvoke::invoke::Invoker;
use mcpinvoke::mcp::{Accepted, Answer, Header, Headers, Message, Server, Settings, ToolsMode};
use mcpinvoke::openapi;
use mcpinvoke::policy::confirm::{self, Gate};
use mcpinvoke::state::{self, State};
use mcpinvoke::tool::Caller;
use serde_json::Value;
use tokio::runtime::{Builder, Runtime};

static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
    let runtime = Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime of one thread can be built")
});

static INVOKER: LazyLock<Arc<Invoker>> = LazyLock::new(|| {
    let bytes = include_bytes!("../../specs/petstore.yaml");
    let document = openapi::parse(bytes, "petstore", None, &openapi::Settings::default())
        .expect("the pet store can be loaded");
    let source = Source {
        document: &document,
        number: 0,
        prefix: None,
        // Port 1 (tcpmux): nobody listens.
        base_url: "http://127.0.0.1:1/".parse().ok(),
        commands: Default::default(),
        credentials: Default::default(),
    };
    let found = discovery::discover(&[source], &discovery::Settings::default());
    let handler = HttpHandler::new(&HttpSettings::default()).expect("the client can be built");
    let state = State::in_memory(&state::Settings {
        kept: Default::default(),
        quotas: Default::default(),
        max_pending: 16,
        max_sessions: 1000,
        session_idle: Duration::from_secs(60),
    });
    let gate = Gate::new(confirm::Settings::default(), state.spent, state.pending)
        .expect("the system has random numbers");
    Arc::new(Invoker::new(found.tools, handler, gate).expect("tool names are unique"))
});

/// How messages arrive.
#[derive(Clone, Copy)]
struct Way(u8);

impl Way {
    fn has(self, bit: u8) -> bool {
        self.0 & (1 << bit) != 0
    }

    fn modern(self) -> bool {
        self.has(0)
    }

    fn streams(self) -> bool {
        self.has(1)
    }

    fn one_message(self) -> bool {
        self.has(2)
    }

    fn stdio(self) -> bool {
        self.has(3)
    }

    fn searches(self) -> bool {
        self.has(4)
    }

    /// The version header of a client before 2026-07-28.
    fn legacy(self) -> Header<'static> {
        match (self.has(6), self.has(5)) {
            (false, false) => Header::Absent,
            (false, true) => Header::Value("2025-03-26"),
            (true, false) => Header::Value("2025-11-25"),
            (true, true) => Header::Unusable,
        }
    }
}

/// At most so many messages, so that one input stays one short run.
const MAX_MESSAGES: usize = 8;

fuzz_target!(|data: &[u8]| {
    let Some((&first, rest)) = data.split_first() else {
        return;
    };
    RUNTIME.block_on(talk(Way(first), rest));
});

async fn talk(way: Way, rest: &[u8]) {
    // A server of its own for each input: what one input leaves behind cannot change the next.
    let settings = Settings {
        tools_mode: if way.searches() {
            ToolsMode::Search
        } else {
            ToolsMode::Auto
        },
        resources: way.has(7),
        ..Settings::default()
    };
    let server = Arc::new(Server::new(Arc::clone(&INVOKER), settings));
    let mut session = None;
    if way.one_message() {
        exchange(&server, way, rest, &mut session).await;
        return;
    }
    let caller = Caller::anonymous("stdio");
    let (connection, _announcements) = server.connect();
    for line in rest.split(|&byte| byte == b'\n').take(MAX_MESSAGES) {
        if way.stdio() {
            let accepted = server.line(line, &connection, &caller);
            finish(&server, accepted).await;
        } else {
            exchange(&server, way, line, &mut session).await;
        }
    }
}

/// One HTTP request. The headers repeat what the body says, as a correct client's do.
async fn exchange(server: &Arc<Server>, way: Way, body: &[u8], session: &mut Option<Arc<str>>) {
    let said: Value = serde_json::from_slice(body).unwrap_or_default();
    let value = |text: &Value| text.as_str().map(str::to_owned);
    let (method, params) = (value(&said["method"]), &said["params"]);
    let name = value(&params["name"]).or_else(|| value(&params["uri"]));
    let mut headers = Headers {
        version: way.legacy(),
        session: header(session.as_deref()),
        streams: way.streams(),
        ..Headers::default()
    };
    if way.modern() {
        headers.version = Header::Value("2026-07-28");
        headers.method = header(method.as_deref());
        headers.name = header(name.as_deref());
    }
    let accepted = server.post(body, &headers, &Caller::anonymous("http"));
    if let Some(begun) = finish(server, accepted).await {
        *session = Some(begun);
    }
}

fn header(text: Option<&str>) -> Header<'_> {
    text.map_or(Header::Absent, Header::Value)
}

/// Carries the work out and checks all that comes back; the id of a session that began.
async fn finish(server: &Arc<Server>, accepted: Accepted) -> Option<Arc<str>> {
    let answer = match accepted {
        Accepted::Now(answer) => answer,
        Accepted::Later(work) => work.finish().await,
    };
    match answer {
        Answer::Nothing => None,
        Answer::Message(Message {
            status,
            body,
            session,
            needs: _,
        }) => {
            assert!(
                (200..600).contains(&status),
                "{status} is no final HTTP status"
            );
            check(&body.into_bytes());
            session
        }
        Answer::Stream(mut messages) => {
            // Subscriptions would last for ever; calls under way go on.
            server.close();
            while let Some(body) = messages.next().await {
                check(&body);
            }
            None
        }
    }
}

fn check(body: &[u8]) {
    let one = |message: &Value| {
        assert_eq!(message["jsonrpc"], "2.0", "{message}");
        assert!(
            ["method", "result", "error"]
                .iter()
                .any(|key| message.get(key).is_some()),
            "{message}"
        );
    };
    match serde_json::from_slice(body) {
        Ok(Value::Array(all)) => all.iter().for_each(one),
        Ok(message) => one(&message),
        Err(error) => panic!("{error}: {}", String::from_utf8_lossy(body)),
    }
}
