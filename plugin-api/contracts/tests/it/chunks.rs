//! Stream items: each comes back from the wire as it went, whatever it holds; no chunk, however wrong, breaks its reader.
use crate::values::{block, json, parts, usage};
use contracts::{
    Item, Message, Speaker, Usage,
    agent_loop::{End, LoopEvent, TurnEnd},
    dispatch::CallEvent,
    llm::{BlockStart, Failure, Finish, StreamChunk},
    session::{Event, NewEvent},
    tools::{ToolEvent, ToolResult},
};
use plugin_api::{RChunk, run};
use proptest::{collection::vec, option, prelude::*};
use std::fmt::Debug;

fn config() -> ProptestConfig {
    ProptestConfig { failure_persistence: None, ..ProptestConfig::default() }
}

fn failure() -> impl Strategy<Value = Failure> {
    let known = (any::<Option<u16>>(), any::<Option<u64>>(), any::<Option<String>>(), any::<String>());
    (any::<String>(), any::<String>(), known).prop_map(
        |(code, message, (status, retry_after_ms, request_id, hint))| Failure {
            message,
            code,
            status,
            retry_after_ms,
            request_id,
            hint,
        },
    )
}

fn stream_chunk() -> impl Strategy<Value = StreamChunk> {
    let start = prop_oneof![
        Just(BlockStart::Text),
        any::<String>().prop_map(|adapter| BlockStart::Reasoning { adapter }),
        (any::<String>(), any::<String>()).prop_map(|(id, name)| BlockStart::ToolCall { id, name }),
    ];
    let finish = prop_oneof![
        Just(Finish::Stop),
        Just(Finish::ToolCalls),
        Just(Finish::MaxTokens),
        failure().prop_map(|failure| Finish::Aborted { failure }),
        failure().prop_map(|failure| Finish::Error { failure }),
    ];
    let delta = || (any::<u32>(), any::<String>());
    prop_oneof![
        (any::<u32>(), start).prop_map(|(index, block)| StreamChunk::BlockStart { index, block }),
        delta().prop_map(|(index, text)| StreamChunk::TextDelta { index, text }),
        delta().prop_map(|(index, text)| StreamChunk::ReasoningDelta { index, text }),
        delta().prop_map(|(index, arguments)| StreamChunk::ToolCallDelta { index, arguments }),
        (any::<u32>(), option::of(block())).prop_map(|(index, block)| StreamChunk::BlockEnd { index, block }),
        usage().prop_map(StreamChunk::Usage),
        finish.prop_map(StreamChunk::Finish),
        (any::<u32>(), any::<bool>(), any::<String>(), any::<u64>())
            .prop_map(|(n, discard, code, wait_ms)| StreamChunk::Attempt { n, discard, code, wait_ms }),
        unknown(9..run::OUT).prop_map(StreamChunk::Other),
    ]
}

fn tool_event() -> impl Strategy<Value = ToolEvent> {
    let result = (any::<String>(), any::<bool>(), any::<Option<String>>(), any::<bool>(), json(), parts())
        .prop_map(|(text, is_error, code, synthetic, meta, parts)| ToolResult {
            text,
            is_error,
            code,
            synthetic,
            meta,
            parts,
        });
    prop_oneof![
        any::<String>().prop_map(ToolEvent::Progress),
        (any::<String>(), json()).prop_map(|(kind, data)| ToolEvent::Note { kind, data }),
        result.prop_map(ToolEvent::Result),
        unknown(4..u16::MAX).prop_map(ToolEvent::Other),
    ]
}

fn loop_event() -> impl Strategy<Value = LoopEvent> {
    let status = prop_oneof![
        Just(TurnEnd::Completed),
        Just(TurnEnd::MaxTokens),
        Just(TurnEnd::Aborted),
        Just(TurnEnd::Blocked),
        Just(TurnEnd::Error),
        Just(TurnEnd::Interrupted),
    ];
    let cost = option::of((0..100_000u32).prop_map(|n| f64::from(n) / 1000.0));
    let words = (any::<Option<String>>(), any::<String>(), any::<String>(), any::<String>());
    let end = (status, words, any::<u32>(), usage(), cost).prop_map(
        |(status, (code, message, hint, session), steps, usage, cost)| End {
            status,
            code,
            message,
            hint,
            steps,
            usage,
            cost,
            session,
        },
    );
    prop_oneof![
        any::<String>().prop_map(LoopEvent::Out),
        (any::<String>(), any::<String>()).prop_map(|(level, text)| LoopEvent::Note { level, text }),
        (any::<String>(), json()).prop_map(|(kind, data)| LoopEvent::Event { kind, data: data.to_string() }),
        end.prop_map(LoopEvent::End),
        unknown(0..run::OUT).prop_map(LoopEvent::Other),
    ]
}

