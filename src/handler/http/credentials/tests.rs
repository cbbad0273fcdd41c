//! Which credentials a request gets, and where.

use std::sync::Arc;

use ::http::{HeaderMap, Method};

use super::*;
use crate::tool::Parameter;

fn need(name: &str, kind: SchemeKind) -> SecurityNeed {
    SecurityNeed {
        scheme: Arc::new(SecurityScheme {
            document: 1,
            name: name.to_owned(),
            kind,
        }),
        scopes: Vec::new(),
    }
}

fn api_key(name: &str, location: Location) -> SecurityNeed {
    need(
        name,
        SchemeKind::ApiKey {
            location,
            parameter: "api key".replace(' ', "-"),
        },
    )
}

fn given(text: &str) -> Value {
    Value::given(Secret::new(text.to_owned()))
}

fn credentials(entries: Vec<(&str, Credential)>) -> Credentials {
    let settings = Settings {
        everywhere: entries
            .into_iter()
            .map(|(name, credential)| (name.to_owned(), credential))
            .collect(),
        by_document: HashMap::new(),
    };
    Credentials::new(&settings, false)
}

fn plan() -> HttpPlan {
    let mut headers = HeaderMap::new();
    headers.insert(COOKIE, HeaderValue::from_static("a=1"));
    HttpPlan {
        method: Method::GET,
        url: Url::parse("http://api.test/x?q=a+b").unwrap(),
        headers,
        body: None,
    }
}

async fn add(
    credentials: &Credentials,
    needs: &[SecurityNeed],
    plan: &mut HttpPlan,
) -> Result<(), CredentialError> {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let from = Issuer {
        client: &Renewed::new(&Tls::default(), reqwest::Client::builder).unwrap(),
        outbound: &Outbound::new(&Default::default()),
        subject: None,
    };
    let needs: Vec<&SecurityNeed> = needs.iter().collect();
    credentials.add(&from, &needs, plan).await.map(drop)
}

async fn added(credentials: &Credentials, needs: &[SecurityNeed]) -> HttpPlan {
    let mut plan = plan();
    add(credentials, needs, &mut plan).await.unwrap();
    plan
}

#[tokio::test]
async fn each_scheme_has_its_place() {
    let credentials = credentials(vec![
        ("header", Credential::Value(given("k-1"))),
        ("query", Credential::Value(given("k&2"))),
        ("cookie", Credential::Value(given("k;3"))),
        (
            "basic",
            Credential::Login {
                username: given("Aladdin"),
                password: given("open sesame"),
            },
        ),
        ("bearer", Credential::Value(given("tok"))),
    ]);
    let all = [
        api_key("header", Location::Header),
        api_key("query", Location::Query),
        api_key("cookie", Location::Cookie),
        need("basic", SchemeKind::Basic),
    ];
    let plan = added(&credentials, &all).await;
    assert_eq!(plan.headers["api-key"], "k-1");
    assert_eq!(plan.headers[COOKIE], "a=1; api-key=k%3B3");
    assert_eq!(plan.url.query(), Some("q=a+b&api-key=k%262"));
    // The example of RFC 7617, section 2.
    assert_eq!(
        plan.headers[AUTHORIZATION],
        "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="
    );
    let bearer = SchemeKind::Bearer { token_url: None };
    let plan = added(&credentials, &[need("bearer", bearer)]).await;
    assert_eq!(plan.headers[AUTHORIZATION], "Bearer tok");
    assert!(!format!("{plan:?}").contains("tok\""), "{plan:?}");
}

#[test]
fn an_alternative_is_met_as_a_whole_or_not_at_all() {
    let credentials = credentials(vec![
        ("a", Credential::Value(given("k"))),
        ("c", Credential::Value(given("k"))),
    ]);
    let one = |name| api_key(name, Location::Header);
    let asking = |security| HttpTarget {
        security,
        ..HttpTarget::bare(Method::GET, "/x")
    };
    let target = asking(vec![vec![], vec![one("a"), one("b")], vec![one("c")]]);
    assert_eq!(names(&credentials.choose(&target)), ["c"]);
    let lacks = |security| credentials.lacks(&asking(security));
    assert!(!credentials.lacks(&target));
    assert!(lacks(vec![vec![one("b")]]));
    // An empty alternative means that nothing will do.
    assert!(!lacks(vec![vec![one("b")], vec![]]));
    assert!(!lacks(vec![]));
    // A key is no login.
    assert!(lacks(vec![vec![need("a", SchemeKind::Basic)]]));
}

