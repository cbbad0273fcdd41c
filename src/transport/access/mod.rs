//! Who is calling: static keys, and access tokens of OAuth 2.1 issuers (RFC 9068). Knows no transport.

mod algorithm;
mod issuer;
mod keys;
mod scopes;
mod signature;
mod signed;
mod token;

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use url::Url;

pub use algorithm::Algorithm;
pub use token::{Refused, Tokens};

use crate::secret::Fingerprint;
use crate::tool::{Caller, Grant, Pattern};

/// A static key. The key itself is nowhere kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    /// Who it stands for, in records and limits.
    pub name: Arc<str>,
    /// What it is known by.
    pub key: Fingerprint,
    /// The tools it may call; all where absent.
    pub tools: Option<Arc<[Pattern]>>,
}

/// Tokens that are taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenSettings {
    /// The endpoint's canonical address (RFC 8707, section 2), which tokens have to be made for.
    pub resource: Url,
    /// Who makes them; at least one.
    pub issuers: Vec<Issuer>,
    /// How far clocks may differ.
    pub leeway: Duration,
    /// The tools that may be called with a token; all where absent.
    pub tools: Option<Arc<[Pattern]>>,
    /// Whether scopes decide over tools.
    pub scoped: bool,
    /// The claims that hold scopes.
    pub scope_claims: Vec<String>,
    /// Scopes that a broader one stands for.
    pub implied: Vec<(String, Vec<String>)>,
    /// What a client is to ask for at first.
    pub initial_scopes: Vec<String>,
}

/// An authorization server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Issuer {
    /// Put before its subjects to name principals.
    pub name: Arc<str>,
    /// Its identifier, compared as it is with the `iss` of tokens.
    pub issuer: String,
    /// Where its keys are; its own metadata says it where absent.
    pub jwks_url: Option<Url>,
    /// Audiences that are taken besides the endpoint's address.
    pub audiences: Vec<String>,
    /// How its tokens may be signed.
    pub algorithms: Vec<Algorithm>,
}

/// Where issuers' documents are read.
pub trait KeySource: Send + Sync + fmt::Debug {
    /// Reads a JSON document of limited length in limited time. The error says what happened, for the log.
    fn read(&self, url: Url) -> Reading;
}

/// Nowhere: no token can be judged, so none is taken.
#[derive(Debug)]
pub(in crate::transport) struct NoSource;

impl KeySource for NoSource {
    fn read(&self, _: Url) -> Reading {
        Box::pin(async { Err("nothing is there to read it with".to_owned()) })
    }
}

/// A document on its way.
pub type Reading = Pin<Box<dyn Future<Output = Result<Bytes, String>> + Send>>;

impl Key {
    /// Whoever shows it.
    #[must_use]
    pub fn caller(&self, transport: &'static str) -> Caller {
        caller(&self.name, self.tools.clone(), transport)
    }
}

/// A caller known by a name alone, who may call these tools; all where absent.
#[must_use]
pub fn caller(name: &Arc<str>, tools: Option<Arc<[Pattern]>>, transport: &'static str) -> Caller {
    Caller {
        principal: Arc::clone(name),
        grant: tools.map(|tools| {
            Arc::new(Grant {
                tools: Some(tools),
                scopes: None,
            })
        }),
        ..Caller::anonymous(transport)
    }
}
