//! Who may use the bridge: keys, tokens and the caller over stdio.

use std::sync::Arc;
use std::time::Duration;

use url::{Host, Url};

use super::listener::is_capture;
use super::policy::rate;
use super::{Faults, base_url, duration};
use crate::config::access::{AccessKey, Issuer, ListedTools, OAuth};
use crate::config::file::File;
use crate::policy;
use crate::secret::{Fingerprint, SafeUrl, Secret, remember};
use crate::state::Rate;
use crate::tool::{Caller, Pattern};
use crate::transport::access::{self, Algorithm, Key, TokenSettings};

const LEEWAY: Duration = Duration::from_secs(30);
const LONGEST_LEEWAY: Duration = Duration::from_secs(300);

/// The keys.
pub(super) fn keys(file: &File, faults: &mut Faults) -> Vec<Key> {
    let mut keys: Vec<Key> = Vec::new();
    for (index, written) in file.access.keys.iter().enumerate() {
        let setting = format!("access.keys[{index}]");
        let key = fingerprint(&written.hash).and_then(|hash| {
            let name = written.name.trim();
            if name.is_empty() || name == "anonymous" || keys.iter().any(|key| &*key.name == name) {
                return Err("expected a name of its own".to_owned());
            }
            if let Some(other) = keys.iter().find(|one| one.key == hash) {
                return Err(format!(
                    "expected a key of its own: its hash is that of `{}`",
                    other.name
                ));
            }
            Ok((name, hash))
        });
        let tools = tools(&setting, written.tools.as_deref(), faults);
        keys.extend(faults.take(&setting, key).map(|(name, hash)| Key {
            name: name.into(),
            key: hash,
            tools,
        }));
    }
    keys
}

/// Rates of callers who have one of their own.
pub(super) fn rates(file: &File, faults: &mut Faults) -> Vec<(Arc<str>, Rate)> {
    let mut rates = Vec::new();
    let mut read = |setting: String, name: &str, text: Option<&String>| {
        let rate = text.and_then(|text| faults.take(&setting, rate(text)));
        rates.extend(rate.map(|rate| (name.trim().into(), rate)));
    };
    for (index, AccessKey { name, rate, .. }) in file.access.keys.iter().enumerate() {
        read(format!("access.keys[{index}].rate"), name, rate.as_ref());
    }
    if let Some(stdio) = &file.access.stdio {
        let name = stdio.name.as_deref().unwrap_or("anonymous");
        read("access.stdio.rate".to_owned(), name, stdio.rate.as_ref());
        if !file.stdio.unwrap_or_default() {
            // Over HTTP nobody is that caller, though everybody may have its name.
            rates.retain(|(known, _): &(Arc<str>, _)| **known != *name.trim());
        }
    }
    rates
}

/// The caller over stdio: whose key the environment holds, or whom the file names. What is wrong with the keys
/// is reported by [`keys`].
pub(super) fn stdio(
    file: &File,
    environment: &dyn Fn(&str) -> Option<String>,
    faults: &mut Faults,
) -> Caller {
    let anonymous = Caller::anonymous("stdio");
    let key = environment("MCPINVOKE_KEY").map(|key| Secret::handed_over(&key));
    let key = key.filter(|key| !key.expose().is_empty());
    if let Some(key) = key.filter(|_| file.stdio.unwrap_or_default()) {
        let shown = Fingerprint::of(key.expose());
        remember(&key);
        let keys = keys(file, &mut Faults::default());
        return match keys.iter().find(|one| one.key == shown) {
            Some(key) => key.caller("stdio"),
            None => {
                faults
                    .0
                    .push("MCPINVOKE_KEY: it is none of `access.keys`".to_owned());
                anonymous
            }
        };
    }
    let Some(written) = &file.access.stdio else {
        return anonymous;
    };
    let name = written.name.as_deref().unwrap_or("anonymous").trim();
    if name.is_empty() || file.access.keys.iter().any(|key| key.name.trim() == name) {
        let fault = "access.stdio.name: expected a name of its own; MCPINVOKE_KEY makes the caller one of `access.keys`";
        faults.0.push(fault.to_owned());
    }
    let tools = tools("access.stdio", written.tools.as_deref(), faults);
    access::caller(&name.into(), tools, "stdio")
}

