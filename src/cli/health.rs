//! `mcpinvoke health`: whether a running bridge is well, for images without any other program.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use url::Url;

use super::Failure;
use crate::config::{Config, DocumentFlags, ServeFlags};
use crate::transport::http::{probe, reachable};

/// Shorter than the patience of those who ask.
const PATIENCE: Duration = Duration::from_secs(3);

/// Asks a bridge.
#[derive(Debug, Args)]
pub(super) struct Health {
    /// Where the bridge is, for instance `http://127.0.0.1:8080`; where `serve` would listen by default
    url: Option<String>,
    /// Ask only whether it is alive, not whether its tools are loaded
    #[arg(long)]
    live: bool,
    /// Where it listens
    #[arg(long, value_name = "ADDRESS", env = "MCPINVOKE_LISTEN")]
    listen: Option<String>,
    /// Read where it listens from this YAML file
    #[arg(long, value_name = "FILE", env = "MCPINVOKE_CONFIG")]
    config: Option<PathBuf>,
}

impl Health {
    pub(super) async fn run(self) -> Result<(), Failure> {
        let mut url = match &self.url {
            Some(text) => written(text)?,
            None => self.own()?,
        };
        url.set_path(if self.live { "/healthz" } else { "/readyz" });
        url.set_query(None);
        let asked = tokio::time::timeout(PATIENCE, ask(&url)).await;
        let late = |_| Err(format!("no answer within {} seconds", PATIENCE.as_secs()));
        asked
            .unwrap_or_else(late)
            .map_err(|why| Failure::Work(format!("{url}: {why}")))
    }

    /// The address that `serve` has in the same environment, as one that can be reached.
    fn own(&self) -> Result<Url, Failure> {
        let documents = DocumentFlags {
            config: self.config.clone(),
            ..DocumentFlags::default()
        };
        let serve = ServeFlags {
            listen: self.listen.clone(),
            ..ServeFlags::default()
        };
        let config = Config::resolve_any(&documents, &serve)?;
        let address = reachable(config.listener.listen);
        Url::parse(&format!("http://{address}"))
            .map_err(|error| Failure::Work(format!("{address}: {error}")))
    }
}

fn written(text: &str) -> Result<Url, Failure> {
    let whole = match text.contains("://") {
        true => text.to_owned(),
        false => format!("http://{text}"),
    };
    let url = Url::parse(&whole).ok();
    let url = url.filter(|url| url.scheme() == "http" && url.has_host());
    url.ok_or_else(|| {
        Failure::Usage(format!(
            "expected an address such as `http://127.0.0.1:8080`, found `{text}`"
        ))
    })
}

async fn ask(url: &Url) -> Result<(), String> {
    let host = url.host_str().unwrap_or_default();
    let port = url.port_or_known_default().unwrap_or_default();
    let asked = probe(host, port, url.path()).await;
    asked.map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_enough_without_a_scheme() {
        assert_eq!(
            written("127.0.0.1:9").unwrap().as_str(),
            "http://127.0.0.1:9/"
        );
        assert!(written("https://x.test").is_err() && written("").is_err());
    }
}
