//! Any bytes as a document: loading and discovery end without a panic, and what they make can be used.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mcpinvoke::binding::Validator;
use mcpinvoke::discovery::{self, Source};
use mcpinvoke::openapi;
use serde_json::Value;
use url::Url;

fuzz_target!(|data: &[u8]| {
    let Ok(document) = openapi::parse(data, "fuzz", None, &openapi::Settings::default()) else {
        return;
    };
    let source = Source {
        document: &document,
        number: 0,
        prefix: None,
        base_url: Url::parse("https://api.example.com/v1").ok(),
        commands: Default::default(),
        credentials: Default::default(),
    };
    let found = discovery::discover(&[source], &discovery::Settings::default());
    for tool in &found.tools {
        let name = &tool.name;
        let schema: Value =
            serde_json::from_str(tool.input_schema.get()).expect("the input schema is JSON");
        assert_eq!(schema["type"], "object", "{name}: a tool takes an object");
        if let Err(error) = Validator::compile(&tool.input_schema) {
            panic!("{name}: {error}\n{schema:#}");
        }
    }
});
