//! Any arguments for known tools: whatever passes the check stays below the tool's base URL and
//! writes no second header.
//!
//! The first byte picks the tool by its low seven bits. Without the high bit the rest is the
//! arguments' JSON; with it each line is the value of one property of the tool, as JSON or else as text.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use mcpinvoke::binding::{self, HttpPlan, Validator};
use mcpinvoke::discovery::{self, Source};
use mcpinvoke::openapi;
use mcpinvoke::tool::{HttpTarget, Target, Tool, TraceContext};
use serde_json::{Map, Value};

struct Candidate {
    tool: Tool,
    validator: Validator,
    properties: Vec<String>,
}

static CANDIDATES: LazyLock<Vec<Candidate>> = LazyLock::new(|| {
    let documents: [&[u8]; 2] = [
        include_bytes!("../../specs/awkward.yaml"),
        include_bytes!("../../specs/petstore.yaml"),
    ];
    documents.into_iter().flat_map(candidates).collect()
});

fn candidates(bytes: &[u8]) -> Vec<Candidate> {
    let document = openapi::parse(bytes, "spec", None, &openapi::Settings::default())
        .expect("the documents that ship can be loaded");
    let base_url = "http://upstream.example:8082/base/v1/".parse().ok();
    let source = Source {
        document: &document,
        number: 0,
        prefix: None,
        base_url,
        commands: Default::default(),
        credentials: Default::default(),
    };
    let found = discovery::discover(&[source], &discovery::Settings::default());
    found.tools.into_iter().map(candidate).collect()
}

fn candidate(tool: Tool) -> Candidate {
    let validator = Validator::of(&tool).expect("the tools that ship are usable");
    let schema = tool.input_schema.parse();
    let properties = schema["properties"].as_object();
    Candidate {
        properties: properties.map_or_else(Vec::new, |all| all.keys().cloned().collect()),
        validator,
        tool,
    }
}

fuzz_target!(|data: &[u8]| {
    let Some((&first, rest)) = data.split_first() else {
        return;
    };
    let candidate = &CANDIDATES[usize::from(first & 0x7f) % CANDIDATES.len()];
    let arguments = if first & 0x80 == 0 {
        serde_json::from_slice(rest).ok()
    } else {
        Some(by_line(candidate, rest))
    };
    let Some(mut arguments) = arguments.filter(|value| value.is_object() || value.is_null()) else {
        return;
    };
    if candidate
        .validator
        .check(&mut arguments, |_, _| false)
        .is_err()
    {
        return;
    }
    let Value::Object(arguments) = arguments else {
        panic!("checked arguments are an object, found {arguments}");
    };
    let Target::Http(target) = &candidate.tool.target else {
        return;
    };
    if let Ok(plan) = binding::bind(target, &arguments, &TraceContext::default()) {
        check(target, &plan);
    }
});

fn by_line(candidate: &Candidate, rest: &[u8]) -> Value {
    let text = String::from_utf8_lossy(rest);
    let value = |line: &str| serde_json::from_str(line).unwrap_or_else(|_| Value::from(line));
    let lines = text.split('\n').map(value);
    let names = candidate.properties.iter().cloned();
    Value::Object(names.zip(lines).collect::<Map<_, _>>())
}

fn check(target: &HttpTarget, plan: &HttpPlan) {
    let (base, url) = (&target.base, &plan.url);
    assert_eq!(plan.method, target.method);
    assert_eq!(url.scheme(), base.scheme(), "{url}");
    assert_eq!(url.host(), base.host(), "{url}");
    assert_eq!(
        url.port_or_known_default(),
        base.port_or_known_default(),
        "{url}"
    );
    assert_eq!(
        (url.username(), url.password()),
        (base.username(), base.password()),
        "{url}"
    );
    assert_eq!(url.fragment(), None, "{url}");
    let below = url.path().strip_prefix(base.path().trim_end_matches('/'));
    assert!(
        below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/')),
        "{url}"
    );
    // A server that decodes before it resolves dots must stay below the base as well.
    let dots = |segment: &str| {
        matches!(
            segment.to_ascii_lowercase().replace("%2e", ".").as_str(),
            "." | ".."
        )
    };
    assert!(!url.path().split('/').any(dots), "{url}");
    assert_eq!(
        url.as_str().parse().as_ref(),
        Ok(url),
        "the text is the URL"
    );
    for (name, value) in &plan.headers {
        let bytes = value.as_bytes();
        assert!(
            !bytes.iter().any(|byte| matches!(byte, b'\r' | b'\n' | 0)),
            "{name}: {value:?}"
        );
    }
}
