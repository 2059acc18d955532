//! `dispatch`: one result a call, one after the other or side by side.
use crate::{
    clock::{Clock, quiet},
    notation::shown_event,
    stage::{ByHand, Canned, all, empty, serve},
};
use contracts::{
    Cx, Error, Item as _, Payload, Result,
    dispatch::{self, CallEvent, Client, Dispatch, serial},
    tools::{self, ToolCall, ToolEvent, ToolList, ToolResult, Tools},
};
use futures_util::{Stream, StreamExt as _, stream};
use plugin_api::RChunk;
use std::{
    future::poll_fn,
    sync::{Arc, Mutex},
    task::Poll,
    time::Duration,
};

fn calls(names: &[&str]) -> Vec<ToolCall> {
    names.iter().zip(1..).map(|(name, n)| ToolCall::new(format!("c{n}"), *name, "{}")).collect()
}

fn shown(events: &[CallEvent]) -> String {
    events.iter().map(|e| format!("{}: {}", e.index, shown_event(&e.event))).collect::<Vec<_>>().join("; ")
}

/// Says when each call starts and ends; a call named `wait` ends once the test opens the gate.
#[derive(Default)]
struct Gate {
    log: Mutex<Vec<String>>,
    open: Mutex<bool>,
}

struct Logged(Arc<Gate>);

impl Tools for Logged {
    async fn list(&self, _: Option<String>, _: &Cx) -> Result<ToolList> {
        Ok(ToolList::Unchanged)
    }
    fn execute(&self, call: ToolCall, _: Cx) -> impl Stream<Item = ToolEvent> + Send + 'static {
        let gate = Arc::clone(&self.0);
        stream::once(async move {
            let say = |what: &str| gate.log.lock().unwrap().push(format!("{what} {}", call.id));
            say("start");
            poll_fn(|_| {
                let goes = call.name != "wait" || *gate.open.lock().unwrap();
                if goes { Poll::Ready(()) } else { Poll::Pending }
            })
            .await;
            say("end");
            ToolEvent::Result(ToolResult::ok(call.id.clone()))
        })
    }
}

#[test]
fn serial_runs_one_call_after_the_other() {
    let gate = Arc::<Gate>::default();
    let tools = tools::Client::from(serve::<tools::Contract, _>(Logged(Arc::clone(&gate))));
    let log = || gate.log.lock().unwrap().join(", ");
    let mut running = ByHand::new(serial(&tools, &calls(&["go", "wait", "go"]), &quiet()));
    let Poll::Ready(Some(first)) = running.next() else { panic!("the first call does not wait") };
    assert_eq!(shown(&[first]), "0: ok c1");
    assert_eq!(running.next(), Poll::Pending);
    assert_eq!(log(), "start c1, end c1, start c2", "the third waits for the second");
    *gate.open.lock().unwrap() = true;
    assert_eq!(shown(&all(running.work)), "1: ok c2; 2: ok c3");
    assert_eq!(log(), "start c1, end c1, start c2, end c2, start c3, end c3");
}

#[test]
fn serial_of_no_calls_is_empty() {
    let tools = tools::Client::from(empty());
    assert_eq!(all(serial(&tools, &[], &quiet())), []);
    assert_eq!(
        shown(&all(serial(&tools, &calls(&["f"]), &quiet()))),
        "0: failed UNKNOWN_TOOL Error: unknown tool `f`"
    );
}

