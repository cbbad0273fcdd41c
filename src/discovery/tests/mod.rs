//! Tests of discovery as a whole: documents in, tools out.

mod arguments;
mod bodies;
mod bounds;
mod choices;
mod clashes;
mod closed;
mod compositions;
mod extensions;
mod golden;
mod graphs;
mod operations;
mod outputs;
mod parts;
mod schemas;
mod templates;
mod two_names;

use serde_json::{Value, json};

use super::fixture::{body, document, media, operation, parameter, response};
use super::*;

use crate::openapi::ParameterLocation::{Cookie, Header, Path, Query};
use crate::openapi::{Encoding, Operation, SecurityKind, SecurityRequirement, SecurityScheme};
use crate::tool::{
    BodyArgument, BodyCodec, FRAMING_HEADERS, HttpTarget, PartKind, Target, XmlText,
};

impl<'a> Source<'a> {
    /// As a document is served where nothing is said of it.
    pub(crate) fn plain(document: &'a Document) -> Self {
        Self {
            document,
            number: 0,
            prefix: None,
            base_url: None,
            commands: Commands::default(),
            credentials: HashSet::new(),
        }
    }
}

fn run(document: &Document, settings: &Settings) -> Discovery {
    let source = Source::plain(document);
    let discovery = discover(&[source], settings);
    discovery.tools.iter().for_each(assert_good);
    discovery
}

/// Every schema means something to a validator, and no keyword is null.
fn assert_good(tool: &Tool) {
    let schemas = [Some(&tool.input_schema), tool.output_schema.as_ref()];
    for schema in schemas.into_iter().flatten() {
        let tree = schema.parse();
        assert!(jsonschema::draft202012::meta::is_valid(&tree), "{tree}");
        jsonschema::draft202012::new(&tree).unwrap_or_else(|error| panic!("{error}: {tree}"));
        assert_eq!(tree["type"], "object");
        assert!(!schema.get().contains(":null"), "{tree}");
    }
}

fn only(operation: Operation, components: &Value) -> Tool {
    let document = document(vec![operation], components);
    run(&document, &Settings::default()).tools.remove(0)
}

fn input(operation: Operation, components: &Value) -> Value {
    only(operation, components).input_schema.parse()
}

fn target(tool: &Tool) -> &HttpTarget {
    let Target::Http(target) = &tool.target else {
        panic!("expected an HTTP operation");
    };
    target
}

fn accepts(schema: &Value, value: &Value) -> bool {
    jsonschema::draft202012::new(schema)
        .unwrap()
        .is_valid(value)
}

fn with_body(content: Vec<crate::openapi::MediaType>) -> Operation {
    let mut operation = operation("POST", "/things");
    operation.request_body = Some(body(content));
    operation
}

fn json_body(schema: Value) -> Operation {
    with_body(vec![media("application/json", schema)])
}
