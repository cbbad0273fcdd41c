//! Batches (2025-03-26): several messages in one, and what they come to in one array (JSON-RPC 2.0, section 6).

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::future::join_all;
use serde_json::value::RawValue;

use super::accept::Origin;
use super::call::Work;
use super::error::Refusal;
use super::message::{Incoming, read};
use super::payload::Writer;
use super::server::{Fault, Server};
use super::{Accepted, Answer, Message};

/// A batch that takes work before it is answered.
#[derive(Debug)]
pub(crate) struct Batch {
    items: Vec<Item>,
    room: Room,
}

/// What became of one message.
#[derive(Debug)]
enum Item {
    Now(Answer),
    /// With the id of the request.
    Later(Box<RawValue>, Work),
}

/// How many bytes of answers there may still be. The last one may be longer: alone it would have been sent as well.
#[derive(Debug)]
struct Room(AtomicUsize);

impl Server {
    /// Takes each message of a batch.
    pub(crate) fn batch(self: &Arc<Self>, messages: &[&RawValue], origin: Origin<'_>) -> Accepted {
        if let Err(refusal) = self.check_batch(messages, origin) {
            return refusal.message(None, origin.says_modern()).into();
        }
        let origin = Origin {
            in_batch: true,
            ..origin
        };
        let room = Room(AtomicUsize::new(self.settings.max_batch_bytes));
        let (mut items, mut unwanted) = (Vec::new(), Vec::new());
        for message in messages {
            match read(message.get()) {
                // A response without an id says nothing in an array: the others are answered, and it is not.
                Ok(Incoming::Notification { method, params }) => {
                    unwanted.extend(self.notification(&method, params, origin).err());
                }
                Ok(Incoming::Response(answer)) => {
                    unwanted.extend(self.response(answer, origin).err());
                }
                Ok(Incoming::Request { id, .. }) if room.is_full() => {
                    let refusal = Refusal::BatchFull { done: false };
                    items.push(Item::Now(Answer::Message(refusal.message(Some(id), false))));
                }
                incoming => {
                    let id = match &incoming {
                        Ok(Incoming::Request { id, .. }) => (*id).to_owned(),
                        _ => RawValue::NULL.to_owned(),
                    };
                    items.push(match self.take(incoming, origin) {
                        Accepted::Now(answer) => {
                            room.takes(&answer);
                            Item::Now(answer)
                        }
                        Accepted::Later(work) => Item::Later(id, work),
                    });
                }
            }
        }
        // Nothing in it was of any use, which its client has to learn (2025-03-26, transports); over a connection
        // that lasts it would take an answer for that to something else.
        if unwanted.len() == messages.len()
            && origin.headers.is_some()
            && let Some(refusal) = unwanted.first()
        {
            return refusal.without_id(false).into();
        }
        Batch { items, room }.accepted()
    }

    fn check_batch(&self, messages: &[&RawValue], origin: Origin<'_>) -> Result<(), Refusal> {
        let allowed = !origin.says_modern() && self.ground(origin)?.revision.has_batches();
        let why = match messages.len() {
            _ if !allowed => "only revision 2025-03-26 has batches".to_owned(),
            0 => "the batch is empty".to_owned(),
            n if n > self.settings.max_batch => {
                format!(
                    "the batch has more than {} messages",
                    self.settings.max_batch
                )
            }
            _ => return Ok(()),
        };
        Err(Refusal::InvalidRequest(why))
    }
}

impl Batch {
    /// Answered already, where nothing in it takes work.
    fn accepted(self) -> Accepted {
        if self
            .items
            .iter()
            .any(|item| matches!(item, Item::Later(..)))
        {
            return Accepted::Later(Work::batch(self));
        }
        Accepted::Now(self.without_work(Fault::Busy))
    }

    /// Does all the work at the same time.
    pub(crate) async fn finish(self) -> Answer {
        let room = &self.room;
        let finish = |item| async move {
            match item {
                Item::Now(answer) => answer,
                Item::Later(id, work) => {
                    let answer = Box::pin(work.finish()).await;
                    if room.takes(&answer) {
                        return answer;
                    }
                    let refusal = Refusal::BatchFull { done: true };
                    Answer::Message(refusal.message(Some(&id), false))
                }
            }
        };
        together(join_all(self.items.into_iter().map(finish)).await)
    }

    /// Answers with what there is, and says why no work is done for the rest.
    pub(crate) fn without_work(self, fault: Fault) -> Answer {
        let answers = self.items.into_iter().map(|item| match item {
            Item::Now(answer) => answer,
            Item::Later(_, work) => work.refuse(fault),
        });
        together(answers.collect())
    }
}

impl Room {
    fn is_full(&self) -> bool {
        self.0.load(Ordering::Relaxed) == 0
    }

    /// Whether an answer still goes in; it counts then.
    fn takes(&self, answer: &Answer) -> bool {
        let Answer::Message(message) = answer else {
            return true;
        };
        let size = message.body.size();
        let rest = |left: usize| (left > 0).then(|| left.saturating_sub(size));
        let order = Ordering::Relaxed;
        self.0.fetch_update(order, order, rest).is_ok()
    }
}

/// The answers of a batch in one array; none at all when nothing in it wants one.
fn together(answers: Vec<Answer>) -> Answer {
    let (mut writer, mut rest) = (Writer::default(), Answer::Nothing);
    let mut begun = false;
    for answer in answers {
        match answer {
            Answer::Message(message) => {
                writer.out.push(if begun { b',' } else { b'[' });
                begun = true;
                for piece in message.body.into_pieces() {
                    writer.share(piece);
                }
            }
            // Nothing in a batch streams (see `call::prepare`): this one is empty.
            Answer::Stream(_) => rest = answer,
            Answer::Nothing => {}
        }
    }
    if !begun {
        return rest;
    }
    writer.out.push(b']');
    Answer::Message(Message::ok(writer.finish()))
}
