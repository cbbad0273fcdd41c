//! A validator's errors put into words that a model can act on.

use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use jsonschema::{ErrorIterator, ValidationError};
use serde_json::Value;

use super::Hidden;
use super::schema::{self, Site};
use super::shown::{MAX_SHOWN, cut, found, length, shown};
use crate::binding::{Fault, MAX_FAULTS};
use crate::pointer;
use crate::tool::closest;

/// Errors are not even counted beyond this.
const MAX_ERRORS: usize = 1000;
/// Values of an enum that a message lists.
const MAX_VALUES: usize = 20;
/// Alternatives within alternatives that are looked into.
const MAX_DEPTH: usize = 8;

/// Words the errors: at most twenty faults, then how many more there are.
pub(super) fn word(
    errors: ErrorIterator<'_>,
    schema: &Value,
    arguments: &Value,
    hidden: Hidden<'_>,
) -> Vec<Fault> {
    let mut writer = Writer {
        schema,
        arguments,
        hidden,
        faults: Vec::new(),
        unlisted: 0,
    };
    for error in errors.take(MAX_ERRORS) {
        writer.error(&error, 0, "");
    }
    Fault::listed(writer.faults, writer.unlisted)
}

struct Writer<'a> {
    schema: &'a Value,
    arguments: &'a Value,
    hidden: Hidden<'a>,
    faults: Vec<Fault>,
    /// Those beyond the most that are listed, which are not put into words.
    unlisted: usize,
}

impl Writer<'_> {
    fn error(&mut self, error: &ValidationError<'_>, depth: usize, suffix: &str) {
        if self.faults.len() >= MAX_FAULTS {
            self.unlisted += width(error);
            return;
        }
        let path = error.instance_path().as_str();
        let mut site = schema::site(self.schema, error.evaluation_path().as_str());
        site.secret = site.secret || (self.hidden)(path, error.instance());
        match error.kind() {
            // The pattern was too costly to decide; the upstream decides it.
            Kind::BacktrackLimitExceeded { .. } | Kind::RegexEngineFailure { .. } => {}
            Kind::AdditionalProperties { unexpected }
            | Kind::UnevaluatedProperties { unexpected } => {
                let names = unexpected.iter().map(String::as_str);
                self.unexpected(names, path, error.kind().keyword(), &site, suffix);
            }
            // A closed object without any property: the library names the value, not the name.
            Kind::FalseSchema
                if error
                    .schema_path()
                    .as_str()
                    .ends_with("/additionalProperties") =>
            {
                let members = self.arguments.pointer(path).and_then(Value::as_object);
                let names = members.into_iter().flat_map(|members| members.keys());
                let names = names.map(String::as_str);
                self.unexpected(names, path, "additionalProperties", &site, suffix);
            }
            Kind::Required { property } => {
                let name = property.as_str().unwrap_or_default();
                let message = missing(name, path, &site, self.schema);
                self.push(pointer::member(path, name), "required", &message, suffix);
            }
            Kind::AnyOf { context } | Kind::OneOfNotValid { context } if depth < MAX_DEPTH => {
                self.alternatives(error, context, depth, &site);
            }
            Kind::PropertyNames { error: inner } => {
                let message = format!("a name is not allowed: {}", expectation(inner, &site));
                self.push(path.to_owned(), "propertyNames", &message, suffix);
            }
            kind => {
                let message = expectation(error, &site);
                self.push(path.to_owned(), keyword(kind), &message, suffix);
            }
        }
    }

    fn unexpected<'n>(
        &mut self,
        names: impl Iterator<Item = &'n str>,
        path: &str,
        keyword: &str,
        site: &Site<'_>,
        suffix: &str,
    ) {
        for name in names {
            if self.faults.len() >= MAX_FAULTS {
                self.unlisted += 1;
                continue;
            }
            let message = unknown(name, path, site, self.schema);
            self.push(pointer::member(path, name), keyword, &message, suffix);
        }
    }

    /// None of several alternatives fits: what the closest one says, not that none does.
    fn alternatives(
        &mut self,
        error: &ValidationError<'_>,
        context: &[Vec<ValidationError<'static>>],
        depth: usize,
        site: &Site<'_>,
    ) {
        let path = error.instance_path().as_str();
        let mismatch = |branch: &[ValidationError<'static>]| {
            branch.iter().any(|inner| {
                inner.instance_path().as_str() == path && matches!(inner.kind(), Kind::Type { .. })
            })
        };
        let rivals: Vec<_> = context.iter().filter(|branch| !mismatch(branch)).collect();
        let closest = rivals.iter().min_by_key(|branch| distance(branch, path));
        let Some(closest) = closest else {
            let types = expected_types(context);
            let found = found(error.instance(), site.secret);
            let message = format!("expected {types}, found {found}");
            self.push(path.to_owned(), error.kind().keyword(), &message, "");
            return;
        };
        let suffix = if rivals.len() > 1 {
            format!(" (in the closest of {} alternatives)", context.len())
        } else {
            String::new()
        };
        for inner in *closest {
            self.error(inner, depth + 1, &suffix);
        }
    }

    fn push(&mut self, path: String, keyword: &str, message: &str, suffix: &str) {
        let fault = Fault {
            path,
            keyword: keyword.to_owned(),
            message: format!("{message}{suffix}"),
        };
        if !self.faults.contains(&fault) {
            self.faults.push(fault);
        }
    }
}