fn session_event() -> impl Strategy<Value = Event> {
    let event =
        (any::<String>(), json(), parts()).prop_map(|(kind, data, parts)| NewEvent { kind, data, parts });
    (any::<u64>(), any::<u64>(), event).prop_map(|(seq, at_ms, event)| Event { seq, at_ms, event })
}

/// Any chunk of one of these kinds.
fn unknown(kinds: std::ops::Range<u16>) -> impl Strategy<Value = RChunk> {
    chunk(kinds.boxed())
}

fn chunk(kind: BoxedStrategy<u16>) -> impl Strategy<Value = RChunk> {
    let data = prop_oneof![
        Just(String::new()),
        any::<String>(),
        json().prop_map(|value| value.to_string()),
        // Objects with the right names and any values.
        vec((field(), json()), 0..5)
            .prop_map(|pairs| serde_json::Value::Object(pairs.into_iter().collect()).to_string()),
    ];
    (kind, any::<u16>(), any::<u32>(), any::<String>(), data, parts()).prop_map(
        |(kind, flags, index, text, data, parts)| RChunk {
            kind,
            flags,
            index,
            text: text.into(),
            data: data.into(),
            parts: parts.into(),
        },
    )
}

fn field() -> impl Strategy<Value = String> {
    const NAMES: &[&str] = &[
        "type", "text", "reason", "failure", "code", "message", "kind", "data", "n", "seq", "at_ms", "status",
    ];
    proptest::sample::select(NAMES).prop_map(str::to_owned)
}

/// Any chunk, mostly of a kind that some item knows.
fn any_chunk() -> impl Strategy<Value = RChunk> {
    chunk(prop_oneof![3 => 0..10u16, 2 => run::OUT..run::EVENT + 2, 1 => any::<u16>()].boxed())
}

fn comes_back<T: Item + Clone + PartialEq + Debug>(item: &T) -> Result<(), TestCaseError> {
    prop_assert_eq!(&T::from_chunk(item.clone().into_chunk()).unwrap(), item);
    Ok(())
}

