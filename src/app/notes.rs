//! What an operator should hear of once the tools are known.

use std::collections::{BTreeMap, BTreeSet};

use crate::config::Config;
use crate::discovery::Discovery;
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

/// Restrictions that could not be read or fit nothing, and what else was said of the tools.
pub(super) fn discovered(discovery: &Discovery) {
    for warning in discovery.warnings.iter().chain(&discovery.idle) {
        tracing::warn!("{warning}");
    }
    for note in &discovery.notes {
        tracing::debug!("{note}");
    }
}

/// An operation without its credentials is called all the same: the upstream decides.
pub(super) fn missing_credentials(invoker: &Invoker, tools: &[Tool]) {
    let mut schemes = BTreeMap::new();
    for tool in tools.iter().filter(|tool| invoker.lacks_credentials(tool)) {
        let Target::Http(target) = &tool.target else {
            continue;
        };
        let names: BTreeSet<&str> = target
            .security
            .iter()
            .flatten()
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
