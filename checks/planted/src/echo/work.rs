//! What `echo` does, apart from how it is reached: the same code is called directly, as what reaching it is compared with.
use plugin_sdk::{
    contracts::{llm::StreamChunk, wire},
    *,
};
use serde::Deserialize;
use std::{
    pin::Pin,
    task::{Context, Poll},
};

/// What came.
pub(crate) async fn echo(payload: Payload) -> Result<Payload> {
    Ok(payload)
}

/// A stream of `batches`, each of `size` deltas.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(crate) struct Counting {
    pub(crate) batches: u32,
    pub(crate) size: u32,
}

impl Stream for Counting {
    type Item = Result<wire::Batch>;
    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Some(left) = self.batches.checked_sub(1) else { return Poll::Ready(None) };
        self.batches = left;
        let chunk = |index| StreamChunk::TextDelta { index, text: "word ".into() }.into_chunk();
        Poll::Ready(Some(Ok((0..self.size).map(chunk).collect())))
    }
}
