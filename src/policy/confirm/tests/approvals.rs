//! An operator's yes, what is denied, and uses at once.

use super::*;
use crate::state::{Entry, Verdict};

fn approvals(required: bool) -> World {
    let now = Arc::new(AtomicU64::new(1000));
    let seen = Arc::clone(&now);
    let settings = Settings {
        fallback: Fallback::Approvals,
        approvals: Some(Approvals {
            required,
            wait: Duration::ZERO,
        }),
        ttl: Duration::from_secs(60),
        ..Settings::default()
    };
    let clock: Clock = Arc::new(move || seen.load(Ordering::Relaxed));
    let (spent, pending) = (SpentInMemory::new(100), PendingInMemory::new(4));
    let gate = Gate::with(settings, Arc::new(spent), Arc::new(pending), clock).unwrap();
    World { gate, now }
}

async fn waiting(world: &World) -> Vec<Entry> {
    let now = world.now.load(Ordering::Relaxed);
    world.gate.pending.list(now).await.0
}

async fn approve(world: &World) {
    let now = world.now.load(Ordering::Relaxed);
    let verdict = Verdict {
        approved: true,
        by: "olga".into(),
        at: now,
        until: now + 60,
    };
    for entry in waiting(world).await {
        let decided = world.gate.pending.decide(&entry.id, verdict.clone(), now);
        decided.await.unwrap();
    }
}

#[tokio::test]
async fn without_a_page_nobody_waits_for_an_operator() {
    let (world, tool) = (approvals(true), tool(true, &[]));
    let mine = call("ann", json!({"id": 1}));
    let result = world.request(&tool, &mine, &Human::default()).await;
    assert_eq!(result, Err(Stopped::Unconfirmed(Unconfirmed::Denied)));
    let result = world.request(&tool, &mine, &asked()).await;
    assert!(matches!(result, Err(Stopped::Ask(..))), "{result:?}");
    assert!(waiting(&world).await.is_empty());
}

#[tokio::test]
async fn a_yes_is_for_what_the_user_filled_in() {
    let (world, tool) = (approvals(true), tool(true, &["why"]));
    world.gate.open_page("http://a.test/approvals/");
    let mine = call("ann", json!({"id": 1}));
    let first = world.state(&tool, &mine, &asked()).await;
    let form = |why: &str| answered(&first, json!({"q_why": {"why": why}}));
    let told = world.request(&tool, &mine, &form("good")).await;
    let Err(Stopped::Pending(pending)) = told else {
        panic!("{told:?}");
    };
    assert!(
        pending.url.starts_with("http://a.test/approvals/"),
        "{pending:?}"
    );
    approve(&world).await;
    // Another answer makes another call, which nobody has approved.
    let second = world.state(&tool, &mine, &asked()).await;
    let other = answered(&second, json!({"q_why": {"why": "bad"}}));
    let told = world.request(&tool, &mine, &other).await;
    assert!(matches!(told, Err(Stopped::Pending(_))), "{told:?}");
    // The token carries the answer it was given for.
    let human = Human {
        text: Some(pending.token.clone()),
        ..asked()
    };
    let (arguments, decision) = world.request(&tool, &mine, &human).await.unwrap();
    assert_eq!(arguments, json!({"id": 1, "why": "good"}));
    assert_eq!(decision, Some(Decision::Approval("olga".into())));
    let result = world.request(&tool, &mine, &human).await;
    assert_eq!(fault(&result), Some(StateFault::Used));
}

