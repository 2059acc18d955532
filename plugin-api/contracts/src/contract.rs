//! What makes a contract one: its name, its version, and how an author's value answers its methods.
use crate::{
    Cx, Payload, Raw, Result,
    wire::{Batch, BoxFuture, BoxStream},
};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Whether a method answers once or streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// `call`
    Call,
    /// `open`
    Stream,
}

/// A plugin's role in a service: the chain is the provider, then joins, then wraps, each in row order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Is the service.
    Provide,
    /// Adds to what is below.
    Join,
    /// Stands before what is below.
    Wrap,
}

impl Role {
    /// The role's word in a manifest.
    pub const fn word(self) -> &'static str {
        match self {
            Role::Provide => "provide",
            Role::Join => "join",
            Role::Wrap => "wrap",
        }
    }
}

/// A named service: a marker type per contract.
pub trait Contract: 'static {
    /// The service's name in rows, needs and errors.
    const NAME: &'static str;
    /// The contract's version (semver): additive changes are minor.
    const VERSION: &'static str;
    /// Its methods.
    const METHODS: &'static [(&'static str, Shape)];
    /// The typed client.
    type Client: From<Raw>;
}

/// How an author's value answers a contract's methods; `None` for a method that the contract does not have.
pub trait Serve<T>: Contract {
    /// Answers once.
    fn call(plugin: &Arc<T>, method: &str, payload: Payload, cx: Cx) -> Option<BoxFuture<Result<Payload>>>;
    /// Streams.
    fn open(plugin: &Arc<T>, method: &str, payload: Payload, cx: Cx) -> Option<BoxStream<Result<Batch>>>;
}

/// How an author's value adds to what is below; only contracts in which that means something have it.
pub trait Join<T>: Serve<T> {
    /// Answers once.
    fn join_call(
        plugin: &Arc<T>,
        below: &Raw,
        method: &str,
        payload: Payload,
        cx: Cx,
    ) -> Option<BoxFuture<Result<Payload>>>;
    /// Streams.
    fn join_open(
        plugin: &Arc<T>,
        below: &Raw,
        method: &str,
        payload: Payload,
        cx: Cx,
    ) -> Option<BoxStream<Result<Batch>>>;
}

/// A stream that yields one error.
pub fn failed(error: crate::Error) -> BoxStream<Result<Batch>> {
    struct Failed(Option<crate::Error>);
    impl futures_core::Stream for Failed {
        type Item = Result<Batch>;
        fn poll_next(
            mut self: std::pin::Pin<&mut Self>,
            _: &mut std::task::Context<'_>,
        ) -> std::task::Poll<Option<Self::Item>> {
            std::task::Poll::Ready(self.0.take().map(Err))
        }
    }
    Box::pin(Failed(Some(error)))
}
