//! Whether there is something to serve yet.

use std::time::Duration;

use tokio::sync::watch;

/// Tells whether the tools have been loaded.
#[derive(Debug, Clone)]
pub struct Readiness(watch::Receiver<bool>);

/// Says that the tools have been loaded.
#[derive(Debug)]
pub struct Ready(watch::Sender<bool>);

impl Readiness {
    /// Not ready until [`Ready::set`].
    #[must_use]
    pub fn pending() -> (Ready, Self) {
        let (sender, receiver) = watch::channel(false);
        (Ready(sender), Self(receiver))
    }

    /// Ready from the start.
    #[must_use]
    pub fn given() -> Self {
        Self(watch::channel(true).1)
    }

    /// Whether it is ready now.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits until it is ready, for `patience` at most; whether it is.
    pub async fn wait(&self, patience: Duration) -> bool {
        if self.is_ready() {
            return true;
        }
        let mut receiver = self.0.clone();
        let ready = receiver.wait_for(|ready| *ready);
        matches!(tokio::time::timeout(patience, ready).await, Ok(Ok(_)))
    }
}

impl Ready {
    /// Ready, or (with `false`) not any more.
    pub fn set(&self, ready: bool) {
        self.0.send_replace(ready);
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
    }
}
