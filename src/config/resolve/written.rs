//! The resolved configuration written back as a file, so that it can be printed and used again.

use std::collections::BTreeMap;

use url::Url;

use super::policy::{KEEP, MAX_BYTES};
use crate::config::access::{AccessRules, ListedTools};
use crate::config::confirm::Confirm;
use crate::config::credentials::CredentialEntry;
use crate::config::file::{DocumentEntry, DocumentSettings, File, Limits, LogForm, Timeouts};
use crate::config::outbound::{Answers, Hidden, Redirects, Untrusted};
use crate::config::policy::{Audit, AuditArguments};
use crate::config::{Config, quantity};
use crate::discovery::Override;
use crate::secret::SafeUrl;
use crate::transport::access::Algorithm;
use crate::{handler, interpret, policy, telemetry};

/// The file with every value filled in, so that it can be printed and used again.
pub(super) fn fill(mut file: File, config: &Config) -> File {
    file.documents = documents(&file, config);
    // Each document has its own list now.
    file.overlays.clear();
    file.base_url = file
        .base_url
        .and_then(|text| Url::parse(&text).ok())
        .as_ref()
        .map(shown);
    file.stdio = Some(config.stdio);
    file.listen = Some(config.listener.listen.to_string());
    file.path = Some(config.listener.path.clone());
    file.server.name = Some(config.mcp.name.clone());
    file.server.direct_invocation = Some(config.mcp.direct_invocation);
    file.server.sessions = Some(config.mcp.sessions.into());
    file.outbound.redirects = Some(match config.http.outbound.redirects {
        handler::http::Redirects::None => Redirects::None,
        handler::http::Redirects::SameHost => Redirects::SameHost,
    });
    file.answers = answers(config.cleaning);
    for credential in file.credentials.values_mut() {
        credential.fill();
    }
    access(&mut file.access, config);
    file.redact.answers = Some(config.policy.redact.answers);
    audit(&mut file.audit, config);
    file.rate.patience = Some(quantity::show_duration(config.policy.rate.patience));
    file.tools.max_name_length = Some(config.discovery.max_name_length);
    file.tools.page_size = Some(config.mcp.page_size);
    file.tools.body = Some(config.discovery.body);
    file.tools.output_schemas = Some(config.discovery.output_schemas);
    file.tools.schema_profile = Some(config.discovery.schema_profile);
    file.tools.mode = Some(config.mcp.tools_mode.into());
    file.tools.budget = Some(config.mcp.budget);
    file.tools.deprecated = Some(config.discovery.select.deprecated);
    confirmation(&mut file.confirm, config);
    without_secrets(&mut file);
    mask_values(&mut file.tools.operations, &config.policy.redact);
    file.limits = limits(config);
    file.timeouts = timeouts(config);
    if let Some(toolset) = &mut file.commands.dotnet {
        let handler = &config.commands.handler;
        toolset.roots.clone_from(&handler.roots);
        toolset.output = Some(quantity::show_bytes(handler.output as u64));
        toolset.sessions = Some(handler.sessions);
        toolset.unsafe_output = Some(config.commands.unsafe_output);
    }
    file.log.filter = Some(config.telemetry.filter.clone());
    file.log.format = Some(match config.telemetry.format {
        telemetry::Format::Text => LogForm::Text,
        telemetry::Format::Json => LogForm::Json,
    });
    file
}

fn limits(config: &Config) -> Limits {
    Limits {
        document: Some(quantity::show_bytes(config.openapi.max_bytes)),
        request: Some(quantity::show_bytes(config.listener.max_body_bytes)),
        reply: Some(quantity::show_bytes(config.answers.reply as u64)),
        text: Some(quantity::show_bytes(config.answers.text as u64)),
        kept_reply: Some(quantity::show_bytes(config.kept.max_bytes)),
        kept_total: Some(quantity::show_bytes(config.kept.max_total_bytes)),
        kept_count: Some(config.kept.max_count),
        connections: Some(config.listener.max_connections),
    }
}

