//! Keeps the documents of a running bridge: serves those that are there, tries the others, reads all again when told.
//!
//! The rules: tools are served once each document is there, has failed for good, or has had its time: `FAILING` for one
//! that has failed, `SILENT` for one that has not answered yet. What is missing is tried again with growing pauses for
//! as long as the bridge runs, unless somebody has to change something first. Where no document at all comes within the
//! time limit of fetching one, the bridge ends: whoever started it starts it again, and a wrong address is seen.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout};

use super::loading::{LoadFailure, News, chain, load, pursue};
use super::progress::{Progress, TICK};
use super::signals::Orders;
use super::{App, AppError};
use crate::config::Config;
use crate::discovery::Part;
use crate::openapi::{Passes, Source};

/// How long others wait for a document that has failed.
const FAILING: Duration = Duration::from_secs(2);
/// How long others wait for a document that has neither come nor failed.
const SILENT: Duration = Duration::from_secs(10);

/// Nobody but it changes the catalogue. What it tries ends with it.
pub(super) struct Keeper {
    app: App,
    config: Arc<Config>,
    /// One for each configured document, in their order.
    places: Vec<Place>,
    tasks: JoinSet<()>,
    news: mpsc::Receiver<(usize, News)>,
}

/// A configured document.
struct Place {
    name: String,
    part: Option<Part>,
    state: State,
}

enum State {
    /// Nothing is known yet.
    Awaited,
    /// It has failed and is tried again.
    Failing,
    /// So many tries failed that the others go on without it.
    Late(String),
    /// It is not tried again.
    Lost(String),
    Loaded,
}

impl Keeper {
    /// Begins to read the documents.
    pub(super) fn start(app: &App, config: &Arc<Config>) -> Self {
        let documents = config.documents.iter();
        let places = documents.map(|document| Place {
            name: document.source.to_string(),
            part: None,
            state: State::Awaited,
        });
        let (sender, news) = mpsc::channel(config.documents.len().max(1));
        let mut tasks = JoinSet::new();
        for number in 0..config.documents.len() {
            tasks.spawn(pursue(number, Arc::clone(config), false, sender.clone()));
        }
        let keeper = Self {
            app: app.clone(),
            config: Arc::clone(config),
            places: places.collect(),
            tasks,
            news,
        };
        keeper.tell_missing();
        keeper
    }

    /// Waits for the first tools and serves them.
    ///
    /// # Errors
    /// [`AppError::Load`] when no document can be loaded.
    pub(super) async fn first(&mut self) -> Result<(), AppError> {
        let started = Instant::now();
        let mut progress = Progress::new(&self.config);
        while !self.is_enough(started.elapsed()) {
            match timeout(TICK, self.news.recv()).await {
                Ok(Some((number, news))) => {
                    progress.clear();
                    self.hear(number, news);
                }
                Ok(None) => break,
                Err(_) => progress.draw(),
            }
        }
        drop(progress);
        if self.places.iter().all(|place| place.part.is_none()) {
            let why = self.places.iter().filter_map(|place| match &place.state {
                State::Late(why) | State::Lost(why) => Some(why.clone()),
                _ => None,
            });
            return Err(LoadFailure(why.collect()).into());
        }
        let fresh: Vec<usize> = (0..self.places.len()).collect();
        self.publish(&fresh)?;
        self.places.iter().for_each(Place::tell);
        Ok(())
    }

