//! Arguments that a human is asked for where a call lacks them.

use serde_json::Value;

use super::parameters::Planned;
use super::settings::{Ask, Form};
use crate::tool::{Asked, Json, Question};

/// Turns what `ask` names into questions, and takes the arguments out of what the schema
/// requires: a model that has to give them would never leave them to the human.
pub(super) fn questions(
    ask: &Ask,
    input: &Json,
    parameters: &[Planned<'_>],
    place: &str,
    notes: &mut Vec<String>,
) -> (Json, Vec<Question>) {
    let mut schema = input.parse();
    let mut key = |name: &str| {
        if schema["properties"].get(name).is_some() {
            return Some(name.to_owned());
        }
        let renamed = parameters
            .iter()
            .find(|one| !one.hidden && one.source.name == name);
        if renamed.is_none() {
            notes.push(format!(
                "{place}: `ask` names `{name}`, which is no argument: it is ignored"
            ));
        }
        renamed.map(|one| one.key.clone())
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
        let arguments = keys.into_iter().map(|argument| Asked {
            required: release(&mut schema, &argument),
            argument,
        });
        let arguments: Vec<Asked> = arguments.collect();
        if !arguments.is_empty() {
            questions.push(Question {
                name: form
                    .question
                    .unwrap_or_else(|| format!("arguments_{}", index + 1)),
                message: form.message,
                arguments,
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
        Ask::Forms(forms) => forms.clone(),
    }
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
