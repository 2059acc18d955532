//! Token counts for an answer: those of the script, else computed from sizes so that equal runs report equal numbers.

use serde::{Serialize, Serializer, ser::SerializeStruct};

use super::script::{Answer, UsagePlan};

/// Bytes that count as one token when the script gives no number; close to English text under common tokenizers.
const BYTES_PER_TOKEN: usize = 4;

/// Usage in OpenAI's shape: cached tokens are part of the prompt, reasoning tokens part of the completion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Usage {
    prompt: u64,
    completion: u64,
    cached: Option<u64>,
    reasoning: Option<u64>,
}

impl Usage {
    /// The usage that `plan` asks for; `sent_bytes` is the size of the request's tools and messages, `shared_bytes`
    /// how much of it repeats the start of the request before, which is what a provider's prefix cache would hit.
    pub(super) fn of(
        plan: UsagePlan,
        answer: &Answer,
        sent_bytes: usize,
        shared_bytes: usize,
    ) -> Option<Self> {
        let reasoning_bytes = size(&answer.reasoning);
        let call_bytes: usize = answer.calls.iter().map(|call| call.name.len() + size(&call.fragments)).sum();
        let completion = tokens(reasoning_bytes + size(&answer.deltas) + call_bytes).max(1);
        match plan {
            UsagePlan::Silent => None,
            UsagePlan::Computed => Some(Self {
                prompt: tokens(sent_bytes),
                completion,
                cached: Some(tokens(shared_bytes)),
                reasoning: Some(tokens(reasoning_bytes)),
            }),
            UsagePlan::Given(given) => Some(Self {
                prompt: given.prompt_tokens.unwrap_or(tokens(sent_bytes)),
                completion: given.completion_tokens.unwrap_or(completion),
                cached: given.cached_tokens,
                reasoning: given.reasoning_tokens,
            }),
        }
    }
}

fn size(pieces: &[String]) -> usize {
    pieces.iter().map(String::len).sum()
}

fn tokens(bytes: usize) -> u64 {
    bytes.div_ceil(BYTES_PER_TOKEN) as u64
}

#[derive(Serialize)]
struct Cached {
    cached_tokens: u64,
}

#[derive(Serialize)]
struct Reasoning {
    reasoning_tokens: u64,
}

impl Serialize for Usage {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut usage = serializer.serialize_struct("Usage", 5)?;
        usage.serialize_field("prompt_tokens", &self.prompt)?;
        usage.serialize_field("completion_tokens", &self.completion)?;
        usage.serialize_field("total_tokens", &self.prompt.saturating_add(self.completion))?;
        if let Some(cached_tokens) = self.cached {
            usage.serialize_field("prompt_tokens_details", &Cached { cached_tokens })?;
        }
        if let Some(reasoning_tokens) = self.reasoning {
            usage.serialize_field("completion_tokens_details", &Reasoning { reasoning_tokens })?;
        }
        usage.end()
    }
}
