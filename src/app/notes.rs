//! What an operator should hear of once the tools are known.

use std::collections::{BTreeMap, BTreeSet};

use crate::config::Config;
use crate::discovery::{Joined, NO_SERVER, Part, Skipped};
use crate::invoke::{Catalogue, Invoker};
use crate::tool::{Pattern, Target, Tool};

/// A pattern of a caller's tools that fits none is most likely misspelt.
pub(super) fn idle_patterns(config: &Config, catalogue: &Catalogue) {
    let keys = config.listener.keys.iter().map(|key| &key.tools);
    let tokens = config.listener.tokens.iter().map(|tokens| &tokens.tools);
    let stdio = config
        .stdio_settings
        .caller
        .grant
        .iter()
        .map(|grant| &grant.tools);
    let scopes = config
        .policy
        .access
        .by_tool
        .iter()
        .map(|(pattern, _)| pattern);
    let patterns = keys
        .chain(tokens)
        .chain(stdio)
        .flatten()
        .flat_map(|tools| tools.iter());
    let idle = |pattern: &&Pattern| {
        let mut tools = catalogue.iter();
        !tools.any(|entry| pattern.matches(entry.tool.name.as_str()))
    };
    let idle: BTreeSet<&str> = patterns
        .chain(scopes)
        .filter(idle)
        .map(Pattern::as_str)
        .collect();
    for pattern in idle {
        tracing::warn!("access: no tool's name fits `{pattern}`");
    }
}

/// Restrictions that could not be read or, where all documents are there, fit nothing, and what else was said of the
/// tools.
pub(super) fn joined(joined: &Joined, is_whole: bool) {
    let idle = joined.idle.iter().filter(|_| is_whole);
    for warning in joined.warnings.iter().chain(idle) {
        tracing::warn!("{warning}");
    }
    for note in &joined.notes {
        tracing::debug!("{note}");
    }
}

/// An operation without its credentials is called all the same: the upstream decides.
pub(super) fn missing_credentials<'a>(invoker: &Invoker, tools: impl Iterator<Item = &'a Tool>) {
    let mut schemes = BTreeMap::new();
    for tool in tools.filter(|tool| invoker.lacks_credentials(tool)) {
        let Target::Http(target) = &tool.target else {
            continue;
        };
        let names: BTreeSet<&str> = target
            .security
            .iter()
            .flatten()
            .chain(&target.keys)
            .map(|need| need.scheme.name.as_str())
            .collect();
        *schemes.entry(names).or_insert(0_usize) += 1;
    }
    for (names, tools) in schemes {
        let names: Vec<&str> = names.into_iter().collect();
        tracing::warn!(
            "{tools} tools ask for credentials of {}, and none are configured: they are called without",
            names.join(" or ")
        );
    }
}

/// Operations without a server are left out by mistake rather than on purpose.
pub(super) fn without_server(part: &Part) {
    let skipped = part.skipped().iter();
    let mut skipped = skipped.filter(|one| one.reason == NO_SERVER);
    let Some(first) = skipped.next() else {
        return;
    };
    let document = &first.document;
    match skipped.count() + 1 {
        1 => tracing::warn!(%document, "{} is no tool: {NO_SERVER}", first.operation),
        count => tracing::warn!(%document, "{count} operations are no tools: {NO_SERVER}"),
    }
}

/// A bridge without tools serves nobody: what most operations were skipped for says why.
pub(super) fn no_tools<'a>(skipped: impl Iterator<Item = &'a Skipped> + Clone) {
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for one in skipped.clone() {
        *reasons.entry(one.reason.as_str()).or_default() += 1;
    }
    let operations = match skipped.count() {
        0 => return tracing::warn!("there are no tools: no document has an operation"),
        1 => "1 operation was skipped".to_owned(),
        count => format!("{count} operations were skipped"),
    };
    let only = reasons.len() == 1;
    if let Some((reason, count)) = reasons.into_iter().max_by_key(|(_, count)| *count) {
        let most = if only {
            String::new()
        } else {
            format!(", {count} of them for one reason")
        };
        tracing::warn!("there are no tools: {operations}{most}: {reason}");
    }
}
