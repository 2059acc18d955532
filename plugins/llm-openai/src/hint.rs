//! The one thing to do about a failure, where the place that noticed it knew of nothing better.
use contracts::llm::{Failure, code};
use plugin_sdk::contracts;

/// Never empty.
pub(crate) fn of(failure: &Failure) -> String {
    let known = match (failure.code.as_str(), failure.status) {
        (code::AUTH, _) => "check LLM_API_KEY: it is not accepted there",
        (code::QUOTA, _) | (_, Some(402)) => "top up the account, or use another key",
        (_, Some(404)) => "check LLM_BASE_URL, and that the model exists there",
        (code::CONTEXT_WINDOW_EXCEEDED, _) => "start a new task, or take a model with a longer context",
        (code::INVALID_REQUEST, _) => "check the model and the config of the llm-adapter row",
        (code::MALFORMED_RESPONSE, _) => "check that LLM_BASE_URL leads to an API like OpenAI's",
        (code::RATE_LIMIT | code::SERVER | code::TIMEOUT | code::TRANSPORT | code::STREAM_CLOSED, _)
        | (_, Some(_)) => return again(failure.retry_after_ms),
        // The model had nothing to say, or its provider did not let it.
        _ => "put the task in other words, or take another model",
    };
    known.to_owned()
}

fn again(wait_ms: Option<u64>) -> String {
    match wait_ms.map(|ms| ms.div_ceil(1000)) {
        None | Some(0) => "run it again".to_owned(),
        Some(seconds) => format!("wait {seconds} s, then run it again"),
    }
}
