//! Credentials as written: where each secret is, seldom the secret itself.

use std::fmt;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};

use crate::handler::http::credentials::{Client, Credential, Exchange, Value};
use crate::secret::Secret;

/// What a caller's token is (RFC 8693, section 3).
const ACCESS_TOKEN: &str = "urn:ietf:params:oauth:token-type:access_token";

/// One credential, by its form: a value alone, a login, or OAuth 2 client credentials.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CredentialEntry {
    /// The environment variable that holds the key or token.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub env: Option<String>,
    /// The file that holds the key or token; read again when it changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<PathBuf>,
    /// The key or token itself; better keep it elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Masked>,
    /// For HTTP basic authentication.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub username: Option<SecretEntry>,
    /// For HTTP basic authentication.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub password: Option<SecretEntry>,
    /// For OAuth 2 client credentials.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_id: Option<SecretEntry>,
    /// For OAuth 2 client credentials.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_secret: Option<SecretEntry>,
    /// Where tokens are asked for, instead of at the document's own place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token_url: Option<String>,
    /// Asked for instead of the scopes each operation names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scopes: Option<Vec<String>>,
    /// Sent as `audience`, which some token servers want.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub audience: Option<String>,
    /// Whether the bridge calls as itself, or on behalf of its caller.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grant: Option<Grant>,
    /// Sent as `resource` in a token exchange: the upstream as a URI.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource: Option<String>,
    /// What the caller's token is, in a token exchange; an access token by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject_token_type: Option<String>,
    /// Whether id and secret go into the form instead of the Authorization header.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret_in_body: Option<bool>,
}

/// How a client gets its tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Grant {
    /// For itself (RFC 6749, section 4.4).
    ClientCredentials,
    /// In exchange for the caller's own token (RFC 8693); a caller without one cannot call.
    TokenExchange,
}

/// A text, or where it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum SecretEntry {
    /// The text itself.
    Text(Masked),
    /// Elsewhere.
    Elsewhere(Elsewhere),
}

/// Where a text is; one of the two.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Elsewhere {
    /// In this environment variable.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub env: Option<String>,
    /// In this file; read again when it changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<PathBuf>,
}

/// A text that is written out as `***`.
#[derive(Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Masked(String);

impl fmt::Debug for Masked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

impl Serialize for Masked {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str("***")
    }
}

type Environment<'a> = &'a dyn Fn(&str) -> Option<String>;

impl CredentialEntry {
    /// The credential, its secrets read.
    ///
    /// # Errors
    /// A sentence on what is missing, contradictory or cannot be read; never a value.
    pub(super) fn resolve(&self, environment: Environment<'_>) -> Result<Credential, String> {
        let alone = self.env.is_some() || self.file.is_some() || self.value.is_some();
        let login = self.username.is_some() || self.password.is_some();
        let client = self.client_id.is_some() || self.client_secret.is_some();
        match (alone, login, client) {
            (true, false, false) => {
                let place = Elsewhere {
                    env: self.env.clone(),
                    file: self.file.clone(),
                };
                let value = match &self.value {
                    Some(text) if place == Elsewhere::default() => given(text),
                    Some(_) => Err("expected one of env, file and value".to_owned()),
                    None => place.read(environment),
                };
                value.map(Credential::Value)
            }
            (false, true, false) => Ok(Credential::Login {
                username: read("username", self.username.as_ref(), environment)?,
                password: read("password", self.password.as_ref(), environment)?,
            }),
            (false, false, true) => Ok(Credential::Client(Client {
                id: read("client_id", self.client_id.as_ref(), environment)?,
                secret: read("client_secret", self.client_secret.as_ref(), environment)?,
                token_url: self.token_url.as_deref().map(super::resolve::base_url).transpose()?,
                scopes: self.scopes.clone(),
                audience: self.audience.clone(),
                in_body: self.secret_in_body.unwrap_or_default(),
                exchange: self.exchange()?,
            })),
            _ => Err("expected one of env, file and value, or username and password, or client_id and client_secret".to_owned()),
        }
    }
}

impl SecretEntry {
    /// The text itself, read once.
    ///
    /// # Errors
    /// A sentence on what is missing or cannot be read; never a value.
    pub(super) fn text(&self, environment: Environment<'_>) -> Result<Secret, String> {
        match self {
            Self::Text(text) => Ok(Secret::handed_over(&text.0)),
            Self::Elsewhere(Elsewhere {
                env: Some(name),
                file: None,
            }) => environment(name)
                .map(|text| Secret::handed_over(&text))
                .ok_or_else(|| format!("the environment variable {name} is not set")),
            Self::Elsewhere(Elsewhere {
                env: None,
                file: Some(path),
            }) => Secret::read(path)
                .map_err(|error| format!("cannot read {}: {error}", path.display())),
            Self::Elsewhere(_) => Err("expected one of env and file".to_owned()),
        }
    }
}

impl CredentialEntry {
    /// Fills in what a client's credentials mean where they say nothing.
    pub(super) fn fill(&mut self) {
        if self.client_id.is_none() && self.client_secret.is_none() {
            return;
        }
        let grant = *self.grant.get_or_insert(Grant::ClientCredentials);
        self.secret_in_body.get_or_insert(false);
        if grant == Grant::TokenExchange {
            let access_token = || ACCESS_TOKEN.to_owned();
            self.subject_token_type.get_or_insert_with(access_token);
        }
    }

