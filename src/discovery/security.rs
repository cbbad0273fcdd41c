//! Security schemes and requirements of a document, in the terms of tools.

use std::sync::Arc;

use serde_json::Value;
use url::Url;

use super::{owned, target};
use crate::openapi::{Document, Operation, SecurityKind};
use crate::tool::{SchemeKind, Security, SecurityNeed, SecurityScheme};

/// The document's schemes, shared by its tools.
pub(super) fn schemes(document: &Document, number: usize) -> Vec<Arc<SecurityScheme>> {
    let scheme = |(name, kind): (&String, &SecurityKind)| {
        Arc::new(SecurityScheme {
            document: number,
            name: name.clone(),
            kind: self::kind(kind),
        })
    };
    document
        .security_schemes
        .iter()
        .map(|one| scheme((&one.name, &one.kind)))
        .collect()
}

fn kind(kind: &SecurityKind) -> SchemeKind {
    match kind {
        SecurityKind::ApiKey {
            location,
            parameter,
        } => SchemeKind::ApiKey {
            location: target::location(*location),
            parameter: parameter.clone(),
        },
        SecurityKind::Http { scheme } => match scheme.as_str() {
            "basic" => SchemeKind::Basic,
            "bearer" => SchemeKind::Bearer { token_url: None },
            other => SchemeKind::Other(format!("http {other}")),
        },
        SecurityKind::OAuth2 { flows } => SchemeKind::Bearer {
            token_url: token_url(flows),
        },
        SecurityKind::OpenIdConnect { .. } => SchemeKind::Bearer { token_url: None },
        SecurityKind::MutualTls => SchemeKind::MutualTls,
        SecurityKind::Other(other) => SchemeKind::Other(other.clone()),
    }
}

/// The flow in which no person takes part; where the document has other flows only, the operator
/// can still name the place.
fn token_url(flows: &Value) -> Option<Url> {
    let text = flows.pointer("/clientCredentials/tokenUrl")?.as_str()?;
    Url::parse(text)
        .ok()
        .filter(|url| matches!(url.scheme(), "http" | "https"))
}

/// What the operation asks for. A scheme that the document does not define stays as one nobody can meet: without it
/// its alternative would ask for nothing.
pub(super) fn needs(operation: &Operation, schemes: &[Arc<SecurityScheme>]) -> Security {
    let alternatives = operation.security.iter().flatten();
    let needs = alternatives.map(|alternative| {
        let needs = alternative.iter().map(|required| SecurityNeed {
            scheme: scheme(&required.scheme, schemes),
            scopes: required.scopes.clone(),
        });
        needs.collect()
    });
    needs.collect()
}

/// The schemes whose keys the operation declares as parameters, each once.
pub(super) fn keys(
    operation: &Operation,
    document: &Document,
    schemes: &[Arc<SecurityScheme>],
) -> Vec<SecurityNeed> {
    let mut needs: Vec<SecurityNeed> = Vec::new();
    for name in owned::keys(operation, document) {
        if !needs.iter().any(|need| need.scheme.name == name) {
            needs.push(SecurityNeed {
                scheme: scheme(name, schemes),
                scopes: Vec::new(),
            });
        }
    }
    needs
}

fn scheme(name: &str, schemes: &[Arc<SecurityScheme>]) -> Arc<SecurityScheme> {
    let defined = schemes.iter().find(|one| one.name == name);
    defined.cloned().unwrap_or_else(|| {
        Arc::new(SecurityScheme {
            document: schemes.first().map_or(0, |one| one.document),
            name: name.to_owned(),
            kind: SchemeKind::Other("undefined".to_owned()),
        })
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::discovery::fixture::{document, operation};
    use crate::openapi::SecurityRequirement;

    #[test]
    fn a_scheme_that_is_not_defined_still_asks_for_its_scopes() {
        let mut strange = operation("GET", "/x");
        strange.security = Some(vec![vec![SecurityRequirement {
            scheme: "nowhere".to_owned(),
            scopes: vec!["admin".to_owned()],
        }]]);
        let document = document(vec![strange], &json!({}));
        let needs = needs(&document.operations[0], &schemes(&document, 0));
        assert_eq!(needs[0][0].scopes, ["admin"]);
        assert_eq!(
            needs[0][0].scheme.kind,
            SchemeKind::Other("undefined".to_owned())
        );
    }
}
