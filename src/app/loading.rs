//! Loading the configured documents: side by side, each on its own, with a word while it takes long.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use futures_util::future::join_all;

use super::toolset;
use crate::config::{Config, DocumentSource};
use crate::discovery::{self, Discovery};
use crate::openapi::{self, Document, LoadError, Severity};

/// Documents that take longer than this get a progress line.
const PATIENCE: Duration = Duration::from_millis(400);
const TICK: Duration = Duration::from_millis(100);
/// Between two tries of a document whose service does not answer yet.
const RETRY: Duration = Duration::from_millis(500);

/// Whether to wait for a service that does not answer yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Patience {
    /// A person waits for the command: the first failure counts.
    None,
    /// A service that starts beside the bridge may need a while.
    UntilTimeout,
}

/// No document could be loaded; each with its reason.
#[derive(Debug, thiserror::Error)]
#[error("{}", .0.join("\n"))]
pub struct LoadFailure(pub Vec<String>);

/// Loads all documents. A broken one is named and left out as long as another one is left.
///
/// # Errors
/// [`LoadFailure`] when none is left.
pub(super) async fn load(config: &Config, patience: Patience) -> Result<Discovery, LoadFailure> {
    let all = join_all(
        config
            .documents
            .iter()
            .map(|document| load_one(document, config, patience)),
    );
    let results = with_progress(config, all).await;
    let (mut documents, mut settings, mut failures) = (Vec::new(), Vec::new(), Vec::new());
    let configured = config.documents.iter().enumerate();
    for (result, source) in results.into_iter().zip(configured) {
        match result {
            Ok(document) => {
                report(&document);
                documents.push(document);
                settings.push(source);
            }
            Err(error) => failures.push(chain(&error)),
        }
    }
    if documents.is_empty() {
        return Err(LoadFailure(failures));
    }
    for failure in failures {
        tracing::error!("{failure}; going on without it");
    }
    let sources: Vec<discovery::Source<'_>> = documents
        .iter()
        .zip(settings)
        .map(|(document, (number, source))| discovery::Source {
            document,
            number,
            prefix: source.prefix.clone(),
            base_url: source.base_url.clone(),
            commands: toolset::commands_of(config, source, document),
        })
        .collect();
    Ok(discovery::discover(&sources, &config.discovery))
}

/// With patience, what may pass is tried again within the document's time limit.
async fn load_one(
    source: &DocumentSource,
    config: &Config,
    patience: Patience,
) -> Result<Document, LoadError> {
    let started = Instant::now();
    loop {
        match openapi::load_with(&source.source, &source.overlays, &config.openapi).await {
            Err(error)
                if patience == Patience::UntilTimeout
                    && error.may_pass()
                    && started.elapsed() + RETRY < config.openapi.timeout =>
            {
                tracing::debug!("{}; trying again", chain(&error));
                tokio::time::sleep(RETRY).await;
            }
            result => return result,
        }
    }
}

fn report(document: &Document) {
    let count = |severity| {
        document
            .findings
            .iter()
            .filter(|finding| finding.severity == severity)
            .count()
    };
    tracing::info!(
        document = %document.name,
        operations = document.operations.len(),
        errors = count(Severity::Error),
        warnings = count(Severity::Warning),
        "loaded {}", document.title
    );
    for finding in &document.findings {
        tracing::debug!(document = %document.name, pointer = %finding.pointer, rule = finding.rule, "{}", finding.message);
    }
}

/// An error with its causes; what a message says of its cause already is not said twice.
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let told = cause.to_string();
        if !text.ends_with(&told) {
            text.push_str(": ");
            text.push_str(&told);
        }
        source = cause.source();
    }
    text
}

/// On a terminal, shows what is awaited and for how long; gone when it is done.
async fn with_progress<T>(config: &Config, work: impl Future<Output = T>) -> T {
    if !io::stderr().is_terminal() {
        return work.await;
    }
    let names: Vec<String> = config
        .documents
        .iter()
        .map(|document| document.source.to_string())
        .collect();
    let (started, mut shown) = (Instant::now(), false);
    tokio::pin!(work);
    let result = loop {
        match tokio::time::timeout(TICK, &mut work).await {
            Ok(result) => break result,
            Err(_) if started.elapsed() < PATIENCE => {}
            Err(_) => {
                let seconds = started.elapsed().as_secs_f32();
                // Nobody is left to tell when stderr is gone.
                let _ = write!(
                    io::stderr(),
                    "\r\u{1b}[Kloading {} ({seconds:.1} s)",
                    names.join(", ")
                );
                shown = true;
            }
        }
    };
    if shown {
        let _ = write!(io::stderr(), "\r\u{1b}[K");
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_is_told_once() {
        let missing = || io::Error::new(io::ErrorKind::NotFound, "no such file");
        let read = LoadError::Read {
            name: "a.yaml".to_owned(),
            source: missing(),
        };
        assert_eq!(chain(&read), "cannot read a.yaml: no such file");
        let serve = super::super::AppError::Serve(missing());
        assert_eq!(chain(&serve), "serving broke off: no such file");
    }
}
