//! `tools`: a list with a generation, and a call that has exactly one result, last.
use crate::{
    clock::{Clock, quiet},
    notation::{shown_event, shown_events},
    stage::{Alive, ByHand, Canned, all, empty, now, serve},
};
use contracts::{
    Block, Cx, Error, Item as _, Message, Part, Parts, Payload, Result, Speaker,
    tools::{self, Client, ToolCall, ToolEvent, ToolList, ToolResult, ToolSchema, Tools},
};
use futures_util::{Stream, StreamExt as _, stream};
use plugin_api::RChunk;
use serde_json::json;
use std::{task::Poll, time::Duration};

fn events(batches: Vec<Result<Vec<ToolEvent>>>) -> Canned {
    let batch = |events: Vec<ToolEvent>| events.into_iter().map(ToolEvent::into_chunk).collect();
    Canned::streaming(batches.into_iter().map(|events| events.map(batch)).collect())
}

fn call(name: &str, arguments: &str) -> ToolCall {
    ToolCall::new("c1", name, arguments)
}

fn executed(canned: Canned) -> String {
    shown_events(&all(Client::from(canned.raw()).execute(&call("f", "{}"), &quiet())))
}

#[test]
fn a_call_has_exactly_one_result_whatever_the_tool_does() {
    let progress = |text: &str| ToolEvent::Progress(text.into());
    let ok = |text: &str| ToolEvent::Result(ToolResult::ok(text));
    let error = || Err(Error::new("PANIC", "panicked at tool.rs:7: oh").hint("report it"));
    let none = "stated NO_RESULT Error: `f` ended without a result; whether it had an effect is unknown";
    for (batches, expected) in [
        (vec![Ok(vec![ok("done")])], "ok done".to_owned()),
        (vec![Ok(vec![progress("a"), progress("b")]), Ok(vec![ok("done")])], "+ a; + b; ok done".into()),
        (
            vec![Ok(vec![ToolEvent::Note { kind: "k".into(), data: json!({ "n": 1 }) }, ok("")])],
            r#"note k {"n":1}; ok "#.into(),
        ),
        (
            vec![Ok(vec![ToolEvent::Result(ToolResult::error("FS_NOT_FOUND", "no"))])],
            "failed FS_NOT_FOUND no".into(),
        ),
        // A kind that is not known is handed on.
        (vec![Ok(vec![ToolEvent::Other(RChunk::text(9, 0, "new")), ok("done")])], "other 9; ok done".into()),
        // None, or none before its end.
        (vec![], none.into()),
        (vec![Ok(vec![progress("a")])], format!("+ a; {none}")),
        // Two: the first counts, and what follows it is not heard.
        (vec![Ok(vec![ok("first"), ok("second")])], "ok first".into()),
        (vec![Ok(vec![ok("first"), progress("late")]), error()], "ok first".into()),
        // An error stands for the result.
        (vec![error()], "stated PANIC Error: panicked at tool.rs:7: oh (report it)".into()),
        (
            vec![Ok(vec![progress("a")]), error()],
            "+ a; stated PANIC Error: panicked at tool.rs:7: oh (report it)".into(),
        ),
    ] {
        assert_eq!(executed(events(batches)), expected);
    }
}

#[test]
fn an_event_that_cannot_be_read_is_an_error() {
    let batch =
        [ToolEvent::Progress("a".into()).into_chunk(), RChunk::data(3, 0, "[]]")].into_iter().collect();
    let shown = executed(Canned::streaming(vec![Ok(batch)]));
    let expected = "+ a; stated BAD_PAYLOAD Error: result: this is not JSON (at character 3) (`harness rows` shows \
                    the rows of the slot: report this to the author of the one at fault)";
    assert_eq!(shown, expected);
}

#[test]
fn an_empty_slot_knows_no_tool() {
    let client = Client::from(empty());
    let result = now(client.result(&call("f", "{}"), &quiet()));
    assert_eq!(shown_event(&ToolEvent::Result(result)), "failed UNKNOWN_TOOL Error: unknown tool `f`");
}

#[test]
fn only_the_result_of_a_call() {
    let canned =
        events(vec![Ok(vec![ToolEvent::Progress("a".into()), ToolEvent::Result(ToolResult::ok("b"))])]);
    assert_eq!(now(Client::from(canned.raw()).result(&call("f", "{}"), &quiet())), ToolResult::ok("b"));
}