#[test]
fn after_a_cancel_serial_starts_nothing() {
    let not_started = "stated ABORTED_BEFORE_DISPATCH Error: tool call aborted before it started";
    let gate = Arc::<Gate>::default();
    let tools = tools::Client::from(serve::<tools::Contract, _>(Logged(Arc::clone(&gate))));
    let (cx, cancel) = Clock::new().cx();
    let mut running = ByHand::new(serial(&tools, &calls(&["go", "wait", "go", "go"]), &cx));
    assert!(running.next().is_ready());
    assert_eq!(running.next(), Poll::Pending);
    cancel.cancel("ctrl-c".into());
    // What runs is asked to end, and has its own word; here it ends as if nothing had been.
    *gate.open.lock().unwrap() = true;
    assert_eq!(shown(&all(running.work)), format!("1: ok c2; 2: {not_started}; 3: {not_started}"));
    assert_eq!(gate.log.lock().unwrap().join(", "), "start c1, end c1, start c2, end c2");

    let before = shown(&all(serial(&tools, &calls(&["go", "go"]), &cx)));
    assert_eq!(before, format!("0: {not_started}; 1: {not_started}"));
    assert_eq!(gate.log.lock().unwrap().len(), 4, "nothing has started");
}

fn event(index: u32, event: ToolEvent) -> RChunk {
    CallEvent { index, event }.into_chunk()
}

fn ok(index: u32, text: &str) -> RChunk {
    event(index, ToolEvent::Result(ToolResult::ok(text)))
}

fn progress(index: u32, text: &str) -> RChunk {
    event(index, ToolEvent::Progress(text.into()))
}

#[test]
fn each_call_has_one_result_whatever_the_dispatcher_does() {
    let none = "stated NO_RESULT Error: the dispatcher ended without a result of this call; whether it had an effect is unknown";
    let broken = || Err(Error::new("PANIC", "panicked at row.rs:7"));
    let stated = "stated PANIC Error: panicked at row.rs:7";
    let batch = |chunks: Vec<RChunk>| Ok(chunks.into_iter().collect());
    for (batches, expected) in [
        (vec![batch(vec![ok(0, "a"), ok(1, "b")])], "0: ok a; 1: ok b".to_owned()),
        // In any order, with progress between.
        (
            vec![batch(vec![progress(0, "x"), ok(1, "b")]), batch(vec![ok(0, "a")])],
            "0: + x; 1: ok b; 0: ok a".into(),
        ),
        (
            vec![batch(vec![event(1, ToolEvent::Other(RChunk::text(9, 1, ""))), ok(0, "a"), ok(1, "b")])],
            "1: other 9; 0: ok a; 1: ok b".into(),
        ),
        // Left out.
        (vec![batch(vec![ok(1, "b")])], format!("1: ok b; 0: {none}")),
        (vec![], format!("0: {none}; 1: {none}")),
        // Repeated, or going on after the result.
        (
            vec![batch(vec![ok(0, "a"), ok(0, "again"), progress(0, "late"), ok(1, "b")])],
            "0: ok a; 1: ok b".into(),
        ),
        // Of no call.
        (
            vec![batch(vec![ok(2, "c"), progress(u32::MAX, "x"), ok(0, "a"), ok(1, "b")])],
            "0: ok a; 1: ok b".into(),
        ),
        // An error stands for what is still open.
        (vec![broken()], format!("0: {stated}; 1: {stated}")),
        (vec![batch(vec![ok(1, "b")]), broken()], format!("1: ok b; 0: {stated}")),
        (vec![batch(vec![ok(0, "a"), ok(1, "b")]), broken()], "0: ok a; 1: ok b".into()),
        (
            vec![batch(vec![ok(0, "a"), RChunk::data(3, 1, "nonsense")])],
            "0: ok a; 1: stated BAD_PAYLOAD Error: result: this is not JSON (at character 2) (`harness rows` shows \
             the rows of the slot: report this to the author of the one at fault)".into(),
        ),
    ] {
        let client = Client::from(Canned::streaming(batches).raw());
        assert_eq!(shown(&all(client.run(&calls(&["f", "g"]), &quiet()))), expected);
    }
    let client = Client::from(Canned::default().raw());
    assert_eq!(all(client.run(&[], &quiet())), []);
}

