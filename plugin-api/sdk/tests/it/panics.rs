//! A panic of author code, wherever it is: an error with its place, or a line in the log; never more than that.
use crate::{
    host::{Lent, create, cx, logged, object, wait},
    probe::{Probe, Probing, call, mount, next, open},
};
use plugin_sdk::glue::Provide;
use std::{
    future::Future as _,
    pin::Pin,
    task::{Context, Waker},
};

/// The file in which the panics of these tests are, and the line of most.
const PLACE: &str = "probe.rs:";

fn is_boom(text: &str, place: &str) {
    let boom = format!(": boom in {place}");
    assert!(
        text.starts_with("PANIC: panicked at ") && text.contains(PLACE) && text.ends_with(&boom),
        "{text}"
    );
    let line = text.split_once(PLACE).and_then(|(_, rest)| rest.split(':').next()?.parse::<u32>().ok());
    assert!(line.is_some_and(|line| line > 0), "{text}");
}

#[test]
fn a_panic_in_create_is_the_error_of_create() {
    let result = create::<Probe, Provide<Probing>>(Lent::default(), r#"{"panics":"create"}"#, false);
    let error = result.into_result().map(drop).unwrap_err();
    is_boom(&format!("{}: {}", error.code, error.message), "create");
    assert_eq!(
        error.hint.as_str(),
        "this is a bug in the plugin: report it to its author with the place above"
    );
}

#[test]
fn a_panic_in_a_call_is_the_error_of_the_call() {
    let instance = mount("{}");
    let service = object(&instance);
    for method in ["call", "call_poll", "call_later", "call_string"] {
        is_boom(&call(&service, method), method);
        assert_eq!(call(&service, "echo"), r#"{"n":1}"#, "the instance is as good as before");
    }
    for method in ["call_number", "call_bomb"] {
        let text = call(&service, method);
        assert!(text.contains(PLACE) && text.ends_with(": a panic without words"), "{text}");
    }
}

#[test]
fn a_panic_in_a_stream_is_its_last_item() {
    let instance = mount("{}");
    let service = object(&instance);
    is_boom(&open(&service, "open"), "open");
    // In place, and on the library's own thread.
    for method in ["stream_poll", "relay_poll"] {
        let text = open(&service, method);
        let (items, error) = text.rsplit_once(" | ").unwrap();
        assert_eq!(items, "0 | 1");
        is_boom(error, method);
    }
}

#[test]
fn an_error_ends_a_stream_whatever_the_author_meant() {
    let instance = mount("{}");
    assert_eq!(open(&object(&instance), "error_and_on"), "0 | NOPE: it does not work");
}

#[test]
fn a_panic_in_a_drop_changes_no_answer_and_is_told() {
    let instance = mount("{}");
    let service = object(&instance);
    assert_eq!(call(&service, "call_done_drop"), r#"{"n":1}"#);
    assert!(logged(&["in a drop: panicked at ", PLACE, "boom in call_done_drop"]));
    assert_eq!(open(&service, "stream_drop"), "0");
    assert!(logged(&["in a drop: panicked at ", PLACE, "boom in stream_drop"]));
}

#[test]
fn work_that_is_dropped_before_its_end_may_panic_too() {
    let instance = mount("{}");
    let service = object(&instance);
    let mut answer = service.call("call_pending_drop".into(), Default::default(), cx());
    assert!(Pin::new(&mut answer).poll(&mut Context::from_waker(Waker::noop())).is_pending());
    drop(answer);
    assert!(logged(&["in a drop: panicked at ", PLACE, "boom in call_pending_drop"]));
    // Never polled at all.
    drop(service.call("call_pending_drop".into(), Default::default(), cx()));
    let mut stream = service.open("stream_drop".into(), Default::default(), cx());
    assert!(next(&mut stream).is_some());
    drop(stream);
    assert_eq!(call(&service, "echo"), r#"{"n":1}"#);
}

#[test]
fn a_panic_at_the_end_of_an_instance_is_told() {
    for place in ["shutdown", "session_closed", "handover", "instance_drop"] {
        let instance = mount(&format!(r#"{{"panics":"{place}"}}"#));
        let service = object(&instance);
        wait(instance.shutdown());
        instance.session_closed("s1".into());
        assert_eq!(instance.handover().head.is_empty(), place == "handover");
        // The last handle is what drops the value, whoever holds it.
        drop(instance);
        assert_eq!(call(&service, "echo"), r#"{"n":1}"#);
        drop(service);
        let expected = match place {
            "instance_drop" => "in a drop: panicked at ".to_owned(),
            "handover" => "boom in handover".to_owned(),
            place => format!("in {place}: panicked at "),
        };
        assert!(logged(&[&expected, PLACE, &format!("boom in {place}")]), "{place}");
    }
}
