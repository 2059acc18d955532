//! One request and its response, until it ends, breaks, falls silent or is not wanted any more.
use crate::{
    address::Address,
    body::Writer,
    config::Config,
    failure::{failure, hint},
    http::{client, lost},
    key::Key,
    reader::Reader,
    refusal,
};
use contracts::llm::{Failure, Finish, LlmRequest, StreamChunk, code};
use plugin_sdk::{Cx, Error, Out, Parts, Result, contracts};
use reqwest::{Client, Response, header::AUTHORIZATION};
use std::{future::Future, time::Duration};
use tokio::{select, sync::OnceCell, time::timeout};

/// How long the end of a complete response is waited for, without which its connection could not be used again.
const REST: Duration = Duration::from_secs(1);

/// All that the requests of a row share.
pub(crate) struct Row {
    config: Config,
    address: Address,
    key: Key,
    writer: Writer,
    client: OnceCell<Client>,
}

impl Row {
    /// # Errors
    /// `INVALID_BASE_URL`.
    pub(crate) fn new(config: Config) -> Result<Self> {
        Ok(Row {
            address: Address::below(&config.base_url)?,
            key: Key::pasted(&config.api_key),
            writer: Writer::default(),
            client: OnceCell::new(),
            config,
        })
    }

    /// Sends all chunks of the response to a request, the finish last.
    pub(crate) async fn answer(&self, request: LlmRequest, history: Parts, cx: Cx, out: Out<StreamChunk>) {
        let mut finish = select! {
            // In this order a token that is fired already keeps the request from being made.
            biased;
            () = cx.cancelled() => Finish::Aborted { failure: Error::aborted(&cx.cancel_reason()).into() },
            ended = self.exchange(&request, &history, &cx, &out) => {
                ended.unwrap_or_else(|failure| Finish::Error { failure })
            }
        };
        if let Finish::Error { failure } | Finish::Aborted { failure } = &mut finish {
            if failure.hint.is_empty() {
                failure.hint = hint(&failure.code).to_owned();
            }
            self.key.hide(failure);
        }
        out.send(StreamChunk::Finish(finish)).await;
    }

    async fn exchange(
        &self,
        request: &LlmRequest,
        history: &Parts,
        cx: &Cx,
        out: &Out<StreamChunk>,
    ) -> Result<Finish, Failure> {
        let authorization = self.key.authorization(&self.address)?;
        let settings = self.config.fill(request.settings.clone());
        let body = self.writer.body(&settings, request, history)?;
        let client = self.client.get_or_try_init(|| client(&self.address)).await?;
        let mut post = client.post(self.address.url.clone()).body(body);
        if let Some(authorization) = authorization {
            post = post.header(AUTHORIZATION, authorization);
        }
        if let Some(traceparent) = cx.traceparent() {
            post = post.header("traceparent", traceparent);
        }
        let response = self.heard(post.send()).await?;
        if !response.status().is_success() {
            return Err(refusal::read(&self.address, response).await);
        }
        let request_id = refusal::request_id(response.headers());
        let mut finish =
            self.receive(response, out).await.unwrap_or_else(|failure| Finish::Error { failure });
        if let Finish::Error { failure } = &mut finish {
            failure.request_id = request_id;
        }
        Ok(finish)
    }

    async fn receive(&self, mut response: Response, out: &Out<StreamChunk>) -> Result<Finish, Failure> {
        let (mut reader, mut chunks) = (Reader::default(), Vec::new());
        loop {
            match self.heard(response.chunk()).await? {
                Some(bytes) => reader.read(&bytes, &mut chunks),
                None => reader.end(&mut chunks),
            }
            for chunk in chunks.drain(..) {
                let StreamChunk::Finish(finish) = chunk else {
                    out.send(chunk).await;
                    continue;
                };
                if !matches!(finish, Finish::Error { .. }) {
                    let rest = async move { while let Ok(Some(_)) = response.chunk().await {} };
                    tokio::spawn(timeout(REST, rest));
                }
                return Ok(finish);
            }
        }
    }

    /// What comes next from the provider, if it comes in time. A comment that keeps the connection alive comes too.
    async fn heard<T>(&self, next: impl Future<Output = reqwest::Result<T>>) -> Result<T, Failure> {
        let silence = self.config.idle_timeout_ms();
        match timeout(Duration::from_millis(silence), next).await {
            Ok(heard) => heard.map_err(|error| lost(&self.address, &error)),
            Err(_) => {
                let what = format_args!("{} was silent for {silence} ms", self.address);
                Err(failure(code::TIMEOUT, what))
            }
        }
    }
}
