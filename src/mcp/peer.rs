//! Requests to the client, and its answers: how a handshake-era server asks.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use parking_lot::Mutex;
use serde::Serialize;
use serde_json::value::RawValue;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use super::session::Session;

/// The client of one call, who can be asked something while the call runs.
#[derive(Debug, Clone)]
pub struct Peer {
    session: Arc<Session>,
    /// The server shuts down: nobody is waited for any more.
    closing: CancellationToken,
    /// The call's own stream.
    out: mpsc::Sender<Bytes>,
}

/// Why a client gave no result.
#[derive(Debug, thiserror::Error)]
pub enum PeerError {
    /// The client answered with an error object; its JSON text.
    #[error("the client refused: {0}")]
    Refused(String),
    /// The stream or the session is over, or the client says nothing more, or the server shuts down.
    #[error("the client is gone")]
    Gone,
    /// The parameters have no JSON text.
    #[error("the request cannot be written")]
    Unwritable(#[source] serde_json::Error),
}

type Reply = Result<Box<RawValue>, Box<RawValue>>;

/// Requests of ours that wait for their answers.
#[derive(Debug, Default)]
pub(crate) struct Pending {
    next: AtomicU64,
    waiting: Mutex<HashMap<u64, oneshot::Sender<Reply>>>,
}

impl Pending {
    /// Takes a client's answer; whether anybody waited for it.
    pub(crate) fn settle(&self, id: &RawValue, result: Result<&RawValue, &RawValue>) -> bool {
        let waiting = id
            .get()
            .parse()
            .ok()
            .and_then(|id: u64| self.waiting.lock().remove(&id));
        let reply = result.map(RawValue::to_owned).map_err(RawValue::to_owned);
        waiting.is_some_and(|waiting| waiting.send(reply).is_ok())
    }
}

/// A request of ours that is out. When nobody waits any more it is forgotten, and the client is told that it need
/// not be answered.
struct Waiting<'a> {
    peer: &'a Peer,
    id: u64,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let open = self.peer.session.pending.waiting.lock().remove(&self.id);
        if open.is_some() {
            let id = self.id;
            let text = format!(
                r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#
            );
            // A client that does not read misses little.
            let _ = self.peer.out.try_send(text.into());
        }
    }
}

impl Peer {
    pub(crate) fn new(
        session: Arc<Session>,
        closing: CancellationToken,
        out: mpsc::Sender<Bytes>,
    ) -> Self {
        Self {
            session,
            closing,
            out,
        }
    }

    /// What ends when no answer can come any more.
    fn ends(&self) -> [&CancellationToken; 3] {
        [&self.session.ended, &self.session.silent, &self.closing]
    }

    async fn gone(&self) {
        let [ended, silent, closing] = self.ends();
        tokio::select! {
            () = ended.cancelled() => {}
            () = silent.cancelled() => {}
            () = closing.cancelled() => {}
        }
    }

    /// Sends a request on the call's stream and waits for the answer. Dropping the future gives
    /// the question up; a deadline is the caller's.
    ///
    /// # Errors
    /// [`PeerError`] when no result comes.
    pub async fn request(
        &self,
        method: &str,
        params: &(impl Serialize + Sync),
    ) -> Result<Box<RawValue>, PeerError> {
        #[derive(Serialize)]
        struct Wire<'a, P> {
            jsonrpc: &'static str,
            id: u64,
            method: &'a str,
            params: &'a P,
        }
        if self.ends().iter().any(|end| end.is_cancelled()) {
            return Err(PeerError::Gone);
        }
        let pending = &self.session.pending;
        let id = pending.next.fetch_add(1, Ordering::Relaxed);
        let wire = Wire {
            jsonrpc: "2.0",
            id,
            method,
            params,
        };
        let message = serde_json::to_vec(&wire).map_err(PeerError::Unwritable)?;
        let (sender, receiver) = oneshot::channel();
        pending.waiting.lock().insert(id, sender);
        let _waiting = Waiting { peer: self, id };
        let asked = async {
            let sent = self.out.send(message.into()).await;
            sent.map_err(|_| PeerError::Gone)?;
            match receiver.await {
                Ok(Ok(result)) => Ok(result),
                Ok(Err(error)) => Err(PeerError::Refused(error.get().chars().take(512).collect())),
                Err(_) => Err(PeerError::Gone),
            }
        };
        tokio::select! {
            biased;
            // The last thing that a client says may be the answer.
            reply = asked => reply,
            () = self.gone() => Err(PeerError::Gone),
        }
    }
}

