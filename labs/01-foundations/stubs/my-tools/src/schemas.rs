//! What the model is told of the tools: the first half of part 6.

use plugin_sdk::{Error, Result, contracts::tools::ToolSchema};

/// The tools, in the order the model sees them: `read_file`, `write_file` and `run_shell`.
///
/// One [`ToolSchema::new`] each: a name, a description, and a JSON Schema of the arguments as text. These words are part of every
/// request, and all that the model knows of a tool. Always the same bytes, or the provider's cache is of no use.
///
/// # Errors
/// `BAD_PAYLOAD` when the parameters of one are not JSON.
pub fn schemas() -> Result<Vec<ToolSchema>> {
    Err(Error::new("NOT_WRITTEN", "stub-tools: `schemas` is not written yet, so there are no tools")
        .hint("write `schemas` in plugins/stub-tools/src/schemas.rs: lab 01, part 6"))
}
