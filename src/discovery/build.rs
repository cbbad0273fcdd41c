//! The tools of one document: what they share, and each of them.

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::value::RawValue;

use super::chosen::{Becomes, Chosen};
use super::corrections::{Corrector, Wanted};
use super::defs::{Definitions, Direction};
use super::extension::Notes;
use super::overrides::place;
use super::owned::Secured;
use super::settings::{OutputSchemas, Settings};
use super::{
    Source, arguments, ask, body, command, confirm, hints, input, output, parameters, path,
    profile, security, target,
};
use crate::openapi::{Document, Operation, ParameterLocation};
use crate::tool::{CommandTarget, Json, SecurityScheme, Target, Tool, ToolName};

/// What is shared by the tools of one document.
pub(super) struct Build<'a> {
    document: &'a Document,
    settings: &'a Settings,
    inputs: Definitions<'a>,
    outputs: Definitions<'a>,
    correctors: [Corrector<'a>; 2],
    notes: Notes,
    /// Tools by their place.
    without_output: Vec<usize>,
    cut_inputs: Vec<usize>,
    schemes: Vec<Arc<SecurityScheme>>,
    credentials: &'a HashSet<String>,
}

impl<'a> Build<'a> {
    pub(super) fn new(source: &'a Source<'a>, settings: &'a Settings) -> Self {
        let schemas = &source.document.schemas;
        Self {
            document: source.document,
            settings,
            inputs: Definitions::new(schemas, Direction::Input),
            outputs: Definitions::new(schemas, Direction::Output),
            correctors: [Wanted::ReadOnly, Wanted::Integers].map(Corrector::new),
            notes: Notes::default(),
            without_output: Vec::new(),
            cut_inputs: Vec::new(),
            schemes: security::schemes(source.document, source.number),
            credentials: &source.credentials,
        }
    }

    /// The tool of an operation, which is the one at `at` among its document's.
    pub(super) fn tool(&mut self, chosen: &Chosen<'a>, name: ToolName, at: usize) -> Tool {
        let (operation, over) = (chosen.operation, &chosen.over);
        let cut = path::cut(&operation.path, &in_path(operation));
        let notes = &mut self.notes;
        let secured = Secured {
            document: self.document,
            credentials: self.credentials,
        };
        let mut parameters = parameters::plan(operation, secured, &self.inputs, &cut, over, notes);
        let shape = over.body.unwrap_or(self.settings.body);
        let mut body = body::plan(operation, shape, &self.inputs, &mut notes.notes);
        arguments::assign_keys(&mut parameters, body.as_mut());
        let limit = self.settings.max_input_schema;
        self.inputs.write_for(place(operation));
        let (input, was_cut) = input::schema(&mut self.inputs, &parameters, body.as_ref(), limit);
        if was_cut {
            self.cut_inputs.push(at);
        }
        let (mut input, mut ask) = (json(input), Vec::new());
        if let Some(named) = &over.ask {
            let arguments = arguments::all(&parameters, body.as_ref());
            let (place, notes) = (place(operation), &mut self.notes.notes);
            (input, ask) = ask::questions(named, &input, &arguments, &self.inputs, &place, notes);
        }
        let annotations = hints::annotations(operation, over);
        let need = confirm::Need::of(operation, over, self.settings);
        let (mut target, confirm) = match &chosen.becomes {
            // Each of its actions has a word of its own on what it destroys.
            Becomes::Command(target) => {
                let mut target = CommandTarget::clone(target);
                target.security = security::needs(operation, &self.schemes);
                command::confirmed(target, need.told(), need.by_rule)
            }
            Becomes::Http(base) => {
                let (base, body) = (base.clone(), body.as_ref());
                let correctors = self.correctors.iter_mut();
                let corrections =
                    correctors.filter_map(|one| one.arguments(&parameters, body, &self.inputs));
                let corrections = corrections.collect();
                let mut target =
                    target::target(operation, base, cut, &parameters, body, &self.inputs);
                target.security = security::needs(operation, &self.schemes);
                target.keys = security::keys(operation, self.document, &self.schemes);
                target.corrections = corrections;
                (Target::Http(Box::new(target)), need.any(&annotations))
            }
        };
        Tool {
            title: hints::title(operation, over),
            description: hints::description(operation, over),
            listed_schema: profile::listed(&input, self.settings.schema_profile),
            input_schema: input,
            output_schema: self.output(operation, at, &mut target),
            meta: hints::meta(self.document, operation),
            target,
            requires: over.requires.clone().unwrap_or_default(),
            confirm,
            ask,
            annotations,
            name,
        }
    }

    /// The output schema; the target learns what it does not say.
    fn output(&mut self, operation: &'a Operation, at: usize, target: &mut Target) -> Option<Json> {
        if self.settings.output_schemas == OutputSchemas::Off {
            return None;
        }
        let limit = self.settings.max_output_schema;
        self.outputs.write_for(place(operation));
        match output::schema(&mut self.outputs, operation, limit) {
            output::Output::Schema(text, promise) => {
                if let Target::Http(target) = target {
                    target.promise = promise;
                }
                Some(json(text))
            }
            output::Output::None => None,
            output::Output::TooLarge => {
                self.without_output.push(at);
                None
            }
        }
    }

    /// What was changed on the way.
    pub(super) fn finish(mut self) -> Changes {
        let mut notes = std::mem::take(&mut self.notes);
        notes.notes.append(&mut self.inputs.notes);
        notes.notes.append(&mut self.outputs.notes);
        for note in &mut notes.notes {
            *note = self.document.schemas.as_written(note);
        }
        self.correctors.into_iter().for_each(Corrector::finish);
        Changes {
            notes: notes.of_document(&self.document.name),
            without_output: self.without_output,
            cut_inputs: self.cut_inputs,
        }
    }
}

/// What was changed while the tools of a document were made.
#[derive(Debug, Default)]
pub(super) struct Changes {
    /// Of this document.
    pub(super) notes: Notes,
    /// Tools by their place.
    without_output: Vec<usize>,
    cut_inputs: Vec<usize>,
}

impl Changes {
    /// What became too long, of a document with this name, whose tools are named so.
    pub(super) fn left_out(
        &self,
        document: &str,
        names: &[ToolName],
        settings: &Settings,
    ) -> Vec<String> {
        let mut all = Vec::new();
        for (what, limit, tools) in [
            (
                "output schemas left out",
                settings.max_output_schema,
                &self.without_output,
            ),
            (
                "input schemas cut",
                settings.max_input_schema,
                &self.cut_inputs,
            ),
        ] {
            if !tools.is_empty() {
                let names = tools.iter().filter_map(|at| Some(names.get(*at)?.as_str()));
                let (count, names) = (tools.len(), names.collect::<Vec<_>>().join(", "));
                all.push(format!(
                    "{document}: {count} {what}, longer than {limit} bytes: {names}"
                ));
            }
        }
        all
    }
}

/// The text was written piece by piece and is valid JSON.
fn json(text: String) -> Json {
    let raw = RawValue::from_string(text).expect("fragments hold whole JSON values only");
    Json::from_raw(raw)
}

/// The names of the operation's path parameters.
fn in_path(operation: &Operation) -> Vec<&str> {
    let parameters = operation.parameters.iter();
    parameters
        .filter(|one| one.location == ParameterLocation::Path)
        .map(|one| one.name.as_str())
        .collect()
}
