//! Search mode: three tools that find, describe and call all the others.
//!
//! A call of `call_tool` becomes a call of the tool it names before anything looks at it, so that
//! both take one way and the record says what was really called.

use std::sync::OnceLock;

use serde_json::{Map, Value, json};

use super::listing::definition;
use super::revision::Revision;
use super::shape::{one_line, tokens_of};
use crate::invoke::{ArgumentCheck, CallError};
use crate::search::{Index, Query};
use crate::tool::{Annotations, Json, Outcome, Text, Tool, ToolName};

/// Hits of one search, where the caller does not say how many.
const HITS: usize = 10;
/// Hits of one search at most.
const MAX_HITS: usize = 50;
/// A found tool's description, in characters.
const LINE: usize = 200;
/// Tags that are named in the description of the search, at most.
const MAX_TAGS: usize = 40;
/// Names offered instead of one that does not exist.
const SUGGESTIONS: usize = 3;

/// The three tools for one catalogue.
#[derive(Debug)]
pub(crate) struct Builtins {
    all: [Builtin; 3],
    index: OnceLock<Index>,
}

/// What one of them does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Search,
    Describe,
    Call,
}

/// A tool of ours.
#[derive(Debug)]
pub(crate) struct Builtin {
    pub(crate) kind: Kind,
    pub(crate) name: ToolName,
    pub(crate) title: &'static str,
    pub(crate) description: String,
    pub(crate) input_schema: Json,
    pub(crate) annotations: Annotations,
    check: ArgumentCheck,
}

impl Builtins {
    pub(crate) fn new<'a>(tools: &(impl IntoIterator<Item = &'a Tool> + Clone)) -> Self {
        let name = |wish: &str| free_name(wish, tools);
        let (search, describe, call) = (
            name("search_tools"),
            name("describe_tool"),
            name("call_tool"),
        );
        let all = [
            searching(search.clone(), &describe, &call, tools.clone()),
            describing(describe.clone(), &search, &call),
            calling(call, &search, &describe),
        ];
        Self {
            all,
            index: OnceLock::new(),
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Builtin> {
        self.all.iter()
    }

    pub(crate) fn find(&self, name: &str) -> Option<&Builtin> {
        self.iter().find(|one| one.name.as_str() == name)
    }

    /// About how many tokens a model reads of the three.
    pub(crate) fn tokens(&self) -> usize {
        let texts = |one: &Builtin| {
            tokens_of([one.name.as_str(), &one.description, one.input_schema.get()])
        };
        self.iter().map(texts).sum()
    }

    /// Finds tools, or describes one. Calling is another matter: see [`Builtin::unwrap`].
    pub(crate) fn answer(
        &self,
        builtin: &Builtin,
        arguments: Map<String, Value>,
        tools: &[&Tool],
        revision: Revision,
    ) -> Result<Outcome, CallError> {
        let arguments = builtin.check.check(arguments)?;
        Ok(match builtin.kind {
            Kind::Search => self.search(&arguments, tools),
            Kind::Describe | Kind::Call => self.describe(&arguments, tools, revision),
        })
    }

    fn index(&self, tools: &[&Tool]) -> &Index {
        self.index.get_or_init(|| Index::new(tools.iter().copied()))
    }

    fn search(&self, arguments: &Map<String, Value>, tools: &[&Tool]) -> Outcome {
        let text = |name: &str| arguments.get(name).and_then(Value::as_str);
        let limit = arguments.get("limit").and_then(Value::as_u64);
        let limit = limit.and_then(|limit| usize::try_from(limit).ok());
        let found = self.index(tools).find(&Query {
            text: text("query").unwrap_or_default(),
            tag: text("tag"),
            method: text("method"),
            limit: limit.unwrap_or(HITS).clamp(1, MAX_HITS),
        });
        let hits = found.hits.iter().filter_map(|hit| {
            let tool = tools.get(hit.position)?;
            let mut one = json!({"name": tool.name.as_str()});
            if let Some(title) = &tool.title {
                one["title"] = json!(title);
            }
            one["description"] = json!(one_line(&tool.description, LINE));
            one["score"] = json!((hit.score * 1000.0).round() / 1000.0);
            Some(one)
        });
        let hits: Vec<Value> = hits.collect();
        let mut answer = json!({"tools": hits, "total": found.total});
        if found.total == 0 {
            answer["hint"] = json!("nothing fits: try fewer or other words, or no filter");
        } else if found.total > found.hits.len() {
            answer["hint"] = json!("there are more: narrow the search or raise the limit");
        }
        done(answer.to_string())
    }

    fn describe(
        &self,
        arguments: &Map<String, Value>,
        tools: &[&Tool],
        revision: Revision,
    ) -> Outcome {
        let name = arguments.get("name").and_then(Value::as_str);
        let name = name.unwrap_or_default();
        if let Some(tool) = tools.iter().find(|tool| tool.name.as_str() == name) {
            return done(definition(tool, revision));
        }
        let found = self.index(tools).find(&Query {
            text: name,
            limit: SUGGESTIONS,
            ..Query::default()
        });
        let alike = found.hits.iter().filter_map(|hit| tools.get(hit.position));
        let alike: Vec<String> = alike.map(|tool| format!("`{}`", tool.name)).collect();
        let shown: String = name.chars().filter(|c| !c.is_control()).take(128).collect();
        Outcome::failure(if alike.is_empty() {
            format!("there is no tool `{shown}`: search for it first")
        } else {
            format!("there is no tool `{shown}`; alike are {}", alike.join(", "))
        })
    }
}

impl Builtin {
    /// The name and the arguments of the tool that `call_tool` is to call.
    pub(crate) fn unwrap(
        &self,
        arguments: Map<String, Value>,
    ) -> Result<(String, Map<String, Value>), CallError> {
        let mut arguments = self.check.check(arguments)?;
        let name = match arguments.get_mut("name").map(Value::take) {
            Some(Value::String(name)) => name,
            _ => String::new(),
        };
        let inner = match arguments.get_mut("arguments").map(Value::take) {
            Some(Value::Object(inner)) => inner,
            _ => Map::new(),
        };
        Ok((name, inner))
    }
}

fn done(text: String) -> Outcome {
    let text = Text::from(text);
    Outcome {
        content: vec![crate::tool::Content::Text(text.clone())],
        structured: Some(text.into()),
        is_error: false,
        status: None,
    }
}

/// `wish`, or `wish_2` and so on where a tool of the documents has that name.
fn free_name<'a>(wish: &str, tools: &(impl IntoIterator<Item = &'a Tool> + Clone)) -> ToolName {
    let taken = |name: &str| {
        let mut tools = tools.clone().into_iter();
        tools.any(|tool| tool.name.as_str() == name)
    };
    let mut name = wish.to_owned();
    let mut number = 2_u32;
    while taken(&name) {
        name = format!("{wish}_{number}");
        number += 1;
    }
    ToolName::new(&name).expect("a short name of letters, digits and underscores")
}

