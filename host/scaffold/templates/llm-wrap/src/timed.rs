//! A stream that is timed: apart from the service, so that it can be tested without a host.
use crate::Config;
use plugin_sdk::{Cx, Result, Stream, contracts::Batch, emit, next};

/// Hands on every batch as it comes, and notes at the end how long the first and all of them took.
pub fn timed(
    mut below: impl Stream<Item = Result<Batch>> + Unpin + Send + 'static,
    config: Config,
    cx: Cx,
) -> impl Stream<Item = Result<Batch>> + Send + 'static {
    emit(move |out| async move {
        // The host's clock, which a test can stand in for.
        let (began, mut first) = (cx.now(), None);
        let since = || cx.now().saturating_sub(began).as_millis();
        while let Some(batch) = next(&mut below).await {
            first.get_or_insert_with(since);
            out.send(batch).await;
        }
        let (first, all) = (first.unwrap_or_default(), since());
        if all >= u128::from(config.note_ms_min) {
            cx.note("info", &format!("the model answered after {first} ms and was done after {all} ms"));
        }
    })
}
