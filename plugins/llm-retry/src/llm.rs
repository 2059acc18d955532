//! The service `llm` with its payloads and batches unopened.
use crate::{Retry, request::retried};
use plugin_sdk::{
    Cx, Payload, Raw, Result,
    contracts::{self, Batch, BoxFuture, BoxStream, Serve, Shape, llm},
};
use std::sync::Arc;

#[derive(Debug)]
pub(crate) struct Contract;

impl contracts::Contract for Contract {
    const NAME: &'static str = <llm::Contract as contracts::Contract>::NAME;
    const VERSION: &'static str = <llm::Contract as contracts::Contract>::VERSION;
    const METHODS: &'static [(&'static str, Shape)] = <llm::Contract as contracts::Contract>::METHODS;
    type Client = Raw;
}

impl Serve<Retry> for Contract {
    /// What is not answered here goes to what is below by itself.
    fn call(_: &Arc<Retry>, _: &str, _: Payload, _: Cx) -> Option<BoxFuture<Result<Payload>>> {
        None
    }

    fn open(retry: &Arc<Retry>, method: &str, payload: Payload, cx: Cx) -> Option<BoxStream<Result<Batch>>> {
        let (stream, _) = <Self as contracts::Contract>::METHODS[0];
        if method != stream {
            return None;
        }
        let below = retry.below.clone();
        let open = move |cx: &Cx| below.open(stream, payload.clone(), cx);
        Some(Box::pin(retried(open, Arc::clone(&retry.row), cx)))
    }
}
