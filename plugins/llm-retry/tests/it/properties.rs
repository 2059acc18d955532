//! Whatever the attempts do, what comes out keeps the rules of a stream and is the last attempt's answer.
use crate::run::Scene;
use plugin_sdk::{
    Block,
    contracts::llm::{Assembler, Finish, StreamChunk},
};
use proptest::{collection::vec, prelude::*, sample::select};
use serde_json::json;

fn batches() -> impl Strategy<Value = String> {
    let batch = select(vec![
        "open",
        "text a",
        "text b",
        "text ",
        "think c",
        "call d",
        "other x",
        "sleep 30",
        "text e & think f",
        "open & text g",
    ]);
    vec(batch, 0..6).prop_map(|batches| batches.join(" | "))
}

fn ends() -> impl Strategy<Value = &'static str> {
    select(vec![
        "| stop",
        "| usage | stop",
        "& stop",
        "| fail SERVER 500",
        "& fail TRANSPORT",
        "| usage & fail EMPTY_RESPONSE",
        "| fail AUTH 401",
        "| silent",
        "| deaf",
        "| error TRANSPORT",
        "| error PANIC",
        "",
        "| fail RATE_LIMIT 429 after 40",
        "| fail RATE_LIMIT 429 after 99999999",
    ])
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn an_answer_keeps_the_rules_and_is_one_attempts(
        attempts in vec((batches(), ends()).prop_map(|(batches, end)| format!("other 0 | {batches} {end}")), 1..5),
        retries_max in 0u32..5,
        after_output in select(vec!["never", "before_text", "always"]),
        total_timeout_ms in select(vec![0, 0, 100, 2000]),
    ) {
        let scene = Scene::new(json!({
            "retries_max": retries_max, "after_output": after_output, "idle_timeout_ms": 20, "backoff_ms": 10,
            "total_timeout_ms": total_timeout_ms,
        }));
        let texts: Vec<&str> = attempts.iter().map(String::as_str).collect();
        let answer = scene.request(&texts);
        // An error of the row below takes the finish's place, and is turned into one by whoever reads it.
        let answer = if answer.text.contains("\nfailed ") { answer } else { answer.checked() };
        prop_assert!(answer.requests as u32 <= retries_max + 1);
        let notes = answer.text.matches("note warn").count();
        prop_assert_eq!((notes, answer.text.matches("\nattempt ").count()), (answer.requests - 1, answer.requests - 1));

        let mut assembler = Assembler::default();
        answer.chunks.iter().cloned().for_each(|chunk| assembler.push(chunk));
        if assembler.finish() != Some(&Finish::Stop) {
            return Ok(());
        }
        // The same attempt alone, without a wrap that would try again.
        let last = texts[(answer.requests - 1).min(texts.len() - 1)];
        let alone = Scene::new(json!({"retries_max": 0, "idle_timeout_ms": 0})).request(&[last]);
        let mut expected = Assembler::default();
        alone.chunks.into_iter().for_each(|chunk| expected.push(chunk));
        prop_assert_eq!(assembler.usage(), expected.usage());
        let (got, expected): (Vec<Block>, Vec<Block>) = (assembler.into_blocks(), expected.into_blocks());
        prop_assert_eq!(got, expected, "{}", answer.text);
        let others = answer.chunks.iter().filter(|chunk| matches!(chunk, StreamChunk::Other(c) if c.data.as_str() == "0"));
        prop_assert_eq!(others.count(), answer.requests);
    }
}