/// Tools that hang, or go on for ever, whatever is asked of them.
struct Deaf {
    talks: bool,
    alive: Alive,
}

impl Tools for Deaf {
    async fn list(&self, _: Option<String>, _: &Cx) -> Result<ToolList> {
        Ok(ToolList::Unchanged)
    }
    fn execute(&self, _: ToolCall, _: Cx) -> impl Stream<Item = ToolEvent> + Send + 'static {
        let (word, alive) = (stream::iter([ToolEvent::Progress("la".into())]), self.alive.clone());
        let rest =
            if self.talks { word.clone().cycle().left_stream() } else { stream::pending().right_stream() };
        word.chain(rest).inspect(move |_| {
            let _ = &alive;
        })
    }
}

#[test]
fn a_deaf_tool_is_dropped_once_the_grace_is_over() {
    let (clock, alive) = (Clock::new(), Alive::default());
    let (cx, cancel) = clock.cx();
    let client = Client::from(serve::<tools::Contract, _>(Deaf { talks: false, alive: alive.clone() }));
    let mut running = ByHand::new(client.execute(&call("f", "{}"), &cx));
    assert_eq!(running.next(), Poll::Ready(Some(ToolEvent::Progress("la".into()))));
    clock.advance(Duration::from_secs(1000));
    assert_eq!(running.next(), Poll::Pending, "nobody has asked for an end");
    cancel.cancel("ctrl-c".into());
    assert!(running.woken());
    assert_eq!(running.next(), Poll::Pending);
    clock.advance(contracts::cx::GRACE - Duration::from_nanos(1));
    assert_eq!(running.next(), Poll::Pending, "the grace is not over");
    assert_eq!(alive.others(), 2, "the tools and the running call");
    clock.advance(Duration::from_nanos(1));
    assert!(running.woken());
    let Poll::Ready(Some(result)) = running.next() else { panic!("the grace is over") };
    assert_eq!(
        shown_event(&result),
        "stated ABORTED Error: `f` was aborted while it ran; its effect is unknown"
    );
    assert_eq!(running.next(), Poll::Ready(None));
    assert_eq!(alive.others(), 1, "the running call is gone");
}

#[test]
fn a_tool_that_talks_on_is_dropped_as_well() {
    let clock = Clock::new();
    let (cx, cancel) = clock.cx();
    let client = Client::from(serve::<tools::Contract, _>(Deaf { talks: true, alive: Alive::default() }));
    let mut running = client.execute(&call("f", "{}"), &cx);
    let mut read = |n: usize| now(running.by_ref().take(n).collect::<Vec<_>>());
    assert_eq!(read(200).len(), 200);
    cancel.cancel("ctrl-c".into());
    assert_eq!(read(200).len(), 200, "it may go on within the grace");
    clock.advance(contracts::cx::GRACE);
    let rest = read(200);
    assert_eq!(
        shown_events(&rest),
        "stated ABORTED Error: `f` was aborted while it ran; its effect is unknown"
    );
}

#[test]
fn a_cancelled_tool_has_its_own_word_within_the_grace() {
    let ok = events(vec![Ok(vec![ToolEvent::Result(ToolResult::ok("done after all"))])]);
    let cx = crate::stage::cancelled("ctrl-c");
    assert_eq!(shown_events(&all(Client::from(ok.raw()).execute(&call("f", ""), &cx))), "ok done after all");
}