fn timeouts(config: &Config) -> Timeouts {
    Timeouts {
        document: Some(quantity::show_duration(config.openapi.timeout)),
        connect: Some(quantity::show_duration(config.http.connect_timeout)),
        call: Some(quantity::show_duration(config.http.timeout)),
        stream: Some(quantity::show_duration(
            config.http.stream_timeout.unwrap_or(config.http.timeout),
        )),
        kept: Some(quantity::show_duration(config.kept.lifetime)),
        drain: Some(quantity::show_duration(config.listener.drain)),
    }
}

fn answers(cleaning: interpret::Cleaning) -> Answers {
    let hidden = |removed| match removed {
        true => Some(Hidden::Remove),
        false => Some(Hidden::Keep),
    };
    Answers {
        controls: hidden(cleaning.controls),
        directions: hidden(cleaning.directions),
        untrusted: Some(match cleaning.mark {
            true => Untrusted::Mark,
            false => Untrusted::Plain,
        }),
    }
}

fn audit(written: &mut Audit, config: &Config) {
    let settings = config.policy.audit.as_ref();
    written.arguments = Some(match settings.map(|settings| settings.arguments) {
        None => written.arguments.unwrap_or(AuditArguments::Redacted),
        Some(policy::Arguments::Redacted) => AuditArguments::Redacted,
        Some(policy::Arguments::Digest) => AuditArguments::Digest,
        Some(policy::Arguments::Off) => AuditArguments::Off,
    });
    let max_bytes = || quantity::show_bytes(MAX_BYTES);
    written.max_bytes.get_or_insert_with(max_bytes);
    written.keep.get_or_insert(KEEP);
}

fn access(written: &mut AccessRules, config: &Config) {
    if let Some(stdio) = &mut written.stdio {
        let anonymous = || "anonymous".to_owned();
        stdio.name.get_or_insert_with(anonymous);
    }
    let (Some(oauth), Some(tokens)) = (&mut written.oauth, &config.listener.tokens) else {
        return;
    };
    oauth.leeway = Some(quantity::show_duration(tokens.leeway));
    for (issuer, resolved) in oauth.issuers.iter_mut().zip(&tokens.issuers) {
        issuer.name = Some(resolved.name.to_string());
        let all = || Algorithm::NAMES.map(str::to_owned).to_vec();
        issuer.algorithms.get_or_insert_with(all);
    }
    let settings = &config.policy.access;
    let scopes = &mut oauth.scopes;
    scopes.document = Some(settings.document_scopes);
    scopes.prefix = Some(settings.prefix.clone());
    scopes.claims = Some(tokens.scope_claims.clone());
    scopes.list = Some(match settings.lists_all {
        true => ListedTools::All,
        false => ListedTools::Granted,
    });
}

fn confirmation(written: &mut Confirm, config: &Config) {
    written.destructive = Some(config.discovery.confirm.destructive);
    written.template = Some(config.confirm.template.clone());
    written.ttl = Some(quantity::show_duration(config.confirm.ttl));
    written.fallback = Some(config.confirm.fallback.into());
    if let (Some(approvals), Some(page), Some(settings)) = (
        &mut written.approvals,
        &config.approvals,
        &config.confirm.approvals,
    ) {
        if approvals.token.is_some() {
            approvals.name.get_or_insert_with(|| "operator".to_owned());
        }
        approvals.required = Some(settings.required);
        approvals.wait = Some(quantity::show_duration(settings.wait));
        approvals.max_pending = Some(page.max_pending);
    }
}

/// Addresses that the file keeps as texts.
fn without_secrets(file: &mut File) {
    for entry in &mut file.documents {
        if let DocumentEntry::Full(settings) = entry {
            settings.credentials.values_mut().for_each(mask_urls);
        }
    }
    file.credentials.values_mut().for_each(mask_urls);
    if let Some(oauth) = &mut file.access.oauth {
        mask_url(&mut oauth.resource);
        for issuer in &mut oauth.issuers {
            mask_url(&mut issuer.issuer);
            issuer.jwks_url.as_mut().map(mask_url);
        }
    }
    let approvals = file.confirm.approvals.as_mut();
    approvals
        .and_then(|approvals| approvals.url.as_mut())
        .map(mask_url);
}

fn mask_urls(credential: &mut CredentialEntry) {
    let CredentialEntry {
        token_url,
        resource,
        ..
    } = credential;
    for text in [token_url, resource].into_iter().flatten() {
        mask_url(text);
    }
}

