//! What travels with every call.
use crate::{FfiFuture, RCancel, RPayload, RResultE, handle};
use abi_stable::{
    StableAbi, sabi_trait,
    std_types::{ROption, RStr, RString},
};

/// W3C trace context of the caller (Trace Context, level 2): all zero when there is none.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TraceCx {
    /// trace-id
    pub trace_id: [u8; 16],
    /// parent-id: the caller's span
    pub span_id: [u8; 8],
    /// trace-flags: bit 0 is `sampled`
    pub flags: u8,
}

/// The run a call belongs to: its session, its events, the person or client behind it, its clock.
#[sabi_trait]
pub trait Run: Send + Sync {
    /// The session of this run; never empty.
    fn session(&self) -> RString;
    /// The session that started this one, for a child run.
    fn parent(&self) -> ROption<RString>;
    /// A run below this one with a session of its own. Its events and questions reach the same client.
    fn child(&self, session: RStr<'_>) -> RRun;
    /// An event of this run, from however deep: a kind of [`crate::run`] or any other word, which is passed on as is.
    fn emit(&self, kind: RStr<'_>, payload: RPayload);
    /// Asks whoever is behind this run; the shapes are in [`crate::run`]. Fails with `NO_ONE_TO_ASK` or `ABORTED`.
    fn ask(&self, question: RPayload) -> FfiFuture<RResultE<RPayload>>;
    /// Nanoseconds on the host's monotonic clock, from an arbitrary start.
    fn now_ns(&self) -> u64;
    /// Ready after that many nanoseconds, on the host's timer: no runtime needed.
    #[sabi(last_prefix_field)]
    fn sleep(&self, ns: u64) -> FfiFuture<()>;
}

handle!(
    /// A shared run.
    RRun,
    Run_TO,
    Run
);

/// The context of a call.
#[repr(C)]
#[derive(StableAbi, Clone, Debug)]
pub struct CallCx {
    /// Fired when the caller wants an end.
    pub cancel: RCancel,
    /// When the caller gives up, on the clock of [`Run::now_ns`]; 0 for never.
    pub deadline_ns: u64,
    /// The caller's span.
    pub trace: TraceCx,
    /// The run this call belongs to.
    pub run: RRun,
    /// A JSON object, `""` when empty: how this struct grows.
    pub ext: RString,
}
