//! Batches: what each message in one gets.

use super::*;
use crate::mcp::{Fault, Headers};

fn ping(id: u32) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "ping"})
}

fn call(id: u32) -> Value {
    let params = json!({"name": "first", "arguments": {"id": 1}});
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
}

fn body(answer: Answer) -> Value {
    let Answer::Message(message) = answer else {
        panic!("{answer:?}");
    };
    serde_json::from_slice(&message.body.into_bytes()).unwrap()
}

fn ids(answers: &Value) -> Vec<&Value> {
    let answers = answers.as_array().unwrap();
    answers.iter().map(|answer| &answer["id"]).collect()
}

async fn of_2025_03_26(settings: Settings) -> Client {
    let client = Client::new(settings);
    client.initialize("2025-03-26", json!({})).await;
    client
}

#[tokio::test]
async fn where_too_much_is_under_way_each_call_is_refused_by_its_id() {
    let client = of_2025_03_26(Settings::default()).await;
    let note = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let Accepted::Later(work) = client.accept(&json!([ping(1), call(2), note, call(3)])) else {
        panic!("calls take work");
    };
    let answers = body(work.refuse(Fault::Busy));
    assert_eq!(ids(&answers), [1, 2, 3]);
    assert_eq!(answers[0]["result"], json!({}));
    for refused in [&answers[1], &answers[2]] {
        assert_eq!(refused["error"]["code"], -32603, "{answers}");
    }
    // What takes no work is answered whatever is under way.
    let accepted = client.accept(&json!([note, note]));
    assert!(matches!(accepted, Accepted::Now(Answer::Nothing)));
    let Accepted::Now(answer) = client.accept(&json!([note, ping(4)])) else {
        panic!("a ping takes no work");
    };
    assert_eq!(ids(&body(answer)), [4]);
}

#[tokio::test]
async fn answers_are_bounded_together() {
    let list = |id| json!({"jsonrpc": "2.0", "id": id, "method": "tools/list"});
    let client = of_2025_03_26(Settings::default()).await;
    let one = client.ask(&list(1)).await.to_string().len();
    let settings = Settings {
        max_batch_bytes: one + 1,
        ..Settings::default()
    };
    let client = of_2025_03_26(settings).await;
    let note = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let answers = client
        .ask(&json!([list(1), list(2), list(3), note, call(4)]))
        .await;
    assert_eq!(ids(&answers), [1, 2, 3, 4]);
    for answer in [&answers[0], &answers[1]] {
        assert!(answer["result"]["tools"].is_array(), "{answers}");
    }
    for refused in [&answers[2], &answers[3]] {
        let message = refused["error"]["message"].as_str().unwrap();
        assert!(message.contains("send this request again"), "{answers}");
    }
    // Calls run at the same time, and of their answers some have no room.
    let settings = Settings {
        max_batch_bytes: 1,
        ..Settings::default()
    };
    let client = of_2025_03_26(settings).await;
    let answers = client.ask(&json!([call(1), call(2)])).await;
    assert_eq!(ids(&answers), [1, 2]);
    let without: Vec<&Value> = answers
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|answer| answer.get("error"))
        .collect();
    assert_eq!(without.len(), 1, "{answers}");
    let message = without[0]["message"].as_str().unwrap();
    assert!(message.contains("was carried out"), "{answers}");
}

#[tokio::test]
async fn answers_to_nothing_have_no_place_in_the_array() {
    let server = server(Settings::default());
    let caller = Caller::anonymous("http");
    let post = |messages: &Value| {
        let headers = Headers::default();
        match server.post(messages.to_string().as_bytes(), &headers, &caller) {
            Accepted::Now(answer) => answer,
            Accepted::Later(work) => panic!("{work:?}"),
        }
    };
    let response = json!({"jsonrpc": "2.0", "id": 5, "result": {}});
    let Answer::Message(refusal) = post(&json!([response, response])) else {
        panic!("nothing in it is of any use");
    };
    assert_eq!(refusal.status, 400);
    let refusal: Value = serde_json::from_slice(&refusal.body.into_bytes()).unwrap();
    assert!(refusal["error"].is_object() && refusal.get("id").is_none());
    assert_eq!(ids(&body(post(&json!([response, ping(1)])))), [1]);
    let note = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let answer = post(&json!([response, note]));
    assert!(matches!(answer, Answer::Nothing), "{answer:?}");
    // Over a connection that lasts it would be an answer to something else.
    let client = of_2025_03_26(Settings::default()).await;
    let accepted = client.accept(&json!([response]));
    assert!(matches!(accepted, Accepted::Now(Answer::Nothing)));
}
