//! How much of the tools a list tells: what each form costs a model, and which one is chosen.

use serde_json::Value;

use super::builtin::Builtins;
use super::settings::{Settings, ToolsMode};
use crate::tool::{Json, Tool};

/// Models read about so many characters of JSON as one token.
const CHARACTERS_PER_TOKEN: usize = 4;
/// A slim description's length, in characters.
const SLIM: usize = 120;
/// Schemas nest less deep than this; see serde_json's own limit.
const MAX_DEPTH: usize = 128;

/// How much of the tools a list tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Every tool as it is.
    Full,
    /// Every tool, with descriptions of one line and without examples.
    Slim,
    /// Three tools that find, describe and call the others.
    Search,
}

/// About how many tokens a model reads of a list, for each of its shapes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are the shapes'")]
pub struct Costs {
    pub full: usize,
    pub slim: usize,
    pub search: usize,
}

/// A shape, and why it is not the full one.
#[derive(Debug)]
pub(crate) struct Choice {
    pub(crate) shape: Shape,
    pub(crate) why: Option<String>,
}

/// About how many tokens a model reads of a tool in a list: its name, description and published input
/// schema; neither the output schema nor metadata.
#[must_use]
pub fn tokens(tool: &Tool) -> usize {
    let texts = [
        tool.name.as_str(),
        &tool.description,
        tool.published_schema().get(),
    ];
    tokens_of(texts)
}

pub(crate) fn tokens_of<'a>(texts: impl IntoIterator<Item = &'a str>) -> usize {
    let characters: usize = texts.into_iter().map(|text| text.chars().count()).sum();
    characters.div_ceil(CHARACTERS_PER_TOKEN)
}

/// What a list of `tools` costs in each shape.
#[must_use]
pub fn costs(tools: &[Tool]) -> Costs {
    let slimmed = tools.iter().map(|tool| tokens(&slim(tool)));
    Costs {
        full: tools.iter().map(tokens).sum(),
        slim: slimmed.sum(),
        search: Builtins::new(&tools).tokens(),
    }
}

/// The shape in which `tools` are listed under these settings, for people and commands.
#[must_use]
pub fn shape<'a>(tools: impl IntoIterator<Item = &'a Tool> + Clone, settings: &Settings) -> Shape {
    choose(tools, settings).shape
}

pub(crate) fn choose<'a>(
    tools: impl IntoIterator<Item = &'a Tool> + Clone,
    settings: &Settings,
) -> Choice {
    let budget = settings.budget;
    let why = |shape, why| Choice {
        shape,
        why: Some(why),
    };
    let any = tools.clone().into_iter().next().is_some();
    match settings.tools_mode {
        ToolsMode::Search => return why(Shape::Search, "tools.mode is `search`".to_owned()),
        _ if budget == 0 || !any => {}
        ToolsMode::List => {
            let full: usize = tools.into_iter().map(tokens).sum();
            let over = format!(
                "they cost about {full} tokens, the budget is {budget}; tools.mode is `list`"
            );
            return Choice {
                shape: Shape::Full,
                why: (full > budget).then_some(over),
            };
        }
        ToolsMode::Auto => {
            let full: usize = tools.clone().into_iter().map(tokens).sum();
            if full > budget {
                let slimmed: usize = tools.into_iter().map(|tool| tokens(&slim(tool))).sum();
                let text = format!(
                    "the full list costs about {full} tokens, a slim one {slimmed}; the budget is {budget}"
                );
                let shape = if slimmed > budget {
                    Shape::Search
                } else {
                    Shape::Slim
                };
                return why(shape, text);
            }
        }
    }
    Choice {
        shape: Shape::Full,
        why: None,
    }
}

/// The tool with descriptions of one line and without examples.
#[must_use]
pub fn slim(tool: &Tool) -> Tool {
    let mut schema = tool.published_schema().parse();
    slim_schema(&mut schema, 0);
    Tool {
        description: one_line(&tool.description, SLIM),
        listed_schema: Some(Json::from_value(&schema)),
        ..tool.clone()
    }
}

