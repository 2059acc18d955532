//! What a call does: the second half of part 6.

use plugin_sdk::{Error, Result, contracts::tools::ToolCall};

use crate::Desk;

impl Desk {
    /// Runs one call and returns what the model is to see of it.
    ///
    /// 1. `call.arguments_text()` is what the model wrote: parse it into a struct with serde. If that fails, say what a correct call
    ///    looks like.
    /// 2. `match call.name.as_str()`. A name that you do not know is an error that lists those you do.
    /// 3. A path is relative to `self.root` and stays in it: resolve `..` and links first
    ///    ([`std::fs::canonicalize`]; of a file that is not there yet, that of its folder), then compare with `starts_with`.
    /// 4. A command runs through [`plugin_sdk::spawn::run`], with `self.root` as its folder.
    /// 5. The text is bounded by [`plugin_sdk::truncate::keep_bytes`], which also says how much was cut.
    ///
    /// # Errors
    /// Whatever keeps the call from its effect. The frame makes a result of it: `Error::new("FS_NOT_FOUND", "…")`.
    pub async fn run(&self, _call: &ToolCall) -> Result<String> {
        Err(Error::new("NOT_WRITTEN", "stub-tools: `run` is not written yet, so the call had no effect")
            .hint("write `run` in plugins/stub-tools/src/run.rs: lab 01, part 6"))
    }
}