/// As it was written where nothing in it is secret: issuers are compared byte by byte.
fn mask_url(text: &mut String) {
    if let Ok(url) = Url::parse(text)
        && (url.query().is_some() || url.password().is_some() || !url.username().is_empty())
    {
        *text = shown(&url);
    }
}

/// What parameters always or otherwise send, where its name says that it is a secret, or a part of it is one.
fn mask_values(operations: &mut BTreeMap<String, Override>, redact: &policy::RedactSettings) {
    let redactor = policy::Redactor::new(redact).unwrap_or_default();
    let parameters = operations.values_mut().flat_map(|one| &mut one.parameters);
    for (name, parameter) in parameters {
        let mut names = [Some(name), parameter.name.as_ref()].into_iter().flatten();
        let secret = names.any(|name| redactor.is_secret_name(name));
        let values = [&mut parameter.value, &mut parameter.default];
        for value in values.into_iter().flatten() {
            match secret {
                true => *value = "***".into(),
                false => drop(redactor.json(value, &policy::SecretNames::default())),
            }
        }
    }
}

fn documents(file: &File, config: &Config) -> Vec<DocumentEntry> {
    let own = file.documents.iter().map(|document| match document {
        DocumentEntry::Full(own) => {
            let mut credentials = own.credentials.clone();
            for credential in credentials.values_mut() {
                credential.fill();
            }
            (own.headers.clone(), credentials)
        }
        DocumentEntry::Place(_) => Default::default(),
    });
    let documents = config.documents.iter().zip(own);
    documents
        .map(|(document, (headers, credentials))| {
            DocumentEntry::Full(DocumentSettings {
                source: document.source.to_string(),
                prefix: document.prefix.clone(),
                base_url: document.base_url.as_ref().map(shown),
                overlays: document.overlays.iter().map(ToString::to_string).collect(),
                headers,
                credentials,
            })
        })
        .collect()
}

fn shown(url: &Url) -> String {
    SafeUrl::new(url.clone()).to_string()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn no_address_is_written_with_its_secrets() {
        let text = "
credentials: {a: {client_id: c, token_url: 'https://u:planted-1@id.test/t'}}
documents: [{source: x.yaml, credentials: {b: {client_id: c, token_url: 'https://planted-2@id.test/t', resource: 'https://r.test?k=planted-3'}}}]
access: {oauth: {resource: 'https://u:planted-4@t.test', issuers: [{issuer: 'https://id.test', jwks_url: 'https://u:planted-5@id.test/j?k=planted-6'}]}}
confirm: {approvals: {url: 'https://u:planted-7@ops.test'}}
";
        let mut file = File::parse(text).unwrap();
        without_secrets(&mut file);
        let written = serde_yaml::to_string(&file).unwrap();
        assert!(!written.contains("planted"), "{written}");
        // Nothing is added to what is compared byte by byte.
        assert!(written.contains("issuer: https://id.test\n"), "{written}");
    }

    #[test]
    fn no_parameter_is_written_with_its_secret() {
        let text = "
tools:
  operations:
    getPet:
      parameters:
        X-Api-Key: {value: planted-1}
        password: {default: 4711}
        key: {name: api_key, fixed: planted-2}
        tenant: {value: planted-3}
        options: {default: {token: planted-4, size: 2}}
        tier: {value: basic}
redact: {names: [tenant]}
";
        let mut file = File::parse(text).unwrap();
        let redact = policy::RedactSettings {
            names: file.redact.names.clone(),
            ..policy::RedactSettings::default()
        };
        mask_values(&mut file.tools.operations, &redact);
        let parameters = &file.tools.operations["getPet"].parameters;
        let shown = |name: &str| {
            let parameter = &parameters[name];
            parameter.value.clone().or(parameter.default.clone())
        };
        for (name, expected) in [
            ("X-Api-Key", json!("***")),
            ("password", json!("***")),
            ("key", json!("***")),
            ("tenant", json!("***")),
            ("options", json!({ "token": "[REDACTED]", "size": 2 })),
            ("tier", json!("basic")),
        ] {
            assert_eq!(shown(name), Some(expected), "{name}");
        }
    }
}
