//! Names that become alike, by the thousand: each is told apart in a few steps.

use super::*;

/// As many names as end alike once only ASCII is left of them.
const NAMES: u32 = 20_000;

fn names() -> impl Iterator<Item = String> {
    (0..NAMES).filter_map(|at| char::from_u32(0x4e00 + at).map(String::from))
}

#[test]
fn schemas_whose_names_clash_are_all_told_apart() {
    let schema = json!({ "type": "object", "description": "x".repeat(100), "properties": {} });
    let components = names().map(|name| (name, schema.clone())).collect();
    let refers = |name: String| json!({ "$ref": format!("#/components/schemas/{name}") });
    // What is used twice has a name.
    let any = json!({ "anyOf": names().map(refers).collect::<Vec<_>>() });
    let body = json!({ "type": "object", "properties": { "a": any, "b": any } });
    let settings = Settings {
        max_input_schema: usize::MAX,
        ..Settings::default()
    };
    let document = document(vec![json_body(body)], &Value::Object(components));
    let found = discover(&[Source::plain(&document)], &settings);
    let published = found.tools[0].input_schema.get();
    for name in ["schemas_", "schemas__2", &format!("schemas__{NAMES}")] {
        assert!(published.contains(&format!("#/$defs/{name}\"")), "{name}");
    }
}

#[test]
fn arguments_whose_names_clash_are_all_told_apart() {
    let text = json!({ "type": "string" });
    let properties = names().map(|name| (name, text.clone())).collect();
    let body = json!({ "type": "object", "properties": Value::Object(properties) });
    let settings = Settings {
        body: BodyShape::Flat,
        ..Settings::default()
    };
    let document = document(vec![json_body(body)], &json!({}));
    let found = discover(&[Source::plain(&document)], &settings);
    let argument = &target(&found.tools[0]).body.as_ref().unwrap().argument;
    let BodyArgument::Flat(fields) = argument else {
        panic!("the body is flat");
    };
    let keys: HashSet<&str> = fields.iter().map(|field| field.argument.as_str()).collect();
    assert_eq!(keys.len(), NAMES as usize);
    assert!(keys.contains("value") && keys.contains("value_20000"));
}
