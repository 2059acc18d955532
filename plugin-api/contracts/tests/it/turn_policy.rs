//! `turn-policy`: what a policy says is what a loop hears, and an empty slot says yes.
mod recent;

use crate::{
    clock::quiet,
    stage::{Canned, empty, now, serve},
};
use contracts::{
    Cx, Error, Part, Parts, Payload, Result, Usage,
    tools::{ToolCall, ToolResult},
    turn_policy::{self, Client, Enter, RecentCalls, StepFacts, Stop, Totals, TurnFacts, TurnPolicy},
};
use std::sync::{Arc, Mutex};

#[derive(Clone)]
struct Policy {
    enter: Result<Enter>,
    stop: Result<Stop>,
    seen: Arc<Mutex<Vec<TurnFacts>>>,
}

impl TurnPolicy for Policy {
    async fn before_step(&self, step: StepFacts, _: &Cx) -> Result<Enter> {
        self.seen.lock().unwrap().push(TurnFacts { step, ..TurnFacts::default() });
        self.enter.clone()
    }
    async fn before_stop(&self, facts: TurnFacts, _: &Cx) -> Result<Stop> {
        self.seen.lock().unwrap().push(facts);
        self.stop.clone()
    }
}

fn policy(enter: Result<Enter>, stop: Result<Stop>) -> Policy {
    Policy { enter, stop, seen: Arc::default() }
}

