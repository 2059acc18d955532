//! A remote `tracing` subscriber: a library's dispatcher forwards, the host's subscriber decides.
use crate::handle;
use abi_stable::{
    StableAbi, sabi_trait,
    std_types::{RSlice, RStr, RVec},
};

/// The static data of a span or event.
#[repr(C)]
#[derive(StableAbi)]
pub struct RCallsite<'a> {
    /// Name of the span, or `event file:line`.
    pub name: RStr<'a>,
    /// Usually the module path.
    pub target: RStr<'a>,
    /// 1 error, 2 warn, 3 info, 4 debug, 5 trace.
    pub level: u8,
    /// A span, else an event.
    pub is_span: bool,
    /// Source file, `""` when unknown.
    pub file: RStr<'a>,
    /// Source line, 0 when unknown.
    pub line: u32,
    /// Field names; values refer to them by position. At most 32 are kept.
    pub fields: RVec<RStr<'a>>,
}

/// A field's value, borrowed: logging a number or a string allocates nothing here.
#[repr(C, u8)]
#[derive(StableAbi, Clone, Copy)]
pub enum RValue<'a> {
    /// A boolean.
    Bool(bool),
    /// A signed integer.
    I64(i64),
    /// An unsigned integer.
    U64(u64),
    /// A float.
    F64(f64),
    /// A string.
    Str(RStr<'a>),
    /// Anything else, as its `Debug` text.
    Debug(RStr<'a>),
}

/// One recorded field.
#[repr(C)]
#[derive(StableAbi, Clone, Copy)]
pub struct RField<'a> {
    /// Position in [`RCallsite::fields`].
    pub index: u32,
    /// Its value.
    pub value: RValue<'a>,
}

/// Where a library's spans and events go. Span ids are the host's own. `parent`: 0 is the current span, 1 is none,
/// any other is a span id plus 2.
#[sabi_trait]
pub trait TraceSink: Send + Sync {
    /// The most verbose level anybody listens to, 0 for none.
    fn max_level(&self) -> u8;
    /// Announces a callsite; 0 when nobody will ever want it.
    fn register(&self, callsite: RCallsite<'_>) -> u64;
    /// Whether somebody wants it now.
    fn enabled(&self, callsite: u64) -> bool;
    /// Opens a span.
    fn new_span(&self, callsite: u64, parent: u64, fields: RSlice<'_, RField<'_>>) -> u64;
    /// Adds fields to a span.
    fn record(&self, span: u64, callsite: u64, fields: RSlice<'_, RField<'_>>);
    /// Says that one span follows from another.
    fn follows_from(&self, span: u64, follows: u64);
    /// Records an event.
    fn event(&self, callsite: u64, parent: u64, fields: RSlice<'_, RField<'_>>);
    /// Makes a span the current one of this thread.
    fn enter(&self, span: u64);
    /// Leaves it.
    fn exit(&self, span: u64);
    /// One more handle on a span.
    fn clone_span(&self, span: u64);
    /// One handle less; true when it was the last.
    fn try_close(&self, span: u64) -> bool;
    /// The current span of this thread, 0 for none.
    #[sabi(last_prefix_field)]
    fn current_span(&self) -> u64;
}

handle!(
    /// A shared trace sink.
    RTraceSink,
    TraceSink_TO,
    TraceSink
);
