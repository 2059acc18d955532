//! What may run: apart from the service, so that it can be tested without a host.
use crate::Config;
use plugin_sdk::contracts::tools::{ToolCall, ToolResult};

/// The code of a call that does not pass.
const REFUSED: &str = "REFUSED";

/// The row's rule.
#[derive(Debug)]
pub struct Rule {
    refused: Vec<String>,
}

impl Rule {
    /// The rule that a row's config makes.
    pub fn new(config: Config) -> Self {
        Rule { refused: config.refused }
    }

    /// The answer to a call that does not pass; `None` for one that does.
    pub fn refusal(&self, call: &ToolCall) -> Option<ToolResult> {
        self.refused.contains(&call.name).then(|| {
            let text = format!("Error: `{}` may not run here, and did not; find another way", call.name);
            ToolResult::error(REFUSED, text)
        })
    }
}
