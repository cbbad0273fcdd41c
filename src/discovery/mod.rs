//! Discovery (pure): every operation becomes a tool, or a reason why not.

mod arguments;
mod ask;
mod body;
mod circles;
mod command;
mod compose;
mod confirm;
mod convert;
mod defs;
#[cfg(test)]
mod fixture;
mod fragment;
mod hints;
mod input;
mod keys;
mod keywords;
mod lint;
mod naming;
mod object;
mod output;
mod overrides;
mod parameters;
mod path;
mod pattern;
mod profile;
mod security;
mod select;
mod settings;
mod target;
#[cfg(test)]
mod tests;
mod text;
mod ways;
mod xml;

pub use command::{Allowed, Commands, DOTNET_DOCUMENT, data as command_data};
pub use lint::{Diagnosis, RULES, diagnose};
pub use settings::{
    Ask, BodyShape, ConfirmRules, Exclude, Form, Hints, OutputSchemas, Override, ParameterOverride,
    Rule, SchemaProfile, Select, Settings,
};

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::value::RawValue;

use crate::openapi::{Document, Operation, ParameterLocation, Severity};
use crate::tool::{CommandTarget, Json, SecurityScheme, Target, Tool, ToolName};
use defs::{Definitions, Direction};
use overrides::place;

/// What discovery makes of the documents.
#[derive(Debug, Default)]
pub struct Discovery {
    /// The tools, in the documents' order, with unique names.
    pub tools: Vec<Tool>,
    /// What did not become a tool.
    pub skipped: Vec<Skipped>,
    /// What was changed on the way, for people: renamed duplicates, dropped schemas, ...
    pub notes: Vec<String>,
}

/// An operation that did not become a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// The document's name.
    pub document: String,
    /// `METHOD /path`.
    pub operation: String,
    /// Why.
    pub reason: String,
}

/// A document with what the operator says of it.
#[derive(Debug)]
pub struct Source<'a> {
    /// The loaded document.
    pub document: &'a Document,
    /// Its number in the configuration, by which the operator's credentials find it.
    pub number: usize,
    /// Put before each tool name, with an underscore between.
    pub prefix: Option<String>,
    /// Wins over the document's `servers`.
    pub base_url: Option<url::Url>,
    /// Whether its operations may run programs.
    pub commands: Commands,
}

/// Turns the documents' operations into tools.
#[must_use]
pub fn discover(sources: &[Source<'_>], settings: &Settings) -> Discovery {
    let mut discovery = Discovery::default();
    let mut chosen = Vec::new();
    for source in sources {
        choose(source, settings, &mut chosen, &mut discovery);
        discovery.skipped.extend(lost(source.document));
    }
    let candidates: Vec<naming::Candidate> = chosen.iter().map(Chosen::candidate).collect();
    let (names, notes) = naming::assign(&candidates, settings.max_name_length);
    discovery.notes.extend(notes);
    let mut named = chosen.iter().zip(names).peekable();
    for source in sources {
        let mut build = Build::new(source, settings);
        while let Some((chosen, name)) =
            named.next_if(|(chosen, _)| std::ptr::eq(chosen.source, source))
        {
            discovery.tools.push(build.tool(chosen, name));
        }
        build.finish(&mut discovery.notes);
    }
    note_unused_overrides(sources, settings, &mut discovery.notes);
    discovery
}

/// An operation that becomes a tool.
struct Chosen<'a> {
    source: &'a Source<'a>,
    operation: &'a Operation,
    over: Override,
    becomes: Becomes,
}

/// What the calls of an operation go to.
enum Becomes {
    /// A service at this base.
    Http(url::Url),
    /// A program.
    Command(CommandTarget),
}

impl Chosen<'_> {
    fn candidate(&self) -> naming::Candidate {
        let named = self
            .over
            .name
            .as_ref()
            .or(self.operation.operation_id.as_ref());
        naming::Candidate {
            preferred: named.cloned(),
            method: self.operation.method.to_string(),
            path: self.operation.path.clone(),
            prefix: self.source.prefix.clone(),
        }
    }
}

