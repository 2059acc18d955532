//! A run with a note before its end: apart from the service, so that it can be tested without a host.
use plugin_sdk::{
    Cx, Result, Stream,
    contracts::agent_loop::{End, LoopEvent, TurnEnd},
    emit, next,
};

/// Hands on every event as it comes. An error from below becomes an end: a run has exactly one.
pub fn noted(
    mut below: impl Stream<Item = Result<LoopEvent>> + Unpin + Send + 'static,
    label: String,
    cx: Cx,
) -> impl Stream<Item = LoopEvent> + Send + 'static {
    emit(move |out| async move {
        let began = cx.now();
        let mut end = End { message: "the loop below ended without an end".into(), ..End::default() };
        while let Some(event) = next(&mut below).await {
            match event {
                Ok(LoopEvent::End(said)) => {
                    end = said;
                    break;
                }
                Ok(event) => out.send(event).await,
                Err(error) => {
                    let code = Some(error.code.into_owned());
                    end =
                        End { status: TurnEnd::Error, code, message: error.message, hint: error.hint, ..end };
                    break;
                }
            }
        }
        let (steps, took) = (end.steps, cx.now().saturating_sub(began).as_millis());
        let text = format!("{label}: {steps} step{}, {took} ms", if steps == 1 { "" } else { "s" });
        out.send(LoopEvent::Note { level: "info".into(), text }).await;
        out.send(LoopEvent::End(end)).await;
    })
}
