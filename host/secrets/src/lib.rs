//! Secret values: recognised in every form they may leave in, and masked in whatever crosses to a consumer.
mod forms;
mod edges;
mod search;
mod pairs;
mod payload;
mod stream;

pub use payload::Redactor;
pub use search::Secrets;
pub use stream::StreamMask;
