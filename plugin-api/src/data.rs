//! What calls carry: payloads, stream items, errors.
use crate::{RPart, RParts};
use abi_stable::{
    StableAbi,
    std_types::{RResult, RString, RVec},
};

/// A small JSON head and the shared parts it speaks of. Which parts mean what is the contract's business.
#[repr(C)]
#[derive(StableAbi, Clone, Debug, Default, PartialEq)]
pub struct RPayload {
    /// A JSON value, `""` for none; readers ignore fields they do not know and default those they miss.
    pub head: RString,
    /// The shared parts, in the order the contract gives them.
    pub parts: RParts,
}

impl RPayload {
    /// A payload of a head and parts.
    pub fn new(head: impl Into<RString>, parts: RParts) -> Self {
        RPayload { head: head.into(), parts }
    }
}

/// One stream item. `kind` is an open tag: an unknown one is passed on, never fatal.
#[repr(C)]
#[derive(StableAbi, Clone, Debug, Default, PartialEq)]
pub struct RChunk {
    /// What it is; the contract lists its kinds. Kinds from 60000 on are the run protocol's ([`crate::run`]).
    pub kind: u16,
    /// Reserved for the contract, 0 when it says nothing.
    pub flags: u16,
    /// Which block, call or item of the stream it belongs to.
    pub index: u32,
    /// Hot text: a delta, a line of progress, an observation. Plain, not JSON.
    pub text: RString,
    /// Everything rare, as a JSON value, `""` for none.
    pub data: RString,
    /// Shared parts that belong to it.
    pub parts: RVec<RPart>,
}

impl RChunk {
    /// An item that is plain text.
    pub fn text(kind: u16, index: u32, text: impl Into<RString>) -> Self {
        RChunk { kind, index, text: text.into(), ..RChunk::default() }
    }

    /// An item that is a JSON value.
    pub fn data(kind: u16, index: u32, data: impl Into<RString>) -> Self {
        RChunk { kind, index, data: data.into(), ..RChunk::default() }
    }
}

/// The items that one poll yields, never empty; a wrapper forwards a batch unopened.
pub type RBatch = RVec<RChunk>;

/// An error that crosses: a value on both sides.
#[repr(C)]
#[derive(StableAbi, Clone, Debug, Default, PartialEq, Eq)]
pub struct RError {
    /// A stable word for programs, SCREAMING_SNAKE: `NOT_MOUNTED`, `PANIC`, `STUCK`, `ABORTED`, …
    pub code: RString,
    /// One plain sentence for people: what and where.
    pub message: RString,
    /// The one thing to do about it, `""` for none.
    pub hint: RString,
    /// A JSON object with details, `""` for none.
    pub data: RString,
}

impl RError {
    /// An error without hint or details.
    pub fn new(code: &str, message: impl Into<RString>) -> Self {
        RError { code: code.into(), message: message.into(), ..RError::default() }
    }

    /// The same error with the one thing to do about it.
    pub fn hint(mut self, hint: impl Into<RString>) -> Self {
        self.hint = hint.into();
        self
    }
}

impl std::fmt::Display for RError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for RError {}

/// A result whose error crosses.
pub type RResultE<T> = RResult<T, RError>;
