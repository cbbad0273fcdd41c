//! What an operation asks of its callers' credentials. Names and places only, never a secret.

use std::sync::Arc;

use url::Url;

use super::Location;

/// Alternatives, of which one has to be met; each asks for all of its needs (OpenAPI, Security
/// Requirement Object). Empty where the operation asks for nothing; an empty alternative means that
/// no credential will do as well.
pub type Security = Vec<Vec<SecurityNeed>>;

/// One scheme of an alternative.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecurityNeed {
    /// The scheme.
    pub scheme: Arc<SecurityScheme>,
    /// OAuth scopes the operation names.
    pub scopes: Vec<String>,
}

/// A security scheme of one document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecurityScheme {
    /// The document's number in the configuration, which tells equal names apart.
    pub document: usize,
    /// Its key under `securitySchemes`.
    pub name: String,
    /// How a credential is shown.
    pub kind: SchemeKind,
}

/// How a credential is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SchemeKind {
    /// A value in a header, a query parameter or a cookie of this name.
    ApiKey {
        /// Which of the three.
        location: Location,
        /// The parameter's name.
        parameter: String,
    },
    /// `Authorization: Basic` (RFC 7617).
    Basic,
    /// `Authorization: Bearer` (RFC 6750), the token given by the operator or obtained for him.
    Bearer {
        /// Where OAuth 2 client credentials are exchanged for a token, as the document says.
        token_url: Option<Url>,
    },
    /// A client certificate.
    MutualTls,
    /// A scheme nothing can be configured for; its type as the document says.
    Other(String),
}
