//! From what was written to what it means: one small function per module's settings, and every
//! fault collected instead of the first one returned.

mod access;
mod answers;
mod commands;
mod confirm;
mod documents;
mod environment;
mod listener;
mod outbound;
mod overlays;
mod policy;
mod rules;
mod stdio;
mod upstream;
mod written;

use std::path::PathBuf;
use std::time::Duration;

use url::Url;

use super::faults::Rest;
use super::file::{DocumentEntry, File, LogForm};
use super::flags::{DocumentFlags, LogFormat, ServeFlags};
use super::quantity;
use super::{Config, ConfigFaults, DocumentSource};
use crate::openapi::Source;
use crate::secret::{SafeUrl, Secret, remember};
use crate::{discovery, mcp, telemetry};

use documents::{checked_prefix, split_prefix};
use listener::address;

/// Into less fits no message, document or answer, in bytes.
const LEAST_ROOM: u64 = 1024;

/// Faults on their way to the operator.
#[derive(Default)]
struct Faults(Vec<String>);

impl Faults {
    /// The value, or a fault that names the setting.
    fn take<T>(&mut self, setting: &str, result: Result<T, String>) -> Option<T> {
        result
            .map_err(|message| self.0.push(format!("{setting}: {message}")))
            .ok()
    }
}

pub(super) fn resolve(
    documents: &DocumentFlags,
    serve: &ServeFlags,
    environment: &dyn Fn(&str) -> Option<String>,
) -> Result<Config, ConfigFaults> {
    // Containers write `${NAME:-}`: a variable that is empty says nothing.
    let environment: environment::Environment<'_> =
        &|name| environment(name).filter(|text| !text.is_empty());
    let (mut file, unread) = match read(documents) {
        Ok(file) => (file, None),
        Err((faults, Some(mut rest))) => (*std::mem::take(&mut rest.file), Some((faults, rest))),
        Err((faults, None)) => return Err(faults),
    };
    overlay(&mut file, documents, serve, environment);
    let mut faults = Faults::default();
    let config = Config {
        documents: document_sources(&file, environment, &mut faults),
        openapi: outbound::documents(&file, &mut faults),
        discovery: discovery_settings(&file, &mut faults),
        http: upstream::settings(&file, environment, &mut faults),
        answers: answers::limits(&file, &mut faults),
        cleaning: answers::cleaning(&file),
        kept: answers::kept(&file, &mut faults),
        policy: policy::settings(&file, &mut faults),
        mcp: protocol_settings(&file, &mut faults),
        commands: commands::settings(&file, &mut faults),
        confirm: confirm::settings(&file.confirm, environment, &mut faults),
        approvals: confirm::page(&file, environment, &mut faults),
        listener: listener::settings(&file, &mut faults),
        stdio: file.stdio.unwrap_or_default(),
        stdio_settings: stdio::settings(&file, environment, &mut faults),
        telemetry: log_settings(&file, &mut faults),
        written: File::default(),
    };
    if let Some((mut all, rest)) = unread {
        all.0.extend(rest.told(faults.0));
        return Err(all);
    }
    if !faults.0.is_empty() {
        return Err(ConfigFaults(faults.0));
    }
    let written = written::fill(file, &config);
    Ok(Config { written, ..config })
}

fn read(flags: &DocumentFlags) -> Result<File, (ConfigFaults, Option<Rest>)> {
    let Some(path) = &flags.config else {
        return Ok(File::default());
    };
    let shown = path.display();
    let text = std::fs::read_to_string(path).map_err(|error| {
        let fault = format!("{shown}: cannot read the configuration file: {error}");
        (ConfigFaults(vec![fault]), None)
    })?;
    File::read(&text).map_err(|(faults, rest)| {
        let faults = faults.0.iter().map(|fault| format!("{shown}: {fault}"));
        (ConfigFaults(faults.collect()), rest)
    })
}

