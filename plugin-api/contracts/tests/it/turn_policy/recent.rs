//! The latest calls: what counts as the same, and how much is remembered.
use contracts::{
    tools::{ToolCall, ToolResult},
    turn_policy::{RECENT_CALLS_MAX, RecentCall, RecentCalls},
};
use proptest::prelude::*;
use serde_json::{Value, json};

fn recent(arguments: &str, result: &ToolResult) -> RecentCall {
    let mut calls = RecentCalls::default();
    calls.add(1, &ToolCall::new("call", "read_file", arguments), result);
    calls.list().remove(0)
}

#[test]
fn arguments_are_the_same_as_values_and_not_as_text() {
    let ok = ToolResult::ok("a");
    for (one, other, same) in [
        (r#"{"x":1,"y":2}"#, r#"{ "y": 2, "x": 1 }"#, true),
        (r#"{"a":{"x":1,"y":[{"p":1,"q":2}]}}"#, r#"{"a":{"y":[{"q":2,"p":1}],"x":1}}"#, true),
        ("", "{}", true),
        ("", " {} ", true),
        (r#"{"x":1}"#, r#"{"x":2}"#, false),
        (r#"{"x":1}"#, r#"{"x":"1"}"#, false),
        (r#"{"x":[1,2]}"#, r#"{"x":[2,1]}"#, false),
        ("{", "{", true),
        ("{", "{ {", false),
    ] {
        assert_eq!(recent(one, &ok).arguments == recent(other, &ok).arguments, same, "{one} and {other}");
    }
}

#[test]
fn results_are_the_same_when_the_model_reads_the_same() {
    let (a, b, failed) = (ToolResult::ok("a"), ToolResult::ok("b"), ToolResult::error("X", "a"));
    assert_eq!(recent("{}", &a), recent("{}", &a.clone()));
    assert_ne!(recent("{}", &a), recent("{}", &b));
    assert_ne!(recent("{}", &a), recent("{}", &failed));
}

#[test]
fn a_digest_is_the_same_in_every_process() {
    let call = recent(r#"{"path":"a.txt"}"#, &ToolResult::ok("content"));
    assert_eq!(
        serde_json::to_value(call).unwrap(),
        json!({"step": 1, "name": "read_file", "arguments": "c3c003103fcf4f14", "result": "3fba5250be9ac259"})
    );
}

#[test]
fn the_latest_are_kept_and_a_person_makes_them_forgotten() {
    let mut calls = RecentCalls::default();
    for step in 1..=70 {
        calls.add(step, &ToolCall::new("call", "wait", ""), &ToolResult::ok(""));
    }
    let steps: Vec<u32> = calls.list().iter().map(|call| call.step).collect();
    assert_eq!(steps, (39..=70).collect::<Vec<_>>());
    assert_eq!(steps.len(), RECENT_CALLS_MAX);
    calls.forget();
    assert_eq!(calls, RecentCalls::default());
}

proptest! {
    #[test]
    fn how_a_value_is_written_does_not_matter(keys in proptest::collection::btree_map("[a-z]{1,3}", any::<i64>(), 0..6)) {
        let written = |pairs: Vec<(&String, &i64)>| {
            let pairs: Vec<String> = pairs.iter().map(|(key, value)| format!(" {key:?} :\n{value}")).collect();
            format!("{{{}}}", pairs.join(","))
        };
        let (forth, back) = (written(keys.iter().collect()), written(keys.iter().rev().collect()));
        let ok = ToolResult::ok("");
        prop_assert_eq!(recent(&forth, &ok), recent(&back, &ok));
        let compact = serde_json::to_string(&serde_json::from_str::<Value>(&back).unwrap()).unwrap();
        prop_assert_eq!(recent(&compact, &ok), recent(&back, &ok));
    }

    #[test]
    fn any_text_is_taken(arguments in ".{0,40}", result in ".{0,40}") {
        let call = recent(&arguments, &ToolResult::ok(result));
        prop_assert!(call.arguments.len() == 16 && call.result.len() == 16);
    }
}
