//! What a state is bound to: a yes is for one place, and a form alone needs none.

use super::*;

#[tokio::test]
async fn a_yes_is_for_the_place_that_was_shown() {
    let (world, tool) = (world(Fallback::Token), tool(true, &[]));
    let mine = call("ann", json!({"id": 1}));
    let at = |url: &str, method: http::Method| {
        Preview::new("remove", &method, url, &http::HeaderMap::new(), None)
    };
    let delete = http::Method::DELETE;
    for way in [asked(), Human::default()] {
        let text = world.state(&tool, &mine, &way).await;
        let human = match way.rounds {
            true => answered(&text, json!({"confirm": {}})),
            false => token(&text),
        };
        // The document was loaded again, or another instance with the same key has another base.
        for elsewhere in [
            at("http://live.test/", delete.clone()),
            at("http://a.test/", http::Method::PUT),
        ] {
            let result = world.shown(&tool, &mine, &human, elsewhere).await;
            assert_eq!(fault(&result), Some(StateFault::OtherCall));
        }
        let result = world.shown(&tool, &mine, &human, at("http://a.test/", delete.clone()));
        assert!(result.await.is_ok());
    }
}

#[tokio::test]
async fn a_form_alone_needs_no_state() {
    let (world, tool) = (world(Fallback::Token), tool(false, &["why"]));
    let mine = call("ann", json!({"id": 1}));
    let result = world.request(&tool, &mine, &asked()).await;
    let Err(Stopped::Ask(query, None)) = result else {
        panic!("{result:?}");
    };
    assert_eq!(query.fields[0].name, "why");
    let answers = json!({"q_why": {"why": "old"}, "more": {}});
    let human = Human {
        answers: object(answers),
        ..asked()
    };
    let (arguments, decision) = world.request(&tool, &mine, &human).await.unwrap();
    assert_eq!(
        (arguments, decision),
        (json!({"id": 1, "why": "old"}), None)
    );
    // Nobody to ask: the argument is missing. Said already: nothing is asked.
    let result = world.request(&tool, &mine, &Human::default()).await;
    assert_eq!(result, Err(Stopped::Missing(vec!["why".to_owned()])));
    let whole = call("ann", json!({"why": "old"}));
    assert!(world.request(&tool, &whole, &asked()).await.is_ok());
}
