//! What each service means: serde types, the trait an author implements, the client a consumer uses, the rules.
//!
//! Pure: no I/O, no runtime, no clock of its own (a call's [`Cx`] brings the host's). A contract is a marker type that
//! implements [`Contract`], so a third party adds a service of its own exactly as the ones in here are made.
pub mod error;
pub mod cx;
pub mod wire;
pub mod contract;
pub mod message;
pub mod usage;
pub mod llm;
pub mod tools;
pub mod dispatch;
pub mod turn_policy;
pub mod context;
pub mod session;
pub mod agent_loop;

pub use contract::{Contract, Join, Role, Serve, Shape};
pub use cx::{Answer, Choice, Cx, Question};
pub use error::{Error, Result};
pub use message::{Block, Message, Speaker};
pub use plugin_api::{PartId, RPart as Part, RParts as Parts, RPayload as Payload};
pub use usage::Usage;
pub use wire::{Batch, BatchStream, BoxFuture, BoxStream, Item, Raw};
