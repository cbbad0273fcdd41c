//! Whether there is something to serve yet.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

/// Tells whether there are tools to serve, and what is still missing.
///
/// It is ready from the first tools on and stays so: one document that cannot be read takes nothing from the others.
#[derive(Debug, Clone)]
pub struct Readiness(watch::Receiver<State>);

/// Says so.
#[derive(Debug)]
pub struct Ready(watch::Sender<State>);

#[derive(Debug, Clone)]
struct State {
    ready: bool,
    missing: Arc<[String]>,
}

impl State {
    fn new(ready: bool) -> Self {
        Self {
            ready,
            missing: Arc::default(),
        }
    }
}

impl Readiness {
    /// Not ready until [`Ready::set`].
    #[must_use]
    pub fn pending() -> (Ready, Self) {
        let (sender, receiver) = watch::channel(State::new(false));
        (Ready(sender), Self(receiver))
    }

    /// Ready from the start.
    #[must_use]
    pub fn given() -> Self {
        Self(watch::channel(State::new(true)).1)
    }

    /// Whether it is ready now.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        self.0.borrow().ready
    }

    /// The documents that are not there, as people name them.
    #[must_use]
    pub fn missing(&self) -> Arc<[String]> {
        Arc::clone(&self.0.borrow().missing)
    }

    /// Waits until it is ready, for `patience` at most; whether it is.
    pub async fn wait(&self, patience: Duration) -> bool {
        if self.is_ready() {
            return true;
        }
        let mut receiver = self.0.clone();
        let ready = receiver.wait_for(|state| state.ready);
        matches!(tokio::time::timeout(patience, ready).await, Ok(Ok(_)))
    }
}

impl Ready {
    /// Ready, or (with `false`) not any more.
    pub fn set(&self, ready: bool) {
        self.0.send_modify(|state| state.ready = ready);
    }

    /// These documents are not there.
    pub fn lacks(&self, missing: Vec<String>) {
        self.0.send_modify(|state| state.missing = missing.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn waiting_ends_with_either() {
        let patience = Duration::from_secs(60);
        assert!(Readiness::given().wait(Duration::ZERO).await);
        let (ready, readiness) = Readiness::pending();
        assert!(!readiness.wait(Duration::ZERO).await);
        let (waited, ()) = tokio::join!(readiness.wait(patience), async { ready.set(true) });
        assert!(waited && readiness.is_ready());
        ready.lacks(vec!["a.yaml".to_owned()]);
        assert!(readiness.is_ready() && *readiness.missing() == ["a.yaml".to_owned()]);
    }
}