#[test]
fn the_stream_ends_with_the_last_result_though_the_dispatcher_does_not() {
    let batch = Ok([ok(1, "b"), ok(0, "a")].into_iter().collect());
    let client = Client::from(Canned { hangs: true, ..Canned::streaming(vec![batch]) }.raw());
    assert_eq!(shown(&all(client.run(&calls(&["f", "g"]), &quiet()))), "1: ok b; 0: ok a");
}

/// Has a result of the first call, and then, for ever, either nothing or a word of the second.
struct Deaf {
    talks: bool,
}

impl Dispatch for Deaf {
    fn run(&self, _: Vec<ToolCall>, _: Cx) -> impl Stream<Item = CallEvent> + Send + 'static {
        let first = CallEvent { index: 0, event: ToolEvent::Result(ToolResult::ok("a")) };
        let word = CallEvent { index: 1, event: ToolEvent::Progress("la".into()) };
        let rest =
            if self.talks { stream::repeat(word).left_stream() } else { stream::pending().right_stream() };
        stream::iter([first]).chain(rest)
    }
}

#[test]
fn a_deaf_dispatcher_is_dropped_after_its_calls_had_their_time() {
    for talks in [false, true] {
        let clock = Clock::new();
        let (cx, cancel) = clock.cx();
        let client = Client::from(serve::<dispatch::Contract, _>(Deaf { talks }));
        let mut running = ByHand::new(client.run(&calls(&["f", "g"]), &cx));
        assert!(running.next().is_ready());
        clock.advance(Duration::from_secs(1000));
        assert_eq!(running.next().is_ready(), talks, "nobody has asked for an end");
        cancel.cancel("ctrl-c".into());
        assert_eq!(running.next().is_ready(), talks);
        clock.advance(contracts::cx::GRACE);
        assert_eq!(running.next().is_ready(), talks, "its calls may just have ended");
        clock.advance(Duration::from_millis(250));
        let expected = "1: stated ABORTED Error: the call was aborted; whether it had an effect is unknown";
        assert_eq!(shown(&all(running.work)), expected);
    }
}

#[test]
fn an_empty_slot_can_be_told() {
    assert!(!Client::from(empty()).is_mounted());
    let client = Client::from(Canned::default().raw());
    assert!(client.is_mounted());
    let nowhere = Client::from(empty()).run(&calls(&["f"]), &quiet());
    assert_eq!(shown(&all(nowhere)), "0: stated NOT_MOUNTED Error: nothing is mounted there");
}

#[test]
fn a_dispatcher_gets_the_calls_as_they_were_made() {
    struct Echo;
    impl Dispatch for Echo {
        fn run(&self, calls: Vec<ToolCall>, _: Cx) -> impl Stream<Item = CallEvent> + Send + 'static {
            stream::iter(calls.into_iter().zip(0..)).map(|(call, index)| CallEvent {
                index,
                event: ToolEvent::Result(ToolResult::ok(format!(
                    "{} {} {} {:?}",
                    call.id,
                    call.name,
                    call.arguments_text(),
                    call.key
                ))),
            })
        }
    }
    let client = Client::from(serve::<dispatch::Contract, _>(Echo));
    let calls = [
        ToolCall::new("c1", "f", r#"{"a":1}"#),
        ToolCall::new("c2", "g", ""),
        ToolCall { key: Some("k".into()), ..ToolCall::new("c3", "f", "[]") },
    ];
    let expected = r#"0: ok c1 f {"a":1} None; 1: ok c2 g {} None; 2: ok c3 f [] Some("k")"#;
    assert_eq!(shown(&all(client.run(&calls, &quiet()))), expected);
    let bad = Payload::new(r#"{"calls":[{"id":1}]}"#, Default::default());
    let items = all(client.raw().items::<CallEvent>("run", bad, &quiet()));
    assert_eq!(items.len(), 1);
    assert_eq!(&*items[0].as_ref().unwrap_err().code, "BAD_PAYLOAD");
}