/// The names of the operation's path parameters.
fn in_path(operation: &Operation) -> Vec<&str> {
    let parameters = operation.parameters.iter();
    parameters
        .filter(|one| one.location == ParameterLocation::Path)
        .map(|one| one.name.as_str())
        .collect()
}

/// What the loader had to leave out.
fn lost(document: &Document) -> impl Iterator<Item = Skipped> {
    let errors = document
        .findings
        .iter()
        .filter(|finding| finding.severity == Severity::Error);
    errors.map(|finding| Skipped {
        document: document.name.clone(),
        operation: operation_at(&finding.pointer),
        reason: finding.message.clone(),
    })
}

/// `/paths/~1pets/get/...` as `GET /pets`; other pointers as they are.
fn operation_at(pointer: &str) -> String {
    let mut tokens = pointer.split('/').skip(1);
    match (tokens.next(), tokens.next(), tokens.next()) {
        (Some("paths"), Some(path), method) => {
            let path = path.replace("~1", "/").replace("~0", "~");
            let method = method.map(str::to_uppercase).unwrap_or_default();
            format!("{method} {path}").trim_start().to_owned()
        }
        _ => pointer.to_owned(),
    }
}

fn choose<'a>(
    source: &'a Source<'a>,
    settings: &Settings,
    chosen: &mut Vec<Chosen<'a>>,
    discovery: &mut Discovery,
) {
    for operation in &source.document.operations {
        let over = overrides::of_operation(operation, &settings.overrides, &mut discovery.notes);
        let excluded = match &over.exclude {
            Some(Exclude::Plain(true)) => Some("it is marked as excluded".to_owned()),
            Some(Exclude::Reason(reason)) => Some(reason.clone()),
            _ => select::refusal(operation, &settings.select),
        };
        let becomes = match excluded {
            Some(reason) => Err(reason),
            None => becomes(source, operation),
        };
        match becomes {
            Ok(becomes) => chosen.push(Chosen {
                source,
                operation,
                over,
                becomes,
            }),
            Err(reason) => discovery.skipped.push(Skipped {
                document: source.document.name.clone(),
                operation: place(operation),
                reason,
            }),
        }
    }
}

fn becomes(source: &Source<'_>, operation: &Operation) -> Result<Becomes, String> {
    if let Some(target) = command::target(operation, &source.commands)? {
        return Ok(Becomes::Command(target));
    }
    let base = target::base(source.base_url.as_ref(), operation);
    base.map(Becomes::Http).ok_or_else(|| {
        "the document names no absolute server URL: give one with --base-url".to_owned()
    })
}

/// What is shared by the tools of one document.
struct Build<'a> {
    document: &'a Document,
    settings: &'a Settings,
    inputs: Definitions<'a>,
    outputs: Definitions<'a>,
    notes: Vec<String>,
    without_output: Vec<String>,
    cut_inputs: Vec<String>,
    schemes: Vec<Arc<SecurityScheme>>,
}

impl<'a> Build<'a> {
    fn new(source: &Source<'a>, settings: &'a Settings) -> Self {
        let schemas = &source.document.schemas;
        Self {
            document: source.document,
            settings,
            inputs: Definitions::new(schemas, Direction::Input),
            outputs: Definitions::new(schemas, Direction::Output),
            notes: Vec::new(),
            without_output: Vec::new(),
            cut_inputs: Vec::new(),
            schemes: security::schemes(source.document, source.number),
        }
    }

