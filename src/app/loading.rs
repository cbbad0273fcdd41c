//! One document at a time: read, made into tools, and tried again while its service may not be there yet.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::progress::with_progress;
use super::toolset;
use crate::config::{Config, DocumentSource};
use crate::discovery::{self, Part};
use crate::openapi::{self, Document, LoadError, Passes, Severity};

/// Between two tries of a document whose service does not answer yet.
const RETRY: Duration = Duration::from_millis(500);
/// How long a service that answers may have no document there: most likely the path is wrong.
const SOON: Duration = Duration::from_secs(3);
/// The longest time between two tries.
const LONGEST: Duration = Duration::from_secs(60);

/// No document could be loaded; each with its reason.
#[derive(Debug, thiserror::Error)]
#[error("{}", .0.join("\n"))]
pub struct LoadFailure(pub Vec<String>);

/// What became of a document.
pub(super) enum News {
    /// It is there.
    Loaded(Box<Part>),
    /// It could not be read and is tried again for this long.
    Failing(String, Duration),
    /// That time is over; it is tried again now and then.
    Late(String),
    /// It is not tried again.
    Lost(String),
}

/// Loads every document once; each with its tools or with why not.
pub(super) async fn load_all(config: &Config) -> Vec<Result<Part, String>> {
    let all = join_all(
        config
            .documents
            .iter()
            .enumerate()
            .map(async |(number, source)| {
                let part = load(number, source, config).await;
                part.map_err(|error| chain(&error))
            }),
    );
    with_progress(config, all).await
}

/// Reads one document, the one with this number in the configuration, and makes its tools. Its tree is gone after that.
pub(super) async fn load(
    number: usize,
    source: &DocumentSource,
    config: &Config,
) -> Result<Part, LoadError> {
    let settings = config.reading(source);
    let document = openapi::load_with(&source.source, &source.overlays, &settings).await?;
    report(&document);
    let commands = toolset::commands_of(config, source, &document);
    let (prefix, base_url) = (source.prefix.clone(), source.base_url.clone());
    let credentials = config.http.credentials.schemes(number);
    let settings = config.discovery.clone();
    let name = document.name.clone();
    let work = move || {
        let source = discovery::Source {
            document: &document,
            number,
            prefix,
            base_url,
            commands,
            credentials,
        };
        Part::of(&source, &settings)
    };
    // Off the threads that serve calls: a large document takes a while.
    let part = tokio::task::spawn_blocking(work).await;
    part.map_err(|error| LoadError::Interrupted {
        name,
        reason: error.to_string(),
    })
}

/// Tries until the document is there or cannot be any more, and tells what comes of it. `late`: its time was over
/// before.
pub(super) async fn pursue(
    number: usize,
    config: Arc<Config>,
    late: bool,
    news: mpsc::Sender<(usize, News)>,
) {
    let Some(source) = config.documents.get(number) else {
        return;
    };
    let started = Instant::now();
    let mut retries = Retries::new(config.openapi.timeout, late);
    if late {
        tokio::time::sleep(retries.longer()).await;
    }
    loop {
        let error = match load(number, source, &config).await {
            Ok(part) => {
                let _ = news.send((number, News::Loaded(Box::new(part)))).await;
                return;
            }
            Err(error) => error,
        };
        let step = retries.after(error.passes(), started.elapsed());
        let error = chain(&error);
        let (what, pause) = match step {
            Step::Lost => (Some(News::Lost(error)), None),
            Step::Again(pause, Told::Nothing) => {
                tracing::debug!("{error}; trying again");
                (None, Some(pause))
            }
            Step::Again(pause, Told::Failing(time)) => {
                (Some(News::Failing(error, time)), Some(pause))
            }
            Step::Again(pause, Told::Late) => (Some(News::Late(error)), Some(pause)),
        };
        if let Some(what) = what
            && news.send((number, what)).await.is_err()
        {
            // Nobody wants to know any more.
            return;
        }
        match pause {
            Some(pause) => tokio::time::sleep(pause).await,
            None => return,
        }
    }
}

