//! What a call sends while it runs, and its answer after it.

use std::collections::VecDeque;
use std::future::Future;
use std::panic::resume_unwind;
use std::pin::Pin;

use bytes::Bytes;
use futures_util::stream;
use tokio::sync::mpsc;
use tokio_util::task::AbortOnDropHandle;

use crate::mcp::{Answer, Message, Messages};

/// The answer, or what is left of it where nothing was sent before.
pub(super) type Run = Pin<Box<dyn Future<Output = Result<Message, Answer>> + Send>>;

/// Has a call go on by itself until it is dropped: a client that reads slowly, or not at all, holds up neither its limits
/// of time nor what it takes from others.
pub(super) fn apart(call: impl Future<Output = Result<Message, Answer>> + Send + 'static) -> Run {
    let task = AbortOnDropHandle::new(tokio::spawn(call));
    Box::pin(async {
        task.await
            .unwrap_or_else(|error| match error.try_into_panic() {
                Ok(panic) => resume_unwind(panic),
                // The process ends.
                Err(_) => Err(Answer::Nothing),
            })
    })
}

/// Waits for the first thing to send: the answer alone is one message, anything before it makes a
/// stream.
pub(super) async fn watch(mut messages: mpsc::Receiver<Bytes>, mut run: Run) -> Answer {
    let mut queue = VecDeque::new();
    tokio::select! {
        biased;
        Some(first) = messages.recv() => {
            queue.push_back(first);
            Answer::Stream(relay(queue, messages, Some(run)))
        }
        answer = &mut run => {
            while let Ok(message) = messages.try_recv() {
                queue.push_back(message);
            }
            match answer {
                Ok(answer) if queue.is_empty() => Answer::Message(answer),
                Err(rest) if queue.is_empty() => rest,
                answer => {
                    queue.extend(answer.ok().map(|answer| answer.body.into_bytes()));
                    Answer::Stream(relay(queue, messages, None))
                }
            }
        }
    }
}

fn relay(queue: VecDeque<Bytes>, messages: mpsc::Receiver<Bytes>, run: Option<Run>) -> Messages {
    let state = (queue, messages, run);
    Box::pin(stream::unfold(
        state,
        |(mut queue, mut messages, run)| async {
            if let Some(message) = queue.pop_front() {
                return Some((message, (queue, messages, run)));
            }
            let mut run = run?;
            tokio::select! {
                biased;
                Some(message) = messages.recv() => Some((message, (queue, messages, Some(run)))),
                answer = &mut run => {
                    while let Ok(message) = messages.try_recv() {
                        queue.push_back(message);
                    }
                    queue.extend(answer.ok().map(|answer| answer.body.into_bytes()));
                    let first = queue.pop_front()?;
                    Some((first, (queue, messages, None)))
                }
            }
        },
    ))
}