/// Lays flags and environment over the file.
fn overlay(
    file: &mut File,
    documents: &DocumentFlags,
    serve: &ServeFlags,
    environment: &dyn Fn(&str) -> Option<String>,
) {
    let named = |flags: &[String], variable| environment::list(flags, variable, environment);
    if let Some(named) = named(&documents.documents, "MCPINVOKE_DOCUMENTS") {
        file.documents = named.into_iter().map(DocumentEntry::Place).collect();
    }
    if let Some(named) = named(&documents.overlays, "MCPINVOKE_OVERLAYS") {
        file.overlays = named;
    }
    if let Some(named) = named(&[], "MCPINVOKE_ROOTS") {
        file.commands.roots = named.into_iter().map(PathBuf::from).collect();
    }
    commands::lay(file, documents);
    let lay = |place: &mut Option<String>, flag: &Option<String>| {
        if flag.is_some() {
            place.clone_from(flag);
        }
    };
    lay(&mut file.base_url, &documents.base_url);
    lay(&mut file.log.filter, &documents.log);
    lay(&mut file.listen, &serve.listen);
    lay(&mut file.path, &serve.path);
    lay(&mut file.timeouts.call, &serve.timeout);
    lay(&mut file.timeouts.drain, &serve.drain);
    file.tools.mode = documents.tools_mode.or(file.tools.mode);
    file.tools.budget = documents.tools_budget.or(file.tools.budget);
    let profile = documents.schema_profile.map(Into::into);
    file.tools.schema_profile = profile.or(file.tools.schema_profile);
    if let Some(format) = documents.log_format {
        file.log.format = Some(match format {
            LogFormat::Text => LogForm::Text,
            LogFormat::Json => LogForm::Json,
        });
    }
    if serve.stdio {
        file.stdio = Some(true);
    }
    if !serve.allowed_host.is_empty() {
        file.allowed_hosts = environment::words(&serve.allowed_host);
    }
    if !serve.allowed_origin.is_empty() {
        file.allowed_origins = environment::words(&serve.allowed_origin);
    }
}

fn document_sources(
    file: &File,
    environment: &dyn Fn(&str) -> Option<String>,
    faults: &mut Faults,
) -> Vec<DocumentSource> {
    let everywhere = file
        .base_url
        .as_deref()
        .and_then(|text| faults.take("base_url", base_url(text)));
    let mut sources = Vec::new();
    for (index, entry) in file.documents.iter().enumerate() {
        let (place, prefix, base) = match entry {
            DocumentEntry::Place(text) => {
                let (prefix, place) = split_prefix(text);
                (place, prefix, None)
            }
            DocumentEntry::Full(settings) => (
                settings.source.as_str(),
                settings.prefix.as_deref(),
                settings.base_url.as_deref(),
            ),
        };
        let setting = format!("documents[{index}]");
        let own = base.and_then(|text| faults.take(&format!("{setting}.base_url"), base_url(text)));
        let source = faults.take(
            &setting,
            commands::built_in(place)
                .map_or_else(|| Source::parse(place), Ok)
                .map_err(|error| error.to_string()),
        );
        let prefix = prefix.and_then(|text| faults.take(&setting, checked_prefix(text)));
        let overlays = overlays::of(file, entry, &setting, faults);
        sources.extend(source.map(|source| DocumentSource {
            source,
            prefix,
            base_url: own.or_else(|| everywhere.clone()),
            overlays,
            headers: documents::headers(entry, &setting, environment, faults),
        }));
    }
    let inputs = sources
        .iter()
        .filter(|document| matches!(document.source, Source::Stdin));
    if inputs.count() > 1 {
        faults
            .0
            .push("documents: only one of them can be `-`".to_owned());
    }
    sources
}

pub(super) fn base_url(text: &str) -> Result<Url, String> {
    let expected = "expected for instance `https://api.example.com/v1`";
    let url = Url::parse(text)
        .map_err(|error| format!("`{}` is not a URL ({error}): {expected}", masked(text)))?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none_or(str::is_empty) {
        return Err(format!(
            "`{}` is not an http or https URL: {expected}",
            SafeUrl::new(url)
        ));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(format!(
            "`{}` has a query or a fragment: {expected}",
            SafeUrl::new(url)
        ));
    }
    // A name alone is a token, mostly.
    let secret = url.password().unwrap_or(url.username());
    remember(&Secret::new(secret.to_owned()));
    Ok(url)
}

/// A text that failed to be a URL may still hold a password.
fn masked(text: &str) -> &str {
    text.rsplit_once('@').map_or(text, |(_, rest)| rest)
}