    fn exchange(&self) -> Result<Option<Exchange>, String> {
        if self.grant == Some(Grant::TokenExchange) {
            let access_token = || ACCESS_TOKEN.to_owned();
            return Ok(Some(Exchange {
                subject_token_type: self.subject_token_type.clone().unwrap_or_else(access_token),
                resource: self.resource.clone(),
            }));
        }
        if self.resource.is_some() || self.subject_token_type.is_some() {
            return Err(
                "resource and subject_token_type belong to `grant: token_exchange`".to_owned(),
            );
        }
        Ok(None)
    }
}

impl Elsewhere {
    fn read(&self, environment: Environment<'_>) -> Result<Value, String> {
        match (&self.env, &self.file) {
            (Some(name), None) => {
                let value = environment(name).filter(|value| !value.trim().is_empty());
                let missing = || format!("the environment variable {name} is not set, or blank");
                usable(&value.ok_or_else(missing)?)
                    .map_err(|fault| format!("the environment variable {name}: {fault}"))
            }
            (None, Some(path)) => Value::file(path.clone()).map_err(|error| error.to_string()),
            _ => Err("expected one of env and file".to_owned()),
        }
    }
}

fn read(
    name: &str,
    entry: Option<&SecretEntry>,
    environment: Environment<'_>,
) -> Result<Value, String> {
    let value = match entry {
        None => return Err(format!("{name} is missing")),
        Some(SecretEntry::Text(text)) => given(text),
        Some(SecretEntry::Elsewhere(place)) => place.read(environment),
    };
    value.map_err(|error| format!("{name}: {error}"))
}

fn given(text: &Masked) -> Result<Value, String> {
    if text.0.trim().is_empty() {
        return Err("it is blank".to_owned());
    }
    usable(&text.0)
}

/// A value that can be sent: as with one from a file, the line break at its end is none of it.
fn usable(text: &str) -> Result<Value, String> {
    let value = Secret::handed_over(text);
    match value.is_one_line() {
        true => Ok(Value::given(value)),
        false => Err("expected one line, found several or a control character".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> CredentialEntry {
        serde_yaml::from_str(text).unwrap()
    }

    fn environment(name: &str) -> Option<String> {
        match name {
            "SET" => Some("from-environment".to_owned()),
            "BROKEN" => Some("from-environment\r\n".to_owned()),
            "TWO" => Some("hunter2\nX-Evil: 1".to_owned()),
            _ => None,
        }
    }

    /// Variables that files or commands were put into end as those do.
    #[test]
    fn a_line_break_at_the_end_is_none_of_the_secret() {
        let shows = |place: &str| {
            let entry: SecretEntry = serde_yaml::from_str(place).unwrap();
            entry.text(&environment).unwrap().expose().to_owned()
        };
        assert_eq!(shows("{env: BROKEN}"), "from-environment");
        assert_eq!(shows("\"literal-1\\n\""), "literal-1");
        for text in [
            "{env: BROKEN}",
            "{username: ann, password: {env: BROKEN}}",
            "{value: \"literal-1\\n\"}",
        ] {
            assert!(parse(text).resolve(&environment).is_ok(), "{text}");
        }
    }

    #[test]
    fn each_form_is_read() {
        for (text, form) in [
            ("{env: SET}", "Value"),
            ("{value: literal-1}", "Value"),
            ("{username: ann, password: {env: SET}}", "Login"),
            (
                "{client_id: me, client_secret: {env: SET}, token_url: 'https://id.test/t'}",
                "Client",
            ),
        ] {
            let entry = parse(text);
            let shown = format!("{:?}", entry.resolve(&environment).unwrap());
            assert!(shown.starts_with(form), "{shown}");
            let written = serde_yaml::to_string(&entry).unwrap();
            for secret in ["from-environment", "literal-1"] {
                assert!(!shown.contains(secret) && !written.contains(secret));
            }
        }
    }

    #[test]
    fn what_is_wrong_is_said_without_a_value() {
        for (text, expected) in [
            ("{}", "expected one of"),
            ("{env: UNSET}", "UNSET is not set"),
            ("{env: TWO}", "variable TWO: expected one line"),
            (
                "{username: ann, password: {env: TWO}}",
                "password: the environment variable TWO: expected one line",
            ),
            ("{value: \"top\\tsecret\"}", "expected one line"),
            ("{value: '  '}", "it is blank"),
            ("{env: SET, value: topsecret}", "expected one of"),
            ("{value: topsecret, username: ann}", "expected one of"),
            ("{username: ann}", "password is missing"),
            ("{file: /nowhere/at/all}", "/nowhere/at/all"),
            (
                "{client_id: a, client_secret: topsecret, token_url: nowhere}",
                "not a URL",
            ),
            (
                "{client_id: a, client_secret: topsecret, resource: 'https://api.test'}",
                "token_exchange",
            ),
        ] {
            let fault = parse(text).resolve(&environment).unwrap_err();
            assert!(fault.contains(expected), "{text}: {fault}");
            assert!(
                !fault.contains("topsecret") && !fault.contains("hunter2"),
                "{fault}"
            );
        }
    }
}
