//! The issuer's keys: fetched, renewed, withdrawn, out of reach.

use serde_json::json;

use super::Site;
use crate::support::Signer;

#[tokio::test]
async fn tokens_are_judged_by_their_issuer_s_newest_keys() {
    let (old, new, newest) = (
        Signer::curve("old"),
        Signer::curve("new"),
        Signer::curve("newest"),
    );
    let site = Site::new(&[&old], "").await;
    let with = |signer: &Signer| signer.token(&site.claims(&json!({})));
    let before = with(&old);
    assert_eq!(site.list(&before).await.status, 200);
    assert_eq!(site.issuer.fetches(), 1);
    // A key that is not known makes it look once, for all that come at once.
    site.issuer.publish(&[&new]);
    let fresh: Vec<String> = (0..8)
        .map(|n| new.token(&site.claims(&json!({"jti": n}))))
        .collect();
    let replies = futures_util::future::join_all(fresh.iter().map(|token| site.list(token))).await;
    assert!(replies.iter().all(|reply| reply.status == 200));
    assert_eq!(site.issuer.fetches(), 2);
    // What was withdrawn is not taken, though it was verified before.
    assert_eq!(site.list(&before).await.status, 401);
    // Invented keys do not make it look again and again.
    for n in 0..20 {
        let invented = Signer::curve(&format!("invented-{n}"));
        assert_eq!(site.list(&with(&invented)).await.status, 401);
    }
    site.issuer.publish(&[&newest]);
    assert_eq!(site.list(&with(&newest)).await.status, 401);
    assert_eq!(site.issuer.fetches(), 2);
    assert_eq!(site.list(&fresh[0]).await.status, 200);
}

/// Issuers whose keys have no names, or keep them.
#[tokio::test]
async fn keys_that_are_exchanged_under_the_same_name_are_read_again() {
    for named in [true, false] {
        let (old, new) = (Signer::curve("same"), Signer::curve("same"));
        let site = Site::new(&[&old], "").await;
        let with = |signer: &Signer, more| {
            let claims = site.claims(&more);
            match named {
                true => signer.token(&claims),
                false => signer.token_with(&json!({"typ": "at+jwt", "alg": "ES256"}), &claims),
            }
        };
        let before = with(&old, json!({}));
        assert_eq!(site.list(&before).await.status, 200);
        site.issuer.publish(&[&new]);
        let all = (0..4).map(|n| with(&new, json!({"jti": n})));
        let all: Vec<String> = all.collect();
        let replies = futures_util::future::join_all(all.iter().map(|token| site.list(token)));
        assert!(replies.await.iter().all(|reply| reply.status == 200));
        assert_eq!(site.issuer.fetches(), 2);
        assert_eq!(site.list(&before).await.status, 401);
        // Forged tokens do not make it look again and again.
        for n in 0..20 {
            let forged = with(&Signer::curve("same"), json!({"jti": n}));
            assert_eq!(site.list(&forged).await.status, 401);
        }
        assert_eq!(site.issuer.fetches(), 2);
    }
}

#[tokio::test]
async fn an_issuer_that_is_gone_takes_nothing_away() {
    let key = Signer::curve("a");
    let site = Site::new(&[&key], "").await;
    let token = key.token(&site.claims(&json!({})));
    assert_eq!(site.list(&token).await.status, 200);
    site.issuer.break_down(true);
    let other = key.token(&site.claims(&json!({"sub": "bob"})));
    assert_eq!(site.list(&other).await.status, 200);
    let unknown = Signer::curve("b").token(&site.claims(&json!({})));
    assert_eq!(site.list(&unknown).await.status, 401);
    assert_eq!(site.list(&other).await.status, 200);
    site.bridge.logged("the keys of before go on serving").await;
}

#[tokio::test]
async fn an_issuer_that_never_was_there_is_not_the_token_s_fault() {
    let key = Signer::curve("a");
    let site = Site::new(&[], "").await;
    let token = key.token(&site.claims(&json!({})));
    let reply = site.list(&token).await;
    assert_eq!(
        (reply.status, reply.challenge),
        (503, None),
        "{}",
        reply.text
    );
    // Who is no caller of this issuer learns nothing of it.
    let foreign = key.token(&site.claims(&json!({"iss": "https://x.example.com"})));
    assert_eq!(site.list(&foreign).await.status, 401);
    let log = site.bridge.logged("without a key for signatures").await;
    assert!(log.contains("its tokens cannot be taken"), "{log}");
    // It comes back, and nobody has to start anything anew.
    site.issuer.publish(&[&key]);
    let mut statuses = Vec::new();
    while !statuses.contains(&200) && statuses.len() < 200 {
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        statuses.push(site.list(&token).await.status);
    }
    assert!(statuses.contains(&200), "{statuses:?}");
}
