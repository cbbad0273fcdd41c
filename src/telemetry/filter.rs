//! The log filter as people write it. What the parser below takes for the name of a target is often a level
//! misspelt, and would switch off all logging, errors included.

/// What a filter may name without saying a level.
const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];

/// The crates of this process that log.
const CRATES: [&str; 14] = [
    "mcpinvoke",
    "axum",
    "h2",
    "hyper",
    "hyper_util",
    "jsonwebtoken",
    "mio",
    "reqwest",
    "rustls",
    "tokio",
    "tokio_util",
    "tower",
    "tower_http",
    "want",
];

/// A filter that means what is written.
///
/// # Errors
/// A part that is neither a level nor `target=level`, as a sentence.
pub(super) fn checked(filter: &str) -> Result<String, String> {
    // A span's fields may hold commas; whoever writes such a filter knows its grammar.
    if filter.contains(['[', '{']) {
        return Ok(filter.to_owned());
    }
    if filter.trim().is_empty() {
        return Err(fault(filter.trim()));
    }
    let parts = filter.split(',').map(str::trim);
    let parts: Result<Vec<String>, String> =
        parts.filter(|part| !part.is_empty()).map(part).collect();
    Ok(parts?.join(","))
}

fn part(text: &str) -> Result<String, String> {
    if let Some((target, level)) = text.rsplit_once('=') {
        let (target, level) = (target.trim(), level.trim());
        return match self::level(level) {
            Some(level) if !target.is_empty() => Ok(format!("{target}={level}")),
            _ => Err(fault(text)),
        };
    }
    if let Some(level) = level(text) {
        return Ok(level);
    }
    let first = text.split("::").next().unwrap_or_default();
    if CRATES.contains(&first) {
        // All of it: that is what a target alone means.
        return Ok(format!("{text}=trace"));
    }
    Err(fault(text))
}

/// The level's own name; `warning` is what other programs call one of them.
fn level(text: &str) -> Option<String> {
    let text = text.to_ascii_lowercase();
    let named = if text == "warning" { "warn" } else { &text };
    LEVELS.contains(&named).then(|| named.to_owned())
}

fn fault(found: &str) -> String {
    format!("expected error, warn, info, debug or trace (or target=level), found `{found}`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_and_targets_are_taken_and_nothing_else() {
        for (written, meant) in [
            ("info", "info"),
            ("WARNING", "warn"),
            ("off", "off"),
            ("info,mcpinvoke::call=warning,", "info,mcpinvoke::call=warn"),
            ("warn, hyper=debug", "warn,hyper=debug"),
            ("mcpinvoke::call,error", "mcpinvoke::call=trace,error"),
            ("my_crate=debug", "my_crate=debug"),
            (
                "info,mcpinvoke[call{tool=a,b=c}]=debug",
                "info,mcpinvoke[call{tool=a,b=c}]=debug",
            ),
        ] {
            assert_eq!(checked(written).as_deref(), Ok(meant), "{written}");
        }
        for (written, found) in [
            ("verbose", "`verbose`"),
            ("information", "`information`"),
            ("info,mcpinvok", "`mcpinvok`"),
            ("info,mcpinvoke=loud", "`mcpinvoke=loud`"),
            ("=debug", "`=debug`"),
            (" ", "``"),
        ] {
            let fault = checked(written).unwrap_err();
            assert!(
                fault.starts_with("expected error, warn") && fault.ends_with(found),
                "{fault}"
            );
        }
    }
}
