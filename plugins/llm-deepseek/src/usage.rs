//! Token counts: the wire's total input becomes disjoint parts.
use plugin_sdk::Usage;
use serde_json::Value;

/// Reads the `usage` of a payload, `None` where it counts nothing. DeepSeek API docs, "Create Chat Completion" and "Context Caching".
pub(crate) fn read(usage: &Value) -> Option<Usage> {
    let count = |pointer: &str| usage.pointer(pointer).and_then(tokens);
    let (input, output) = (count("/prompt_tokens"), count("/completion_tokens"));
    input.or(output)?;
    let cached = count("/prompt_tokens_details/cached_tokens").or_else(|| count("/prompt_cache_hit_tokens"));
    Some(Usage {
        // Where more is said to be cached than there is, nothing else is left.
        input_tokens: input.unwrap_or(0).saturating_sub(cached.unwrap_or(0)),
        output_tokens: output.unwrap_or(0),
        cache_read_tokens: cached,
        cache_write_tokens: None,
        reasoning_tokens: count("/completion_tokens_details/reasoning_tokens"),
    })
}

/// A whole number, or one that was written with a decimal point.
fn tokens(count: &Value) -> Option<u64> {
    count.as_u64().or_else(|| count.as_f64().map(|count| count as u64))
}
