//! What pending calls promise, kept by the ones in memory.

use super::memory::MOST_RECENT;
use super::*;

fn ask(subject: &str, owner: &str) -> Ask {
    Ask {
        subject: subject.to_owned(),
        owner: owner.to_owned(),
        shown: "{}".into(),
        expires: 100,
    }
}

fn verdict(approved: bool, by: &str) -> Verdict {
    Verdict {
        approved,
        by: by.into(),
        at: 10,
        until: 110,
    }
}

#[tokio::test]
async fn the_first_decision_counts_and_a_yes_is_taken_once() {
    let store = PendingInMemory::new(10);
    let (entry, new) = store.enter(ask("a", "ann"), 1).await.unwrap();
    let (same, again) = store.enter(ask("a", "ann"), 2).await.unwrap();
    assert!(new && !again && same.id == entry.id && entry.id.len() == 32);
    assert!(!store.take(&entry.id, 5).await);
    store
        .decide(&entry.id, verdict(true, "o"), 10)
        .await
        .unwrap();
    let late = store.decide(&entry.id, verdict(false, "p"), 11).await;
    assert!(matches!(late, Err(Undecidable::Over(_))), "{late:?}");
    let unknown = store.decide("0", verdict(true, "p"), 11).await;
    assert_eq!(unknown, Err(Undecidable::Unknown));
    assert!(store.take(&entry.id, 105).await);
    assert!(!store.take(&entry.id, 105).await);
    let found = store.find(&entry.id, 105).await.unwrap();
    assert_eq!(found.stage, Stage::Used(verdict(true, "o")));
    // The same call again needs another yes.
    let (next, new) = store.enter(ask("a", "ann"), 12).await.unwrap();
    assert!(new && next.id != entry.id);
}

#[tokio::test]
async fn nothing_lasts_longer_than_it_may() {
    let store = PendingInMemory::new(10);
    let id = async |subject: &str| store.enter(ask(subject, "ann"), 1).await.unwrap().0.id;
    let (open, yes, no) = (id("open").await, id("yes").await, id("no").await);
    store.decide(&yes, verdict(true, "o"), 10).await.unwrap();
    store.decide(&no, verdict(false, "o"), 10).await.unwrap();
    let (waiting, recent) = store.list(99).await;
    assert_eq!((waiting.len(), recent.len()), (1, 2));
    let late = store.decide(&open, verdict(true, "o"), 100).await;
    assert!(matches!(late, Err(Undecidable::Over(_))), "{late:?}");
    assert_eq!(store.find(&open, 100).await.unwrap().stage, Stage::Expired);
    // A no is remembered as long as a yes.
    let (same, new) = store.enter(ask("no", "ann"), 109).await.unwrap();
    assert!(!new && same.id == no);
    assert!(!store.take(&yes, 110).await);
    assert!(store.enter(ask("no", "ann"), 110).await.unwrap().1);
}

#[tokio::test]
async fn it_is_bounded_for_all_and_for_each() {
    let store = PendingInMemory::new(3);
    assert!(store.enter(ask("1", "ann"), 1).await.is_ok());
    assert!(store.enter(ask("2", "ann"), 1).await.is_ok());
    assert_eq!(store.enter(ask("3", "ann"), 1).await, Err(Full));
    assert!(store.enter(ask("4", "bob"), 1).await.is_ok());
    assert_eq!(store.enter(ask("5", "cid"), 1).await, Err(Full));
    let (waiting, _) = store.list(1).await;
    store.withdraw(&waiting[0].id, 1).await;
    assert!(store.enter(ask("5", "cid"), 1).await.is_ok());
    for round in 0..60_u64 {
        let (entry, _) = store
            .enter(ask(&format!("r{round}"), "dan"), 200 + round * 1000)
            .await
            .unwrap();
        store.withdraw(&entry.id, 200).await;
    }
    assert_eq!(store.list(200).await.1.len(), MOST_RECENT);
}

#[tokio::test]
async fn who_waits_is_told() {
    let store = PendingInMemory::new(3);
    let (entry, _) = store.enter(ask("1", "ann"), 1).await.unwrap();
    let decide = async {
        tokio::task::yield_now().await;
        store
            .decide(&entry.id, verdict(false, "o"), 2)
            .await
            .unwrap();
    };
    tokio::join!(store.settled(&entry.id), decide);
    store.settled("unknown").await;
}
