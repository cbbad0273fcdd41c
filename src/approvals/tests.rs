//! The page without a network: who gets in, what is shown, what is refused.

use http::header::{AUTHORIZATION, COOKIE, LOCATION, SET_COOKIE};

use super::*;
use crate::policy::confirm::Preview;
use crate::state::{Ask, PendingInMemory};

const TOKEN: &str = "a-long-token-of-ann";

fn desk(url: Option<&str>, operators: Vec<Operator>) -> Desk {
    let settings = Settings {
        operators,
        listen: None,
        url: url.map(|url| url.parse().unwrap()),
        max_pending: 10,
        lasts: 60,
    };
    let pending = Arc::new(PendingInMemory::new(10));
    let key = Secret::new("k".repeat(32));
    Desk::new(&settings, pending, key, None, Arc::new(|| 1000))
}

fn ann() -> Vec<Operator> {
    vec![Operator::new("ann", TOKEN)]
}

async fn enter(desk: &Desk, principal: &str, body: &str) -> String {
    let preview = Preview {
        tool: "cut".to_owned(),
        method: "POST".to_owned(),
        url: "http://a.test/\"><script>".to_owned(),
        headers: vec!["x-note: </pre><img src=x onerror=y>".to_owned()],
        body: Some(body.to_owned()),
    };
    enter_with(desk, principal, preview).await
}

async fn enter_with(desk: &Desk, principal: &str, preview: Preview) -> String {
    let shown = Shown {
        principal: principal.to_owned(),
        client: Some("<b>client".to_owned()),
        transport: "http".to_owned(),
        preview,
    };
    let ask = Ask {
        subject: principal.to_owned(),
        owner: principal.to_owned(),
        shown: serde_json::to_string(&shown).unwrap().into(),
        expires: 1288,
    };
    let (entry, _) = desk.pending.enter(ask, 1000).await.unwrap();
    entry.id.to_string()
}

async fn ask(
    desk: &Desk,
    method: Method,
    place: &str,
    headers: &[(HeaderName, &str)],
    body: &str,
) -> (StatusCode, Response<Bytes>, String) {
    let headers = headers
        .iter()
        .map(|(name, value)| (name.clone(), value.parse().unwrap()));
    let headers = headers.collect();
    let request = Request {
        method: &method,
        place,
        decided: None,
        headers: &headers,
        body: body.as_bytes(),
    };
    let response = desk.answer(request).await;
    let text = String::from_utf8(response.body().to_vec()).unwrap();
    (response.status(), response, text)
}

#[tokio::test]
async fn whatever_a_caller_says_stays_text() {
    let desk = desk(None, ann());
    enter(&desk, "<i>eve</i>", "<script>alert('1')</script>&amp;").await;
    let bearer = format!("Bearer {TOKEN}");
    let headers = [(AUTHORIZATION, bearer.as_str()), (ACCEPT, "text/html")];
    let (_, response, text) = ask(&desk, Method::GET, "", &headers, "").await;
    for tag in ["<script", "<img", "<i>", "<b>client"] {
        assert!(!text.contains(tag), "{tag}: {text}");
    }
    for shown in [
        "&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;amp;",
        "&lt;i&gt;eve&lt;/i&gt;",
        "Expires in <strong>4 min 48 s</strong>",
        "00:21:28 UTC",
    ] {
        assert!(text.contains(shown), "{shown}: {text}");
    }
    let policy = response.headers()["content-security-policy"]
        .to_str()
        .unwrap();
    assert!(
        policy.contains("style-src 'sha256-") && !policy.contains("unsafe"),
        "{policy}"
    );
    // Nothing is loaded from anywhere.
    assert!(!text.contains("<link") && !text.contains("url("), "{text}");
}

#[tokio::test]
async fn a_command_is_shown_with_its_folder() {
    let desk = desk(None, ann());
    let lines = ["dotnet clean".to_owned()];
    enter_with(
        &desk,
        "eve",
        Preview::of_commands("cut", &lines, "/src/app"),
    )
    .await;
    let bearer = format!("Bearer {TOKEN}");
    let headers = [(AUTHORIZATION, bearer.as_str()), (ACCEPT, "text/html")];
    let (_, _, text) = ask(&desk, Method::GET, "", &headers, "").await;
    let shown = "<h3>Folder</h3><pre>in /src/app</pre>";
    assert!(
        text.contains(shown) && text.contains("<b>run</b> <span>dotnet clean</span>"),
        "{text}"
    );
    assert!(!text.contains("Headers"), "{text}");
}

