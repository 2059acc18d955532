//! A request's way over the wire: three lists in one, and nothing of them copied.
use crate::{
    clock::quiet,
    stage::{all, serve},
};
use contracts::{
    Cx, Part, Parts, Payload,
    llm::{self, Client, Finish, Llm, LlmRequest, Settings, StreamChunk},
};
use futures_util::{Stream, stream};
use proptest::prelude::*;
use std::sync::{Arc, Mutex};

fn parts(what: &str, n: usize) -> Parts {
    (0..n).map(|i| Part::new(format!("{what} {i}"))).collect()
}

/// Where the bytes of the parts are: equal for two lists only if they share them.
fn places(parts: &Parts) -> Vec<*const u8> {
    parts.iter().map(|part| part.bytes().as_ptr()).collect()
}

fn settings() -> impl Strategy<Value = Settings> {
    let numbers = (any::<Option<u32>>(), proptest::option::of(0..200u32));
    let words = (any::<Option<String>>(), any::<Option<String>>(), any::<Option<String>>());
    (any::<String>(), numbers, proptest::collection::vec(any::<String>(), 0..3), words).prop_map(
        |(model, (max_tokens, hundredths), stop, (reasoning_effort, tool_choice, purpose))| Settings {
            model,
            max_tokens,
            temperature: hundredths.map(|n| f64::from(n) / 100.0),
            stop,
            reasoning_effort,
            tool_choice,
            purpose,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_request_comes_back_as_it_was(
        settings in settings(),
        tools in 0..5usize,
        system in any::<Option<String>>(),
        messages in 0..70usize,
    ) {
        let request = LlmRequest { settings, tools: parts("tool", tools), system: system.map(Part::new) };
        let mut history = Parts::new();
        parts("message", messages).iter().for_each(|part| history.push(part.clone()));
        let payload = request.payload(&history);
        let (back, back_history) = LlmRequest::read(&payload).unwrap();
        prop_assert_eq!(&back, &request);
        prop_assert_eq!(&back_history, &history);
        prop_assert_eq!(places(&back.tools), places(&request.tools));
        prop_assert_eq!(places(&back_history), places(&history));
    }

    #[test]
    fn any_head_is_read_or_refused(head in head(), n in 0..4usize) {
        let payload = Payload::new(head, parts("part", n));
        if let Err(error) = LlmRequest::read(&payload) {
            prop_assert_eq!(&*error.code, "BAD_PAYLOAD");
        }
    }
}

fn head() -> impl Strategy<Value = String> {
    let count = prop_oneof![0..6u64, Just(u64::MAX), Just(u64::MAX - 1)];
    prop_oneof![
        any::<String>(),
        (count, any::<bool>())
            .prop_map(|(tools, system)| format!(r#"{{"tools":{tools},"system":{system}}}"#)),
    ]
}

#[test]
fn what_a_head_says_of_its_parts_is_what_they_are() {
    let shape = |head: &str, n: usize| match LlmRequest::read(&Payload::new(head, parts("part", n))) {
        Ok((request, history)) => {
            let system = if request.system.is_some() { "a system prompt" } else { "none" };
            format!("{} tools, {system}, {} messages", request.tools.len(), history.len())
        }
        Err(error) => format!("{}: {}", error.code, error.message),
    };
    for (head, n, expected) in [
        ("{}", 3, "0 tools, none, 3 messages"),
        (r#"{"tools":2,"system":true}"#, 5, "2 tools, a system prompt, 2 messages"),
        (r#"{"tools":2,"system":true,"later":{"x":1}}"#, 3, "2 tools, a system prompt, 0 messages"),
        (
            r#"{"tools":2}"#,
            1,
            "BAD_PAYLOAD: llm request: the head speaks of 2 parts before the history and 1 came",
        ),
        (
            r#"{"tools":2,"system":true}"#,
            2,
            "BAD_PAYLOAD: llm request: the head speaks of 3 parts before the history and 2 came",
        ),
        (r#"{"model":7}"#, 0, "BAD_PAYLOAD: llm request: expected a string, not `7` (at character 11)"),
    ] {
        assert_eq!(shape(head, n), expected, "{head}");
    }
}

#[test]
fn an_adapter_gets_the_very_parts_of_its_caller() {
    type Seen = Arc<Mutex<Option<(LlmRequest, Parts)>>>;
    struct Adapter(Seen);
    impl Llm for Adapter {
        fn stream(
            &self,
            request: LlmRequest,
            history: Parts,
            _: Cx,
        ) -> impl Stream<Item = StreamChunk> + Send + 'static {
            *self.0.lock().unwrap() = Some((request, history));
            stream::iter([StreamChunk::Finish(Finish::Stop)])
        }
    }
    let seen = Seen::default();
    let client = Client::from(serve::<llm::Contract, _>(Adapter(Arc::clone(&seen))));
    let request = LlmRequest {
        settings: Settings { model: "m".into(), ..Settings::default() },
        tools: parts("tool", 3),
        system: Some(Part::new("be brief")),
    };
    let history = parts("message", 40);
    all(client.stream(&request, &history, &quiet()));
    let (got, got_history) = seen.lock().unwrap().take().unwrap();
    assert_eq!(got, request);
    assert_eq!(places(&got.tools), places(&request.tools));
    assert_eq!(places(&got_history), places(&history));
    let place = |part: &Option<Part>| part.as_ref().unwrap().bytes().as_ptr();
    assert_eq!(place(&got.system), place(&request.system));
}
