//! L1.8: what an adapter makes of a key that is wrong and of a reply that is none.
use super::llm::{ask, assembled, request, unwanted};
use crate::check::{Check, KEY, Miss, Subject, Tried, Verdict, ensure, scripted};
use checks::fake_model::FakeModel;
use contracts::llm::{Failure, Finish, StreamChunk, code};

pub(super) const FAILURES: &[Check] = &[
    Check { name: "refused-key", next: "turn status 401 into finish error, code AUTH", run: refused_key },
    Check {
        name: "missing-key",
        next: "before anything is sent, fail with MISSING_CREDENTIAL and name LLM_API_KEY",
        run: missing_key,
    },
    Check {
        name: "unusable-key",
        next: "refuse a key with anything but visible ASCII: INVALID_CREDENTIAL, without a piece of the key in the message",
        run: unusable_key,
    },
    Check {
        name: "empty",
        next: "turn stop without text, reasoning and calls into finish error, code EMPTY_RESPONSE",
        run: empty,
    },
    Check {
        name: "refused-request",
        next: "turn each status that is no success into finish error: 403 is AUTH, 429 RATE_LIMIT, 5xx SERVER",
        run: refused_request,
    },
    Check {
        name: "cut",
        next: "fail when the response ends before it has said its end: what came is a half",
        run: cut,
    },
    Check {
        name: "error-event",
        next: "turn an `error` object within the stream into finish error",
        run: error_event,
    },
    Check {
        name: "other-reason",
        next: "turn a finish_reason that is none of stop, tool_calls and length into finish error, its code the word in capitals",
        run: other_reason,
    },
    Check { name: "length", next: "turn finish_reason length into finish max-tokens", run: length },
];

/// The code of a lab's stub, whose hint knows best what to do.
const NOT_WRITTEN: &str = "NOT_WRITTEN";
/// As much of a key as no message may hold.
const PIECE: usize = 6;
/// A name that no resolver knows (RFC 6761), so that only a proxy could lead there.
const NOWHERE: &str = "http://check.invalid/v1";

/// How the one failed reply of a script failed. A row that tries again says so in an attempt; the scripts refuse the key then, so that it
/// tries no more.
fn failure(tried: &Tried<'_>, wanted: &str) -> Result<Failure, Miss> {
    let chunks = ask(tried, &request())?;
    let again = chunks.iter().find_map(|chunk| match chunk {
        StreamChunk::Attempt { code, .. } => {
            Some(Failure::new(code.as_str(), format!("it was tried again: {code}")))
        }
        _ => None,
    });
    let response = assembled(chunks)?;
    match (again, response.finish()) {
        (Some(failure), Some(Finish::Error { .. })) => Ok(failure),
        (_, Some(Finish::Error { failure })) => Ok(failure.clone()),
        (_, finish) => Err(unwanted(finish, wanted)),
    }
}

fn coded(failure: &Failure, codes: &[&str], wanted: &str) -> Verdict {
    if codes.contains(&failure.code.as_str()) {
        return Ok(());
    }
    let miss = Miss::new(format!("{} ({})", failure.message, failure.code), wanted);
    Err(if failure.code == NOT_WRITTEN { miss.next(failure.hint.as_str()) } else { miss })
}

fn refused_key(subject: &Subject) -> Verdict {
    let model = scripted("replies: [{status: 401}]")?;
    let wanted = "a failure with code AUTH or INVALID_CREDENTIAL";
    let failure = failure(&subject.with(&model)?, wanted)?;
    coded(&failure, &[code::AUTH, code::INVALID_CREDENTIAL], wanted)
}

fn missing_key(subject: &Subject) -> Verdict {
    // Whatever is sent in spite of it ends here.
    let proxy = scripted("replies: [{text: ok}]")?;
    let url = proxy.base_url().trim_end_matches("/v1").to_owned();
    let tried = subject.with(&proxy)?.env("LLM_BASE_URL", NOWHERE).env("LLM_API_KEY", "");
    let tried = tried.env("http_proxy", url.clone()).env("all_proxy", url);
    let wanted = "a failure that names LLM_API_KEY, and no request";
    let failure = failure(&tried, wanted)?;
    unsent(&proxy, wanted)?;
    let names = |text: &str| text.contains("LLM_API_KEY");
    let got = || format!("{} ({})", failure.message, failure.code);
    ensure(names(&failure.message) || names(&failure.hint), got, wanted)?;
    coded(&failure, &[code::MISSING_CREDENTIAL, code::INVALID_CREDENTIAL], "code MISSING_CREDENTIAL")
}

