//! The service `llm` by its name and its methods alone: payloads and batches pass as they are.
use crate::{Timing, timed};
use plugin_sdk::{
    Cx, Payload, Raw, Result,
    contracts::{self, Batch, BoxFuture, BoxStream, Serve, Shape, llm},
};
use std::sync::Arc;

/// The contract, unopened.
#[derive(Debug)]
pub(crate) struct Contract;

impl contracts::Contract for Contract {
    const NAME: &'static str = <llm::Contract as contracts::Contract>::NAME;
    const VERSION: &'static str = <llm::Contract as contracts::Contract>::VERSION;
    const METHODS: &'static [(&'static str, Shape)] = <llm::Contract as contracts::Contract>::METHODS;
    type Client = Raw;
}

impl Serve<Timing> for Contract {
    /// What this does not answer goes to what is below by itself.
    fn call(_: &Arc<Timing>, _: &str, _: Payload, _: Cx) -> Option<BoxFuture<Result<Payload>>> {
        None
    }

    fn open(
        timing: &Arc<Timing>,
        method: &str,
        payload: Payload,
        cx: Cx,
    ) -> Option<BoxStream<Result<Batch>>> {
        let below = timing.below.open(method, payload, &cx);
        Some(Box::pin(timed(below, timing.config, cx)))
    }
}
