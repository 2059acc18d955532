//! What is derived from a log: the history that a provider takes, and the ends that an interrupted turn lacks.
use super::logs::{event, events, log, shown};
use contracts::{
    Block, Message, Part, Speaker,
    session::{Event, History, NewEvent, closers, history, kind},
};
use proptest::{collection::vec, prelude::*, sample::select};
use serde_json::{Value, json};

fn kinds(events: &[NewEvent]) -> Vec<String> {
    let line = |event: &NewEvent| {
        let code = event.data["code"].as_str().or(event.data["status"].as_str()).unwrap_or_default();
        format!("{} {code}", event.kind).trim().to_owned()
    };
    events.iter().map(line).collect()
}

#[test]
fn a_history_is_what_a_provider_takes() {
    for (text, expected) in [
        ("", ""),
        ("turn; user go; step; says hi; step-end; end", "user go; says hi"),
        ("user go; calls a; starts a; answers a; says hi", "user go; calls a; answers a; says hi"),
        // Ids come again in the next response.
        (
            "user go; calls a; answers a; calls a; answers a",
            "user go; calls a; answers a; calls a; answers a",
        ),
        // A result that answers nothing.
        ("user go; answers gone; says fine; user next", "user go; says fine; user next"),
        ("user go; calls a; answers a; answers a; says x", "user go; calls a; answers a; says x"),
        ("user go; calls a; answers b; answers a", "user go; calls a; answers a"),
        // A call that nobody answered.
        (
            "user go; calls a b; answers a",
            "user go; calls a + calls b; answers a; answers b TOOL_NOT_STARTED",
        ),
        (
            "turn; user go; calls a b; starts a; starts b; answers b; turn; user on",
            "user go; calls a + calls b; answers b; answers a TOOL_OUTCOME_UNKNOWN; user on",
        ),
        ("calls a; starts a; says on", "calls a; answers a TOOL_OUTCOME_UNKNOWN; says on"),
        // A message that comes while tools run waits for their results.
        (
            "calls a b; answers a; user wait; answers b; says x",
            "calls a + calls b; answers a; answers b; user wait; says x",
        ),
        ("calls a; user wait", "calls a; answers a TOOL_NOT_STARTED; user wait"),
        // Nothing to say.
        ("user go; says; user again; says hi", "user go; user again; says hi"),
        ("user go; tomorrow/thing; says hi", "user go; says hi"),
        // A replaced stretch keeps calls and results together.
        ("user a; says b; user c; says d; replace 0 2; user e", "user summary; user c; says d; user e"),
        ("user a; calls x; answers x; says b; replace 0 2", "user summary; says b"),
        ("user a; calls x y; answers x; answers y; says b; replace 3 5", "user a; user summary"),
        ("user a; says b; replace 0 2; user c; replace 0 2", "user summary"),
        ("user a; calls x; replace 0 3; user b", "user summary; user b"),
    ] {
        assert_eq!(shown(&history(&log(text)).unwrap()), expected, "{text}");
    }
}