/// Whether callers may see different lists of tools.
pub(super) fn lists_differ(file: &File) -> bool {
    let access = &file.access;
    !access.keys.is_empty() || access.oauth.is_some() || access.stdio.is_some()
}

/// What scopes have to do with tools.
pub(super) fn scopes(file: &File, faults: &mut Faults) -> policy::AccessSettings {
    let default = policy::AccessSettings::default();
    let Some(OAuth { scopes, .. }) = &file.access.oauth else {
        return default;
    };
    let mut by_tool = Vec::new();
    for (pattern, scopes) in &scopes.tools {
        let read = Pattern::new(pattern).map_err(|error| error.to_string());
        let pattern = faults.take("access.oauth.scopes.tools", read);
        by_tool.extend(pattern.map(|pattern| (pattern, scopes.clone())));
    }
    policy::AccessSettings {
        document_scopes: scopes.document.unwrap_or(default.document_scopes),
        prefix: scopes.prefix.clone().unwrap_or_default(),
        by_tool,
        lists_all: scopes.list == Some(ListedTools::All),
    }
}

/// The tokens that are taken.
pub(super) fn tokens(file: &File, faults: &mut Faults) -> Option<TokenSettings> {
    let written = file.access.oauth.as_ref()?;
    if written.issuers.is_empty() {
        let fault = "access.oauth.issuers: expected at least one issuer";
        faults.0.push(fault.to_owned());
    }
    let leeway = duration(
        "access.oauth.leeway",
        written.leeway.as_deref(),
        LEEWAY,
        faults,
    );
    if leeway > LONGEST_LEEWAY {
        let fault = "access.oauth.leeway: expected at most 5m: it is for clocks that differ";
        faults.0.push(fault.to_owned());
    }
    let resource = faults.take("access.oauth.resource", resource(&written.resource));
    let issuers = written.issuers.iter().enumerate();
    let issuers: Vec<access::Issuer> = issuers
        .filter_map(|(index, written)| {
            let setting = format!("access.oauth.issuers[{index}]");
            issuer(&setting, written, faults)
        })
        .collect();
    distinct(file, &issuers, faults);
    let scopes = &written.scopes;
    let claims = || ["scope", "scp"].map(str::to_owned).to_vec();
    Some(TokenSettings {
        resource: resource?,
        issuers,
        leeway,
        tools: tools("access.oauth", written.tools.as_deref(), faults),
        scoped: scopes.document.unwrap_or(true) || !scopes.tools.is_empty(),
        scope_claims: scopes.claims.clone().unwrap_or_else(claims),
        implied: scopes.implied.clone().into_iter().collect(),
        initial_scopes: scopes.initial.clone(),
    })
}

/// No key may stand for somebody's token, and no issuer's subjects for another's.
fn distinct(file: &File, issuers: &[access::Issuer], faults: &mut Faults) {
    for (index, issuer) in issuers.iter().enumerate() {
        let before = &issuers[..index];
        let prefix = format!("{}:", issuer.name);
        // A host may have colons of its own (`[::1]`), and a name may be a part of it.
        let meets = |other: &access::Issuer| {
            let other = format!("{}:", other.name);
            other.starts_with(&prefix) || prefix.starts_with(&other)
        };
        if before
            .iter()
            .any(|other| other.issuer == issuer.issuer || meets(other))
        {
            let fault =
                format!("access.oauth.issuers[{index}]: expected an issuer and a name of its own");
            faults.0.push(fault);
        }
        for (index, key) in file.access.keys.iter().enumerate() {
            if key.name.trim().starts_with(&prefix) {
                let fault = format!(
                    "access.keys[{index}].name: `{prefix}` begins the names of callers with tokens"
                );
                faults.0.push(fault);
            }
        }
    }
}

/// What stands before an issuer's subjects. A colon ends it: with one in it, a subject `eu:ann` of `corp` would be the
/// `ann` of `corp:eu`.
fn issuer_name(written: &str) -> Result<&str, String> {
    let name = written.trim();
    if name.is_empty() || name.contains(|c: char| c == ':' || c.is_control()) {
        return Err("expected a name without a colon, for instance `corp`".to_owned());
    }
    Ok(name)
}

