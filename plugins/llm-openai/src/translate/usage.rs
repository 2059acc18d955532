//! Token counts: a total and parts of it on the wire, disjoint counts with us.
use plugin_sdk::Usage;
use serde::Deserialize;

/// "The usage object" of OpenAI's API reference; the hit count beside it is DeepSeek's, the write count OpenRouter's.
/// Numbers are floats to some servers.
#[derive(Deserialize)]
struct Wire {
    prompt_tokens: Option<f64>,
    completion_tokens: Option<f64>,
    prompt_cache_hit_tokens: Option<f64>,
    prompt_tokens_details: Option<Prompt>,
    completion_tokens_details: Option<Completion>,
}

#[derive(Default, Deserialize)]
struct Prompt {
    cached_tokens: Option<f64>,
    cache_write_tokens: Option<f64>,
}

#[derive(Default, Deserialize)]
struct Completion {
    reasoning_tokens: Option<f64>,
}

/// The counts, `None` where there are none: unknown is not zero.
pub(super) fn read(usage: &str) -> Option<Usage> {
    let wire: Wire = serde_json::from_str(usage).ok()?;
    let prompt = wire.prompt_tokens_details.unwrap_or_default();
    let completion = wire.completion_tokens_details.unwrap_or_default();
    if wire.prompt_tokens.is_none() && wire.completion_tokens.is_none() {
        return None;
    }
    let cache_read_tokens = prompt.cached_tokens.or(wire.prompt_cache_hit_tokens).map(count);
    let cache_write_tokens = prompt.cache_write_tokens.map(count);
    // Some report more cached tokens than tokens.
    let rest = count(wire.prompt_tokens.unwrap_or_default())
        .saturating_sub(cache_read_tokens.unwrap_or_default())
        .saturating_sub(cache_write_tokens.unwrap_or_default());
    Some(Usage {
        input_tokens: rest,
        output_tokens: count(wire.completion_tokens.unwrap_or_default()),
        cache_read_tokens,
        cache_write_tokens,
        reasoning_tokens: completion.reasoning_tokens.map(count),
    })
}

/// The cast saturates: what is negative is zero.
fn count(tokens: f64) -> u64 {
    tokens as u64
}
