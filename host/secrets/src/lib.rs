//! Secret values: recognised in every form they may leave in, and masked in whatever crosses to a consumer.
mod forms;
mod payload;

pub use forms::Secrets;
pub use payload::{Redactor, StreamMask};
