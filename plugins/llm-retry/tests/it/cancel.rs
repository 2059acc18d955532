//! A caller who wants an end.
use crate::run::Scene;
use expect_test::expect;
use serde_json::json;

#[test]
fn a_wait_ends_at_once() {
    let scene = Scene::new(json!({}));
    let answer = scene.request_until(&["fail SERVER 500"], "trying again").checked();
    expect![[r#"
        request at 0
        note warn: the model answered 500; trying again in 1 s (1 of 5)
        ABORTED: aborted: enough
    "#]]
    .assert_eq(&answer.text);
    assert_eq!(scene.clock.now().as_millis(), 3_600_000);
}

#[test]
fn an_answer_ends_with_what_the_row_below_says() {
    let answer = Scene::new(json!({})).request_until(&["text a | silent"], "text a").checked();
    assert_eq!(answer.text, "request at 0\n0 opens\ntext a\nABORTED: aborted: enough\n");
}

#[test]
fn what_fails_after_a_cancel_is_not_tried_again() {
    for attempt in ["open | sleep 10 | fail SERVER 500", "open | sleep 10 | error SERVER", "sleep 10"] {
        let answer = Scene::new(json!({})).request_until(&[attempt], "request");
        assert_eq!((answer.requests, answer.text.contains("note")), (1, false), "{attempt}");
        assert!(!answer.text.contains("tried"), "{}", answer.text);
    }
}