/// What can be read is written so that it reads the same; what cannot is refused in so many words.
fn is_read_or_refused<T: Item + Clone + PartialEq + Debug>(chunk: &RChunk) -> Result<(), TestCaseError> {
    match T::from_chunk(chunk.clone()) {
        Ok(item) => prop_assert_eq!(&T::from_chunk(item.clone().into_chunk()).unwrap(), &item),
        Err(error) => {
            prop_assert_eq!(&*error.code, "BAD_PAYLOAD");
            prop_assert!(!error.message.is_empty());
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_stream_chunk_comes_back(item in stream_chunk()) {
        comes_back(&item)?;
    }

    #[test]
    fn a_tool_event_comes_back(item in tool_event()) {
        comes_back(&item)?;
    }

    #[test]
    fn a_call_event_comes_back(index in any::<u32>(), event in tool_event()) {
        let event = match event {
            // An unknown chunk has an index of its own, which is the call's.
            ToolEvent::Other(chunk) => ToolEvent::Other(RChunk { index, ..chunk }),
            event => event,
        };
        comes_back(&CallEvent { index, event })?;
    }

    #[test]
    fn a_loop_event_comes_back(item in loop_event()) {
        comes_back(&item)?;
    }

    #[test]
    fn a_session_event_comes_back(item in session_event()) {
        comes_back(&item)?;
    }

    #[test]
    fn any_chunk_is_read_or_refused(chunk in any_chunk()) {
        is_read_or_refused::<StreamChunk>(&chunk)?;
        is_read_or_refused::<ToolEvent>(&chunk)?;
        is_read_or_refused::<CallEvent>(&chunk)?;
        is_read_or_refused::<LoopEvent>(&chunk)?;
        is_read_or_refused::<Event>(&chunk)?;
    }

    #[test]
    fn an_unknown_kind_passes_untouched(chunk in unknown(10..run::OUT)) {
        prop_assert_eq!(&StreamChunk::from_chunk(chunk.clone()).unwrap().into_chunk(), &chunk);
        prop_assert_eq!(&ToolEvent::from_chunk(chunk.clone()).unwrap().into_chunk(), &chunk);
        prop_assert_eq!(&CallEvent::from_chunk(chunk.clone()).unwrap().into_chunk(), &chunk);
        prop_assert_eq!(&LoopEvent::from_chunk(chunk.clone()).unwrap().into_chunk(), &chunk);
    }

    #[test]
    fn a_message_comes_back(
        assistant in any::<bool>(),
        content in vec(block(), 0..4),
        source in any::<Option<String>>(),
    ) {
        let role = if assistant { Speaker::Assistant } else { Speaker::User };
        let message = Message { role, content, source };
        prop_assert_eq!(Message::from_part(&message.part()).unwrap(), message);
    }

    #[test]
    fn usage_adds_up_and_never_overflows(items in vec(usage(), 0..5)) {
        let (mut total, mut output) = (Usage::default(), 0u64);
        for usage in &items {
            total += *usage;
            output = output.saturating_add(usage.output_tokens);
        }
        prop_assert_eq!(total.output_tokens, output);
        prop_assert_eq!(total.cache_read_tokens.is_some(), items.iter().any(|u| u.cache_read_tokens.is_some()));
    }
}

/// A chunk's reading as text: the item's `Debug`, or the error.
fn read<T: Item + Debug>(kind: u16, data: &str) -> String {
    match T::from_chunk(RChunk::data(kind, 0, data)) {
        Ok(item) => format!("{item:?}"),
        Err(error) => format!("{}: {}", error.code, error.message),
    }
}

#[test]
fn fields_of_a_later_version_are_ignored_and_missing_ones_defaulted() {
    let chunk = read::<StreamChunk>;
    assert_eq!(chunk(1, r#"{"type":"text","later":1}"#), "BlockStart { index: 0, block: Text }");
    assert_eq!(
        chunk(1, r#"{"type":"tool-call"}"#),
        r#"BlockStart { index: 0, block: ToolCall { id: "", name: "" } }"#
    );
    assert_eq!(
        chunk(1, r#"{"type":"reasoning"}"#),
        r#"BlockStart { index: 0, block: Reasoning { adapter: "" } }"#
    );
    assert_eq!(chunk(5, ""), "BlockEnd { index: 0, block: None }");
    assert_eq!(chunk(5, r#"{"type":"hologram","depth":3}"#), "BlockEnd { index: 0, block: Some(Unknown) }");
    assert_eq!(chunk(6, "{}"), format!("{:?}", StreamChunk::Usage(Usage::default())));
    assert_eq!(chunk(7, r#"{"reason":"stop","later":[]}"#), "Finish(Stop)");
    assert_eq!(chunk(8, r#"{"n":2}"#), r#"Attempt { n: 2, discard: false, code: "", wait_ms: 0 }"#);
    assert_eq!(read::<ToolEvent>(2, r#"{"kind":"k","later":1}"#), r#"Note { kind: "k", data: Null }"#);
    assert_eq!(read::<ToolEvent>(3, ""), format!("{:?}", ToolEvent::Result(ToolResult::default())));
    assert_eq!(
        read::<ToolEvent>(3, r#"{"later":1}"#),
        format!("{:?}", ToolEvent::Result(ToolResult::default()))
    );
    assert_eq!(read::<LoopEvent>(run::EVENT, ""), r#"Event { kind: "", data: "null" }"#);
    assert_eq!(read::<LoopEvent>(run::END, "{}"), format!("{:?}", LoopEvent::End(End::default())));
    let event = r#"{"seq":1,"at_ms":2,"kind":"later/kind","more":true}"#;
    assert_eq!(
        read::<Event>(1, event),
        r#"Event { seq: 1, at_ms: 2, event: NewEvent { kind: "later/kind", data: Null, parts: [] } }"#
    );
}

#[test]
fn data_of_another_shape_is_refused_by_name() {
    for (text, what) in [
        (read::<StreamChunk>(1, r#"{"type":"hologram"}"#), "block start"),
        (read::<StreamChunk>(1, ""), "block start"),
        (read::<StreamChunk>(5, "[]]"), "block end"),
        (read::<StreamChunk>(6, r#"{"input_tokens":-1}"#), "usage"),
        (read::<StreamChunk>(7, r#"{"reason":"error"}"#), "finish"),
        (read::<StreamChunk>(8, "{}"), "attempt"),
        (read::<ToolEvent>(2, ""), "note"),
        (read::<ToolEvent>(3, r#"{"is_error":"yes"}"#), "result"),
        (read::<LoopEvent>(run::NOTE, "{}"), "note"),
        (read::<LoopEvent>(run::EVENT, "{"), "event"),
        (read::<LoopEvent>(run::END, r#"{"status":"tired"}"#), "end"),
        (read::<Event>(1, r#"{"seq":1}"#), "session event"),
    ] {
        assert!(text.starts_with(&format!("BAD_PAYLOAD: {what}: ")), "{text}");
    }
}
