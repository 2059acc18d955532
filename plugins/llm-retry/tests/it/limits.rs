//! Silence, the time of a request, and its caller's deadline.
use crate::run::Scene;
use expect_test::expect;
use serde_json::json;
use std::time::Duration;

#[test]
fn silence_ends_an_attempt_and_is_tried_again() {
    let scene = Scene::new(json!({"idle_timeout_ms": 5000}));
    let answer = scene
        .request(&["silent", "deaf", "open | sleep 4999 | text a | sleep 4999 | text b | stop"])
        .checked();
    // The deaf one has half a second to end.
    expect![[r#"
        request at 0
        note warn: the model was silent for too long; trying again in 1 s (1 of 5)
        attempt 2, TIMEOUT, 1000 ms
        request at 6000
        note warn: the model was silent for too long; trying again in 2 s (2 of 5)
        attempt 3, TIMEOUT, 2000 ms
        request at 13500
        0 opens
        text a
        text b
        0 ends
        stop
    "#]]
    .assert_eq(&answer.text);
}

#[test]
fn silence_after_output_ends_the_request() {
    let scene = Scene::new(json!({"idle_timeout_ms": 5000}));
    let answer = scene.request(&["text a | sleep 3000 | text b | silent"]).checked();
    expect![[r#"
        request at 0
        0 opens
        text a
        text b
        error TIMEOUT: llm-retry: the model was silent for 5 s (not tried again: some of the answer has been handed on)
    "#]]
    .assert_eq(&answer.text);
    assert_eq!(scene.clock.now(), Duration::from_millis(3_600_000 + 3000 + 5000));
}

#[test]
fn the_time_of_a_request_holds_for_all_its_attempts() {
    let scene = Scene::new(json!({"total_timeout_ms": 10_000}));
    let answer = scene.request(&["fail SERVER 500", "text a | sleep 8999 | text b | deaf"]).checked();
    expect![[r#"
        request at 0
        note warn: the model answered 500; trying again in 1 s (1 of 5)
        attempt 2, SERVER, 1000 ms
        request at 1000
        0 opens
        text a
        text b
        error TIMEOUT: llm-retry: the model request took longer than 10 s (tried 2 times)
    "#]]
    .assert_eq(&answer.text);
    let answer = scene.request(&["sleep 9500 | fail SERVER 500 after 500"]).checked();
    let last = "error SERVER: it failed (not tried again: no time is left for a wait of 500 ms)\n";
    assert!(answer.text.ends_with(last), "{}", answer.text);
}

#[test]
fn a_deadline_of_the_caller_is_kept() {
    let mut scene = Scene::new(json!({"total_timeout_ms": 10_000}));
    scene.cx = scene.cx.within(Duration::from_secs(3));
    let answer = scene.request(&["fail SERVER 500"]).checked();
    let last =
        "error SERVER: it failed (tried 2 times, not tried again: no time is left for a wait of 2 s)\n";
    assert!(answer.text.ends_with(last), "{}", answer.text);
    let answer = scene.request(&["silent"]).checked();
    assert_eq!(scene.clock.now(), Duration::from_secs(3603));
    let last = "error TIMEOUT: llm-retry: the model request took longer than its caller waits\n";
    assert!(answer.text.ends_with(last), "{}", answer.text);
}

#[test]
fn without_limits_it_waits_as_long_as_it_takes() {
    let scene = Scene::new(json!({"idle_timeout_ms": 0}));
    let answer = scene.request(&["sleep 86400000 | text a | stop"]).checked();
    assert_eq!((answer.requests, answer.text.lines().last()), (1, Some("stop")));
}
