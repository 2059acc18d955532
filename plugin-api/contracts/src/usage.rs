//! Token counts, disjoint.
use serde::{Deserialize, Serialize};

/// Tokens of one request, or of many. The counts are disjoint: billed input is `input_tokens` + `cache_read_tokens` +
/// `cache_write_tokens`. `reasoning_tokens` is a part of `output_tokens`. `None`: the provider did not say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Usage {
    /// Input that no cache served.
    pub input_tokens: u64,
    /// Output, reasoning included.
    pub output_tokens: u64,
    /// Input that a cache served.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_read_tokens: Option<u64>,
    /// Input that was written to a cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_write_tokens: Option<u64>,
    /// Output that was reasoning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning_tokens: Option<u64>,
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        fn add(a: Option<u64>, b: Option<u64>) -> Option<u64> {
            if a.is_none() && b.is_none() {
                None
            } else {
                Some(a.unwrap_or(0).saturating_add(b.unwrap_or(0)))
            }
        }
        self.input_tokens = self.input_tokens.saturating_add(other.input_tokens);
        self.output_tokens = self.output_tokens.saturating_add(other.output_tokens);
        self.cache_read_tokens = add(self.cache_read_tokens, other.cache_read_tokens);
        self.cache_write_tokens = add(self.cache_write_tokens, other.cache_write_tokens);
        self.reasoning_tokens = add(self.reasoning_tokens, other.reasoning_tokens);
    }
}
