//! A yes is for one place.

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
            assert_eq!(result, Err(Stopped::State(StateFault::OtherCall)));
        }
        let result = world.shown(&tool, &mine, &human, at("http://a.test/", delete.clone()));
        assert!(result.await.is_ok());
    }
}
