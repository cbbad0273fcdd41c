//! What happens around a call, with futures in the place of calls.

use std::future::{pending, ready};
use std::time::Duration;

use futures_util::StreamExt as _;

use super::*;
use crate::mcp::session::Session;

fn answer() -> Result<Message, Answer> {
    Ok(Message::ok("the answer"))
}

async fn texts(answer: Answer) -> Vec<Bytes> {
    let Answer::Stream(messages) = answer else {
        panic!("{answer:?}");
    };
    messages.collect().await
}

#[tokio::test]
async fn the_answer_alone_is_one_message() {
    let (_sender, receiver) = mpsc::channel(4);
    let result = watch(receiver, Box::pin(ready(answer()))).await;
    assert!(matches!(result, Answer::Message(_)));
    let (_sender, receiver) = mpsc::channel(4);
    let result = watch(receiver, Box::pin(ready(Err(Answer::Nothing)))).await;
    assert!(matches!(result, Answer::Nothing));
}

#[tokio::test]
async fn what_comes_before_it_makes_a_stream() {
    // Everything within one poll of the call.
    let (sender, receiver) = mpsc::channel(4);
    let run = async move {
        sender.try_send(Bytes::from("one")).unwrap();
        sender.try_send(Bytes::from("two")).unwrap();
        answer()
    };
    let result = watch(receiver, Box::pin(run)).await;
    assert_eq!(texts(result).await, ["one", "two", "the answer"]);
    // With rests in between.
    let (sender, receiver) = mpsc::channel(4);
    let run = async move {
        for text in ["one", "two", "three"] {
            sender.try_send(Bytes::from(text)).unwrap();
            tokio::task::yield_now().await;
        }
        sender.try_send(Bytes::from("four")).unwrap();
        answer()
    };
    let result = watch(receiver, Box::pin(run)).await;
    assert_eq!(
        texts(result).await,
        ["one", "two", "three", "four", "the answer"]
    );
}

#[tokio::test]
async fn a_call_cancelled_in_its_stream_ends_it() {
    let (sender, receiver) = mpsc::channel(4);
    let run = async move {
        sender.try_send(Bytes::from("one")).unwrap();
        tokio::task::yield_now().await;
        Err(Answer::Nothing)
    };
    let result = watch(receiver, Box::pin(run)).await;
    assert_eq!(texts(result).await, ["one"]);
}

#[tokio::test]
async fn a_call_goes_on_though_nobody_reads_its_stream() {
    let (sender, receiver) = mpsc::channel(4);
    let (done, ended) = tokio::sync::oneshot::channel();
    let run = apart(async move {
        sender.send(Bytes::from("one")).await.unwrap();
        tokio::time::sleep(Duration::from_millis(1)).await;
        done.send(()).unwrap();
        answer()
    });
    let unread = watch(receiver, run).await;
    ended.await.unwrap();
    assert_eq!(texts(unread).await, ["one", "the answer"]);
}

#[tokio::test]
async fn a_call_ends_with_its_stream() {
    let (sender, receiver) = mpsc::channel(4);
    let (held, dropped) = tokio::sync::oneshot::channel::<()>();
    let run = apart(async move {
        let _held = held;
        sender.send(Bytes::from("one")).await.unwrap();
        pending().await
    });
    drop(watch(receiver, run).await);
    assert!(dropped.await.is_err());
}

#[tokio::test]
async fn a_panic_costs_one_call() {
    let call = async {
        tokio::task::yield_now().await;
        panic!("a fault of ours");
    };
    let result: Option<Result<(), Panicked>> = guard(pin!(call), None).await;
    assert!(matches!(result, Some(Err(Panicked))));
}

#[tokio::test]
async fn a_call_can_be_cancelled_while_it_runs() {
    let session = Session::new("", None);
    let id = RawValue::from_string("7".to_owned()).unwrap();
    let flight = session.take_off(&id);
    let under_way = pin!(pending::<()>());
    let call = guard(under_way, Some(&flight));
    let cancel = async { session.cancel(&id) };
    let (result, ()) = tokio::join!(call, cancel);
    assert!(result.is_none());
}