/// The first line, at most `limit` characters long; longer ones end in an ellipsis.
pub(crate) fn one_line(text: &str, limit: usize) -> String {
    let mut lines = text.lines().map(str::trim);
    let line = lines.find(|line| !line.is_empty()).unwrap_or_default();
    match line.char_indices().nth(limit) {
        None => line.to_owned(),
        Some((end, _)) => {
            let cut = &line[..end];
            let word = cut.rfind(' ').filter(|at| *at > end / 2).unwrap_or(end);
            format!("{}…", cut[..word].trim_end())
        }
    }
}

fn slim_schema(schema: &mut Value, depth: usize) {
    let Value::Object(map) = schema else { return };
    if depth > MAX_DEPTH {
        return;
    }
    for keyword in ["examples", "title", "deprecated"] {
        map.shift_remove(keyword);
    }
    for (keyword, value) in map.iter_mut() {
        match (keyword.as_str(), value) {
            ("description", Value::String(text)) => *text = one_line(text, SLIM),
            (
                "properties" | "patternProperties" | "$defs" | "dependentSchemas",
                Value::Object(named),
            ) => named
                .values_mut()
                .for_each(|schema| slim_schema(schema, depth + 1)),
            ("anyOf" | "oneOf" | "allOf" | "prefixItems", Value::Array(list)) => list
                .iter_mut()
                .for_each(|schema| slim_schema(schema, depth + 1)),
            (
                "items"
                | "additionalProperties"
                | "contains"
                | "not"
                | "if"
                | "then"
                | "else"
                | "propertyNames"
                | "unevaluatedItems"
                | "unevaluatedProperties",
                schema,
            ) => slim_schema(schema, depth + 1),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcp::testing::tool;
    use serde_json::json;

    fn wordy() -> Tool {
        let text = "One line that says it all.\nAnd many more that nobody needs to read.";
        let mut wordy = tool("wordy");
        wordy.description = text.to_owned();
        wordy.input_schema = Json::from_value(&json!({
            "type": "object",
            "properties": {
                "description": {"type": "string", "description": text, "examples": ["a"]},
                "list": {"type": "array", "items": {"anyOf": [{"type": "string", "title": "T"}]}},
            },
        }));
        wordy
    }

    #[test]
    fn a_slim_tool_keeps_what_a_call_needs() {
        let slim = slim(&wordy());
        assert_eq!(slim.description, "One line that says it all.");
        assert_eq!(slim.input_schema, wordy().input_schema);
        let expected = json!({
            "type": "object",
            "properties": {
                "description": {"type": "string", "description": "One line that says it all."},
                "list": {"type": "array", "items": {"anyOf": [{"type": "string"}]}},
            },
        });
        assert_eq!(slim.listed_schema.unwrap().parse(), expected);
    }

    #[test]
    fn lines_are_cut_between_words() {
        assert_eq!(one_line("\n  a b \n c", 10), "a b");
        assert_eq!(one_line("these are words", 11), "these are…");
        assert_eq!(one_line("ääääää", 3), "äää…");
    }

    #[test]
    fn the_budget_chooses() {
        let tools: Vec<Tool> = (0..40).map(|_| wordy()).collect();
        let Costs { full, slim, search } = costs(&tools);
        assert!(search < slim && slim < full, "{full} {slim} {search}");
        for (mode, budget, expected, says) in [
            (ToolsMode::Auto, 0, Shape::Full, false),
            (ToolsMode::Auto, full, Shape::Full, false),
            (ToolsMode::Auto, full - 1, Shape::Slim, true),
            (ToolsMode::Auto, slim - 1, Shape::Search, true),
            (ToolsMode::List, 1, Shape::Full, true),
            (ToolsMode::List, full, Shape::Full, false),
            (ToolsMode::Search, 0, Shape::Search, true),
        ] {
            let settings = Settings {
                tools_mode: mode,
                budget,
                ..Settings::default()
            };
            let choice = choose(&tools, &settings);
            assert_eq!(choice.shape, expected, "{mode:?} {budget}");
            assert_eq!(choice.why.is_some(), says, "{:?}", choice.why);
        }
    }
}