#[tokio::test]
async fn a_session_is_its_operators_own_and_ends() {
    let desk = desk(Some("https://ops.example/bridge/approvals"), ann());
    let form = format!("token={TOKEN}&to=https://evil.example");
    let (status, response, _) = ask(&desk, Method::POST, "login", &[], &form).await;
    assert_eq!(status, StatusCode::SEE_OTHER);
    assert_eq!(response.headers()[LOCATION], "../approvals");
    let cookie = response.headers()[SET_COOKIE].to_str().unwrap();
    for attribute in [
        "Secure",
        "HttpOnly",
        "SameSite=Lax",
        "Path=/bridge/approvals",
    ] {
        assert!(cookie.contains(attribute), "{cookie}");
    }
    let cookie = cookie.split(';').next().unwrap();
    let get = |cookie: String| {
        let desk = &desk;
        async move { ask(desk, Method::GET, "", &[(COOKIE, &cookie)], "").await.0 }
    };
    assert_eq!(get(cookie.to_owned()).await, StatusCode::OK);
    for wrong in [
        format!("{cookie}0"),
        cookie.replace('=', "=9"),
        format!("{cookie}; {cookie}"),
        format!("{}=", cookie.split('=').next().unwrap()),
        cookie.replace("mcpinvoke_operator_", "mcpinvoke_operator_0"),
    ] {
        assert_eq!(
            get(wrong.clone()).await,
            StatusCode::UNAUTHORIZED,
            "{wrong}"
        );
    }
    // Another token, or a later time, and the session is over.
    let other = self::desk(None, vec![Operator::new("ann", "another-token")]);
    let (status, ..) = ask(&other, Method::GET, "", &[(COOKIE, cookie)], "").await;
    assert_eq!(status, StatusCode::UNAUTHORIZED);
    let headers = HeaderMap::from_iter([(COOKIE, cookie.parse().unwrap())]);
    let end = 1000 + 12 * 3600;
    let known = |now| desk.operators.recognise(&headers, now).unwrap().is_some();
    assert!(known(end - 1) && !known(end));
    // Signing out ends it, also for whoever else has its cookie, and no other.
    let (_, _, text) = ask(&desk, Method::POST, "login", &[], &form).await;
    assert!(text.is_empty());
    let proof = |cookie: &str| Proof::Cookie(cookie.split_once('=').unwrap().1.to_owned());
    let form = format!("form={}", desk.operators.form_token(&proof(cookie)));
    let (status, ..) = ask(&desk, Method::POST, "logout", &[(COOKIE, cookie)], &form).await;
    assert_eq!(status, StatusCode::SEE_OTHER);
    assert_eq!(get(cookie.to_owned()).await, StatusCode::UNAUTHORIZED);
    let again = desk.operators.log_in(TOKEN, 1000).unwrap().unwrap();
    let again = again.split(';').next().unwrap().to_owned();
    assert_eq!(get(again).await, StatusCode::OK);
}

#[tokio::test]
async fn wrong_tokens_are_slowed_down() {
    let desk = desk(None, ann());
    let right = format!("token={TOKEN}");
    let cookie = desk.operators.log_in(TOKEN, 1000).unwrap().unwrap();
    let cookie = cookie.split(';').next().unwrap();
    for number in 0..10 {
        let form = format!("token=guess-{number}");
        let (status, ..) = ask(&desk, Method::POST, "login", &[], &form).await;
        assert_eq!(status, StatusCode::UNAUTHORIZED);
    }
    let bearer = format!("Bearer {TOKEN}");
    let headers = [(AUTHORIZATION, bearer.as_str())];
    for (place, headers, body) in [("login", &[][..], right.as_str()), ("", &headers, "")] {
        let method = match place {
            "" => Method::GET,
            _ => Method::POST,
        };
        let (status, response, _) = ask(&desk, method, place, headers, body).await;
        assert_eq!(status, StatusCode::TOO_MANY_REQUESTS);
        assert_eq!(response.headers()[RETRY_AFTER], "60");
    }
    // Whoever is signed in goes on.
    let (status, ..) = ask(&desk, Method::GET, "", &[(COOKIE, cookie)], "").await;
    assert_eq!(status, StatusCode::OK);
}

#[tokio::test]
async fn decisions_are_told_once_and_errors_say_what_is_wrong() {
    let desk = desk(None, ann());
    let id = enter(&desk, "eve", "{}").await;
    let bearer = format!("Bearer {TOKEN}");
    let headers = [
        (AUTHORIZATION, bearer.as_str()),
        (CONTENT_TYPE, "application/json"),
    ];
    let cases = [
        ("{}", StatusCode::BAD_REQUEST, "approve"),
        (
            "{\"decision\":\"approve\"}",
            StatusCode::OK,
            "\"decidedBy\":\"ann\"",
        ),
        (
            "{\"decision\":\"deny\"}",
            StatusCode::CONFLICT,
            "\"status\":\"approved\"",
        ),
    ];
    for (body, expected, word) in cases {
        let (status, _, text) = ask(&desk, Method::POST, &id, &headers, body).await;
        assert!(
            status == expected && text.contains(word),
            "{body}: {status} {text}"
        );
    }
    for (method, place, expected) in [
        (Method::GET, "nothing", StatusCode::NOT_FOUND),
        (Method::DELETE, id.as_str(), StatusCode::METHOD_NOT_ALLOWED),
    ] {
        assert_eq!(ask(&desk, method, place, &headers, "").await.0, expected);
    }
    let nobody = self::desk(None, Vec::new());
    assert_eq!(
        ask(&nobody, Method::GET, "", &headers, "").await.0,
        StatusCode::UNAUTHORIZED
    );
}
