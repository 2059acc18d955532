//! What is handed on when, and what may be tried again after it.
use crate::run::Scene;
use expect_test::expect;
use serde_json::json;

#[test]
fn batches_pass_in_order_and_each_by_itself() {
    let answer = Scene::new(json!({}))
        .request(&["open | usage | text a | other x | text b & text c | stop"])
        .checked();
    expect![[r#"
        request at 0
        0 opens
        usage
        text a
        other x
        text b
        text c
        0 ends
        stop
    "#]]
    .assert_eq(&answer.text);
}

#[test]
fn what_nobody_could_read_yet_leaves_no_trace_of_a_failed_attempt() {
    for attempt in [
        "open | fail SERVER 500",
        "usage & fail SERVER 500",
        "open | text  | usage | fail SERVER 500",
        "open | ",
    ] {
        let answer = Scene::new(json!({})).request(&[attempt, "text ok | stop"]).checked();
        let attempts = answer.text.lines().filter(|line| line.starts_with("attempt")).collect::<Vec<_>>();
        assert_eq!((answer.requests, attempts.len()), (2, 1), "{attempt}");
        assert!(
            !attempts[0].contains("discard") && answer.text.matches("0 opens").count() == 1,
            "{}",
            answer.text
        );
    }
}

#[test]
fn no_more_is_kept_back_than_an_answer_opens_with() {
    let answer = Scene::new(json!({}))
        .request(&[&format!("{}fail SERVER 500", "text  | ".repeat(256)), "stop"])
        .checked();
    assert_eq!(answer.requests, 2);
    let answer = Scene::new(json!({}))
        .request(&[&format!("{}fail SERVER 500", "text  | ".repeat(257)), "stop"])
        .checked();
    assert_eq!((answer.requests, answer.text.matches("text ").count()), (1, 257));
}

#[test]
fn an_unknown_kind_is_never_kept_waiting() {
    let scene = Scene::new(json!({}));
    let answer = scene.request(&["other x | fail SERVER 500", "text ok | stop"]).checked();
    assert_eq!(answer.requests, 2);
    assert!(answer.text.starts_with("request at 0\nother x\nnote"), "{}", answer.text);
    // What it may belong to goes before it, and has been handed on then.
    let answer = scene.request(&["open | other x | fail SERVER 500"]).checked();
    assert!(answer.text.starts_with("request at 0\n0 opens\nother x\nerror SERVER"), "{}", answer.text);
}

#[test]
fn how_much_output_forbids_another_attempt_is_configured() {
    let attempts = ["text a", "think a", "call a", "think a | call b", "think a | text b"];
    for (after_output, again) in
        [("never", [false; 5]), ("before_text", [false, true, true, true, false]), ("always", [true; 5])]
    {
        for (attempt, again) in attempts.iter().zip(again) {
            for failure in ["fail TRANSPORT", "error TRANSPORT", ""] {
                let scene = Scene::new(json!({"after_output": after_output}));
                let answer = scene.request(&[&format!("{attempt} | {failure}"), "text ok | stop"]);
                assert_eq!(
                    answer.requests == 2,
                    again,
                    "{after_output} {attempt} {failure}: {}",
                    answer.text
                );
                let said = if again {
                    ", discard\n"
                } else {
                    "(not tried again: some of the answer has been handed on)\n"
                };
                assert!(answer.text.contains(said), "{}", answer.text);
            }
        }
    }
}

#[test]
fn an_attempt_after_output_makes_it_void() {
    let scene = Scene::new(json!({"after_output": "always"}));
    let answer = scene
        .request(&["text one | usage | fail TRANSPORT", "fail TRANSPORT", "text two | usage | stop"])
        .checked();
    expect![[r#"
        request at 0
        0 opens
        text one
        usage
        note warn: the connection to the model failed; what it has said of this answer is void; trying again in 1 s (1 of 5)
        attempt 2, TRANSPORT, 1000 ms, discard
        request at 1000
        note warn: the connection to the model failed; what it has said of this answer is void; trying again in 2 s (2 of 5)
        attempt 3, TRANSPORT, 2000 ms, discard
        request at 3000
        0 opens
        text two
        usage
        0 ends
        stop
    "#]]
    .assert_eq(&answer.text);
}

#[test]
fn an_answer_that_is_cut_at_its_limit_is_no_failure() {
    let answer = Scene::new(json!({"after_output": "always"})).request(&["text one | length"]);
    assert_eq!((answer.requests, answer.text.lines().last()), (1, Some("max-tokens")));
}