#[test]
fn a_call_arrives_as_it_was_made() {
    struct Echo;
    impl Tools for Echo {
        async fn list(&self, known: Option<String>, _: &Cx) -> Result<ToolList> {
            Ok(ToolList::Tools { generation: format!("{known:?}"), tools: Parts::new() })
        }
        fn execute(&self, call: ToolCall, _: Cx) -> impl Stream<Item = ToolEvent> + Send + 'static {
            let text = format!("{}|{}|{}|{:?}", call.id, call.name, call.arguments_text(), call.key);
            stream::iter([ToolEvent::Result(ToolResult::ok(text))])
        }
    }
    let client = Client::from(serve::<tools::Contract, _>(Echo));
    for (call, expected) in [
        (call("f", r#"{"a": 1}"#), r#"c1|f|{"a": 1}|None"#),
        (call("f", ""), "c1|f|{}|None"),
        (call("f", " \n"), "c1|f|{}|None"),
        (call("f", "not json"), "c1|f|not json|None"),
        (ToolCall { key: Some("k1".into()), ..call("f", "{}") }, r#"c1|f|{}|Some("k1")"#),
    ] {
        assert_eq!(now(client.result(&call, &quiet())).text, expected);
    }
    let call = Payload::new(r#"{"id":"c1","name":"f","later":1}"#, Parts::new());
    let mut raw = client.raw().items::<ToolEvent>("execute", call, &quiet());
    let ToolEvent::Result(result) = now(raw.next()).unwrap().unwrap() else { panic!("one result") };
    assert_eq!(result.text, "c1|f|{}|None", "arguments may be left out, and a later field is ignored");
    let bad = Payload::new(r#"{"id":"c1"}"#, Parts::new());
    let error = now(client.raw().items::<ToolEvent>("execute", bad, &quiet()).next()).unwrap().unwrap_err();
    assert_eq!(
        (&*error.code, error.message.as_str()),
        ("BAD_PAYLOAD", "tool call: `name` is missing (at character 11)")
    );
    for (known, expected) in [(None, "None"), (Some(""), r#"Some("")"#), (Some("g1"), r#"Some("g1")"#)] {
        let list = now(client.list(known.map(Into::into), &quiet())).unwrap();
        assert_eq!(list, ToolList::Tools { generation: expected.into(), tools: Parts::new() });
    }
}

#[test]
fn a_list_of_an_empty_slot_is_empty_and_stays_so() {
    let client = Client::from(empty());
    let ToolList::Tools { generation, tools } = now(client.list(None, &quiet())).unwrap() else {
        panic!("nothing was known")
    };
    assert!(tools.is_empty());
    assert_eq!(now(client.list(Some(generation), &quiet())).unwrap(), ToolList::Unchanged);
    let other = now(client.list(Some("of tools that were there before".into()), &quiet())).unwrap();
    assert!(matches!(other, ToolList::Tools { .. }));
}

#[test]
fn a_list_that_fails_fails() {
    for error in
        [Error::new("NOT_MOUNTED", "something further away is not there"), Error::new("STUCK", "stuck")]
    {
        let client = Client::from(Canned::failing(error.clone()).raw());
        assert_eq!(now(client.list(None, &quiet())).unwrap_err(), error);
    }
    let error = now(Client::from(Canned::head("[]]").raw()).list(None, &quiet())).unwrap_err();
    assert_eq!(&*error.code, "BAD_PAYLOAD");
}

#[test]
fn a_schema_keeps_its_parameters_as_they_were_written() {
    let parameters = r#"{ "type":"object",  "properties": {"z":{}, "a":{}} }"#;
    let part = ToolSchema::new("f", "does it", parameters).unwrap().part();
    assert_eq!(
        part.text().unwrap(),
        format!(r#"{{"name":"f","description":"does it","parameters":{parameters}}}"#)
    );
    assert_eq!(ToolSchema::name_of(&part), "f");
    assert_eq!(ToolSchema::name_of(&Part::new("no schema")), "");
    let error = ToolSchema::new("f", "does it", "{").unwrap_err();
    assert_eq!(&*error.code, "BAD_PAYLOAD");
    assert!(error.message.starts_with("parameters of `f`: "), "{}", error.message);
}

#[test]
fn a_result_is_a_user_message_that_cites_its_call() {
    let message = ToolResult::synthetic("ABORTED", "Error: stopped").message("c1");
    let Message { role: Speaker::User, content, source: None } = &message else { panic!("{message:?}") };
    let [Block::ToolResult { call_id, content, is_error: true, code, synthetic: true }] = &content[..] else {
        panic!("{content:?}")
    };
    assert_eq!(
        (call_id.as_str(), &content[..], code.as_deref()),
        ("c1", &[Block::text("Error: stopped")][..], Some("ABORTED"))
    );
    assert_eq!(Message::from_part(&message.part()).unwrap(), message);
    let plain = ToolResult::ok("done").message("c1").part();
    assert_eq!(
        plain.text().unwrap(),
        r#"{"role":"user","content":[{"type":"tool-result","call_id":"c1","content":[{"type":"text","text":"done"}]}]}"#
    );
}
