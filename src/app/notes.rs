//! What an operator should hear of once the tools are known.

use std::collections::BTreeSet;

use crate::config::Config;
use crate::invoke::Catalogue;
use crate::tool::Pattern;

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