fn builtin(
    kind: Kind,
    name: ToolName,
    title: &'static str,
    description: String,
    schema: &Value,
) -> Builtin {
    let input_schema = Json::from_value(schema);
    let looks = kind != Kind::Call;
    Builtin {
        kind,
        name,
        title,
        description,
        check: ArgumentCheck::new(&input_schema).expect("a schema written below is a schema"),
        input_schema,
        annotations: Annotations {
            title: Some(title.to_owned()),
            read_only_hint: looks.then_some(true),
            open_world_hint: looks.then_some(false),
            ..Annotations::default()
        },
    }
}

fn searching<'a>(
    name: ToolName,
    describe: &ToolName,
    call: &ToolName,
    tools: impl IntoIterator<Item = &'a Tool>,
) -> Builtin {
    let (mut count, mut tags) = (0_usize, Vec::<&str>::new());
    for tool in tools {
        count += 1;
        for tag in &tool.annotations.tags {
            if tags.len() < MAX_TAGS && tag.len() <= 40 && !tags.contains(&tag.as_str()) {
                tags.push(tag);
            }
        }
    }
    let mut description = format!(
        "Finds tools by what they do: {count} are there, and not listed. Then `{describe}` tells a \
         tool's arguments, and `{call}` calls it."
    );
    if !tags.is_empty() {
        description.push_str(&format!(" Tags: {}.", tags.join(", ")));
    }
    let schema = json!({
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "Words for what you want to do, or a name."},
            "tag": {"type": "string", "description": "Only tools with this tag."},
            "method": {"type": "string", "description": "Only tools with this request method, such as GET."},
            "limit": {
                "type": "integer", "minimum": 1, "maximum": MAX_HITS,
                "description": format!("At most so many; {HITS} unless told."),
            },
        },
        "required": ["query"],
        "additionalProperties": false,
    });
    builtin(Kind::Search, name, "Search tools", description, &schema)
}

fn describing(name: ToolName, search: &ToolName, call: &ToolName) -> Builtin {
    let description = format!(
        "Tells all about one tool that `{search}` found, with the schema of its arguments. \
         Ask before you call it with `{call}`."
    );
    let schema = json!({
        "type": "object",
        "properties": {"name": {"type": "string", "description": "The tool's name."}},
        "required": ["name"],
        "additionalProperties": false,
    });
    builtin(
        Kind::Describe,
        name,
        "Describe a tool",
        description,
        &schema,
    )
}

fn calling(name: ToolName, search: &ToolName, describe: &ToolName) -> Builtin {
    let description = format!(
        "Calls a tool that `{search}` found, with arguments as `{describe}` tells them. It changes \
         whatever that tool changes."
    );
    let schema = json!({
        "type": "object",
        "properties": {
            "name": {"type": "string", "description": "The tool's name."},
            "arguments": {"type": "object", "description": "The tool's arguments, as its own schema wants them."},
        },
        "required": ["name"],
        "additionalProperties": false,
    });
    builtin(Kind::Call, name, "Call a tool", description, &schema)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcp::testing::tool;

    #[test]
    fn a_name_of_the_documents_is_left_to_them() {
        let tools = ["call_tool", "call_tool_2", "search_tools"].map(tool);
        let builtins = Builtins::new(&&tools);
        let names: Vec<&str> = builtins.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["search_tools_2", "describe_tool", "call_tool_3"]);
        assert!(builtins.find("call_tool").is_none());
        let search = builtins.find("search_tools_2").unwrap();
        assert!(search.description.contains("`call_tool_3`"));
    }

    #[test]
    fn a_wrapped_call_is_opened() {
        let builtins = Builtins::new(&&[]);
        let call = builtins.find("call_tool").unwrap();
        let object = |value: Value| value.as_object().cloned().unwrap();
        let (name, inner) = call
            .unwrap(object(json!({"name": "x", "arguments": {"id": 1}})))
            .unwrap();
        assert_eq!((name.as_str(), inner["id"].as_u64()), ("x", Some(1)));
        // Models write objects as texts.
        let (_, inner) = call
            .unwrap(object(json!({"name": "x", "arguments": "{\"id\":1}"})))
            .unwrap();
        assert_eq!(inner["id"], 1);
        assert!(
            call.unwrap(object(json!({"name": "x"})))
                .unwrap()
                .1
                .is_empty()
        );
        let error = call.unwrap(object(json!({"tool": "x"}))).unwrap_err();
        assert!(error.to_string().contains("name"), "{error}");
    }
}
