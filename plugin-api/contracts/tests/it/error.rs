//! Errors: what is known of one survives the ABI, and any other error becomes one with all its causes.
use contracts::{
    Error, Result,
    error::{from_abi, into_abi},
    llm::Failure,
    tools::ToolResult,
};
use plugin_api::RError;
use serde_json::{Value, json};
use std::fmt;

#[derive(Debug)]
struct Caused(&'static str, Option<Box<Caused>>);

impl fmt::Display for Caused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for Caused {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.1.as_deref().map(|cause| cause as _)
    }
}

fn caused(chain: &[&'static str]) -> Caused {
    Caused(chain[0], (chain.len() > 1).then(|| Box::new(caused(&chain[1..]))))
}

#[test]
fn any_error_becomes_one_with_its_causes() {
    fn fail(chain: &[&'static str]) -> Result<()> {
        Err(caused(chain))?;
        Ok(())
    }
    for (chain, message) in [
        (&["it broke"][..], "it broke"),
        (&["the request failed", "no route to host"], "the request failed: no route to host"),
        (&["a", "b", "c"], "a: b: c"),
        // Many errors say their cause themselves.
        (&["the request failed: no route", "no route"], "the request failed: no route"),
        (&["a: b", "b", "c"], "a: b: c"),
    ] {
        assert_eq!(fail(chain).unwrap_err(), Error::new("INTERNAL", message));
    }
}

#[test]
fn an_error_crosses_with_all_that_is_known() {
    for error in [
        Error::new("X", "x"),
        Error::new(String::from("MADE_AT_RUN_TIME"), "x").hint("do this"),
        Error::new("X", "größe").data(json!({ "status": 429, "list": [1, null], "text": "\"" })),
        Error::new("", ""),
    ] {
        let there = into_abi(error.clone());
        assert_eq!(
            (&*there.code, &*there.message, &*there.hint),
            (&*error.code, &*error.message, &*error.hint)
        );
        assert_eq!(from_abi(there), error);
    }
    assert_eq!(into_abi(Error::new("X", "x")).data.as_str(), "");
}

#[test]
fn details_that_are_no_json_are_none() {
    for data in ["", "nonsense", "{"] {
        assert_eq!(from_abi(RError { data: data.into(), ..RError::new("X", "x") }).data, Value::Null);
    }
}

#[test]
fn an_abort_says_why() {
    let error = Error::aborted("ctrl-c");
    assert!(error.is("ABORTED") && !error.is("ABORT"));
    assert_eq!(error.to_string(), "aborted: ctrl-c");
    assert_eq!(Error::aborted("").message, "aborted: cancelled");
}

#[test]
fn what_an_error_becomes_where_only_a_failure_or_a_result_may_be() {
    let error =
        Error::new("RATE_LIMIT", "too many").hint("wait").data(json!({ "status": 429, "request_id": "r" }));
    let failure = Failure::from(error.clone());
    let known =
        (failure.status, failure.retry_after_ms, failure.request_id.as_deref(), failure.hint.as_str());
    assert_eq!((failure.code.as_str(), failure.message.as_str()), ("RATE_LIMIT", "too many"));
    assert_eq!(known, (Some(429), None, Some("r"), "wait"));
    let plain = Failure::from(Error::new("X", "x").data(json!([1])));
    assert_eq!(plain, Failure::new("X", "x"));
    let result = ToolResult::from(error);
    assert_eq!(
        (result.text.as_str(), result.code.as_deref()),
        ("Error: too many (wait)", Some("RATE_LIMIT"))
    );
    assert!(result.is_error && !result.synthetic);
}
