//! What a browser gets, sends and must not be able to do.

use reqwest::header::{COOKIE, LOCATION, SET_COOKIE};
use serde_json::json;

use super::{TOKEN, client, world};

#[tokio::test]
async fn a_browser_signs_in_and_only_its_own_form_decides() {
    let world = world("").await;
    let hostile = "<script>alert(1)</script>\u{1b}[2J\u{202e}\"'&";
    let call = json!({"name": "removePet", "arguments": {"id": 1, "reason": hostile}});
    world.plain(call.clone()).await;
    let (client, page) = (client(), world.page());
    let get = async |cookie: &str, url: &str| {
        let request = client
            .get(url)
            .header("accept", "text/html")
            .header(COOKIE, cookie);
        let response = request.send().await.unwrap();
        let headers = response.headers().clone();
        (
            response.status().as_u16(),
            headers,
            response.text().await.unwrap(),
        )
    };
    let post = async |cookie: &str, url: &str, form: &str| {
        let request = client.post(url).header(COOKIE, cookie);
        let request = request.header("content-type", "application/x-www-form-urlencoded");
        request.body(form.to_owned()).send().await.unwrap()
    };
    let (status, headers, body) = get("", &page).await;
    assert_eq!(status, 401);
    assert!(
        !body.contains("removePet") && body.contains("type=password"),
        "{body}"
    );
    for (name, part) in [
        ("content-security-policy", "default-src 'none'"),
        ("content-security-policy", "frame-ancestors 'none'"),
        ("x-frame-options", "DENY"),
        ("cache-control", "no-store"),
        ("x-content-type-options", "nosniff"),
    ] {
        assert!(
            headers[name].to_str().unwrap().contains(part),
            "{name}: {headers:?}"
        );
    }
    let wrong = post("", &format!("{page}/login"), "token=wrong").await;
    assert!(wrong.status() == 401 && wrong.headers().get(SET_COOKIE).is_none());
    let signed = post("", &format!("{page}/login"), &format!("token={TOKEN}")).await;
    let cookie = signed.headers()[SET_COOKIE].to_str().unwrap().to_owned();
    assert!(
        cookie.contains("HttpOnly") && cookie.contains("SameSite="),
        "{cookie}"
    );
    let cookie = cookie.split(';').next().unwrap();

    let (status, _, body) = get(cookie, &page).await;
    assert_eq!(status, 200);
    assert!(!body.contains("<script") && !body.contains('\u{1b}') && !body.contains('\u{202e}'));
    assert!(
        body.contains("<bdi>ann</bdi>") && body.contains("%3Cscript%3E"),
        "{body}"
    );
    let id = body.split("<article id=\"").nth(1).unwrap()[..32].to_owned();
    let form = body.split("name=form value=\"").nth(1).unwrap();
    let form = form.split('"').next().unwrap();
    let own = format!("{page}/{id}");
    // Looking at it changes nothing, whatever the address says.
    assert_eq!(
        get(cookie, &format!("{own}?decision=approve&form={form}"))
            .await
            .0,
        200
    );
    for (cookie, body) in [
        (cookie, "decision=approve".to_owned()),
        (cookie, "decision=approve&form=0".to_owned()),
        ("", format!("decision=approve&form={form}")),
        (
            "mcpinvoke_operator=99999999999.0",
            format!("decision=approve&form={form}"),
        ),
    ] {
        let refused = post(cookie, &own, &body).await.status().as_u16();
        assert!([401, 403].contains(&refused), "{body}: {refused}");
    }
    let body = format!("decision=approve&form={form}");
    let strange = client
        .post(&own)
        .header(COOKIE, cookie)
        .header("origin", "https://evil.example");
    assert_eq!(
        strange.body(body.clone()).send().await.unwrap().status(),
        403
    );
    let crossed = client
        .post(&own)
        .header(COOKIE, cookie)
        .header("sec-fetch-site", "cross-site");
    assert_eq!(
        crossed.body(body.clone()).send().await.unwrap().status(),
        403
    );
    let json = client
        .post(&own)
        .header(COOKIE, cookie)
        .header("content-type", "application/json");
    let json = json.body(json!({"decision": "approve"}).to_string());
    assert_eq!(json.send().await.unwrap().status(), 403);
    let rebound = client.get(&page).header("host", "evil.example").send();
    assert_eq!(rebound.await.unwrap().status(), 403);
    assert_eq!(world.listed().await["pending"].as_array().unwrap().len(), 1);

    let done = post(cookie, &own, &body).await;
    assert_eq!(done.status(), 303);
    let to = done.headers()[LOCATION].to_str().unwrap().to_owned();
    let (_, _, body) = get(cookie, &format!("{page}/{to}")).await;
    assert!(
        body.contains("Approved.") && body.contains("<bdi>olga</bdi>"),
        "{body}"
    );
    assert_eq!(world.upstream.arrived(), 0);
    assert_eq!(world.plain(call).await["isError"], false);
    assert_eq!(world.upstream.arrived(), 1);
    // The endpoint's keys open nothing here.
    let key = client
        .get(&page)
        .bearer_auth("key-of-ann")
        .send()
        .await
        .unwrap();
    assert_eq!(key.status(), 401);
}