fn unusable_key(subject: &Subject) -> Verdict {
    let model = scripted("replies: [{text: ok}]")?;
    let key = format!("{KEY} é");
    let wanted = "a failure with code INVALID_CREDENTIAL, without the key in it, and no request";
    let failure = failure(&subject.with(&model)?.env("LLM_API_KEY", key.as_str()), wanted)?;
    unsent(&model, wanted)?;
    coded(&failure, &[code::INVALID_CREDENTIAL], wanted)?;
    // The harness masks the key in what it prints: the mask tells of it.
    let pieces = || KEY.as_bytes().windows(PIECE).filter_map(|piece| std::str::from_utf8(piece).ok());
    let shows = |text: &str| pieces().any(|piece| text.contains(piece)) || text.contains("[LLM_API_KEY]");
    ensure(!shows(&failure.message) && !shows(&failure.hint), || failure.message.clone(), wanted)
}

fn unsent(model: &FakeModel, wanted: &str) -> Verdict {
    let count = model.requests().len();
    ensure(count == 0, || format!("{count} request(s) sent"), wanted)
}

fn refused_request(subject: &Subject) -> Verdict {
    let rows = [
        (403, &[code::AUTH, code::INVALID_CREDENTIAL][..]),
        (429, &[code::RATE_LIMIT, code::QUOTA]),
        (500, &[code::SERVER]),
    ];
    for (status, codes) in rows {
        let model = scripted(&format!("replies: [{{status: {status}}}, {{status: 401}}]"))?;
        let wanted = format!("for status {status} a failure with code {}", codes.join(" or "));
        coded(&failure(&subject.with(&model)?, &wanted)?, codes, &wanted)?;
    }
    Ok(())
}

fn cut(subject: &Subject) -> Verdict {
    let raw = r#"replies: [{raw: "data: {\"choices\": [{\"index\": 0, \"delta\": {\"content\": \"half a sen\"}, \"finish_reason\": null}]}\n\n"}, {status: 401}]"#;
    let model = scripted(raw)?;
    failure(&subject.with(&model)?, "a failure").map(drop)
}

fn error_event(subject: &Subject) -> Verdict {
    let raw = r#"replies: [{raw: "data: {\"error\": {\"message\": \"overloaded\", \"type\": \"server_error\"}}\n\ndata: [DONE]\n\n"}, {status: 401}]"#;
    let model = scripted(raw)?;
    let wanted = "a failure that repeats the provider's words: overloaded";
    let failure = failure(&subject.with(&model)?, wanted)?;
    let told = failure.message.contains("overloaded") || model.requests().len() > 1;
    ensure(told, || failure.message.clone(), wanted)
}

fn other_reason(subject: &Subject) -> Verdict {
    let model = scripted("replies: [{text: 'half a sen', finish: content_filter}]")?;
    let wanted = "a failure with code CONTENT_FILTER";
    coded(&failure(&subject.with(&model)?, wanted)?, &["CONTENT_FILTER"], wanted)
}

fn empty(subject: &Subject) -> Verdict {
    // A row may try an empty reply again: it stays empty.
    let model = scripted("replies: [{finish: stop}, {status: 401}]")?;
    let wanted = "a failure with code EMPTY_RESPONSE";
    coded(&failure(&subject.with(&model)?, wanted)?, &[code::EMPTY_RESPONSE], wanted)
}

fn length(subject: &Subject) -> Verdict {
    let model = scripted("replies: [{text: 'half a sen', finish: length}]")?;
    match assembled(ask(&subject.with(&model)?, &request())?)?.finish() {
        Some(Finish::MaxTokens) => Ok(()),
        finish => Err(unwanted(finish, "finish max-tokens")),
    }
}
