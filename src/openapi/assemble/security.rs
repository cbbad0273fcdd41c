//! Security schemes and requirements.

use serde_json::{Map, Value};

use super::super::model::{ParameterLocation, SecurityKind, SecurityRequirement, SecurityScheme};
use super::super::reference::{follow, text};
use super::Context;

/// `components.securitySchemes`.
pub(super) fn schemes(context: &mut Context<'_>) -> Vec<SecurityScheme> {
    let Some(Value::Object(written)) = context.root.pointer("/components/securitySchemes") else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for (name, node) in written {
        let scheme = follow(context.root, node)
            .and_then(|node| kind(node.node))
            .map(|kind| SecurityScheme {
                name: name.clone(),
                kind,
            });
        match scheme {
            Ok(scheme) => found.push(scheme),
            Err(message) => context.findings.warn(
                "invalid-security-scheme",
                &super::super::finding::Place::at("/components/securitySchemes").member(name),
                message,
                "correct the scheme; it is ignored",
            ),
        }
    }
    found
}

fn kind(node: &Map<String, Value>) -> Result<SecurityKind, String> {
    let member = |name: &str| {
        text(node, name)
            .map(str::to_owned)
            .ok_or_else(|| format!("expected a text as {name}"))
    };
    Ok(match member("type")?.as_str() {
        "apiKey" => SecurityKind::ApiKey {
            location: match member("in")?.as_str() {
                "header" => ParameterLocation::Header,
                "query" => ParameterLocation::Query,
                "cookie" => ParameterLocation::Cookie,
                other => {
                    return Err(format!(
                        "expected in to be header, query or cookie, found {other:?}"
                    ));
                }
            },
            parameter: member("name")?,
        },
        "http" => SecurityKind::Http {
            scheme: member("scheme")?.to_ascii_lowercase(),
        },
        "oauth2" => SecurityKind::OAuth2 {
            flows: node.get("flows").cloned().unwrap_or_default(),
        },
        "openIdConnect" => SecurityKind::OpenIdConnect {
            url: member("openIdConnectUrl")?,
        },
        "mutualTLS" => SecurityKind::MutualTls,
        other => SecurityKind::Other(other.to_owned()),
    })
}

/// A `security` array; `None` where there is none.
pub(super) fn requirements(written: Option<&Value>) -> Option<Vec<Vec<SecurityRequirement>>> {
    let alternatives = written?.as_array()?;
    Some(
        alternatives
            .iter()
            .filter_map(Value::as_object)
            .map(|alternative| alternative.iter().map(requirement).collect())
            .collect(),
    )
}

fn requirement((scheme, scopes): (&String, &Value)) -> SecurityRequirement {
    let scopes = scopes.as_array().map(Vec::as_slice).unwrap_or_default();
    SecurityRequirement {
        scheme: scheme.clone(),
        scopes: scopes
            .iter()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect(),
    }
}
