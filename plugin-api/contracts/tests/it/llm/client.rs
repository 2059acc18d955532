//! The consumer's side: whatever an adapter does arrives as chunks that keep the rules, and one finish.
use crate::{
    clock::{Clock, quiet},
    notation::{chunks, shown},
    stage::{Alive, ByHand, Canned, all, empty, now, serve},
};
use contracts::{
    Cx, Error, Item as _, Parts, Raw,
    llm::{self, Client, Finish, Invariant, Llm, LlmRequest, StreamChunk},
};
use futures_util::{Stream, StreamExt as _, stream};
use plugin_api::RChunk;
use serde_json::json;
use std::{task::Poll, time::Duration};

/// An adapter that streams a script; when it is `deaf`, it then neither ends nor minds a cancel.
struct Adapter {
    script: String,
    deaf: bool,
    alive: Alive,
}

impl Llm for Adapter {
    fn stream(&self, _: LlmRequest, _: Parts, _: Cx) -> impl Stream<Item = StreamChunk> + Send + 'static {
        let (script, alive) = (chunks(&self.script), self.alive.clone());
        let rest = if self.deaf { stream::pending().left_stream() } else { stream::empty().right_stream() };
        stream::iter(script).chain(rest).inspect(move |_| {
            let _ = &alive;
        })
    }
}

fn adapter(script: &str) -> Raw {
    serve::<llm::Contract, _>(Adapter { script: script.into(), deaf: false, alive: Alive::default() })
}

fn reply(raw: Raw, cx: &Cx) -> Vec<StreamChunk> {
    let chunks = all(Client::from(raw).stream(&LlmRequest::default(), &Parts::new(), cx));
    let mut rules = Invariant::default();
    chunks.iter().for_each(|chunk| rules.check(chunk).unwrap());
    rules.ended().unwrap();
    chunks
}

#[test]
fn a_reply_keeps_the_rules_whatever_the_adapter_does() {
    let closed = "error STREAM_CLOSED llm: the stream ended without a finish";
    for (script, expected) in [
        ("text 0; t 0 hi; end 0; usage 1/1; stop", "text 0; t 0 hi; end 0; usage 1/1; stop"),
        ("text 0; discard 2; text 0; end 0; stop", "text 0; discard 2; text 0; end 0; stop"),
        ("other 77 x; stop", "other 77 x; stop"),
        ("error RATE_LIMIT slow down", "error RATE_LIMIT slow down"),
        ("aborted ABORTED mine", "aborted ABORTED mine"),
        ("", closed),
        ("text 0; t 0 hi", &format!("text 0; t 0 hi; {closed}")),
        ("discard 2", &format!("discard 2; {closed}")),
        // What follows the finish is not heard.
        ("stop; stop", "stop"),
        ("max-tokens; text 0; error SERVER x", "max-tokens"),
        // A broken rule ends the reply, and what is behind it is not heard.
        ("text 0; text 0; end 0; stop", "text 0; error INVARIANT llm: block 0 opens twice"),
        ("text 0; stop", "text 0; error INVARIANT llm: the stream finished with 1 open block(s)"),
        ("error - it broke", "error INVARIANT llm: a failure needs a code and a message"),
        ("usage 1/1; usage 1/1; stop", "usage 1/1; error INVARIANT llm: usage comes more than once"),
    ] {
        assert_eq!(shown(&reply(adapter(script), &quiet())), expected, "{script}");
    }
}