impl Peer {
    /// Sends a notification on the call's stream, if anybody reads it.
    pub(crate) fn notify(&self, method: &str, params: &(impl Serialize + Sync)) {
        #[derive(Serialize)]
        struct Wire<'a, P> {
            jsonrpc: &'static str,
            method: &'a str,
            params: &'a P,
        }
        let wire = Wire {
            jsonrpc: "2.0",
            method,
            params,
        };
        if let Ok(message) = serde_json::to_vec(&wire) {
            // A client that does not read misses little.
            let _ = self.out.try_send(message.into());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[tokio::test]
    async fn answers_find_their_questions() {
        let session = Session::new("s", None);
        let (out, mut sent) = mpsc::channel(4);
        let closing = CancellationToken::new();
        let peer = Peer::new(Arc::clone(&session), closing, out);
        let params = json!({"message": "sure?"});
        let ask = peer.request("elicitation/create", &params);
        let client = async {
            let message: Value = serde_json::from_slice(&sent.recv().await.unwrap()).unwrap();
            assert_eq!(message["method"], "elicitation/create");
            assert_eq!(message["params"]["message"], "sure?");
            let id = RawValue::from_string(message["id"].to_string()).unwrap();
            let other = RawValue::from_string("99".to_owned()).unwrap();
            let yes = RawValue::from_string(r#"{"action":"accept"}"#.to_owned()).unwrap();
            assert!(!session.pending.settle(&other, Ok(&yes)));
            assert!(session.pending.settle(&id, Ok(&yes)));
            assert!(!session.pending.settle(&id, Ok(&yes)));
        };
        let (answer, ()) = tokio::join!(ask, client);
        assert_eq!(answer.unwrap().get(), r#"{"action":"accept"}"#);
        assert!(sent.try_recv().is_err());
        session.end();
        let gone = peer.request("ping", &json!({})).await;
        assert!(matches!(gone, Err(PeerError::Gone)));
        assert!(session.pending.waiting.lock().is_empty());
    }
    #[tokio::test]
    async fn a_question_that_nobody_can_answer_is_over() {
        type End = fn(&Session, &CancellationToken);
        let ends: [End; 3] = [
            |session, _| session.end(),
            |session, _| session.hang_up(),
            |_, closing| closing.cancel(),
        ];
        for end in ends {
            let session = Session::new("s", None);
            let (out, mut sent) = mpsc::channel(4);
            let closing = CancellationToken::new();
            let peer = Peer::new(Arc::clone(&session), closing.clone(), out);
            let params = json!({});
            let ask = peer.request("elicitation/create", &params);
            let client = async {
                sent.recv().await.unwrap();
                end(&session, &closing);
            };
            let (answer, ()) = tokio::join!(ask, client);
            assert!(matches!(answer, Err(PeerError::Gone)));
            let withdrawn: Value = serde_json::from_slice(&sent.try_recv().unwrap()).unwrap();
            assert_eq!(withdrawn["method"], "notifications/cancelled");
            assert_eq!(withdrawn["params"], json!({"requestId": 0}));
            // And none is asked any more.
            let again = peer.request("elicitation/create", &params).await;
            assert!(matches!(again, Err(PeerError::Gone)));
            assert!(sent.try_recv().is_err());
        }
    }
}
