//! One exchange: the request out, the response read until it ends, fails, falls silent or is no longer wanted.
use crate::{adapter::Adapter, decode::Decoder, hint, http, request};
use contracts::llm::{Failure, Finish, LlmRequest, StreamChunk, code};
use plugin_sdk::{Cx, Error, Out, Parts, contracts};
use reqwest::{Response, header::CONTENT_TYPE};
use std::{future::ready, pin::pin, time::Duration};
use tokio::{
    select,
    task::yield_now,
    time::{Instant, sleep, timeout},
};

/// How long, and how far, a response is read on after its end was said, so that its connection can be used again.
const DRAIN_TIME: Duration = Duration::from_secs(1);
const DRAIN_READS_MAX: usize = 16;
/// How often it is looked for on the spot, before a task with a timer is worth its price.
const DRAIN_TURNS: usize = 4;

/// Sends every chunk of the response, exactly one finish last.
pub(crate) async fn respond(
    adapter: &Adapter,
    request: &LlmRequest,
    history: &Parts,
    cx: &Cx,
    out: &Out<StreamChunk>,
) {
    let exchanged = if cx.is_cancelled() {
        Err(Error::aborted(&cx.cancel_reason()))
    } else {
        // Losing to the token drops the exchange, and with it the connection.
        cx.until_cancelled(exchange(adapter, request, history, cx, out)).await
    };
    let mut finish = match exchanged {
        Ok(Ok(finish)) => finish,
        Ok(Err(failure)) => Finish::Error { failure },
        Err(aborted) => Finish::Aborted { failure: aborted.into() },
    };
    if let Finish::Error { failure } = &mut finish
        && failure.hint.is_empty()
    {
        failure.hint = hint::of(failure);
    }
    adapter.secrets.mask(&mut finish);
    if let Finish::Error { failure } = &finish {
        tracing::debug!(code = failure.code, status = failure.status, "llm request failed");
    }
    out.send(StreamChunk::Finish(finish)).await;
}

async fn exchange(
    adapter: &Adapter,
    request: &LlmRequest,
    history: &Parts,
    cx: &Cx,
    out: &Out<StreamChunk>,
) -> Result<Finish, Failure> {
    let plan = adapter.plan(&request.settings)?;
    let body = request::body(&adapter.memo, &plan, request, history)?;
    let (origin, idle) = (&plan.endpoint.origin, adapter.idle);
    tracing::debug!(origin, model = plan.settings.model, bytes = body.len(), "llm request");

    let silent = || {
        let message = format!("llm-openai: nothing came from {origin} for {} ms", idle.as_millis());
        Failure::new(code::TIMEOUT, message)
    };
    let sent = adapter.http.post(plan.endpoint, plan.headers(cx.traceparent()), body);
    let mut response = timeout(idle, sent).await.map_err(|_elapsed| silent())??;
    let request_id = http::request_id(response.headers());
    let identified = |failure: Failure| Failure { request_id: request_id.clone(), ..failure };

    let content_type = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let mut decoder = Decoder::new(content_type.unwrap_or_default());
    let (mut chunks, mut alarm) = (Vec::new(), pin!(sleep(idle)));
    let finish = loop {
        // Only the time that a read takes counts, not the time between reads.
        alarm.as_mut().reset(Instant::now() + idle);
        let read = select! {
            biased;
            read = response.chunk() => read,
            () = alarm.as_mut() => return Err(identified(silent())),
        };
        let finish = match read {
            Ok(Some(bytes)) => decoder.feed(&bytes, &mut chunks),
            Ok(None) => Some(decoder.close(&mut chunks)),
            Err(error) => return Err(identified(http::lost(plan.endpoint, error))),
        };
        for chunk in chunks.drain(..) {
            out.send(chunk).await;
        }
        if let Some(finish) = finish {
            break finish;
        }
    };
    drain(response).await;
    Ok(match finish {
        Finish::Error { failure } => Finish::Error { failure: identified(failure) },
        finish => finish,
    })
}

/// The last bytes of a response usually come with those that said its end, or right after. A connection that is dropped before them is
/// closed, and the next request would have to make a new one.
async fn drain(mut response: Response) {
    for _ in 0..DRAIN_TURNS {
        // The connection's own task passes on what it has read.
        yield_now().await;
        select! {
            biased;
            read = response.chunk() => if !matches!(read, Ok(Some(_))) { return },
            () = ready(()) => {}
        }
    }
    tokio::spawn(timeout(DRAIN_TIME, async move {
        for _ in 0..DRAIN_READS_MAX {
            if !matches!(response.chunk().await, Ok(Some(_))) {
                break;
            }
        }
    }));
}
