//! All that a plugin author depends on: the contracts, the kit, and the glue that hides the ABI.
//!
//! A plugin is a struct that implements [`Plugin`] and the trait of each service it has a role in, and one
//! [`export_plugins!`]. No ABI type appears in it. What the glue does around the author's code: the library's tokio runtime
//! is entered for each poll (unless `runtime: none`), a panic becomes an error that names its place, `tracing` reaches the host.
//!
//! ```no_run
//! use plugin_sdk::*;
//! use contracts::tools::{self, ToolCall, ToolEvent, ToolList, ToolResult, ToolSchema, Tools};
//!
//! struct Clock;
//!
//! impl Plugin for Clock {
//!     type Config = NoConfig;
//!     async fn create(_: Ctx, _: NoConfig) -> Result<Self> {
//!         Ok(Clock)
//!     }
//! }
//!
//! impl Tools for Clock {
//!     async fn list(&self, _known: Option<String>, _cx: &Cx) -> Result<ToolList> {
//!         let clock = ToolSchema::new("clock", "Tells how long the host has been up.", r#"{"type":"object"}"#)?;
//!         Ok(ToolList::Tools { generation: "1".into(), tools: [clock.part()].into_iter().collect() })
//!     }
//!     fn execute(&self, _call: ToolCall, cx: Cx) -> impl Stream<Item = ToolEvent> + Send + 'static {
//!         emit(|out| async move { out.send(ToolEvent::Result(ToolResult::ok(format!("{:?}", cx.now())))).await })
//!     }
//! }
//!
//! export_plugins! {
//!     plugin "tools-clock": Clock {
//!         services: [join tools],
//!         config: r#"{"type":"object","additionalProperties":false}"#,
//!         runtime: none,
//!     }
//! }
//! # fn main() {}
//! ```
pub use contracts;
pub use contracts::wire::next;
pub use contracts::{
    Answer, Block, Choice, Contract, Cx, Error, Item, Message, Part, PartId, Parts, Payload, Question, Raw,
    Result, Speaker, Usage,
};
pub use futures_core::Stream;
pub use kit_lock as lock;
pub use kit_memo as memo;
pub use kit_spawn as spawn;
pub use kit_sse as sse;
pub use kit_truncate as truncate;

mod ctx;
mod emit;
mod export;
#[doc(hidden)]
pub mod glue;
mod guard;
mod out;
mod relay;
mod rt;
mod trace;
pub mod testing;

pub use ctx::{Ctx, NoConfig, Plugin};
pub use emit::emit;
pub use out::Out;
pub use relay::relay;
pub use rt::blocking;
