//! Arguments that a human is asked for where a call lacks them.

use serde_json::{Value, json};

use super::arguments::Argument;
use super::defs::Definitions;
use super::settings::{Ask, Form};
use super::text::clean;
use crate::tool::{Asked, Json, Question};

/// Turns what `ask` names into questions, and takes the arguments out of what the schema
/// requires: a model that has to give them would never leave them to the human.
pub(super) fn questions(
    ask: &Ask,
    input: &Json,
    arguments: &[Argument<'_>],
    definitions: &Definitions<'_>,
    place: &str,
    notes: &mut Vec<String>,
) -> (Json, Vec<Question>) {
    let mut schema = input.parse();
    let mut key = |name: &str| {
        if schema["properties"].get(name).is_some() {
            return Some(name.to_owned());
        }
        let renamed = arguments.iter().find(|one| one.name == name);
        if renamed.is_none() {
            notes.push(format!(
                "{place}: `ask` names `{name}`, which is no argument: it is ignored"
            ));
        }
        renamed.map(|one| one.key.to_owned())
    };
    let forms: Vec<(Form, Vec<String>)> = forms(ask)
        .into_iter()
        .map(|form| {
            let keys = form.arguments.iter().filter_map(|name| key(name)).collect();
            (form, keys)
        })
        .collect();
    let mut questions = Vec::new();
    for (index, (form, keys)) in forms.into_iter().enumerate() {
        let asked = keys.into_iter().map(|argument| Asked {
            required: release(&mut schema, &argument),
            form: arguments
                .iter()
                .find(|one| one.key == argument)
                .and_then(|one| titled(one, &schema["properties"][&argument], definitions)),
            argument,
        });
        let asked: Vec<Asked> = asked.collect();
        if !asked.is_empty() {
            questions.push(Question {
                name: form
                    .question
                    .unwrap_or_else(|| format!("arguments_{}", index + 1)),
                message: form.message,
                arguments: asked,
            });
        }
    }
    (Json::from_value(&schema), questions)
}

fn forms(ask: &Ask) -> Vec<Form> {
    match ask {
        Ask::Arguments(arguments) => vec![Form {
            question: Some("arguments".to_owned()),
            message: None,
            arguments: arguments.clone(),
        }],
        Ask::Forms(forms) => {
            let seen = forms.iter().map(|form| Form {
                question: form.question.as_deref().and_then(seen),
                message: form.message.as_deref().and_then(seen),
                arguments: form.arguments.clone(),
            });
            seen.collect()
        }
    }
}

/// What a human sees of a text, if anything.
fn seen(text: &str) -> Option<String> {
    let text = clean(text).trim().to_owned();
    (!text.is_empty()).then_some(text)
}

/// What a form is made of where the document gives its choices titles: for models they are in the
/// description, a human picks one by it.
fn titled(
    argument: &Argument<'_>,
    published: &Value,
    definitions: &Definitions<'_>,
) -> Option<Json> {
    let source = definitions.resolve(argument.schema)?;
    let mut form = published.as_object()?.clone();
    if let Some(choices) = choices(source, definitions) {
        for keyword in ["$ref", "enum", "enumNames", "anyOf", "allOf", "description"] {
            form.shift_remove(keyword);
        }
        let own = source.get("description").and_then(Value::as_str);
        if let Some(description) = argument.description.or(own) {
            form.insert("description".to_owned(), clean(description).into());
        }
        form.insert("type".to_owned(), "string".into());
        form.insert("oneOf".to_owned(), choices);
    } else {
        let items = definitions.resolve(source.get("items")?)?;
        let items = json!({ "anyOf": choices(items, definitions)? });
        form.insert("items".to_owned(), items);
    }
    Some(Json::from_value(&form.into()))
}

/// `[{const, title}, ...]` of constants with titles, or of an enumeration beside whose values
/// NSwag wrote their names; nothing where there is no title, or a value that is no text.
fn choices(schema: &Value, definitions: &Definitions<'_>) -> Option<Value> {
    let list = |keyword: &str| schema.get(keyword).and_then(Value::as_array);
    let branches = ["oneOf", "anyOf"].into_iter().find_map(list);
    let mut choices: Vec<Value> = Vec::new();
    let mut any = false;
    if let Some(branches) = branches {
        for branch in branches {
            let branch = definitions.resolve(branch)?;
            if branch.get("type").is_some_and(|kind| kind == "null") {
                continue;
            }
            let value = branch.get("const")?.as_str()?;
            let title = branch.get("title").or_else(|| branch.get("description"));
            let title = title.and_then(Value::as_str).and_then(seen);
            any |= title.is_some();
            let title = title.or_else(|| seen(value)).unwrap_or_default();
            choices.push(json!({"const": value, "title": title}));
        }
    } else {
        let (values, names) = (list("enum")?, list("x-enumNames")?);
        any = values.len() == names.len();
        for (value, name) in values.iter().zip(names) {
            let value = value.as_str()?;
            let title = seen(name.as_str()?).or_else(|| seen(value));
            choices.push(json!({"const": value, "title": title.unwrap_or_default()}));
        }
    }
    any.then_some(choices.into())
}

/// Whether the argument was required; it is not any more.
fn release(schema: &mut Value, argument: &str) -> bool {
    let Some(required) = schema.get_mut("required").and_then(Value::as_array_mut) else {
        return false;
    };
    let before = required.len();
    required.retain(|name| name != argument);
    let was = required.len() < before;
    if required.is_empty()
        && let Some(schema) = schema.as_object_mut()
    {
        schema.shift_remove("required");
    }
    was
}