    fn tool(&mut self, chosen: &Chosen<'a>, name: ToolName) -> Tool {
        let Chosen {
            operation, over, ..
        } = chosen;
        let cut = path::cut(&operation.path, &in_path(operation));
        let notes = &mut self.notes;
        let mut parameters =
            parameters::plan(operation, self.document, &self.inputs, &cut, over, notes);
        let shape = over.body.unwrap_or(self.settings.body);
        let mut body = body::plan(operation, shape, &self.inputs, notes);
        arguments::assign_keys(&mut parameters, body.as_mut());
        let limit = self.settings.max_input_schema;
        let (input, was_cut) = input::schema(&mut self.inputs, &parameters, body.as_ref(), limit);
        if was_cut {
            self.cut_inputs.push(name.to_string());
        }
        let (mut input, mut ask) = (json(input), Vec::new());
        if let Some(named) = &over.ask {
            let arguments = arguments::all(&parameters, body.as_ref());
            let (place, notes) = (place(operation), &mut self.notes);
            (input, ask) = ask::questions(named, &input, &arguments, &self.inputs, &place, notes);
        }
        let annotations = hints::annotations(operation, over);
        let need = confirm::Need::of(operation, over, self.settings);
        let (target, confirm) = match &chosen.becomes {
            // Each of its actions has a word of its own on what it destroys.
            Becomes::Command(target) => {
                let mut target = CommandTarget::clone(target);
                target.security = security::needs(operation, &self.schemes);
                command::confirmed(target, need.told(), need.by_rule)
            }
            Becomes::Http(base) => {
                let (base, body) = (base.clone(), body.as_ref());
                let mut target =
                    target::target(operation, base, cut, &parameters, body, &self.inputs);
                target.security = security::needs(operation, &self.schemes);
                (Target::Http(Box::new(target)), need.any(&annotations))
            }
        };
        Tool {
            title: hints::title(operation, over),
            description: hints::description(operation, over),
            listed_schema: profile::listed(&input, self.settings.schema_profile),
            input_schema: input,
            output_schema: self.output(operation, &name),
            meta: hints::meta(self.document, operation),
            target,
            requires: over.requires.clone().unwrap_or_default(),
            confirm,
            ask,
            annotations,
            name,
        }
    }

    fn output(&mut self, operation: &'a Operation, name: &ToolName) -> Option<Json> {
        if self.settings.output_schemas == OutputSchemas::Off {
            return None;
        }
        let limit = self.settings.max_output_schema;
        match output::schema(&mut self.outputs, operation, limit) {
            output::Output::Schema(text) => Some(json(text)),
            output::Output::None => None,
            output::Output::TooLarge => {
                self.without_output.push(name.to_string());
                None
            }
        }
    }

    fn finish(mut self, notes: &mut Vec<String>) {
        let name = &self.document.name;
        let mut all = std::mem::take(&mut self.notes);
        all.append(&mut self.inputs.notes);
        all.append(&mut self.outputs.notes);
        for (what, limit, tools) in [
            (
                "output schemas left out",
                self.settings.max_output_schema,
                &self.without_output,
            ),
            (
                "input schemas cut",
                self.settings.max_input_schema,
                &self.cut_inputs,
            ),
        ] {
            if !tools.is_empty() {
                let count = tools.len();
                all.push(format!(
                    "{count} {what}, longer than {limit} bytes: {}",
                    tools.join(", ")
                ));
            }
        }
        let mut seen = HashSet::new();
        all.retain(|note| seen.insert(note.clone()));
        notes.extend(all.into_iter().map(|note| format!("{name}: {note}")));
    }
}

fn note_unused_overrides(sources: &[Source<'_>], settings: &Settings, notes: &mut Vec<String>) {
    if settings.overrides.is_empty() {
        return;
    }
    let used: HashSet<&str> = sources
        .iter()
        .flat_map(|source| &source.document.operations)
        .filter_map(|operation| overrides::configured_for(operation, &settings.overrides))
        .map(|(key, _)| key)
        .collect();
    let unused = settings
        .overrides
        .keys()
        .filter(|key| !used.contains(key.as_str()));
    notes.extend(unused.map(|key| {
        format!("the override `{key}` fits no operation: give an operationId or `METHOD /path`")
    }));
}

/// The text was written piece by piece and is valid JSON.
fn json(text: String) -> Json {
    let raw = RawValue::from_string(text).expect("fragments hold whole JSON values only");
    Json::from_raw(raw)
}