#[test]
fn an_error_of_the_service_becomes_the_finish() {
    let text = |text: &str| StreamChunk::TextDelta { index: 0, text: text.into() }.into_chunk();
    let start = || chunks("text 0").remove(0).into_chunk();
    let wrong = RChunk::data(7, 0, r#"{"reason":"tired"}"#);
    let broken = || Err(Error::new("TRANSPORT", "the connection broke"));
    for (batches, expected) in [
        (vec![broken()], "error TRANSPORT the connection broke"),
        (
            vec![
                Ok([start(), text("a")].into_iter().collect()),
                broken(),
                Ok([text("b")].into_iter().collect()),
            ],
            "text 0; t 0 a; error TRANSPORT the connection broke",
        ),
        (vec![Err(Error::new("", ""))], "error UNKNOWN the adapter failed without a word"),
        (vec![Err(Error::new("ABORTED", "aborted: below"))], "aborted ABORTED aborted: below"),
        (
            vec![Ok([start(), wrong].into_iter().collect())],
            "text 0; error BAD_PAYLOAD finish: expected one of `stop`, `tool-calls`, \
             `max-tokens`, `aborted`, `error`, not `tired` (at character 17)",
        ),
    ] {
        assert_eq!(shown(&reply(Canned::streaming(batches).raw(), &quiet())), expected);
    }
    assert_eq!(shown(&reply(empty(), &quiet())), "error NOT_MOUNTED nothing is mounted there");
}

#[test]
fn what_is_known_of_an_error_reaches_the_finish() {
    let error = Error::new("RATE_LIMIT", "too many requests")
        .hint("wait a minute")
        .data(json!({ "status": 429, "retry_after_ms": 2000, "request_id": "r1", "else": true }));
    let [StreamChunk::Finish(Finish::Error { failure })] =
        &reply(Canned::streaming(vec![Err(error)]).raw(), &quiet())[..]
    else {
        panic!("one finish")
    };
    assert_eq!(
        serde_json::to_value(failure).unwrap(),
        json!({ "code": "RATE_LIMIT", "message": "too many requests", "hint": "wait a minute",
                "status": 429, "retry_after_ms": 2000, "request_id": "r1" })
    );
}

#[test]
fn after_a_cancel_every_failure_is_an_abort() {
    let cx = crate::stage::cancelled("ctrl-c");
    let broken = Canned::streaming(vec![Err(Error::new("TRANSPORT", "the connection broke"))]);
    for (raw, expected) in [
        (broken.raw(), "aborted ABORTED the connection broke"),
        (adapter("text 0"), "text 0; aborted ABORTED llm: the stream ended without a finish"),
        (adapter("aborted ABORTED mine"), "aborted ABORTED mine"),
        // A response that was complete all the same stays complete.
        (adapter("text 0; end 0; stop"), "text 0; end 0; stop"),
    ] {
        assert_eq!(shown(&reply(raw, &cx)), expected);
    }
    let chunks = reply(adapter("error SERVER it broke"), &cx);
    let [StreamChunk::Finish(Finish::Aborted { failure })] = &chunks[..] else { panic!("{chunks:?}") };
    assert_eq!(failure.message, "it broke");
}

#[test]
fn a_deaf_adapter_is_dropped_once_the_grace_is_over() {
    let (clock, alive) = (Clock::new(), Alive::default());
    let (cx, cancel) = clock.cx();
    let raw = serve::<llm::Contract, _>(Adapter {
        script: "text 0; t 0 so".into(),
        deaf: true,
        alive: alive.clone(),
    });
    let mut reply = ByHand::new(Client::from(raw).stream(&LlmRequest::default(), &Parts::new(), &cx));
    assert!(reply.next().is_ready() && reply.next().is_ready());
    clock.advance(Duration::from_secs(1000));
    assert_eq!(reply.next(), Poll::Pending, "nobody has asked for an end");

    cancel.cancel("ctrl-c".into());
    assert!(reply.woken());
    assert_eq!(reply.next(), Poll::Pending);
    clock.advance(contracts::cx::GRACE - Duration::from_nanos(1));
    assert_eq!(reply.next(), Poll::Pending, "the grace is not over");
    assert_eq!(alive.others(), 1, "the adapter's stream is there");

    clock.advance(Duration::from_nanos(1));
    assert!(reply.woken());
    let Poll::Ready(Some(finish)) = reply.next() else { panic!("the grace is over") };
    assert_eq!(shown(&[finish]), "aborted ABORTED aborted: ctrl-c");
    assert_eq!(reply.next(), Poll::Ready(None));
    assert_eq!(alive.others(), 0, "the adapter's stream is gone");
}

#[test]
fn an_adapter_that_talks_on_is_dropped_as_well() {
    /// Never without a word, so never pending.
    struct Talker;
    impl Llm for Talker {
        fn stream(&self, _: LlmRequest, _: Parts, _: Cx) -> impl Stream<Item = StreamChunk> + Send + 'static {
            stream::iter(chunks("text 0")).chain(stream::iter(chunks("t 0 la")).cycle())
        }
    }
    let clock = Clock::new();
    let (cx, cancel) = clock.cx();
    let raw = serve::<llm::Contract, _>(Talker);
    let mut reply = Client::from(raw).stream(&LlmRequest::default(), &Parts::new(), &cx);
    let mut read = |n: usize| now(reply.by_ref().take(n).collect::<Vec<_>>());
    assert_eq!(read(200).len(), 200);
    cancel.cancel("ctrl-c".into());
    assert_eq!(read(200).len(), 200, "it may go on within the grace");
    clock.advance(contracts::cx::GRACE);
    assert_eq!(shown(&read(200)), "aborted ABORTED aborted: ctrl-c");
}

#[test]
fn dropping_a_reply_drops_the_adapters_stream() {
    let alive = Alive::default();
    let raw =
        serve::<llm::Contract, _>(Adapter { script: "text 0".into(), deaf: true, alive: alive.clone() });
    let mut reply = ByHand::new(Client::from(raw).stream(&LlmRequest::default(), &Parts::new(), &quiet()));
    assert!(reply.next().is_ready());
    assert_eq!(alive.others(), 1);
    drop(reply);
    assert_eq!(alive.others(), 0);
}
