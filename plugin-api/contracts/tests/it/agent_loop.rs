//! `loop`: a task goes in as it was put, and the run protocol comes out.
use crate::{
    clock::quiet,
    stage::{all, now, serve},
};
use contracts::{
    Cx, Parts, Payload,
    agent_loop::{self, AgentLoop, Client, End, LoopEvent, RunRequest, TurnEnd},
};
use futures_util::{Stream, StreamExt as _, stream};
use plugin_api::{RChunk, run};
use serde_json::json;

struct Once;

impl AgentLoop for Once {
    fn run(&self, request: RunRequest, _: Cx) -> impl Stream<Item = LoopEvent> + Send + 'static {
        let end = End { status: TurnEnd::Completed, steps: 1, session: "s1".into(), ..End::default() };
        stream::iter([
            LoopEvent::Note { level: "info".into(), text: "begun".into() },
            LoopEvent::Out(request.task),
            LoopEvent::event("step", &json!({ "n": 1 })),
            LoopEvent::End(end),
        ])
    }
}

#[test]
fn a_run_streams_its_events_and_its_end() {
    let client = Client::from(serve::<agent_loop::Contract, _>(Once));
    let events = all(client.run(&RunRequest { task: "sum it up".into() }, &quiet()));
    let [
        Ok(LoopEvent::Note { .. }),
        Ok(LoopEvent::Out(text)),
        Ok(LoopEvent::Event { kind, data }),
        Ok(LoopEvent::End(end)),
    ] = &events[..]
    else {
        panic!("{events:?}")
    };
    assert_eq!((text.as_str(), kind.as_str(), data.as_str()), ("sum it up", "step", r#"{"n":1}"#));
    assert_eq!((end.status, end.steps), (TurnEnd::Completed, 1));
}

#[test]
fn the_chunks_are_those_of_the_run_protocol() {
    let client = Client::from(serve::<agent_loop::Contract, _>(Once));
    let mut batches =
        client.raw().open("run", Payload::new(r#"{"task":"x","later":1}"#, Parts::new()), &quiet());
    let batch = now(batches.next()).unwrap().unwrap();
    let shown: Vec<(u16, &str, &str)> = batch.iter().map(|c: &RChunk| (c.kind, &*c.text, &*c.data)).collect();
    assert_eq!(
        shown,
        [
            (run::NOTE, "", r#"{"level":"info","text":"begun"}"#),
            (run::OUT, "x", ""),
            (run::EVENT, "step", r#"{"n":1}"#),
            (
                run::END,
                "",
                r#"{"status":"completed","message":"","steps":1,"usage":{"input_tokens":0,"output_tokens":0},"cost":null,"session":"s1"}"#
            ),
        ]
    );
    let refused = all(client.raw().items::<LoopEvent>("run", Payload::new("[", Parts::new()), &quiet()));
    assert_eq!(&*refused[0].as_ref().unwrap_err().code, "BAD_PAYLOAD");
}

#[test]
fn an_end_that_says_little_is_an_error() {
    let end: End = serde_json::from_str(r#"{"later":{}}"#).unwrap();
    assert_eq!(end, End::default());
    assert_eq!(end.status, TurnEnd::Error);
    for (word, status) in [
        ("completed", TurnEnd::Completed),
        ("max-tokens", TurnEnd::MaxTokens),
        ("aborted", TurnEnd::Aborted),
        ("blocked", TurnEnd::Blocked),
        ("error", TurnEnd::Error),
        ("interrupted", TurnEnd::Interrupted),
    ] {
        let end: End = serde_json::from_value(json!({ "status": word })).unwrap();
        assert_eq!(end.status, status);
        assert_eq!(serde_json::to_value(end).unwrap()["status"], word);
    }
}
