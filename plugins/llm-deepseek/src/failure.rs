//! How a failure is worded, and the one thing to do about each kind.
use crate::NAME;
use contracts::llm::{Failure, code};
use plugin_sdk::contracts;
use std::fmt::Display;

/// The response passes a limit of this adapter.
pub(crate) const RESPONSE_TOO_LARGE: &str = "RESPONSE_TOO_LARGE";

/// A failure of that code, with its hint.
pub(crate) fn failure(code: &str, what: impl Display) -> Failure {
    Failure { hint: hint(code).to_owned(), ..Failure::new(code, format!("{NAME}: {what}")) }
}

/// What to do where nothing better is known.
pub(crate) fn hint(code: &str) -> &'static str {
    match code {
        code::MISSING_CREDENTIAL => "export LLM_API_KEY, or write it into .env",
        code::INVALID_CREDENTIAL => "copy the key into LLM_API_KEY again, alone and without `Bearer`",
        code::AUTH => "make sure that LLM_API_KEY is a key of this very provider",
        code::QUOTA => "add credit to the account",
        code::INVALID_REQUEST => "compare the row's config with what the provider documents",
        code::CONTEXT_WINDOW_EXCEEDED => "begin a new task, or shorten what this one carries along",
        code::MALFORMED_RESPONSE => "see that LLM_BASE_URL is the base of a chat completions API",
        "HTTP_404" => "see that LLM_BASE_URL is right and that the model is offered there",
        "CONTENT_FILTER" => "say it in other words",
        code::EMPTY_RESPONSE => "ask again, in other words or another model",
        RESPONSE_TOO_LARGE => "set `max_tokens` in the row",
        _ if code.starts_with("HTTP_3") => "set LLM_BASE_URL to the address it redirects to",
        _ => "try again",
    }
}
