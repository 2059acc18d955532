//! Which failures are tried again, and how a request ends that is given up.
use crate::{notation::config, run::Scene};
use expect_test::expect;
use llm_retry::Row;
use serde_json::json;

#[test]
fn a_failure_is_tried_again_and_the_person_is_told() {
    let answer =
        Scene::new(json!({})).request(&["fail RATE_LIMIT 429", "fail SERVER 500", "text hello | stop"]);
    expect![[r#"
        request at 0
        note warn: the model answered 429; trying again in 1 s (1 of 5)
        attempt 2, RATE_LIMIT, 1000 ms
        request at 1000
        note warn: the model answered 500; trying again in 2 s (2 of 5)
        attempt 3, SERVER, 2000 ms
        request at 3000
        0 opens
        text hello
        0 ends
        stop
    "#]]
    .assert_eq(&answer.checked().text);
}

#[test]
fn what_another_request_may_change_is_tried_again_and_nothing_else() {
    for (failure, again) in [
        ("RATE_LIMIT 429", true),
        ("SERVER 500", true),
        ("SERVER 503", true),
        ("SERVER 529", true),
        ("TRANSPORT", true),
        ("TIMEOUT 408", true),
        ("STREAM_CLOSED", true),
        ("MALFORMED_RESPONSE", true),
        ("EMPTY_RESPONSE", true),
        ("INSUFFICIENT_SYSTEM_RESOURCE", true),
        ("HTTP_409 409", true),
        ("SERVER 501", false),
        ("SERVER 505", false),
        ("AUTH 401", false),
        ("AUTH 403 after 1000", false),
        ("QUOTA 402", false),
        ("QUOTA 429 after 1000", false),
        ("INVALID_REQUEST 400", false),
        ("INVALID_CREDENTIAL", false),
        ("MISSING_CREDENTIAL", false),
        ("CONTEXT_WINDOW_EXCEEDED 400", false),
        ("CONTENT_FILTER", false),
        ("HTTP_404 404", false),
        ("RESPONSE_TOO_LARGE", false),
        ("INVARIANT", false),
    ] {
        let answer = Scene::new(json!({})).request(&[&format!("fail {failure}"), "text ok | stop"]).checked();
        assert_eq!(answer.requests, if again { 2 } else { 1 }, "{failure}");
        if !again {
            let code = failure.split(' ').next().unwrap();
            assert_eq!(answer.text, format!("request at 0\nerror {code}: it failed\n"));
        }
    }
}

#[test]
fn errors_and_streams_without_an_end_are_failures_too() {
    for (attempt, requests, last) in [
        ("error TRANSPORT", 6, "failed TRANSPORT: it broke (tried 6 times)"),
        ("error STUCK", 1, "failed STUCK: it broke"),
        ("", 6, "error STREAM_CLOSED: llm: the stream ended without a finish (tried 6 times)"),
        ("usage", 6, "error STREAM_CLOSED: llm: the stream ended without a finish (tried 6 times)"),
    ] {
        let answer = Scene::new(json!({})).request(&[attempt]);
        assert_eq!((answer.requests, answer.text.lines().last()), (requests, Some(last)), "{attempt}");
    }
}

#[test]
fn a_request_is_given_up_with_its_last_failure_and_says_how_often_it_was_tried() {
    let scene = Scene::new(json!({"retries_max": 2}));
    let answer =
        scene.request(&["fail SERVER 500", "fail SERVER 502", "usage & fail RATE_LIMIT 429"]).checked();
    expect![[r#"
        request at 0
        note warn: the model answered 500; trying again in 1 s (1 of 2)
        attempt 2, SERVER, 1000 ms
        request at 1000
        note warn: the model answered 502; trying again in 2 s (2 of 2)
        attempt 3, SERVER, 2000 ms
        request at 3000
        usage
        error RATE_LIMIT: it failed (tried 3 times)
    "#]]
    .assert_eq(&answer.text);
    let answer = scene.request(&["fail SERVER 500", "fail AUTH 401"]).checked();
    assert!(answer.text.ends_with("\nerror AUTH: it failed (tried 2 times)\n"), "{}", answer.text);
}

#[test]
fn the_details_of_the_last_failure_stay() {
    use plugin_sdk::contracts::llm::{Finish, StreamChunk};
    let answer = Scene::new(json!({"retries_max": 1})).request(&["fail SERVER 503 after 2000"]).checked();
    let Some(StreamChunk::Finish(Finish::Error { failure })) = answer.chunks.last() else {
        panic!("{}", answer.text)
    };
    assert_eq!((failure.status, failure.retry_after_ms), (Some(503), Some(2000)));
}

#[test]
fn an_empty_answer_is_asked_for_six_times() {
    let scene = Scene::new(json!({}));
    let answer = scene.request(&["usage | fail EMPTY_RESPONSE"]).checked();
    assert_eq!(answer.requests, 6);
    assert!(
        answer.text.ends_with("usage\nerror EMPTY_RESPONSE: it failed (tried 6 times)\n"),
        "{}",
        answer.text
    );
    assert_eq!(scene.request(&["text fine | stop"]).requests, 1);
}

#[test]
fn a_code_that_fails_again_in_the_same_way_is_refused() {
    for code in ["AUTH", "QUOTA", "INVALID_REQUEST", "CONTEXT_WINDOW_EXCEEDED", "CONTENT_FILTER", "ABORTED"] {
        let error = Row::new(config(json!({"codes": ["SERVER", code]}))).unwrap_err();
        assert_eq!(
            error.message,
            format!("llm-retry: `codes` lists `{code}`, which fails again in the same way")
        );
        assert_eq!(
            (error.code.as_ref(), error.hint),
            ("CONFIG_INVALID", format!("take `{code}` out of `codes`"))
        );
    }
    assert!(Row::new(config(json!({"codes": ["SERVER", "MOON_PHASE"]}))).is_ok());
    assert_eq!(
        Scene::new(json!({"codes": ["MOON_PHASE"]})).request(&["fail MOON_PHASE", "stop"]).requests,
        2
    );
    assert_eq!(Scene::new(json!({"codes": []})).request(&["fail SERVER 500"]).requests, 1);
}
