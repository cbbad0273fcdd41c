//! The parameters of one operation: inherited, overridden, matched with the path template.

use serde_json::{Map, Value};

use super::super::finding::Place;
use super::super::model::{Parameter, ParameterLocation, ParameterStyle};
use super::super::reference::{follow, kind};
use super::content::{example, media_types, schema};
use super::template::TemplateParameter;
use super::{Context, extensions, flag};

/// More parameters than any operation has; merging takes time by the square of it.
const MOST: usize = 1_000;

/// A `parameters` array and where it stands.
pub(super) struct Written<'a> {
    pub(super) list: &'a Value,
    pub(super) place: Place,
}

/// Merges the arrays, the farthest first: a later parameter of the same name and place replaces
/// an earlier one. The error is why the operation cannot be called.
pub(super) fn merged(
    arrays: &[Written<'_>],
    template: &[TemplateParameter],
    context: &mut Context<'_>,
) -> Result<Vec<Parameter>, (String, String)> {
    let mut parameters: Vec<Parameter> = Vec::new();
    // Which array each parameter came from last.
    let mut origins: Vec<usize> = Vec::new();
    for (origin, written) in arrays.iter().enumerate() {
        if !(written.list.is_array() || written.list.is_null()) {
            let expected = format!(
                "expected a list of parameters, found {}",
                kind(written.list)
            );
            invalid(context, written.place.pointer(), &expected);
        }
        let number = written.list.as_array().map_or(0, Vec::len);
        if number > MOST {
            let reason = format!("expected at most {MOST} parameters, found {number}");
            return Err((written.place.pointer().to_owned(), reason));
        }
        for (index, node) in written.list.as_array().into_iter().flatten().enumerate() {
            // Swagger 2.0's body parameters leave null behind.
            if node.is_null() {
                continue;
            }
            let pointer = written.place.member(&index.to_string());
            let found = one(node, &pointer, context).map_err(|reason| (pointer.clone(), reason))?;
            let Some(parameter) = found else { continue };
            match parameters.iter().position(|other| same(other, &parameter)) {
                Some(at) => {
                    if origins[at] == origin {
                        repeated(&parameter, &pointer, context);
                    }
                    parameters[at] = parameter;
                    origins[at] = origin;
                }
                None => {
                    parameters.push(parameter);
                    origins.push(origin);
                }
            }
        }
    }
    match_template(&mut parameters, template, arrays, context);
    Ok(parameters)
}

fn repeated(parameter: &Parameter, pointer: &str, context: &mut Context<'_>) {
    context.findings.warn(
        "duplicate-parameter",
        pointer,
        format!(
            "{:?} is defined twice in one list; the last definition counts",
            parameter.name
        ),
        "remove one of them",
    );
}

/// Header names are case-insensitive (RFC 9110, section 5.1).
fn same(a: &Parameter, b: &Parameter) -> bool {
    a.location == b.location
        && if a.location == ParameterLocation::Header {
            a.name.eq_ignore_ascii_case(&b.name)
        } else {
            a.name == b.name
        }
}

/// `Ok(None)` where the parameter counts for nothing; the error is a reference that leads nowhere.
fn one(
    node: &Value,
    pointer: &str,
    context: &mut Context<'_>,
) -> Result<Option<Parameter>, String> {
    if !node.is_object() {
        invalid(context, pointer, "expected an object");
        return Ok(None);
    }
    let found = follow(context.root, node)?;
    let map = found.node;
    let Some(name) = map
        .get("name")
        .and_then(Value::as_str)
        .filter(|name| !name.is_empty())
    else {
        invalid(context, pointer, "expected a text as name");
        return Ok(None);
    };
    let Some(location) = map.get("in").and_then(Value::as_str).and_then(location) else {
        invalid(
            context,
            pointer,
            "expected in to be path, query, querystring, header or cookie",
        );
        return Ok(None);
    };
    if location == ParameterLocation::Header && is_described_elsewhere(name) {
        context.findings.note(
            "ignored-header",
            pointer,
            format!(
                "a header parameter named {name} counts for nothing (OpenAPI, Parameter Object)"
            ),
        );
        return Ok(None);
    }
    Ok(Some(parameter(
        map,
        name,
        location,
        found.text("description"),
        pointer,
        context,
    )))
}

fn invalid(context: &mut Context<'_>, pointer: &str, expected: &str) {
    context.findings.warn(
        "invalid-parameter",
        pointer,
        expected.to_owned(),
        "correct it; it is ignored",
    );
}

fn parameter(
    map: &Map<String, Value>,
    name: &str,
    location: ParameterLocation,
    description: Option<&str>,
    pointer: &str,
    context: &mut Context<'_>,
) -> Parameter {
    let media = media_types(map.get("content"), &Place::at(pointer), context)
        .into_iter()
        .next();
    let style = style_at(map, location, pointer, context);
    let default_explode = matches!(style, ParameterStyle::Form | ParameterStyle::DeepObject);
    let example = example(map, context.root, &context.budget)
        .or_else(|| media.as_ref().and_then(|media| media.example.clone()));
    let (content, encoding, value_schema) = match media {
        Some(media) => (Some(media.name), media.encoding, media.schema),
        None => {
            let schema = schema(map.get("schema"), &context.budget);
            (None, Vec::new(), schema)
        }
    };
    Parameter {
        name: name.to_owned(),
        location,
        required: location == ParameterLocation::Path || flag(map, "required").unwrap_or(false),
        deprecated: flag(map, "deprecated").unwrap_or(false),
        description: description.map(str::to_owned),
        schema: value_schema,
        style,
        explode: flag(map, "explode").unwrap_or(default_explode),
        // The style `cookie` of 3.2 is `form` without percent-encoding.
        allow_reserved: flag(map, "allowReserved").unwrap_or(false)
            || map.get("style").is_some_and(|style| style == "cookie"),
        allow_empty_value: flag(map, "allowEmptyValue").unwrap_or(false),
        content,
        encoding,
        example,
        extensions: extensions(map, &context.budget),
    }
}

fn location(name: &str) -> Option<ParameterLocation> {
    Some(match name {
        "path" => ParameterLocation::Path,
        "query" => ParameterLocation::Query,
        "querystring" => ParameterLocation::QueryString,
        "header" => ParameterLocation::Header,
        "cookie" => ParameterLocation::Cookie,
        _ => return None,
    })
}

fn is_described_elsewhere(header: &str) -> bool {
    ["accept", "content-type", "authorization"]
        .iter()
        .any(|name| header.eq_ignore_ascii_case(name))
}

fn style_at(
    map: &Map<String, Value>,
    location: ParameterLocation,
    pointer: &str,
    context: &mut Context<'_>,
) -> ParameterStyle {
    let default = match location {
        ParameterLocation::Path | ParameterLocation::Header => ParameterStyle::Simple,
        _ => ParameterStyle::Form,
    };
    let Some(written) = map.get("style").filter(|style| !style.is_null()) else {
        return default;
    };
    let found = written
        .as_str()
        .and_then(style)
        .filter(|style| allowed(*style, location));
    found.unwrap_or_else(|| {
        context.findings.warn(
            "invalid-style",
            pointer,
            format!("found a style that does not exist here: {written}"),
            "correct the style; the default is taken",
        );
        default
    })
}

/// A style by its name; `cookie` (OpenAPI 3.2) is written as `form` is.
pub(super) fn style(name: &str) -> Option<ParameterStyle> {
    Some(match name {
        "simple" => ParameterStyle::Simple,
        "label" => ParameterStyle::Label,
        "matrix" => ParameterStyle::Matrix,
        "form" | "cookie" => ParameterStyle::Form,
        "spaceDelimited" => ParameterStyle::SpaceDelimited,
        "pipeDelimited" => ParameterStyle::PipeDelimited,
        // Not OpenAPI's: what Swagger 2.0's `tsv` becomes.
        "tabDelimited" => ParameterStyle::TabDelimited,
        "deepObject" => ParameterStyle::DeepObject,
        _ => return None,
    })
}

/// OpenAPI 3.2, section 4.12.2.2; the delimited ones also stand elsewhere in Swagger 2.0.
fn allowed(style: ParameterStyle, location: ParameterLocation) -> bool {
    match style {
        ParameterStyle::Label | ParameterStyle::Matrix => location == ParameterLocation::Path,
        ParameterStyle::Form => !matches!(
            location,
            ParameterLocation::Path | ParameterLocation::Header
        ),
        ParameterStyle::DeepObject => location == ParameterLocation::Query,
        ParameterStyle::Simple => {
            matches!(
                location,
                ParameterLocation::Path | ParameterLocation::Header
            )
        }
        ParameterStyle::SpaceDelimited
        | ParameterStyle::PipeDelimited
        | ParameterStyle::TabDelimited => true,
    }
}

/// Every template parameter gets exactly one path parameter, and nothing else stays one.
fn match_template(
    parameters: &mut Vec<Parameter>,
    template: &[TemplateParameter],
    arrays: &[Written<'_>],
    context: &mut Context<'_>,
) {
    let pointer = arrays
        .last()
        .map_or("", |written| written.place.pointer())
        .to_owned();
    let mut used = vec![false; parameters.len()];
    let mut missing = Vec::new();
    for wanted in template {
        match find(parameters, wanted) {
            Some(at) => {
                used[at] = true;
                let parameter = &mut parameters[at];
                parameter.required = !wanted.optional;
                if parameter.name != wanted.name && parameter.name != wanted.written {
                    parameter.name.clone_from(&wanted.name);
                }
            }
            None if in_query(parameters, wanted) => {}
            None => missing.push(wanted),
        }
    }
    let mut kept = used.into_iter();
    parameters.retain(|parameter| {
        let in_template = kept.next().unwrap_or(false);
        let keep = in_template || parameter.location != ParameterLocation::Path;
        if !keep {
            context.findings.warn(
                "parameter-not-in-path",
                &pointer,
                format!(
                    "the path has no {{{}}}; the parameter is ignored",
                    parameter.name
                ),
                "put it into the path or remove it",
            );
        }
        keep
    });
    for wanted in missing {
        if parameters
            .iter()
            .any(|known| known.location == ParameterLocation::Path && known.name == wanted.name)
        {
            continue;
        }
        context.findings.warn(
            "undefined-path-parameter",
            &pointer,
            format!(
                "the path has {{{}}} and no parameter of that name; taken as a text",
                wanted.name
            ),
            "define the parameter",
        );
        parameters.push(Parameter::undeclared(wanted.name.clone(), !wanted.optional));
    }
}

/// Whether a declared query parameter is what the query of a template names.
fn in_query(parameters: &[Parameter], wanted: &TemplateParameter) -> bool {
    let Some(key) = &wanted.key else {
        return false;
    };
    let key = percent_encoding::percent_decode_str(key).decode_utf8_lossy();
    parameters.iter().any(|known| {
        known.location == ParameterLocation::Query
            && (known.name == wanted.name || known.name == key)
    })
}

/// By everything between the braces, by the name, then by the name in other letters' case.
fn find(parameters: &[Parameter], wanted: &TemplateParameter) -> Option<usize> {
    let by = |test: &dyn Fn(&str) -> bool| {
        parameters
            .iter()
            .position(|known| known.location == ParameterLocation::Path && test(&known.name))
    };
    by(&|name| name == wanted.written)
        .or_else(|| by(&|name| name == wanted.name))
        .or_else(|| by(&|name| name.eq_ignore_ascii_case(&wanted.name)))
}