    /// Goes on for as long as the bridge runs.
    pub(super) async fn keep(mut self, orders: Orders) {
        loop {
            let news = async {
                match self.news.recv().await {
                    Some(news) => news,
                    // Everything is there.
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                (number, news) = news => {
                    if self.hear(number, news) {
                        self.publish_or_tell(&[number]);
                    } else if let Some(place) = self.places.get(number)
                        && !matches!(place.state, State::Failing)
                    {
                        place.tell();
                    }
                }
                () = orders.reloaded() => self.reload().await,
            }
        }
    }

    /// Whether there is something to serve that need not wait for the rest, or never will be.
    fn is_enough(&self, elapsed: Duration) -> bool {
        let is_there = self.places.iter().any(|place| place.part.is_some());
        self.places.iter().all(|place| match place.state {
            State::Loaded | State::Late(_) | State::Lost(_) => true,
            State::Failing => is_there && elapsed >= FAILING,
            State::Awaited => is_there && elapsed >= SILENT,
        })
    }

    /// Takes note; whether the document is there now.
    fn hear(&mut self, number: usize, news: News) -> bool {
        let Some(place) = self.places.get_mut(number) else {
            return false;
        };
        place.state = match news {
            News::Loaded(part) => {
                place.part = Some(*part);
                State::Loaded
            }
            News::Failing(why, time) => {
                let seconds = time.as_secs_f32();
                tracing::warn!("{why}; trying again for {seconds} s");
                State::Failing
            }
            News::Late(why) => State::Late(why),
            News::Lost(why) => State::Lost(why),
        };
        let is_there = matches!(place.state, State::Loaded);
        self.tell_missing();
        is_there
    }

    /// Reads every document again. One that fails keeps its tools.
    async fn reload(&mut self) {
        tracing::info!("reading the documents again");
        // Whatever is being tried is tried now.
        self.tasks.shutdown().await;
        let (sender, news) = mpsc::channel(self.places.len().max(1));
        self.news = news;
        let config = Arc::clone(&self.config);
        let all = config.documents.iter().enumerate();
        let all = all.filter(|(_, document)| {
            let is_stream = matches!(document.source, Source::Stdin);
            if is_stream {
                tracing::warn!("stdin cannot be read twice: its tools stay");
            }
            !is_stream
        });
        let read = all.map(async |(number, source)| (number, load(number, source, &config).await));
        let (mut fresh, mut failed) = (Vec::new(), 0);
        for (number, result) in join_all(read).await {
            let Some(place) = self.places.get_mut(number) else {
                continue;
            };
            match result {
                Ok(part) => {
                    place.part = Some(part);
                    place.state = State::Loaded;
                    fresh.push(number);
                }
                Err(error) => {
                    failed += 1;
                    let passes = error.passes();
                    let error = chain(&error);
                    place.state = match passes {
                        Passes::Never => State::Lost(error),
                        _ => {
                            let pursuit = pursue(number, config.clone(), true, sender.clone());
                            self.tasks.spawn(pursuit);
                            State::Late(error)
                        }
                    };
                    place.tell();
                }
            }
        }
        drop(sender);
        let change = self.publish_or_tell(&fresh);
        tracing::info!(
            added = change.added,
            removed = change.removed,
            changed = change.changed,
            failed,
            "the documents were read again"
        );
    }

    fn publish_or_tell(&self, fresh: &[usize]) -> Change {
        self.publish(fresh).unwrap_or_else(|error| {
            // Names are given out by one rule, so that none is there twice.
            tracing::error!("{}; the old tools stay", chain(&error));
            Change::default()
        })
    }

    /// Serves what is there; `fresh` are the documents that have come since the last time.
    fn publish(&self, fresh: &[usize]) -> Result<Change, AppError> {
        let parts: Vec<&Part> = self
            .places
            .iter()
            .filter_map(|one| one.part.as_ref())
            .collect();
        let places = fresh.iter().filter_map(|number| self.places.get(*number));
        let fresh: Vec<&Part> = places.filter_map(|place| place.part.as_ref()).collect();
        let is_whole = parts.len() == self.places.len();
        let change = self.app.publish(&parts, &fresh, is_whole, &self.config)?;
        self.tell_missing();
        Ok(change)
    }

    /// Says to whoever probes what is not there.
    fn tell_missing(&self) {
        let missing = self.places.iter().filter(|place| place.part.is_none());
        let names = missing.map(|place| place.name.clone());
        self.app.ready.lacks(names.collect());
    }
}

impl Place {
    /// Says why the bridge goes on without the document, or with what it was.
    fn tell(&self) {
        let consequence = match self.part {
            Some(_) => "its old tools stay",
            None => "going on without it",
        };
        match &self.state {
            State::Loaded => {}
            State::Awaited | State::Failing => {
                tracing::warn!("{} is not there yet: serving what is", self.name);
            }
            State::Late(why) => {
                tracing::error!("{why}; {consequence}, and trying again now and then");
            }
            State::Lost(why) => tracing::error!("{why}; {consequence}"),
        }
    }
}

/// What a new catalogue changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Change {
    pub(super) added: usize,
    pub(super) removed: usize,
    pub(super) changed: usize,
    /// The same tools in another order.
    pub(super) moved: bool,
}