fn issuer(setting: &str, written: &Issuer, faults: &mut Faults) -> Option<access::Issuer> {
    let at = |member: &str| format!("{setting}.{member}");
    let jwks_url = written.jwks_url.as_deref();
    let jwks_url = jwks_url.map(|text| faults.take(&at("jwks_url"), web_url(text)));
    let url = faults.take(&at("issuer"), public_url(&written.issuer));
    if let Some(url) = &url
        && url.scheme() == "http"
        && jwks_url.is_none()
        && !is_loopback(url)
    {
        let fault = "expected https: whoever can change what the issuer answers can make tokens; where the way to it is safe all the same, name its `jwks_url`";
        faults.0.push(format!("{}: {fault}", at("issuer")));
    }
    let mut algorithms = Algorithm::all();
    if let Some(names) = &written.algorithms {
        algorithms = Vec::new();
        for name in names {
            let known = Algorithm::named(name);
            let known = known.ok_or_else(|| {
                format!(
                    "`{name}` is not taken: expected some of {}",
                    Algorithm::NAMES.join(", ")
                )
            });
            algorithms.extend(faults.take(&at("algorithms"), known));
        }
    }
    let name = written.name.as_deref();
    let name = name.map(|name| faults.take(&at("name"), issuer_name(name)));
    let url = url?;
    let host = url.host_str().unwrap_or_default();
    Some(access::Issuer {
        name: name.map_or(Some(host), |name| name)?.into(),
        issuer: written.issuer.clone(),
        jwks_url: match jwks_url {
            Some(url) => Some(url?),
            None => None,
        },
        audiences: written.audiences.clone(),
        algorithms,
    })
}

/// A key's place may have a query.
fn web_url(text: &str) -> Result<Url, String> {
    let url = Url::parse(text).ok();
    let url = url.filter(|url| matches!(url.scheme(), "http" | "https"));
    let url =
        url.ok_or_else(|| "expected for instance `https://id.example.com/jwks`".to_owned())?;
    if let Some(password) = url.password() {
        remember(&Secret::new(password.to_owned()));
    }
    Ok(url)
}

/// An address that others are told.
pub(super) fn public_url(text: &str) -> Result<Url, String> {
    let url = base_url(text)?;
    if url.username().is_empty() && url.password().is_none() {
        Ok(url)
    } else {
        Err(format!(
            "`{}` holds a user or a password: expected an address that others may see",
            SafeUrl::new(url)
        ))
    }
}

/// Its path is also the end of where its metadata is served.
fn resource(text: &str) -> Result<Url, String> {
    let url = public_url(text)?;
    if url.path().split('/').any(is_capture) {
        return Err(format!(
            "`{}` has a path segment that begins with `:` or `*`, which cannot be served: expected an address such as \
             `https://mcp.example.com/mcp`",
            SafeUrl::new(url)
        ));
    }
    Ok(url)
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

fn tools(setting: &str, written: Option<&[String]>, faults: &mut Faults) -> Option<Arc<[Pattern]>> {
    let setting = format!("{setting}.tools");
    let written = written?;
    if written.is_empty() {
        let fault = "expected at least one pattern; without `tools` all are allowed";
        faults.0.push(format!("{setting}: {fault}"));
    }
    let mut patterns = Vec::new();
    for text in written {
        let pattern = Pattern::new(text).map_err(|error| error.to_string());
        patterns.extend(faults.take(&setting, pattern));
    }
    Some(patterns.into())
}

/// The text itself is not repeated: it may be the key, put there by mistake.
pub(super) fn fingerprint(hash: &str) -> Result<Fingerprint, String> {
    let hash =
        Fingerprint::from_hex(hash.trim()).ok_or("expected a SHA-256 as 64 hex digits as hash")?;
    if hash == Fingerprint::of("") {
        return Err("expected the SHA-256 of a key, found that of an empty text: was the variable set whose hash was taken?".to_owned());
    }
    Ok(hash)
}

#[cfg(test)]
#[path = "access_tests.rs"]
mod tests;
