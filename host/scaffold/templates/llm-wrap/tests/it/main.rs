//! What passes, and what is noted of it.

use plugin_sdk::{
    Error, Item as _, Result,
    contracts::{Batch, llm::StreamChunk},
    emit, next,
    testing::cx,
};
use std::pin::pin;

use template_llm_wrap::{Config, timed};

fn batch(text: &str) -> Batch {
    let mut batch = Batch::new();
    batch.push(StreamChunk::TextDelta { index: 0, text: text.into() }.into_chunk());
    batch
}

/// What passes, as text, and the notes.
async fn pass(note_ms_min: u64) -> (Vec<String>, Vec<(String, String)>) {
    let (cx, _cancel, events) = cx();
    let below = emit(|out| async move {
        out.send(Ok(batch("Hel"))).await;
        out.send(Ok(batch("lo"))).await;
        out.send(Err(Error::new("SERVER", "it broke"))).await;
    });
    let (mut stream, mut seen) = (pin!(timed(Box::pin(below), Config { note_ms_min }, cx)), Vec::new());
    let told = |batch: Result<Batch>| match batch {
        Ok(batch) => batch.into_iter().map(|chunk| chunk.text.into()).collect::<Vec<String>>().concat(),
        Err(error) => error.code.into_owned(),
    };
    while let Some(batch) = next(&mut stream).await {
        seen.push(told(batch));
    }
    (seen, events.take())
}

#[tokio::test]
async fn everything_passes_in_order_and_is_noted_once() {
    let (seen, notes) = pass(0).await;
    assert_eq!(seen, ["Hel", "lo", "SERVER"]);
    let (kind, note) = notes.first().unwrap();
    assert_eq!((notes.len(), kind.as_str()), (1, "note"));
    assert!(note.contains("the model answered after "), "{note}");
}

#[tokio::test]
async fn what_was_quick_is_not_noted() {
    let (seen, notes) = pass(u64::MAX).await;
    assert_eq!((seen.len(), notes.len()), (3, 0));
}