fn discovery_settings(file: &File, faults: &mut Faults) -> discovery::Settings {
    let default = discovery::Settings::default();
    let tools = &file.tools;
    let max_name_length = tools.max_name_length.unwrap_or(default.max_name_length);
    if !(16..=128).contains(&max_name_length) {
        faults.0.push(format!(
            "tools.max_name_length: expected 16 to 128, found {max_name_length}"
        ));
    }
    rules::check(file, faults);
    discovery::Settings {
        select: discovery::Select {
            include: tools.include.clone(),
            exclude: tools.exclude.clone(),
            deprecated: tools.deprecated.unwrap_or(default.select.deprecated),
        },
        max_name_length,
        body: tools.body.unwrap_or(default.body),
        output_schemas: tools.output_schemas.unwrap_or(default.output_schemas),
        schema_profile: tools.schema_profile.unwrap_or(default.schema_profile),
        confirm: discovery::ConfirmRules {
            destructive: file.confirm.destructive.unwrap_or_default(),
            rules: file.confirm.rules.clone(),
        },
        overrides: tools.operations.clone(),
        ..default
    }
}

fn protocol_settings(file: &File, faults: &mut Faults) -> mcp::Settings {
    let default = mcp::Settings::default();
    let page_size = file.tools.page_size.unwrap_or(default.page_size);
    if page_size == 0 {
        faults
            .0
            .push("tools.page_size: expected at least 1, found 0".to_owned());
    }
    mcp::Settings {
        name: file.server.name.clone().unwrap_or(default.name),
        instructions: file.server.instructions.clone(),
        tools_mode: file.tools.mode.map_or(default.tools_mode, Into::into),
        budget: file.tools.budget.unwrap_or(default.budget),
        page_size,
        direct_invocation: file
            .server
            .direct_invocation
            .unwrap_or(default.direct_invocation),
        sessions: file.server.sessions.map_or(default.sessions, Into::into),
        shared_lists: !access::lists_differ(file),
        resources: answers::kept(file, &mut Faults::default()).max_bytes > 0,
        approvals: file.confirm.approvals.is_some(),
        ..default
    }
}

fn log_settings(file: &File, faults: &mut Faults) -> telemetry::Settings {
    let default = telemetry::Settings::default();
    let filter = file.log.filter.as_deref().and_then(|text| {
        let filter = telemetry::check_filter(text).map_err(|error| error.to_string());
        faults.take("log.filter", filter)
    });
    telemetry::Settings {
        filter: filter.unwrap_or(default.filter),
        format: match file.log.format {
            Some(LogForm::Json) => telemetry::Format::Json,
            Some(LogForm::Text) | None => telemetry::Format::Text,
        },
    }
}

/// How long something may take: without any time nothing would ever succeed.
fn time_limit(
    setting: &str,
    text: Option<&str>,
    default: Duration,
    faults: &mut Faults,
) -> Duration {
    let limit = duration(setting, text, default, faults);
    if limit.is_zero() {
        let fault = format!("{setting}: expected more than 0: nothing would ever be done in time");
        faults.0.push(fault);
    }
    limit
}

fn duration(setting: &str, text: Option<&str>, default: Duration, faults: &mut Faults) -> Duration {
    text.and_then(|text| faults.take(setting, quantity::duration(text)))
        .unwrap_or(default)
}

fn size<N: TryFrom<u64>>(setting: &str, text: Option<&str>, default: N, faults: &mut Faults) -> N {
    text.and_then(|text| faults.take(setting, quantity::bytes(text)))
        .and_then(|bytes| N::try_from(bytes).ok())
        .unwrap_or(default)
}

/// The same for what has to hold something.
fn room<N: TryFrom<u64> + Copy>(
    setting: &str,
    text: Option<&str>,
    default: N,
    faults: &mut Faults,
) -> N
where
    u64: TryFrom<N>,
{
    let found = size(setting, text, default, faults);
    if u64::try_from(found).is_ok_and(|found| found < LEAST_ROOM) {
        let least = quantity::show_bytes(LEAST_ROOM);
        let fault = format!("{setting}: expected at least {least}");
        faults.0.push(fault);
    }
    found
}

#[cfg(test)]
mod tests;
