//! What a consumer of a log calls.
use super::{
    Event, NewEvent, Summary,
    event::EVENT,
    serve::{Args, NewEventHead},
};
use crate::{
    Cx, Error, Item, Parts, Payload, Result,
    wire::{self, Items, client},
};
use futures_core::Stream;
use plugin_api::RChunk;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::{
    pin::Pin,
    task::{Context, Poll},
};

/// The events of a log, in order.
#[derive(Debug)]
pub struct Events(Items<Known>);

impl Stream for Events {
    type Item = Result<Event>;
    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            return Poll::Ready(match Pin::new(&mut self.0).poll_next(cx) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Some(Ok(Known::Other(_)))) => continue,
                Poll::Ready(Some(Ok(Known::Event(event)))) => Some(Ok(event)),
                Poll::Ready(Some(Err(error))) => Some(Err(error)),
                Poll::Ready(None) => None,
            });
        }
    }
}

/// An item of `read`.
#[derive(Debug)]
enum Known {
    Event(Event),
    /// A kind that this build does not know.
    Other(RChunk),
}

impl Item for Known {
    fn into_chunk(self) -> RChunk {
        match self {
            Known::Event(event) => event.into_chunk(),
            Known::Other(chunk) => chunk,
        }
    }

    fn from_chunk(chunk: RChunk) -> Result<Self> {
        match chunk.kind {
            EVENT => Event::from_chunk(chunk).map(Known::Event),
            _ => Ok(Known::Other(chunk)),
        }
    }
}

client!(
    /// A client of `session`.
);

impl Client {
    async fn ask<T: DeserializeOwned>(
        &self,
        method: &str,
        args: Args,
        parts: Parts,
        field: &str,
        cx: &Cx,
    ) -> Result<T> {
        let (mut answer, _) = self.0.json::<Value>(method, &args, parts, cx).await?;
        let value = answer.get_mut(field).map(Value::take).unwrap_or_default();
        serde_json::from_value(value)
            .map_err(|e| Error::new("BAD_PAYLOAD", format!("session.{method}: `{field}`: {e}")))
    }

    /// See [`super::Session::create`].
    ///
    /// # Errors
    /// Those of the service, as for every method here.
    pub async fn create(&self, session: Option<&str>, parent: Option<&str>, cx: &Cx) -> Result<String> {
        let session = session.unwrap_or_default().to_owned();
        let args = Args { session, parent: parent.map(str::to_owned), ..Args::default() };
        self.ask("create", args, Parts::new(), "session", cx).await
    }

    /// See [`super::Session::append`].
    ///
    /// # Errors
    /// `SESSION_NOT_FOUND`, `SESSION_LOCKED`.
    pub async fn append(&self, session: &str, events: Vec<NewEvent>, cx: &Cx) -> Result<u64> {
        let mut parts = Parts::new();
        let mut heads = Vec::with_capacity(events.len());
        for event in events {
            heads.push(NewEventHead { kind: event.kind, data: event.data, parts: event.parts.len() });
            event.parts.into_iter().for_each(|part| parts.push(part));
        }
        let args = Args { session: session.to_owned(), events: heads, ..Args::default() };
        self.ask("append", args, parts, "seq", cx).await
    }

    /// See [`super::Session::flush`].
    ///
    /// # Errors
    /// Those of the service.
    pub async fn flush(&self, session: &str, cx: &Cx) -> Result<()> {
        let args = Args { session: session.to_owned(), ..Args::default() };
        self.raw().json::<Value>("flush", &args, Parts::new(), cx).await.map(drop)
    }

    /// See [`super::Session::read`].
    pub fn read(&self, session: &str, from_seq: u64, cx: &Cx) -> Events {
        let args = Args { session: session.to_owned(), from_seq: Some(from_seq), ..Args::default() };
        Events(self.0.items("read", Payload::new(wire::write(&args), Parts::new()), cx))
    }

    /// See [`super::Session::fork`].
    ///
    /// # Errors
    /// `SESSION_NOT_FOUND`.
    pub async fn fork(&self, session: &str, at_seq: u64, cx: &Cx) -> Result<String> {
        let args = Args { session: session.to_owned(), at_seq: Some(at_seq), ..Args::default() };
        self.ask("fork", args, Parts::new(), "session", cx).await
    }

    /// See [`super::Session::list`].
    ///
    /// # Errors
    /// Those of the service.
    pub async fn list(&self, cx: &Cx) -> Result<Vec<Summary>> {
        self.ask("list", Args::default(), Parts::new(), "sessions", cx).await
    }

    /// See [`super::Session::put`].
    ///
    /// # Errors
    /// `SESSION_NOT_FOUND`, `SESSION_LOCKED`.
    pub async fn put(&self, session: &str, key: &str, value: Value, cx: &Cx) -> Result<()> {
        let args = Args { session: session.to_owned(), key: Some(key.to_owned()), value, ..Args::default() };
        self.raw().json::<Value>("put", &args, Parts::new(), cx).await.map(drop)
    }

    /// See [`super::Session::get`].
    ///
    /// # Errors
    /// `SESSION_NOT_FOUND`.
    pub async fn get(&self, session: &str, key: &str, cx: &Cx) -> Result<Value> {
        let args = Args { session: session.to_owned(), key: Some(key.to_owned()), ..Args::default() };
        self.ask("get", args, Parts::new(), "value", cx).await
    }

    /// See [`super::Session::close`].
    ///
    /// # Errors
    /// Those of the service.
    pub async fn close(&self, session: &str, cx: &Cx) -> Result<()> {
        let args = Args { session: session.to_owned(), ..Args::default() };
        self.raw().json::<Value>("close", &args, Parts::new(), cx).await.map(drop)
    }

    /// See [`super::Session::delete`].
    ///
    /// # Errors
    /// `SESSION_NOT_FOUND`, `SESSION_LOCKED`.
    pub async fn delete(&self, session: &str, cx: &Cx) -> Result<()> {
        let args = Args { session: session.to_owned(), ..Args::default() };
        self.raw().json::<Value>("delete", &args, Parts::new(), cx).await.map(drop)
    }
}
