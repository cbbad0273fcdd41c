//! Arguments against a tool's input schema: compiled once, checked at every call.

mod backtracking;
mod correct;
mod cost;
mod faults;
mod repair;
mod schema;
mod shown;
mod unasserted;

#[cfg(test)]
mod tests;

use jsonschema::{Draft, PatternOptions};
use serde_json::{Map, Value};

use super::Fault;
use crate::tool::{Corrections, Json, Target, Tool};
use crate::tree;

/// Regular expressions come from documents and run on callers' texts: none may go back more often. Each time may cost
/// as much as the text is long; see [`backtracking`].
const BACKTRACK_LIMIT: usize = 20_000;
/// A text repaired may hold another text to repair; models nest them at most this deep.
const REPAIR_ROUNDS: usize = 4;

/// Says of a place in the arguments, a JSON pointer, and of the value there whether a fault may not repeat it.
type Hidden<'a> = &'a dyn Fn(&str, &Value) -> bool;

/// A tool's compiled input schema.
#[derive(Debug)]
pub struct Validator {
    compiled: jsonschema::Validator,
    /// Without the patterns that take more time than the texts are long, where there are any.
    lenient: Option<jsonschema::Validator>,
    /// Read only to word a fault.
    schema: Json,
    corrections: Vec<Corrections>,
}

/// An input schema cannot be compiled.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the input schema cannot be used at `{pointer}`: {message}")]
pub struct SchemaError {
    /// JSON pointer into the schema.
    pub pointer: String,
    /// What is wrong with it.
    pub message: String,
}

impl Validator {
    /// Compiles an input schema, JSON Schema 2020-12. `format` is not asserted, and nothing is ever
    /// fetched. A `pattern` that the engine refuses is dropped: the upstream still checks it. Where
    /// alternatives of `oneOf` differ only in what is not asserted, several may fit.
    ///
    /// # Errors
    /// [`SchemaError`] where the schema is not usable JSON Schema 2020-12.
    pub fn compile(schema: &Json) -> Result<Self, SchemaError> {
        let mut tree = schema.parse();
        let loosened = unasserted::loosen(&mut tree);
        let compiled = match build(&tree) {
            Ok(compiled) => compiled,
            Err(_) => {
                schema::drop_patterns(&mut tree, &|pattern| {
                    build(&serde_json::json!({ "pattern": pattern })).is_err()
                });
                build(&tree).map_err(|error| SchemaError {
                    pointer: error.instance_path().as_str().to_owned(),
                    message: shown::cut(&error.to_string(), 300),
                })?
            }
        };
        Ok(Self {
            compiled,
            lenient: backtracking::without(&tree).and_then(|tree| build(&tree).ok()),
            schema: if loosened {
                Json::from_value(&tree)
            } else {
                schema.clone()
            },
            corrections: Vec::new(),
        })
    }

    /// The validator of a tool, which puts its arguments right as well, as far as the tool says how.
    ///
    /// # Errors
    /// As [`Self::compile`].
    pub fn of(tool: &Tool) -> Result<Self, SchemaError> {
        let corrections = match &tool.target {
            Target::Http(target) => target.corrections.clone(),
            Target::Command(_) => Vec::new(),
        };
        let plain = Self::compile(&tool.input_schema)?;
        Ok(Self {
            corrections,
            ..plain
        })
    }

    /// Checks the arguments, an object; null stands for an empty one. What a model commonly gets wrong but means
    /// unmistakably is put right in place: a JSON text where an object or array is wanted becomes that, and
    /// null for an optional argument that cannot be null goes. So does what the service alone sets, and integers
    /// are spelled as such, where [`Self::of`] learnt of them.
    ///
    /// Faults repeat no value that the schema marks as secret, nor one of which `hidden`, given its place
    /// as a JSON pointer, says so.
    ///
    /// # Errors
    /// The faults, in the schema's order: at most twenty, then how many more there are.
    pub fn check(
        &self,
        arguments: &mut Value,
        hidden: impl Fn(&str, &Value) -> bool,
    ) -> Result<(), Vec<Fault>> {
        if arguments.is_null() {
            *arguments = Value::Object(Map::new());
        }
        self.correct(arguments);
        if self.compiled_for(arguments).is_valid(arguments) {
            return Ok(());
        }
        let schema = self.schema.parse();
        if !cost::is_affordable(&schema, arguments) {
            return Err(vec![too_deep()]);
        }
        for _ in 0..REPAIR_ROUNDS {
            let edits = repair::find(self.compiled_for(arguments).iter_errors(arguments));
            if !repair::apply(arguments, edits) {
                break;
            }
            // A text that was read as JSON is looked at for the first time.
            self.correct(arguments);
            if self.compiled_for(arguments).is_valid(arguments) {
                return Ok(());
            }
        }
        let errors = self.compiled_for(arguments).iter_errors(arguments);
        let faults = faults::word(errors, &schema, arguments, &hidden);
        if faults.is_empty() {
            Ok(())
        } else {
            Err(faults)
        }
    }

    /// What is wrong with an answer's JSON text, if anything; the first of it. Nothing is put right, and no value is
    /// repeated.
    #[must_use]
    pub fn deviation(&self, text: &str) -> Option<Fault> {
        let value: Value = tree::read(text).ok()?;
        if self.compiled.is_valid(&value) {
            return None;
        }
        let schema = self.schema.parse();
        if !cost::is_affordable(&schema, &value) {
            return None;
        }
        let errors = self.compiled.iter_errors(&value);
        let faults = faults::word(errors, &schema, &value, &|_, _| true);
        faults.into_iter().next()
    }

    /// What checks these arguments: all of the schema, unless its patterns would take too long over them. The upstream
    /// still checks those.
    fn compiled_for(&self, arguments: &Value) -> &jsonschema::Validator {
        let lenient = self.lenient.as_ref();
        let lenient = lenient.filter(|_| !backtracking::is_affordable(arguments));
        lenient.unwrap_or(&self.compiled)
    }

    fn correct(&self, arguments: &mut Value) {
        for corrections in &self.corrections {
            correct::correct(corrections, arguments);
        }
    }
}

fn too_deep() -> Fault {
    Fault {
        path: String::new(),
        keyword: "schema".to_owned(),
        message: "the arguments do not fit the input schema, and are too many or nest too deeply to say where: \
                  give fewer of them, or fewer levels, or one after the other"
            .to_owned(),
    }
}

fn build(schema: &Value) -> Result<jsonschema::Validator, jsonschema::ValidationError<'static>> {
    options()
        .with_pattern_options(PatternOptions::fancy_regex().backtrack_limit(BACKTRACK_LIMIT))
        .build(schema)
}

fn options<'i>() -> jsonschema::ValidationOptions<'i> {
    jsonschema::options()
        .with_draft(Draft::Draft202012)
        .offline()
        .should_validate_formats(false)
}
