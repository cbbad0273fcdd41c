//! The stations of one call, each on its own: `cargo bench --bench hot_path`.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use http::{HeaderMap, HeaderValue, StatusCode};
use mcpinvoke::binding::{Validator, bind};
use mcpinvoke::discovery::{self, Source};
use mcpinvoke::handler::HttpReply;
use mcpinvoke::tool::{Target, Tool, TraceContext, escape_json_into};
use mcpinvoke::{interpret, mcp, openapi};
use serde_json::{Value, json};

fn tools() -> Vec<Tool> {
    let text = include_bytes!("../specs/petstore.yaml");
    let document = openapi::parse(text, "petstore.yaml", None, &openapi::Settings::default())
        .expect("the shipped document loads");
    let source = Source {
        document: &document,
        prefix: None,
        base_url: None,
        commands: Default::default(),
        credentials: Default::default(),
        number: 0,
    };
    discovery::discover(&[source], &discovery::Settings::default()).tools
}

fn tool(name: &str) -> Tool {
    let found = tools().into_iter().find(|tool| tool.name.as_str() == name);
    found.expect("the pet store has it")
}

/// A list of pets of about 64 KB.
fn large_body() -> String {
    let pets: Vec<Value> = (0..300)
        .map(|id| {
            json!({"id": id, "name": format!("pet {id} of the long list"), "status": "available",
                "category": {"id": 3, "name": "a \"quoted\" name"}, "tags": ["a", "b"],
                "photoUrls": [format!("http://127.0.0.1/p/{id}.jpg")]})
        })
        .collect();
    Value::from(pets).to_string()
}

fn arguments(criterion: &mut Criterion) {
    let tool = tool("getPet");
    let Target::Http(target) = &tool.target else {
        panic!("expected an HTTP operation");
    };
    let validator = Validator::compile(&tool.input_schema).expect("a tool's schema compiles");
    let trace = TraceContext::default();
    criterion.bench_function("validate and bind a small call", |bencher| {
        bencher.iter(|| {
            let mut arguments = json!({"petId": 7});
            validator
                .check(&mut arguments, |_, _| true)
                .expect("they are valid");
            let arguments = arguments.as_object().expect("it is one");
            bind(target, arguments, &trace).expect("they can be bound")
        });
    });
}

fn answers(criterion: &mut Criterion) {
    let tool = tool("listPets");
    let Target::Http(target) = &tool.target else {
        panic!("expected an HTTP operation");
    };
    let body = large_body();
    let mut headers = HeaderMap::new();
    headers.insert("content-type", HeaderValue::from_static("application/json"));
    let reply = HttpReply {
        status: StatusCode::OK,
        headers,
        body: body.clone().into(),
        cut: None,
    };
    let limits = interpret::Limits::default();
    let mut group = criterion.benchmark_group("64 KB of JSON");
    group.throughput(Throughput::Bytes(body.len() as u64));
    group.bench_function("interpret and write", |bencher| {
        bencher.iter(|| {
            let interpreted = interpret::http_reply(target, false, reply.clone(), limits);
            mcp::call_result(&interpreted.outcome)
        });
    });
    group.bench_function("escape", |bencher| {
        let mut out = Vec::with_capacity(body.len() * 2);
        bencher.iter(|| {
            out.clear();
            escape_json_into(&mut out, body.as_bytes());
        });
    });
    group.finish();
}

fn documents(criterion: &mut Criterion) {
    criterion.bench_function("load and discover the pet store", |bencher| {
        bencher.iter(tools);
    });
}

criterion_group!(benches, arguments, answers, documents);
criterion_main!(benches);
