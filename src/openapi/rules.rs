//! Every rule that a finding of loading can be of. Names are stable: people suppress by them.

use super::model::Severity;

/// A rule that a document can break.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    /// The stable kebab-case name, as in [`Finding::rule`](super::Finding::rule).
    pub name: &'static str,
    /// How bad breaking it is.
    pub severity: Severity,
    /// What is the matter, in one sentence.
    pub meaning: &'static str,
    /// What to do about it.
    pub remedy: &'static str,
}

/// The rules of loading, by name.
pub const RULES: &[Rule] = &[
    warning(
        "body-without-content",
        "A request body names no media type.",
        "give the body a `content` with a media type and a schema",
    ),
    warning(
        "duplicate-key",
        "A key occurs more than once in one object; the last one counts.",
        "remove one of them",
    ),
    warning(
        "duplicate-parameter",
        "Two parameters of one operation share name and place; the last one counts.",
        "remove one of them",
    ),
    warning(
        "enum-type",
        "Constants are of another type than the schema; they are read as that type or as its items, or they or the type are ignored.",
        "quote texts that look like numbers, or correct the type",
    ),
    warning(
        "external-reference",
        "A reference into another document cannot be followed.",
        "correct the reference, or allow its folder or origin",
    ),
    note(
        "ignored-header",
        "A parameter describes a header that OpenAPI reserves: Accept, Content-Type or Authorization.",
        "describe it with media types or a security scheme",
    ),
    warning(
        "invalid-keyword",
        "A schema keyword has a value that JSON Schema does not allow; it is ignored.",
        "correct the keyword's value",
    ),
    warning(
        "invalid-media-type",
        "A media type is no object; it is left out.",
        "make it a Media Type Object",
    ),
    warning(
        "invalid-parameter",
        "A parameter, or a list of them, cannot be understood; it is ignored.",
        "give it a name, a place and a schema",
    ),
    warning(
        "invalid-paths",
        "`paths` is no object: there are no operations.",
        "make `paths` an object of path items",
    ),
    warning(
        "invalid-schema",
        "A schema is neither an object nor a boolean; it accepts anything.",
        "make it a Schema Object",
    ),
    warning(
        "invalid-security-scheme",
        "A security scheme cannot be understood; it is ignored.",
        "correct the scheme",
    ),
    warning(
        "invalid-server",
        "A server's URL cannot be used; it is ignored.",
        "correct the URL",
    ),
    warning(
        "invalid-style",
        "A parameter's style does not exist or does not fit its place; the default is used.",
        "use a style that fits the place",
    ),
    warning(
        "invalid-type",
        "A schema's `type` is unknown; it is ignored.",
        "use a type of JSON Schema",
    ),
    note(
        "more-findings",
        "A document has so many findings that some are left out.",
        "correct the others first",
    ),
    error(
        "operation-left-out",
        "An operation cannot be understood and is no tool.",
        "correct what the finding names",
    ),
    warning(
        "overlay-extends",
        "An overlay is meant for another document.",
        "apply it to the document that its `extends` names, or correct `extends`",
    ),
    warning(
        "overlay-no-target",
        "An overlay's action selects nothing and changes nothing.",
        "correct the action's JSONPath, or remove the action",
    ),
    warning(
        "overlay-update",
        "An overlay's action cannot change what it selects.",
        "select an object to merge into, an array to append to, or anything but the root to remove",
    ),
    warning(
        "overlay-version",
        "An overlay is of a version that is read as 1.0.",
        "check that the overlay uses nothing beyond version 1.0",
    ),
    warning(
        "parameter-not-in-path",
        "A path parameter does not occur in the path; it is ignored.",
        "put it into the path or remove it",
    ),
    warning(
        "parameter-without-schema",
        "A parameter has the keywords of a schema but no `schema`; they are taken as one.",
        "move type, format, enum and the like into `schema`",
    ),
    warning(
        "part-header",
        "A part of a multipart body needs a header whose value the document leaves open; it is not sent.",
        "give the header's schema a `const` or a `default`",
    ),
    warning(
        "path-without-slash",
        "A path does not start with a slash.",
        "start the path with /",
    ),
    warning(
        "pattern-delimiters",
        "A regular expression stands between slashes; they are left out, and with flags behind them it is ignored.",
        "write the expression without slashes and flags",
    ),
    note(
        "reference-sibling",
        "Members beside a `$ref` that the document's version ignores.",
        "move them into the schema that is referred to",
    ),
    note(
        "relative-server",
        "A server's URL is relative, and the document's own address is unknown.",
        "write an absolute URL, or give --base-url",
    ),
    warning(
        "schema-too-large",
        "A schema is too large or too deep; the rest of it accepts anything.",
        "split the schema",
    ),
    warning(
        "several-bodies",
        "A Swagger 2.0 operation has several bodies; the last body parameter counts.",
        "remove the others",
    ),
    warning(
        "undefined-path-parameter",
        "The path has a parameter that is nowhere described; it is taken as a text.",
        "define the parameter",
    ),
    warning(
        "unknown-version",
        "The document's version is newer than those known; it is read as the newest.",
        "check the result, or save the document in a known version",
    ),
    warning(
        "unresolved-reference",
        "A reference leads nowhere; an operation that needs it is left out, a schema accepts anything.",
        "add what it names, or correct the reference",
    ),
];

const fn note(name: &'static str, meaning: &'static str, remedy: &'static str) -> Rule {
    rule(Severity::Note, name, meaning, remedy)
}

const fn warning(name: &'static str, meaning: &'static str, remedy: &'static str) -> Rule {
    rule(Severity::Warning, name, meaning, remedy)
}

const fn error(name: &'static str, meaning: &'static str, remedy: &'static str) -> Rule {
    rule(Severity::Error, name, meaning, remedy)
}

const fn rule(
    severity: Severity,
    name: &'static str,
    meaning: &'static str,
    remedy: &'static str,
) -> Rule {
    Rule {
        name,
        severity,
        meaning,
        remedy,
    }
}

/// Whether a finding may be of this rule.
pub(super) fn is_known(name: &str) -> bool {
    RULES.binary_search_by_key(&name, |rule| rule.name).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rules_are_in_order_and_told_apart() {
        assert!(RULES.windows(2).all(|pair| pair[0].name < pair[1].name));
        assert!(is_known("duplicate-key") && !is_known("duplicate"));
    }
}