#[test]
fn messages_are_the_parts_that_were_appended() {
    let odd = Part::new(r#"{ "content":[{"text":"\u0061","type":"text"}] ,"role":"user", "later":1}"#);
    let log = events([NewEvent::new(kind::USER_MESSAGE, json!({})).part(odd.clone())]);
    let parts = history(&log).unwrap();
    assert_eq!(parts.get(0).map(Part::bytes), Some(odd.bytes()));
}

#[test]
fn reasoning_is_content_and_empty_text_is_none() {
    let reasoning =
        |text: &str, data: Value| Block::Reasoning { text: text.into(), adapter: "a".into(), data };
    for (content, kept) in [
        (vec![], false),
        (vec![Block::text(""), Block::text("")], false),
        (vec![reasoning("", Value::Null)], false),
        (vec![reasoning("hm", Value::Null)], true),
        (vec![reasoning("", json!({ "signature": "s" }))], true),
        (vec![Block::Unknown], true),
    ] {
        let message = Message::assistant(content.clone()).part();
        let log = events([NewEvent::new(kind::ASSISTANT_MESSAGE, json!({})).part(message)]);
        assert_eq!(history(&log).unwrap().len() == 1, kept, "{content:?}");
    }
}

#[test]
fn an_open_turn_is_closed_with_what_is_known() {
    let interrupted = "turn/end interrupted";
    for (text, expected) in [
        ("", vec![]),
        ("user go", vec![]),
        ("turn; user go; step; calls a; starts a; answers a; step-end; end", vec![]),
        ("turn", vec![interrupted]),
        ("turn; user go; step", vec!["step/end", interrupted]),
        ("turn; user go; step; says hi; step-end", vec![interrupted]),
        (
            "turn; user go; step; calls a b c; starts a; starts b; answers a",
            vec!["tool/result TOOL_OUTCOME_UNKNOWN", "tool/result TOOL_NOT_STARTED", "step/end", interrupted],
        ),
        // The end of the step may be told before its calls are.
        ("turn; step; step-end; calls a", vec!["tool/result TOOL_NOT_STARTED", interrupted]),
        ("turn; calls a; end", vec![]),
        ("turn; calls a; end; turn", vec![interrupted]),
    ] {
        let events = log(text);
        assert_eq!(kinds(&closers(&events).unwrap()), expected, "{text}");
    }
    let closing = closers(&log("turn; end; turn; step")).unwrap();
    assert_eq!(closing[0].data, json!({ "turn": 2, "step": 1 }));
    let message = "the harness stopped before the turn ended";
    assert_eq!(closing[1].data, json!({ "turn": 2, "status": "interrupted", "message": message }));
}

#[test]
fn what_must_be_understood_is_refused_and_what_cannot_be_is_named() {
    let with = |kind: &str, data: Value, parts: &[&str]| {
        let parts = parts.iter().map(|text| Part::new(*text)).collect();
        events([event("user go"), NewEvent { kind: kind.into(), data, parts }])
    };
    let words = |events: &[Event]| {
        history(events).map_or_else(|e| format!("{}: {}", e.code, e.message), |h| shown(&h))
    };
    for (log, expected) in [
        (
            with("x/y", json!({ "required": true }), &[]),
            "SESSION_UNSUPPORTED: event 1 is a `x/y`, which must be understood",
        ),
        (with("x/y", json!({ "required": false }), &[]), "user go"),
        (with("x/y", json!("required"), &["{"]), "user go"),
        (with("tool/note", json!({ "required": true }), &[]), "user go"),
        (
            with("user/message", json!({}), &["{"]),
            "SESSION_CORRUPT: the message of event 1 (`user/message`) cannot be read",
        ),
        (with("user/message", json!({}), &[]), "user go"),
        (
            with("context/replace", json!({ "from_seq": 0, "to_seq": 2 }), &["{}"]),
            "SESSION_CORRUPT: event 1 (`context/replace`)",
        ),
        (
            with("context/replace", json!({ "from_seq": 1, "to_seq": 1 }), &["{}"]),
            "SESSION_CORRUPT: event 1 (`context/replace`)",
        ),
        (
            with("context/replace", json!({ "from_seq": 0, "to_seq": 1 }), &[]),
            "SESSION_CORRUPT: event 1 (`context/replace`)",
        ),
        (with("context/replace", json!([]), &["{}"]), "SESSION_CORRUPT: event 1 (`context/replace`)"),
    ] {
        assert!(words(&log).starts_with(expected), "{}", words(&log));
    }
}

/// Any line that [`event`] reads, sensible or not.
fn line() -> impl Strategy<Value = NewEvent> {
    let id = || select(vec!["a", "b", "c"]);
    prop_oneof![
        Just("turn".to_owned()),
        Just("end".to_owned()),
        Just("step".to_owned()),
        Just("step-end".to_owned()),
        Just("user go".to_owned()),
        Just("says hi".to_owned()),
        Just("says".to_owned()),
        vec(id(), 1..4).prop_map(|ids| format!("calls {}", ids.join(" "))),
        id().prop_map(|id| format!("starts {id}")),
        id().prop_map(|id| format!("answers {id}")),
        Just("later/kind".to_owned()),
    ]
    .prop_map(|line| event(&line))
}

/// Whether every call has its result behind it before anything else comes, and no result is without a call.
fn is_paired(parts: &contracts::Parts) -> bool {
    let mut open: Vec<String> = Vec::new();
    for part in parts.iter() {
        let Message { role, content, .. } = Message::from_part(part).unwrap();
        let result = content.iter().find_map(|b| match b {
            Block::ToolResult { call_id, .. } => Some(call_id.clone()),
            _ => None,
        });
        match result {
            Some(id) => match open.iter().position(|call| *call == id) {
                Some(at) => drop(open.remove(at)),
                None => return false,
            },
            None if !open.is_empty() => return false,
            None if role == Speaker::Assistant => {
                open.extend(content.into_iter().filter_map(|b| match b {
                    Block::ToolCall { id, .. } => Some(id),
                    _ => None,
                }));
            }
            None => {}
        }
    }
    open.is_empty()
}

proptest! {
    #[test]
    fn any_log_cut_anywhere_closes_once_and_keeps_its_history(lines in vec(line(), 0..40), cut in any::<prop::sample::Index>()) {
        let lines = &lines[..cut.index(lines.len() + 1)];
        let before = events(lines.iter().cloned());
        let parts = history(&before).unwrap();
        prop_assert!(is_paired(&parts), "{}", shown(&parts));
        let closing = closers(&before).unwrap();
        let after = events(lines.iter().cloned().chain(closing));
        prop_assert_eq!(closers(&after).unwrap(), vec![]);
        prop_assert_eq!(history(&after).unwrap(), parts);
    }

    #[test]
    fn a_history_grows_by_what_comes(lines in vec(line(), 0..40)) {
        let mut grown = History::new();
        for (seq, line) in lines.iter().enumerate() {
            grown.push(line, seq as u64).unwrap();
            let events = events(lines[..=seq].iter().cloned());
            prop_assert_eq!(grown.parts(), history(&events).unwrap());
            prop_assert_eq!(grown.closers(), closers(&events).unwrap());
        }
    }

    #[test]
    fn a_replaced_stretch_leaves_every_call_with_its_result(
        lines in vec(line(), 1..30), from in any::<prop::sample::Index>(), to in any::<prop::sample::Index>(),
    ) {
        let mut history = History::new();
        for (seq, line) in lines.iter().enumerate() {
            history.push(line, seq as u64).unwrap();
        }
        let len = history.parts().len();
        prop_assume!(len > 0);
        let (from, to) = (from.index(len), to.index(len));
        let replace = event(&format!("replace {} {}", from.min(to), from.max(to) + 1));
        history.push(&replace, lines.len() as u64).unwrap();
        prop_assert!(is_paired(&history.parts()), "{}", shown(&history.parts()));
    }
}