fn names<'a>(needs: &[&'a SecurityNeed]) -> Vec<&'a str> {
    needs.iter().map(|need| &*need.scheme.name).collect()
}

#[test]
fn a_declared_key_joins_whatever_alternative_is_met() {
    let credentials = credentials(vec![
        ("key", Credential::Value(given("k"))),
        ("again", Credential::Value(given("k"))),
        ("token", Credential::Value(given("t"))),
    ]);
    let one = |name, parameter: &str| {
        let (location, parameter) = (Location::Query, parameter.to_owned());
        need(
            name,
            SchemeKind::ApiKey {
                location,
                parameter,
            },
        )
    };
    let mut target = HttpTarget {
        security: vec![vec![one("key", "key")], vec![one("token", "token")]],
        keys: vec![
            one("key", "key"),
            one("again", "key"),
            one("token", "token"),
            one("other", "other"),
        ],
        ..HttpTarget::bare(Method::GET, "/x")
    };
    assert_eq!(names(&credentials.choose(&target)), ["key", "token"]);
    // Also where the document asks for nothing.
    target.security.clear();
    assert_eq!(names(&credentials.choose(&target)), ["key", "token"]);

    // What the operator does not give, an argument can.
    target.security = vec![vec![one("other", "other")]];
    assert!(credentials.lacks(&target));
    target.parameters = vec![Parameter::bare("other", Location::Query)];
    assert!(!credentials.lacks(&target));
    target.security.clear();
    target.keys = vec![api_key("elsewhere", Location::Header)];
    assert!(credentials.lacks(&target));
}

#[test]
fn a_documents_own_credential_wins() {
    let own = HashMap::from([("a".to_owned(), Credential::Value(given("own")))]);
    let settings = Settings {
        everywhere: HashMap::from([("a".to_owned(), Credential::Value(given("shared")))]),
        by_document: HashMap::from([(1, own)]),
    };
    let credentials = Credentials::new(&settings, false);
    let mut scheme = (*api_key("a", Location::Header).scheme).clone();
    let value = |scheme: &SecurityScheme| match credentials.of(scheme) {
        Some(Credential::Value(value)) => value.read().expose().to_owned(),
        other => panic!("{other:?}"),
    };
    assert_eq!(value(&scheme), "own");
    scheme.document = 2;
    assert_eq!(value(&scheme), "shared");
}

#[test]
fn a_login_in_a_url_becomes_a_header() {
    let mut plan = plan();
    plan.url = Url::parse("http://Aladdin:open%20sesame@api.test/x").unwrap();
    let mut taken = plan.clone();
    take_from_url(&mut taken);
    assert_eq!(taken.url.as_str(), "http://api.test/x");
    assert_eq!(
        taken.headers[AUTHORIZATION],
        "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="
    );
    plan.headers
        .insert(AUTHORIZATION, HeaderValue::from_static("Bearer t"));
    take_from_url(&mut plan);
    assert_eq!(plan.headers[AUTHORIZATION], "Bearer t");
}

#[tokio::test]
async fn a_value_that_would_add_a_header_line_is_refused() {
    let credentials = credentials(vec![("a", Credential::Value(given("x\r\ny: z")))]);
    let needs = [api_key("a", Location::Header)];
    let error = add(&credentials, &needs, &mut plan()).await.unwrap_err();
    assert!(matches!(error, CredentialError::Unwritable(name) if name == "a"));
}

#[test]
fn nothing_of_an_argument_stands_before_a_key() {
    for (pairs, separator, expected) in [
        (None, "&", "api key=k"),
        (Some(""), "&", "api key=k"),
        (Some("q=a+b&&n=%26"), "&", "q=a+b&n=%26&api key=k"),
        (
            Some("api%20key=mine&q=1&API+key=x&api key"),
            "&",
            "q=1&api key=k",
        ),
        (
            Some("api%20keys=mine&q=api+key"),
            "&",
            "api%20keys=mine&q=api+key&api key=k",
        ),
        (Some("a=1; api key=mine;b=2"), "; ", "a=1; b=2; api key=k"),
    ] {
        let joined = joined(pairs, separator, "api key", "api key=k");
        assert_eq!(joined, expected, "{pairs:?}");
    }
}