fn facts() -> TurnFacts {
    let usage = Usage { input_tokens: 7, output_tokens: 3, cache_read_tokens: Some(2), ..Usage::default() };
    let totals = Totals {
        steps: 2,
        tool_calls: 3,
        tool_errors: 1,
        usage,
        unmetered_steps: 1,
        cost: Some(0.25),
        elapsed_ms: 1500,
    };
    let previous = Some(Totals { steps: 1, ..Totals::default() });
    let mut recent = RecentCalls::default();
    recent.add(
        2,
        &ToolCall::new("1", "read_file", r#"{"path":"a"}"#),
        &ToolResult::error("FS_NOT_FOUND", "no"),
    );
    let step = StepFacts {
        session: "s1".into(),
        turn: 2,
        step: 3,
        model: "m".into(),
        totals,
        previous,
        recent_calls: Some(recent.list()),
    };
    TurnFacts { step, text: "all done".into(), continues: 1 }
}

fn messages(n: usize) -> Vec<Part> {
    (0..n).map(|i| Part::new(format!("message {i}"))).collect()
}

#[test]
fn what_a_policy_says_is_what_a_loop_hears() {
    let reject = |code: &str, resumable| Enter::Reject {
        code: code.into(),
        message: "no".into(),
        hint: "ask again".into(),
        resumable,
    };
    for enter in [
        Enter::Enter { inject: messages(0) },
        Enter::Enter { inject: messages(2) },
        reject("LIMIT_STEPS", true),
        reject("DENIED", false),
    ] {
        let policy = policy(Ok(enter.clone()), Ok(Stop::Stop));
        let client = Client::from(serve::<turn_policy::Contract, _>(policy.clone()));
        assert_eq!(now(client.before_step(&facts().step, &quiet())).unwrap(), enter);
        assert_eq!(policy.seen.lock().unwrap()[0].step, facts().step);
    }
    for stop in [Stop::Stop, Stop::Continue { inject: messages(1) }, Stop::Continue { inject: messages(3) }] {
        let policy = policy(Ok(Enter::Enter { inject: vec![] }), Ok(stop.clone()));
        let client = Client::from(serve::<turn_policy::Contract, _>(policy.clone()));
        assert_eq!(now(client.before_stop(&facts(), &quiet())).unwrap(), stop);
        assert_eq!(policy.seen.lock().unwrap()[..], [facts()]);
    }
}

#[test]
fn an_empty_slot_enters_and_stops() {
    let client = Client::from(empty());
    assert_eq!(now(client.before_step(&facts().step, &quiet())).unwrap(), Enter::Enter { inject: vec![] });
    assert_eq!(now(client.before_stop(&facts(), &quiet())).unwrap(), Stop::Stop);
}

#[test]
fn an_error_of_a_policy_is_an_error_also_when_something_behind_it_is_not_mounted() {
    for error in [
        Error::new("NOT_MOUNTED", "the service `judge` is not mounted"),
        Error::new("SERVER", "the judge is ill").hint("ask again"),
    ] {
        let client =
            Client::from(serve::<turn_policy::Contract, _>(policy(Err(error.clone()), Err(error.clone()))));
        assert_eq!(now(client.before_step(&facts().step, &quiet())).unwrap_err(), error);
        assert_eq!(now(client.before_stop(&facts(), &quiet())).unwrap_err(), error);
    }
}

#[test]
fn an_answer_of_another_shape_is_refused() {
    let answer = |method: &str, head: &str, n: usize| {
        let canned = Canned {
            answer: Some(Ok(Payload::new(head, messages(n).into_iter().collect()))),
            ..Canned::default()
        };
        let client = Client::from(canned.raw());
        let error = match method {
            "before_step" => now(client.before_step(&facts().step, &quiet())).err(),
            _ => now(client.before_stop(&facts(), &quiet())).err(),
        };
        error.map(|error| format!("{}: {}", error.code, error.message)).unwrap_or_default()
    };
    for (method, head, n, expected) in [
        ("before_step", r#"{"enter":{}}"#, 0, ""),
        ("before_step", r#"{"enter":{"inject":1,"later":true}}"#, 2, ""),
        ("before_step", r#"{"reject":{"code":"X"}}"#, 0, ""),
        ("before_step", r#"{"enter":{"inject":2}}"#, 1, "BAD_PAYLOAD: turn-policy: 2 messages said, 1 sent"),
        (
            "before_step",
            r#"{"enter":{"inject":18446744073709551615}}"#,
            1,
            "BAD_PAYLOAD: turn-policy: 18446744073709551615 messages said, 1 sent",
        ),
        (
            "before_step",
            "{}",
            0,
            "BAD_PAYLOAD: the answer of `before_step`: expected an object with one key (at character 2)",
        ),
        ("before_step", "", 0, "BAD_PAYLOAD: the answer of `before_step`: this is not JSON (at character 0)"),
        (
            "before_step",
            r#"{"stop":{}}"#,
            0,
            "BAD_PAYLOAD: the answer of `before_step`: expected `enter` or `reject`, not `stop` (at character 7)",
        ),
        ("before_stop", r#"{"stop":{}}"#, 0, ""),
        ("before_stop", r#"{"continue":{"inject":1}}"#, 1, ""),
        (
            "before_stop",
            r#"{"continue":{}}"#,
            1,
            "BAD_PAYLOAD: turn-policy: a turn was made to go on with no message",
        ),
        (
            "before_stop",
            r#"{"continue":{"inject":2}}"#,
            0,
            "BAD_PAYLOAD: turn-policy: 2 messages said, 0 sent",
        ),
        (
            "before_stop",
            r#"{"continue":{"inject":-1}}"#,
            0,
            "BAD_PAYLOAD: the answer of `before_stop`: expected a whole number that is not negative, not `-1` (at character 24)",
        ),
    ] {
        assert_eq!(answer(method, head, n), expected, "{head}");
    }
}

#[test]
fn a_policy_that_goes_on_with_nothing_is_refused() {
    let policy = policy(Ok(Enter::Enter { inject: vec![] }), Ok(Stop::Continue { inject: vec![] }));
    let client = Client::from(serve::<turn_policy::Contract, _>(policy));
    assert_eq!(&*now(client.before_stop(&facts(), &quiet())).unwrap_err().code, "BAD_PAYLOAD");
}

#[test]
fn facts_are_flat_and_what_is_missing_is_zero() {
    let head = serde_json::to_value(facts()).unwrap();
    assert_eq!(
        head,
        serde_json::json!({
            "session": "s1", "turn": 2, "step": 3, "model": "m", "text": "all done", "continues": 1,
            "totals": { "steps": 2, "tool_calls": 3, "tool_errors": 1, "elapsed_ms": 1500, "unmetered_steps": 1, "cost": 0.25,
                        "usage": { "input_tokens": 7, "output_tokens": 3, "cache_read_tokens": 2 } },
            "previous": { "steps": 1, "tool_calls": 0, "tool_errors": 0, "elapsed_ms": 0, "unmetered_steps": 0,
                          "usage": { "input_tokens": 0, "output_tokens": 0 } },
            "recent_calls": [{ "step": 2, "name": "read_file", "arguments": "9415daed6a2a6dd4", "result": "c458f6755c9d2a9f", "is_error": true }],
        })
    );
    let client = Client::from(serve::<turn_policy::Contract, _>(policy(
        Ok(Enter::Enter { inject: vec![] }),
        Ok(Stop::Stop),
    )));
    for head in ["{}", r#"{"later":1}"#, r#"{"totals":{"later":1}}"#] {
        let answer =
            now(client.raw().call("before_stop", Payload::new(head, Parts::new()), &quiet())).unwrap();
        assert_eq!(answer.head.as_str(), r#"{"stop":{}}"#);
    }
    let error = now(client.raw().call("before_step", Payload::new("[", Parts::new()), &quiet())).unwrap_err();
    assert_eq!(&*error.code, "BAD_PAYLOAD");
    let error = now(client.raw().call("after_stop", Payload::default(), &quiet())).unwrap_err();
    assert_eq!(&*error.code, "NO_METHOD");
}
