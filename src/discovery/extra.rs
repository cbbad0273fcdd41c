//! What the place where a schema stands says of its value, beside the schema itself.

use serde_json::Value;

use super::fragment::Members;
use super::keywords::MAX_EXAMPLE;
use super::text::clean;

/// What is said of a schema by the place where it stands; it wins over the schema's own word.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Extra<'a> {
    pub(super) description: Option<&'a str>,
    pub(super) deprecated: bool,
    pub(super) example: Option<&'a Value>,
    pub(super) default: Option<&'a Value>,
    /// The value of `x-mcp-header`.
    pub(super) header: Option<&'a str>,
}

impl Extra<'_> {
    /// Nothing is said.
    pub(super) fn is_empty(&self) -> bool {
        self.description.is_none()
            && !self.deprecated
            && self.example.is_none()
            && self.default.is_none()
            && self.header.is_none()
    }

    /// Whether the schema's own keyword is not written.
    pub(super) fn replaces(&self, keyword: &str) -> bool {
        match keyword {
            "description" => self.description.is_some(),
            "deprecated" => self.deprecated,
            "default" => self.default.is_some(),
            "examples" => self.example().is_some(),
            _ => false,
        }
    }

    fn example(&self) -> Option<&Value> {
        self.example
            .filter(|example| !example.is_null() && example.to_string().len() <= MAX_EXAMPLE)
    }

    /// Writes what is said, and gives the keywords whose values readers could not read.
    pub(super) fn write(&self, members: &mut Members<'_>) -> Vec<&'static str> {
        let mut too_deep = Vec::new();
        if let Some(description) = self.description {
            members.key("description").string(&clean(description));
        }
        if self.deprecated {
            members.key("deprecated").raw("true");
        }
        if let Some(default) = self.default {
            if members.holds(default) {
                members.key("default").value(default);
            } else {
                too_deep.push("default");
            }
        }
        let example = self.example();
        if example.is_some_and(|example| !members.holds(example)) {
            too_deep.push("examples");
        } else if let Some(example) = example {
            let out = members.key("examples");
            out.raw("[");
            out.value(example);
            out.raw("]");
        }
        if let Some(header) = self.header {
            members.key("x-mcp-header").string(header);
        }
        too_deep
    }
}
