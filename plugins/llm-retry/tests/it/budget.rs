//! What the requests of one run may spend on retries together.
use crate::run::Scene;
use serde_json::json;
use std::time::Duration;

const FAILING: &[&str] = &["fail SERVER 500", "text ok | stop"];

#[test]
fn a_run_has_so_many_retries() {
    let scene = Scene::new(json!({"run_retries_max": 3}));
    for _ in 0..3 {
        assert_eq!(scene.request(FAILING).checked().requests, 2);
    }
    let answer = scene.request(FAILING).checked();
    assert_eq!(
        answer.text,
        "request at 0\nerror SERVER: it failed (not tried again: the run has used its 3 retries)\n"
    );
}

#[test]
fn a_run_waits_so_long_in_all() {
    let scene = Scene::new(json!({"run_wait_max_ms": 5000}));
    let answer = scene.request(&["fail SERVER 500"]).checked();
    // 1 s and 2 s; 4 s would be more than 5 s.
    assert!(
        answer
            .text
            .ends_with("(tried 3 times, not tried again: the run would wait longer than 5 s in all)\n"),
        "{}",
        answer.text
    );
    // What is left may still be used.
    assert_eq!(scene.request(&["fail SERVER 500 after 2000", "text ok | stop"]).checked().requests, 2);
    assert_eq!(scene.request(&["fail SERVER 500 after 1", "text ok | stop"]).checked().requests, 1);
}

#[test]
fn runs_of_one_trace_share_it() {
    let mut scene = Scene::new(json!({"run_retries_max": 1}));
    let mut traced = scene.cx.abi().clone();
    traced.trace.trace_id = [7; 16];
    scene.cx = traced.into();
    assert_eq!(scene.request(FAILING).requests, 2);
    scene.cx = scene.cx.child_session("below");
    assert_eq!(scene.request(FAILING).requests, 1);
}

#[test]
fn a_session_that_has_ended_is_forgotten() {
    let scene = Scene::new(json!({"run_retries_max": 1}));
    assert_eq!([scene.request(FAILING).requests, scene.request(FAILING).requests], [2, 1]);
    scene.row.forget("another");
    assert_eq!(scene.request(FAILING).requests, 1);
    scene.row.forget("test");
    assert_eq!(scene.request(FAILING).requests, 2);
}

#[test]
fn another_run_has_its_own() {
    let mut scene = Scene::new(json!({"run_retries_max": 1}));
    assert_eq!(scene.request(FAILING).requests, 2);
    assert_eq!(scene.request(FAILING).requests, 1);
    let first = scene.cx.clone();
    scene.cx = first.child_session("other");
    assert_eq!(scene.request(FAILING).requests, 2);
    scene.cx = first;
    assert_eq!(scene.request(FAILING).requests, 1);
    // A session of which nothing was heard for an hour is at another turn.
    scene.clock.advance(Duration::from_secs(3600));
    assert_eq!(scene.request(FAILING).requests, 2);
}
