//! The keys of one issuer: found through its metadata, kept, and renewed when a token names one that is not
//! known. An issuer that cannot be reached takes nothing away: what was had goes on serving.

use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwapOption;
use serde_json::Value;
use tokio::sync::{Mutex, OwnedMutexGuard};
use tokio::time::Instant;
use url::Url;

use super::keys::Keys;
use super::{Issuer, KeySource};
use crate::secret::SafeUrl;

/// Older keys are fetched again, while they serve.
const OLD: Duration = Duration::from_secs(600);
/// Between two fetches that tokens ask for which no known key has signed.
const BETWEEN: Duration = Duration::from_secs(10);
/// After a fetch that failed.
const PAUSE: Duration = Duration::from_secs(2);

/// An issuer with what is known of it.
#[derive(Debug)]
pub(super) struct KnownIssuer {
    pub(super) settings: Issuer,
    source: Arc<dyn KeySource>,
    keys: ArcSwapOption<Keys>,
    /// Its lock is held while keys are fetched, so there is one fetch at a time.
    flight: Arc<Mutex<Flight>>,
}

#[derive(Debug, Default)]
struct Flight {
    count: u64,
    had: Option<Instant>,
    failed: Option<Instant>,
    /// When a token that no known key has signed made one.
    asked: Option<Instant>,
    /// Where its metadata says that its keys are. Only a place that served is kept: an issuer may move them.
    place: Option<Url>,
}

impl KnownIssuer {
    pub(super) fn new(settings: Issuer, source: Arc<dyn KeySource>) -> Arc<Self> {
        Arc::new(Self {
            settings,
            source,
            keys: ArcSwapOption::empty(),
            flight: Arc::default(),
        })
    }

    /// Which keys are in use; changes when they do.
    pub(super) fn generation(&self) -> Option<u64> {
        self.keys.load().as_ref().map(|keys| keys.generation)
    }

    /// The keys, fetched where there are none. `None` where they cannot be had.
    pub(super) async fn keys(self: &Arc<Self>) -> Option<Arc<Keys>> {
        if let Some(keys) = self.keys.load_full() {
            self.renew();
            return Some(keys);
        }
        let flight = Arc::clone(&self.flight).lock_owned().await;
        if self.keys.load().is_none() && !flight.paused() {
            self.fetched(flight).await;
        }
        self.keys.load_full()
    }

    /// The keys once more, after `old` lacked the one that a token was signed with. `None` where there are no others to be had now.
    pub(super) async fn newer(self: &Arc<Self>, old: &Keys) -> Option<Arc<Keys>> {
        let mut flight = Arc::clone(&self.flight).lock_owned().await;
        let newer = |keys: &Arc<Keys>| keys.generation != old.generation;
        if let Some(keys) = self.keys.load_full().filter(newer) {
            return Some(keys);
        }
        let asked_lately = flight.asked.is_some_and(|when| when.elapsed() < BETWEEN);
        if asked_lately || flight.paused() {
            return None;
        }
        flight.asked = Some(Instant::now());
        self.fetched(flight).await;
        self.keys.load_full().filter(newer)
    }

    /// Fetches old keys again, beside the request. Whatever makes use of the keys calls it, tokens that are
    /// remembered too: a key that was withdrawn must not go on serving because nothing new comes.
    pub(super) fn renew(self: &Arc<Self>) {
        let Ok(flight) = self.flight.try_lock() else {
            return;
        };
        let old = flight.had.is_none_or(|when| when.elapsed() > OLD);
        if !old || flight.paused() {
            return;
        }
        drop(flight);
        let issuer = Arc::clone(self);
        tokio::spawn(async move {
            let mut flight = issuer.flight.lock().await;
            if flight.had.is_none_or(|when| when.elapsed() > OLD) && !flight.paused() {
                issuer.fetch(&mut flight).await;
            }
        });
    }

    /// Waits for a fetch that goes on without who waits: a caller who leaves would take the keys from all others too.
    async fn fetched(self: &Arc<Self>, mut flight: OwnedMutexGuard<Flight>) {
        let issuer = Arc::clone(self);
        let fetch = tokio::spawn(async move { issuer.fetch(&mut flight).await });
        if fetch.await.is_err() {
            tracing::error!(issuer = %self.settings.issuer, "a fetch of its keys panicked");
        }
    }

