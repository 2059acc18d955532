//! The one trait that all services are.
use crate::{CallCx, FfiFuture, FfiStream, RBatch, RPayload, RResultE, handle};
use abi_stable::{
    sabi_trait,
    std_types::{RStr, RString},
};

/// A named service, whoever provides it. What its methods mean is the business of a contract above the ABI.
#[sabi_trait]
pub trait Service: Send + Sync {
    /// `{"service": "llm", "version": "1.0.0", "methods": {"stream": "stream", "models": "call"}}`; `""` from the
    /// handle of a slot in which nothing is mounted.
    fn describe(&self) -> RString;
    /// One answer. An unknown method is `NO_METHOD`; an empty slot `NOT_MOUNTED`.
    fn call(&self, method: RStr<'_>, payload: RPayload, cx: CallCx) -> FfiFuture<RResultE<RPayload>>;
    /// A stream of batches; an error is its last item. Work starts with the first poll.
    #[sabi(last_prefix_field)]
    fn open(&self, method: RStr<'_>, payload: RPayload, cx: CallCx) -> FfiStream<RResultE<RBatch>>;
}

handle!(
    /// A shared handle on a service, or on a slot: then each call looks up what is mounted there.
    RService,
    Service_TO,
    Service
);
