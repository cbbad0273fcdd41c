//! The rules of documents as tools. Names are stable: people suppress by them.

use crate::openapi::{Rule, Severity};

/// The rules of discovery, by name.
pub const RULES: &[Rule] = &[
    Rule {
        name: "argument-renamed",
        severity: Severity::Note,
        meaning: "A parameter's name is not one that clients accept, or occurs twice; the argument has another one.",
        remedy: "nothing: the service is sent the original name",
    },
    Rule {
        name: "discovery-note",
        severity: Severity::Note,
        meaning: "Something was changed or ignored when the operation was made a tool.",
        remedy: "read what was done, and correct the document if something else was meant",
    },
    Rule {
        name: "duplicate-operation-id",
        severity: Severity::Warning,
        meaning: "Two operations have the same operationId; the later one's tool is named otherwise.",
        remedy: "give each operation an operationId of its own",
    },
    Rule {
        name: "get-with-body",
        severity: Severity::Warning,
        meaning: "A GET or HEAD operation has a request body, which servers and proxies may drop or refuse.",
        remedy: "use query parameters, or another method",
    },
    Rule {
        name: "invalid-extension",
        severity: Severity::Warning,
        meaning: "Something in `x-mcp` is unknown, cannot be read or fits nothing; where it restricts, it counts as if it were true.",
        remedy: "correct the extension",
    },
    Rule {
        name: "long-description",
        severity: Severity::Warning,
        meaning: "A tool's description has more than 1024 characters; clients cut it, and models pay for it in every request.",
        remedy: "shorten it, or replace it for tools alone with `x-mcp: {description: ...}`",
    },
    Rule {
        name: "no-operations",
        severity: Severity::Warning,
        meaning: "The document has no operations, so there is nothing to make tools of.",
        remedy: "add `paths`, or give the address of the document that has them",
    },
    Rule {
        name: "operation-excluded",
        severity: Severity::Note,
        meaning: "An operation is deliberately no tool.",
        remedy: "change the document's extension or the configuration that excludes it, if it should be one",
    },
    Rule {
        name: "operation-id-missing",
        severity: Severity::Note,
        meaning: "An operation has no operationId; its tool is named after method and path, and renamed when they change.",
        remedy: "give it an operationId",
    },
    Rule {
        name: "operation-without-security",
        severity: Severity::Warning,
        meaning: "An operation says nothing about security while others of the document do.",
        remedy: "add `security`, with an empty list if none is needed",
    },
    Rule {
        name: "operation-without-server",
        severity: Severity::Error,
        meaning: "The document names no absolute server URL, so an operation cannot be called.",
        remedy: "add `servers` to the document, or give --base-url",
    },
    Rule {
        name: "operation-without-text",
        severity: Severity::Warning,
        meaning: "An operation has neither summary nor description; a model can only guess what its tool does.",
        remedy: "add a summary",
    },
    Rule {
        name: "response-without-schema",
        severity: Severity::Note,
        meaning: "An operation's successful response has no schema; its tool has no output schema.",
        remedy: "describe the response's content",
    },
    Rule {
        name: "rule-without-effect",
        severity: Severity::Warning,
        meaning: "A rule or an override of the configuration fits no operation, so that it restricts nothing.",
        remedy: "correct what it names, or remove it",
    },
    Rule {
        name: "tool-name-cut",
        severity: Severity::Warning,
        meaning: "A tool's name would be longer than allowed; it is cut and ends in a hash.",
        remedy: "give a shorter operationId, or a name with `x-mcp: {name: ...}`",
    },
    Rule {
        name: "unused-security-scheme",
        severity: Severity::Warning,
        meaning: "A security scheme is defined and no operation requires it.",
        remedy: "require it with `security`, or remove it",
    },
];
