//! The context of a call: its time, its end, its run.
use crate::{
    clock::{Clock, quiet},
    stage::{Alive, ByHand, now},
};
use contracts::{Answer, Choice, Cx, Question};
use plugin_api::TraceCx;
use serde_json::json;
use std::{future::pending, task::Poll, time::Duration};

const SECOND: Duration = Duration::from_secs(1);

#[test]
fn a_deadline_only_ever_comes_nearer() {
    // The clock starts anywhere, at nought as well.
    for start in [Duration::ZERO, SECOND, Duration::from_secs(1 << 33)] {
        let clock = Clock::at(start);
        let (cx, _) = clock.cx();
        assert_eq!(cx.now(), start);
        assert_eq!(cx.remaining(), None);
        let ten = cx.clone().within(10 * SECOND);
        assert_eq!(ten.remaining(), Some(10 * SECOND));
        assert_eq!(ten.clone().within(3 * SECOND).remaining(), Some(3 * SECOND));
        assert_eq!(ten.clone().within(30 * SECOND).remaining(), Some(10 * SECOND));
        assert!(
            cx.clone()
                .within(Duration::MAX)
                .remaining()
                .is_some_and(|left| left > 100 * 365 * 24 * 3600 * SECOND)
        );
        let none = cx.within(Duration::ZERO).remaining();
        assert!(
            none.is_some_and(|left| left <= Duration::from_nanos(1)),
            "no time is not all the time: {none:?}"
        );
        clock.advance(4 * SECOND);
        assert_eq!(ten.remaining(), Some(6 * SECOND));
        clock.advance(60 * SECOND);
        assert_eq!(ten.remaining(), Some(Duration::ZERO));
    }
}

#[test]
fn a_sleep_ends_with_its_time() {
    let clock = Clock::new();
    let mut sleep = ByHand::new(clock.cx().0.sleep(SECOND));
    assert_eq!(sleep.poll(), Poll::Pending);
    clock.advance(SECOND - Duration::from_nanos(1));
    assert!(!sleep.woken());
    clock.advance(Duration::from_nanos(1));
    assert!(sleep.woken());
    assert_eq!(sleep.poll(), Poll::Ready(()));
}

#[test]
fn work_runs_until_it_is_done_or_unwanted() {
    let (cx, cancel) = Clock::new().cx();
    assert_eq!(now(cx.until_cancelled(async { 7 })).unwrap(), 7);
    let alive = Alive::default();
    let held = alive.clone();
    let mut work = ByHand::new(cx.until_cancelled(async move {
        let _held = held;
        pending::<()>().await
    }));
    assert_eq!(work.poll(), Poll::Pending);
    cancel.cancel("ctrl-c".into());
    assert!(work.woken());
    let Poll::Ready(Err(error)) = work.poll() else { panic!("it is unwanted") };
    assert_eq!((&*error.code, error.message.as_str()), ("ABORTED", "aborted: ctrl-c"));
    drop(work);
    assert_eq!(alive.others(), 0);
    assert_eq!(now(cx.until_cancelled(async { 7 })).unwrap(), 7, "what needs no waiting is done");
    assert!(cx.is_cancelled());
    assert_eq!(cx.cancel_reason(), "ctrl-c");
}

#[test]
fn a_child_is_fired_with_its_parent_or_alone() {
    let (cx, cancel) = Clock::new().cx();
    let (first, fire_first) = cx.child();
    let (second, _) = cx.child();
    fire_first.cancel("timeout".into());
    let fired = |cx: &Cx| (cx.is_cancelled(), cx.cancel_reason());
    assert_eq!(fired(&first), (true, "timeout".into()));
    assert_eq!(fired(&cx), (false, String::new()));
    assert_eq!(fired(&second), (false, String::new()));
    cancel.cancel("ctrl-c".into());
    assert_eq!(fired(&second), (true, "ctrl-c".into()));
    assert_eq!(fired(&first), (true, "timeout".into()), "the first reason stays");
    assert_eq!(fired(&cx.child().0), (true, "ctrl-c".into()), "a child of what is fired is fired");
    assert_eq!(first.session(), cx.session());
}

#[test]
fn a_child_session_is_a_run_of_its_own_with_the_same_people_behind_it() {
    let clock = Clock::new().answering(r#"{"choice":"yes"}"#);
    let (cx, cancel) = clock.cx();
    assert_eq!((cx.session(), cx.parent()), ("s1".into(), None));
    let child = cx.within(10 * SECOND).child_session("s2");
    assert_eq!((child.session(), child.parent()), ("s2".into(), Some("s1".into())));
    assert_eq!(child.remaining(), Some(10 * SECOND));
    child.emit("step", &json!({ "n": 1 }));
    child.note("warn", "look out");
    assert!(now(child.ask(&Question::default())).is_ok());
    let told = clock.told();
    assert_eq!(told[..2], [r#"s2 step {"n":1}"#, r#"s2 note {"level":"warn","text":"look out"}"#]);
    assert!(told[2].starts_with("s2 ask {"));
    cancel.cancel("ctrl-c".into());
    assert!(child.is_cancelled());
}

#[test]
fn a_question_is_asked_and_answered_in_json() {
    let choice = |id: &str, label: &str| Choice { id: id.into(), label: label.into() };
    let question = Question {
        id: "q1".into(),
        title: "Run it?".into(),
        body: "rm -r build".into(),
        choices: vec![choice("yes", "Run it"), choice("no", "Do not")],
        default: Some("no".into()),
        timeout_ms: 500,
    };
    let ask = |clock: &Clock| now(clock.cx().0.ask(&question)).map_err(|error| error.code.into_owned());
    let clock = Clock::new().answering(r#"{"choice":"yes","remember":true,"later":1}"#);
    assert_eq!(ask(&clock), Ok(Answer { choice: "yes".into(), remember: true }));
    let asked: Question = serde_json::from_str(clock.told()[0].strip_prefix("s1 ask ").unwrap()).unwrap();
    assert_eq!(asked, question);
    assert_eq!(
        ask(&Clock::new().answering(r#"{"choice":"no"}"#)),
        Ok(Answer { choice: "no".into(), remember: false })
    );
    assert_eq!(ask(&Clock::new()), Err("NO_ONE_TO_ASK".into()));
    assert!(ask(&Clock::new().answering("{}")).is_err());
}

#[test]
fn a_traced_call_has_a_traceparent() {
    assert_eq!(quiet().traceparent(), None);
    let (mut abi, _) = Clock::new().abi();
    abi.trace = TraceCx {
        trace_id: [
            0x0a, 0xf7, 0x65, 0x19, 0x16, 0xcd, 0x43, 0xdd, 0x84, 0x48, 0xeb, 0x21, 0x1c, 0x80, 0x31, 0x9c,
        ],
        span_id: [0xb7, 0xad, 0x6b, 0x71, 0x69, 0x20, 0x33, 0x31],
        flags: 1,
    };
    let cx = Cx::from(abi);
    let expected = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    assert_eq!(cx.traceparent().as_deref(), Some(expected));
    assert_eq!(cx.child_session("s2").traceparent().as_deref(), Some(expected));
}