/// How many faults an error tells of.
fn width(error: &ValidationError<'_>) -> usize {
    match error.kind() {
        Kind::BacktrackLimitExceeded { .. } | Kind::RegexEngineFailure { .. } => 0,
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            unexpected.len()
        }
        _ => 1,
    }
}

/// How far a branch is from fitting: a wrong constant (usually a discriminator) weighs most.
fn distance(branch: &[ValidationError<'static>], path: &str) -> (usize, usize) {
    let discriminators = branch.iter().filter(|error| {
        let near = error.instance_path().as_str().len() > path.len();
        near && matches!(error.kind(), Kind::Constant { .. } | Kind::Enum { .. })
    });
    (discriminators.count(), branch.len())
}

fn expected_types(context: &[Vec<ValidationError<'static>>]) -> String {
    let mut names: Vec<&str> = Vec::new();
    for error in context.iter().flatten() {
        if let Kind::Type { kind } = error.kind() {
            for name in type_names(kind) {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
    }
    either(&names)
}

fn type_names(kind: &TypeKind) -> Vec<&'static str> {
    match kind {
        TypeKind::Single(one) => vec![one.as_str()],
        TypeKind::Multiple(set) => set.iter().map(|one| one.as_str()).collect(),
    }
}

fn either(names: &[&str]) -> String {
    match names {
        [] => "another type".to_owned(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

/// A schema of `false` has no keyword of its own in the specification.
fn keyword(kind: &Kind) -> &str {
    match kind {
        Kind::FalseSchema => "false",
        other => other.keyword(),
    }
}

fn noun(path: &str) -> &'static str {
    if path.is_empty() {
        "argument"
    } else {
        "property"
    }
}

fn unknown(name: &str, path: &str, site: &Site<'_>, root: &Value) -> String {
    let noun = noun(path);
    let known = known(site, root);
    let shown = cut(name, MAX_SHOWN);
    if let Some(holder) = holder(name, &known, site, root) {
        return format!(
            "unknown {noun} `{shown}`; `{holder}` has a member of this name: give it within that"
        );
    }
    match closest(name, known.iter().copied()) {
        Some(meant) => format!("unknown {noun} `{shown}`; did you mean `{meant}`?"),
        None if known.is_empty() => format!("unknown {noun} `{shown}`; none is expected here"),
        None => {
            let listed: Vec<_> = known
                .iter()
                .take(MAX_VALUES)
                .map(|name| format!("`{name}`"))
                .collect();
            format!("unknown {noun} `{shown}`; known: {}", listed.join(", "))
        }
    }
}

/// The one property at a place that is an object with a property of this name: models lay out what belongs in a body.
fn holder<'a>(name: &str, known: &[&'a str], site: &Site<'a>, root: &'a Value) -> Option<&'a str> {
    let properties = site.schema?.get("properties")?;
    let mut holders = known.iter().filter(|property| {
        let inner = Site {
            schema: properties
                .get(property)
                .map(|one| schema::resolved(root, one)),
            secret: site.secret,
        };
        self::known(&inner, root).contains(&name)
    });
    holders.next().filter(|_| holders.next().is_none()).copied()
}

/// The property names at a place, also those of schemas combined there.
fn known<'a>(site: &Site<'a>, root: &'a Value) -> Vec<&'a str> {
    let mut names = Vec::new();
    let Some(schema) = site.schema else {
        return names;
    };
    let combined = ["allOf", "anyOf", "oneOf"]
        .into_iter()
        .filter_map(|key| schema.get(key)?.as_array())
        .flatten();
    for one in std::iter::once(schema).chain(combined) {
        let properties = schema::resolved(root, one).get("properties");
        for name in properties
            .and_then(Value::as_object)
            .into_iter()
            .flat_map(|map| map.keys())
        {
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
    }
    names
}

fn missing(name: &str, path: &str, site: &Site<'_>, root: &Value) -> String {
    let property = site
        .schema
        .and_then(|schema| schema.get("properties")?.get(name));
    let types = property.map(|property| schema::resolved(root, property).get("type"));
    let kind = match types.flatten() {
        Some(Value::String(one)) => format!(" ({one})"),
        Some(Value::Array(all)) => {
            let names: Vec<&str> = all.iter().filter_map(Value::as_str).collect();
            format!(" ({})", either(&names))
        }
        _ => String::new(),
    };
    format!("missing required {} `{name}`{kind}", noun(path))
}

/// What was expected and what was found.
fn expectation(error: &ValidationError<'_>, site: &Site<'_>) -> String {
    let value = error.instance().as_ref();
    let found = found(value, site.secret);
    match error.kind() {
        Kind::Type { kind } => format!("expected {}, found {found}", either(&type_names(kind))),
        Kind::Enum { options } => one_of(options, value, site.secret),
        Kind::Constant { expected_value } => {
            format!("expected {}, found {found}", shown(expected_value))
        }
        Kind::Minimum { limit } => format!("expected at least {limit}, found {found}"),
        Kind::Maximum { limit } => format!("expected at most {limit}, found {found}"),
        Kind::ExclusiveMinimum { limit } => format!("expected more than {limit}, found {found}"),
        Kind::ExclusiveMaximum { limit } => format!("expected less than {limit}, found {found}"),
        Kind::MultipleOf { multiple_of } => {
            format!("expected a multiple of {multiple_of}, found {found}")
        }
        Kind::MinLength { limit } => length("at least", *limit, "character", value),
        Kind::MaxLength { limit } => length("at most", *limit, "character", value),
        Kind::MinItems { limit } => length("at least", *limit, "item", value),
        Kind::MaxItems { limit } => length("at most", *limit, "item", value),
        Kind::MinProperties { limit } => length("at least", *limit, "member", value),
        Kind::MaxProperties { limit } => length("at most", *limit, "member", value),
        Kind::AdditionalItems { limit } => length("at most", *limit as u64, "item", value),
        Kind::Pattern { pattern } => format!(
            "expected a text that matches `{}`, found {found}",
            cut(pattern, 200)
        ),
        Kind::UniqueItems => "expected items that all differ".to_owned(),
        Kind::OneOfMultipleValid { .. } => {
            "expected a value that fits exactly one alternative, found one that fits several"
                .to_owned()
        }
        Kind::Contains => "expected an item that the schema requires, found none".to_owned(),
        Kind::Not { .. } => format!("expected another value, found {found}, which is excluded"),
        Kind::FalseSchema => "nothing is allowed here".to_owned(),
        Kind::Format { format } => format!("expected the format `{format}`, found {found}"),
        Kind::AnyOf { .. } | Kind::OneOfNotValid { .. } => {
            format!("expected a value that fits one of the alternatives, found {found}")
        }
        // The library's own words hold the value, so they are only used without it.
        _ => cut(&error.masked().to_string(), 200),
    }
}

fn one_of(options: &Value, value: &Value, secret: bool) -> String {
    let empty = Vec::new();
    let options = options.as_array().unwrap_or(&empty);
    let mut listed: Vec<String> = options.iter().take(MAX_VALUES).map(shown).collect();
    if options.len() > MAX_VALUES {
        listed.push(format!("and {} more", options.len() - MAX_VALUES));
    }
    let expected = match listed.as_slice() {
        [one] => one.clone(),
        all => format!("one of {}", all.join(", ")),
    };
    let texts = options.iter().filter_map(Value::as_str);
    let meant = value
        .as_str()
        .filter(|_| !secret)
        .and_then(|text| closest(text, texts));
    let hint = meant.map_or_else(String::new, |meant| format!("; did you mean \"{meant}\"?"));
    format!("expected {expected}, found {}{hint}", found(value, secret))
}
