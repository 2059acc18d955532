//! For any script a correct client finishes it without a breach, and for any bytes the server answers and lives.

use checks::fake_model::FakeModel;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::client::{Client, Received};

#[derive(Debug, Clone)]
struct Reply {
    text: String,
    split: usize,
    calls: Vec<(String, u8)>,
    fragments: usize,
    stream: bool,
}

fn reply() -> impl Strategy<Value = Reply> {
    let calls = prop::collection::vec(("\\PC{0,12}", any::<u8>()), 0..3);
    ("\\PC{1,40}", 1..9_usize, calls, 1..6_usize, any::<bool>())
        .prop_map(|(text, split, calls, fragments, stream)| Reply { text, split, calls, fragments, stream })
}

fn arguments((key, value): &(String, u8)) -> String {
    json!({"key": key, "value": value}).to_string()
}

/// The script as JSON, which is YAML too.
fn script(replies: &[Reply]) -> String {
    let call = |reply: &Reply, call: &(String, u8)| json!({"name": "any", "arguments": arguments(call), "fragments": reply.fragments});
    let replies: Vec<Value> = (replies.iter())
        .map(|reply| {
            let calls: Vec<Value> = reply.calls.iter().map(|one| call(reply, one)).collect();
            json!({"text": reply.text, "split": reply.split, "calls": calls, "expect": {"stream": reply.stream}})
        })
        .collect();
    json!({"replies": replies}).to_string()
}

/// The assistant message that the response amounts to.
fn assembled(received: &Received, stream: bool) -> Value {
    if !stream {
        return received.json()["choices"][0]["message"].clone();
    }
    let mut content = String::new();
    let mut calls: Vec<Value> = Vec::new();
    for event in received.body().split("\n\n").filter_map(|event| event.strip_prefix("data: ")) {
        let Ok(event) = serde_json::from_str::<Value>(event) else { continue };
        let delta = &event["choices"][0]["delta"];
        content.push_str(delta["content"].as_str().unwrap_or_default());
        for part in delta["tool_calls"].as_array().into_iter().flatten() {
            let index = usize::try_from(part["index"].as_u64().unwrap()).unwrap();
            if index == calls.len() {
                calls.push(part.clone());
                continue;
            }
            let so_far = calls[index]["function"]["arguments"].as_str().unwrap();
            let joined = format!("{so_far}{}", part["function"]["arguments"].as_str().unwrap());
            calls[index]["function"]["arguments"] = joined.into();
        }
    }
    let mut message = json!({"role": "assistant", "content": content});
    if !calls.is_empty() {
        message["tool_calls"] = calls.into();
    }
    message
}

proptest! {
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases / 5, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_correct_client_finishes_any_script(replies in prop::collection::vec(reply(), 1..5)) {
        let replies: Vec<Reply> = replies.iter().map(|reply| Reply { stream: replies[0].stream, ..reply.clone() }).collect();
        let model = FakeModel::start(&script(&replies));
        let mut client = Client::connect(model.base_url());
        let mut messages = vec![json!({"role": "user", "content": "hi"})];
        for reply in &replies {
            let body = json!({"model": "m", "messages": messages, "stream": reply.stream}).to_string();
            let received = client.post(&body);
            prop_assert_eq!(received.status, 200, "{}", received.body());
            let message = assembled(&received, reply.stream);
            prop_assert_eq!(message["content"].as_str(), Some(reply.text.as_str()));
            let calls = message["tool_calls"].as_array().cloned().unwrap_or_default();
            prop_assert_eq!(calls.len(), reply.calls.len());
            for (call, written) in calls.iter().zip(&reply.calls) {
                prop_assert_eq!(&call["function"]["arguments"], &json!(arguments(written)));
            }
            messages.push(message);
            let results = calls.iter().map(|call| json!({"role": "tool", "tool_call_id": call["id"], "content": "ok"}));
            messages.extend(results);
        }
        model.assert_done();
    }

    #[test]
    fn any_body_gets_an_answer(bodies in prop::collection::vec(body(), 1..6)) {
        let model = FakeModel::start("on_end: repeat_last\nreplies: [{text: x, changes: [tools, settings, messages]}]");
        let mut client = Client::connect(model.base_url());
        for body in bodies {
            let received = client.post(&body);
            prop_assert!(matches!(received.status, 200 | 400), "{}", received.shown());
            prop_assert_eq!(received.status == 400, received.body().contains("\"error\""));
        }
    }
}

/// Text that is more or less a request.
fn body() -> impl Strategy<Value = String> {
    let value = prop::sample::select(vec!["null", "7", "\"x\"", "[]", "{}", "[null]", "true", "1e999"]);
    let role = prop::sample::select(vec!["user", "assistant", "tool", "system", "odd"]);
    let message =
        (role, value.clone(), value.clone(), value.clone()).prop_map(|(role, content, calls, id)| {
            format!(r#"{{"role":"{role}","content":{content},"tool_calls":{calls},"tool_call_id":{id}}}"#)
        });
    let request = (prop::collection::vec(message, 0..4), value).prop_map(|(messages, tools)| {
        format!(r#"{{"model":"m","tools":{tools},"messages":[{}]}}"#, messages.join(","))
    });
    prop_oneof![request, "\\PC{0,60}", "[\\[\\]{}\":,a0 ]{0,40}"]
}