    async fn fetch(&self, flight: &mut Flight) {
        let issuer = &self.settings.issuer;
        match self.read(flight).await {
            Ok(keys) => {
                flight.count += 1;
                flight.had = Some(Instant::now());
                flight.failed = None;
                tracing::debug!(%issuer, "the issuer's keys are fetched");
                // Where nothing changed, whoever sends forged tokens cannot have the good ones verified anew.
                let now = self.keys.load();
                if !now.as_ref().is_some_and(|now| now.same(&keys)) {
                    self.keys.store(Some(Arc::new(keys)));
                }
            }
            Err(error) => {
                flight.failed = Some(Instant::now());
                let left = if self.keys.load().is_some() {
                    "; the keys of before go on serving"
                } else {
                    "; its tokens cannot be taken"
                };
                tracing::warn!(%issuer, "the issuer's keys cannot be had: {error}{left}");
            }
        }
    }

    async fn read(&self, flight: &mut Flight) -> Result<Keys, String> {
        let place = match (&self.settings.jwks_url, flight.place.take()) {
            (Some(place), _) => place.clone(),
            (None, Some(place)) => place,
            (None, None) => self.discover().await?,
        };
        let at = |error: String| format!("{}: {error}", SafeUrl::new(place.clone()));
        let text = self.source.read(place.clone()).await.map_err(at)?;
        let keys = Keys::read(&text, flight.count + 1).map_err(at)?;
        flight.place = Some(place);
        Ok(keys)
    }

    /// RFC 8414, section 3, and OpenID Connect Discovery 1.0, section 4, in MCP's order.
    async fn discover(&self) -> Result<Url, String> {
        let issuer = &self.settings.issuer;
        let mut faults = Vec::new();
        for place in places(issuer)? {
            let text = self.source.read(place.clone()).await;
            match text.and_then(|text| jwks_url(&text, issuer)) {
                Ok(url) => return Ok(url),
                Err(error) => faults.push(format!("{}: {error}", SafeUrl::new(place))),
            }
        }
        Err(faults.join("; "))
    }
}

impl Flight {
    fn paused(&self) -> bool {
        self.failed.is_some_and(|when| when.elapsed() < PAUSE)
    }
}

/// Where an issuer's metadata may be.
fn places(issuer: &str) -> Result<Vec<Url>, String> {
    let issuer = Url::parse(issuer).map_err(|_| "the issuer is no URL".to_owned())?;
    let path = issuer.path().trim_end_matches('/').to_owned();
    let mut paths = vec![
        format!("/.well-known/oauth-authorization-server{path}"),
        format!("/.well-known/openid-configuration{path}"),
    ];
    if !path.is_empty() {
        paths.push(format!("{path}/.well-known/openid-configuration"));
    }
    let at = |path: String| {
        let mut place = issuer.clone();
        place.set_path(&path);
        place.set_query(None);
        place
    };
    Ok(paths.into_iter().map(at).collect())
}

