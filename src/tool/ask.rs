//! Arguments that a human gives instead of the model.

use super::Json;

/// One form: what a human is asked for where a call does not say it.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// Names the question to the client.
    pub name: String,
    /// What the human reads above the form, where the document or the operator gives a text.
    pub message: Option<String>,
    /// The arguments, in the form's order.
    pub arguments: Vec<Asked>,
}

/// An argument that a human is asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    /// The key in the tool's arguments.
    pub argument: String,
    /// A call without it cannot be made. The tool's own schema does not require it, so that a
    /// model can leave it to the human.
    pub required: bool,
    /// The JSON Schema a form is made of, where it is another than the argument's own: choices with
    /// titles are plain enumerations to a model.
    pub form: Option<Json>,
}