/// When a document is tried again.
#[derive(Debug)]
struct Retries {
    /// How long a service that does not answer is waited for.
    limit: Duration,
    /// What was last wrong, and since when.
    since: Option<(Passes, Duration)>,
    late: bool,
    pause: Duration,
}

#[derive(Debug, PartialEq, Eq)]
enum Step {
    Lost,
    Again(Duration, Told),
}

/// What somebody should hear.
#[derive(Debug, PartialEq, Eq)]
enum Told {
    Nothing,
    /// It fails, and is tried for this long.
    Failing(Duration),
    /// That long it was tried.
    Late,
}

impl Retries {
    fn new(limit: Duration, late: bool) -> Self {
        Self {
            limit,
            since: None,
            late,
            pause: RETRY,
        }
    }

    /// The next of the growing pauses.
    fn longer(&mut self) -> Duration {
        self.pause = (self.pause * 2).min(LONGEST);
        self.pause
    }

    /// What follows a failure at this time after the start.
    fn after(&mut self, passes: Passes, elapsed: Duration) -> Step {
        if passes == Passes::Never {
            return Step::Lost;
        }
        if self.late {
            return Step::Again(self.longer(), Told::Nothing);
        }
        let (since, is_new) = match self.since {
            Some((known, since)) if known == passes => (since, false),
            _ => (elapsed, true),
        };
        self.since = Some((passes, since));
        // What does not answer is waited for from the start, what answers wrongly from its first answer.
        let (begun, time) = match passes {
            Passes::Soon => (since, SOON.min(self.limit)),
            _ => (Duration::ZERO, self.limit),
        };
        if elapsed + RETRY < begun + time {
            let told = if is_new {
                Told::Failing(time)
            } else {
                Told::Nothing
            };
            return Step::Again(RETRY, told);
        }
        self.late = true;
        Step::Again(self.longer(), Told::Late)
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

#[cfg(test)]
mod tests {
    use std::io;

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

    /// The steps of a document that fails like this at these times, in milliseconds.
    fn steps(failures: &[(Passes, u64)]) -> Vec<Step> {
        let mut retries = Retries::new(Duration::from_secs(30), false);
        let failures = failures.iter();
        failures
            .map(|(passes, at)| retries.after(*passes, Duration::from_millis(*at)))
            .collect()
    }

    #[test]
    fn what_does_not_answer_is_waited_for_and_then_tried_less_often() {
        let again = |pause: u64, told| Step::Again(Duration::from_millis(pause), told);
        let found = steps(&[
            (Passes::Maybe, 0),
            (Passes::Maybe, 15_000),
            (Passes::Maybe, 29_800),
            (Passes::Maybe, 31_000),
            (Passes::Maybe, 33_000),
        ]);
        let expected = [
            again(500, Told::Failing(Duration::from_secs(30))),
            again(500, Told::Nothing),
            again(1000, Told::Late),
            again(2000, Told::Nothing),
            again(4000, Told::Nothing),
        ];
        assert_eq!(found, expected);
        let mut retries = Retries::new(Duration::from_secs(30), true);
        let last = (0..20).map(|_| retries.longer()).last();
        assert_eq!(last, Some(LONGEST));
    }

    #[test]
    fn a_wrong_path_is_told_soon_and_a_fault_at_once() {
        let told = |step: &Step| match step {
            Step::Again(_, told) => Some(format!("{told:?}")),
            Step::Lost => None,
        };
        // It began to answer after a while.
        let found = steps(&[
            (Passes::Maybe, 0),
            (Passes::Soon, 20_000),
            (Passes::Soon, 21_000),
            (Passes::Soon, 22_600),
        ]);
        let found: Vec<_> = found.iter().map(told).collect();
        let expected = ["Failing(30s)", "Failing(3s)", "Nothing", "Late"];
        assert_eq!(found, expected.map(|told| Some(told.to_owned())));
        assert_eq!(steps(&[(Passes::Never, 0)]), [Step::Lost]);
    }
}