#[tokio::test]
async fn what_names_a_waiting_call_is_no_permission_of_another_kind() {
    let (world, tool) = (approvals(false), tool(true, &[]));
    world.gate.open_page("http://a.test/approvals");
    let mine = call("ann", json!({"id": 1}));
    let form = world.state(&tool, &mine, &asked()).await;
    let result = world.request(&tool, &mine, &token(&form)).await;
    assert_eq!(fault(&result), Some(StateFault::OtherCall));
    let told = world.request(&tool, &mine, &Human::default()).await;
    let Err(Stopped::Pending(pending)) = told else {
        panic!("{told:?}");
    };
    // A client that shows forms asks its own user; a name of a waiting call is no answer there.
    let crossed = answered(&pending.token, json!({"confirm": {}}));
    let result = world.request(&tool, &mine, &crossed).await;
    assert_eq!(fault(&result), Some(StateFault::OtherCall));
    let opens = Human {
        opens: true,
        ..answered(&pending.token, json!({"confirm": {}}))
    };
    let result = world.request(&tool, &mine, &opens).await;
    assert!(
        matches!(&result, Err(Stopped::Ask(query, Some(_))) if query.page.is_some()),
        "{result:?}"
    );
    world.now.fetch_add(200, Ordering::Relaxed);
    let result = world.request(&tool, &mine, &opens).await;
    assert_eq!(fault(&result), Some(StateFault::Expired));
}

#[tokio::test]
async fn a_yes_is_for_one_folder() {
    let (world, tool) = (approvals(false), tool(true, &[]));
    world.gate.open_page("http://a.test/approvals");
    let mine = call("ann", json!({"id": 1}));
    let run = async |human: &Human, folder: &str| {
        let lines = ["tool clean".to_owned()];
        let preview = Preview::of_commands("remove", &lines, folder);
        world.shown(&tool, &mine, human, preview).await
    };
    // A long way in common makes them no less two.
    let [one, two] = ["one", "two"].map(|name| format!("/{}/{name}", "deep/".repeat(60)));
    let told = run(&Human::default(), &one).await;
    let Err(Stopped::Pending(pending)) = told else {
        panic!("{told:?}");
    };
    approve(&world).await;
    let other = run(&token(&pending.token), &two).await;
    assert_eq!(fault(&other), Some(StateFault::OtherCall));
    let other = run(&Human::default(), &two).await;
    assert!(matches!(other, Err(Stopped::Pending(_))), "{other:?}");
    let (_, decision) = run(&Human::default(), &one).await.unwrap();
    assert_eq!(decision, Some(Decision::Approval("olga".into())));
}

#[tokio::test]
async fn no_more_calls_wait_than_may() {
    let (world, tool) = (approvals(false), tool(true, &[]));
    world.gate.open_page("http://a.test/approvals");
    for (id, pending) in [(1, true), (2, true), (3, false)] {
        let mine = call("ann", json!({ "id": id }));
        let result = world.request(&tool, &mine, &Human::default()).await;
        match pending {
            true => assert!(matches!(result, Err(Stopped::Pending(_))), "{result:?}"),
            false => assert_eq!(fault(&result), Some(StateFault::Busy)),
        }
    }
}

#[tokio::test]
async fn where_tokens_are_denied_none_is_issued_or_taken() {
    let (open, shut) = (world(Fallback::Token), world(Fallback::Deny));
    let (tool, mine) = (tool(true, &[]), call("ann", json!({"id": 1})));
    let issued = open.state(&tool, &mine, &Human::default()).await;
    for human in [Human::default(), token(&issued)] {
        let result = shut.request(&tool, &mine, &human).await;
        assert_eq!(result, Err(Stopped::Unconfirmed(Unconfirmed::Denied)));
    }
    // Another instance's key signs for itself only.
    let result = world(Fallback::Token)
        .request(&tool, &mine, &token(&issued))
        .await;
    assert_eq!(fault(&result), Some(StateFault::Forged));
}

#[tokio::test]
async fn of_two_uses_at_once_one_wins() {
    let (world, tool) = (world(Fallback::Token), tool(true, &[]));
    let mine = call("ann", json!({"id": 1}));
    let issued = world.state(&tool, &mine, &Human::default()).await;
    let human = token(&issued);
    let (one, two) = tokio::join!(
        world.request(&tool, &mine, &human),
        world.request(&tool, &mine, &human)
    );
    assert_eq!(
        [one.is_ok(), two.is_ok()].iter().filter(|ok| **ok).count(),
        1
    );
}