/// What the metadata says, if it is this issuer's own (RFC 8414, section 3.3).
fn jwks_url(text: &[u8], issuer: &str) -> Result<Url, String> {
    let metadata: Value = crate::tree::read_bytes(text).map_err(|_| "no JSON".to_owned())?;
    let member = |name: &str| metadata.get(name).and_then(Value::as_str);
    if member("issuer") != Some(issuer) {
        return Err("the metadata is another issuer's: `issuer` differs".to_owned());
    }
    let url = member("jwks_uri").ok_or("`jwks_uri` is missing")?;
    let url = Url::parse(url).map_err(|_| "`jwks_uri` is no URL".to_owned())?;
    let own = Url::parse(issuer).is_ok_and(|issuer| issuer.origin() == url.origin());
    if url.scheme() == "https" || (own && url.scheme() == "http") {
        Ok(url)
    } else {
        Err("`jwks_uri` is no https URL".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;
    use parking_lot::Mutex as Lock;
    use tokio::sync::Semaphore;

    use super::super::{Algorithm, Reading};
    use super::*;

    const SET: &str = r#"{"keys":[{"kty":"EC","crv":"P-256","kid":"a",
        "x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}]}"#;

    /// An issuer whose keys are at one path, and move.
    #[derive(Debug, Default)]
    struct Moving {
        now_at: Lock<String>,
        read: Lock<Vec<String>>,
    }

    impl KeySource for Moving {
        fn read(&self, url: Url) -> Reading {
            let path = url.path().to_owned();
            self.read.lock().push(path.clone());
            let now_at = self.now_at.lock().clone();
            let text = match path.as_str() {
                path if path == now_at => Ok(SET.into()),
                "/.well-known/oauth-authorization-server" => {
                    let issuer = "https://id.test";
                    let jwks_uri = format!("{issuer}{now_at}");
                    let text = serde_json::json!({"issuer": issuer, "jwks_uri": jwks_uri});
                    Ok(text.to_string().into())
                }
                _ => Err("404".to_owned()),
            };
            Box::pin(std::future::ready(text))
        }
    }

    fn issuer(source: Arc<dyn KeySource>) -> Arc<KnownIssuer> {
        let settings = Issuer {
            name: "id".into(),
            issuer: "https://id.test".to_owned(),
            jwks_url: None,
            audiences: Vec::new(),
            algorithms: Algorithm::all(),
        };
        KnownIssuer::new(settings, source)
    }

    #[tokio::test]
    async fn a_place_that_serves_no_more_is_looked_for_again() {
        let source = Arc::new(Moving::default());
        let move_to = |path: &str| path.clone_into(&mut source.now_at.lock());
        let issuer = issuer(source.clone());
        let mut flight = Flight::default();
        move_to("/one");
        assert!(issuer.read(&mut flight).await.is_ok());
        assert!(issuer.read(&mut flight).await.is_ok());
        move_to("/two");
        assert!(issuer.read(&mut flight).await.is_err());
        assert!(issuer.read(&mut flight).await.is_ok());
        let read = source.read.lock();
        let keys: Vec<&str> = read
            .iter()
            .map(String::as_str)
            .filter(|path| !path.contains("well-known"))
            .collect();
        assert_eq!(keys, ["/one", "/one", "/one", "/two"]);
    }

    /// An issuer that answers when it is let.
    #[derive(Debug)]
    struct Slow(Arc<Moving>, Arc<Semaphore>);

    impl KeySource for Slow {
        fn read(&self, url: Url) -> Reading {
            let (reading, let_go) = (self.0.read(url), Arc::clone(&self.1));
            Box::pin(async move {
                let_go.acquire().await.unwrap().forget();
                reading.await
            })
        }
    }

    #[tokio::test]
    async fn a_caller_who_leaves_takes_no_keys_from_others() {
        let source = Arc::new(Moving::default());
        "/one".clone_into(&mut source.now_at.lock());
        let let_go = Arc::new(Semaphore::new(0));
        let issuer = issuer(Arc::new(Slow(Arc::clone(&source), Arc::clone(&let_go))));
        assert!(issuer.keys().now_or_never().is_none());
        let_go.add_permits(2);
        let keys = issuer.keys().await.unwrap();
        assert_eq!(source.read.lock().len(), 2);
        assert!(issuer.newer(&keys).now_or_never().is_none());
        let_go.add_permits(1);
        // What the one before asked for is not asked for again.
        assert!(issuer.newer(&keys).await.is_none());
        assert_eq!(source.read.lock().len(), 3);
    }

    /// Else a forged token now and then would have all good ones verified anew.
    #[tokio::test]
    async fn keys_that_are_read_again_and_are_the_same_stay_what_they_are() {
        let source = Arc::new(Moving::default());
        "/one".clone_into(&mut source.now_at.lock());
        let issuer = issuer(source.clone());
        let keys = issuer.keys().await.unwrap();
        assert!(issuer.newer(&keys).await.is_none());
        assert_eq!(source.read.lock().len(), 3);
        assert_eq!(issuer.generation(), Some(keys.generation));
    }

    #[test]
    fn metadata_is_looked_for_in_order() {
        let all = |issuer| -> Vec<String> {
            places(issuer)
                .unwrap()
                .iter()
                .map(ToString::to_string)
                .collect()
        };
        assert_eq!(
            all("https://id.test"),
            [
                "https://id.test/.well-known/oauth-authorization-server",
                "https://id.test/.well-known/openid-configuration",
            ]
        );
        assert_eq!(
            all("https://id.test/realms/shop/"),
            [
                "https://id.test/.well-known/oauth-authorization-server/realms/shop",
                "https://id.test/.well-known/openid-configuration/realms/shop",
                "https://id.test/realms/shop/.well-known/openid-configuration",
            ]
        );
    }

    #[test]
    fn metadata_of_another_issuer_is_not_believed() {
        let read = |issuer: &str, jwks: &str| {
            let text = serde_json::json!({"issuer": issuer, "jwks_uri": jwks}).to_string();
            jwks_url(text.as_bytes(), "https://id.test").is_ok()
        };
        assert!(read("https://id.test", "https://keys.test/jwks"));
        assert!(!read("https://id.test/", "https://keys.test/jwks"));
        assert!(!read("https://evil.test", "https://keys.test/jwks"));
        assert!(!read("https://id.test", "http://id.test/jwks"));
        assert!(!read("https://id.test", "file:///etc/passwd"));
        let local = r#"{"issuer":"http://127.0.0.1:9","jwks_uri":"http://127.0.0.1:9/k"}"#;
        assert!(jwks_url(local.as_bytes(), "http://127.0.0.1:9").is_ok());
    }
}
