//! L1.8: what an adapter makes of a key that is wrong and of a reply that is none.
use super::llm::{ask, assembled, request, unwanted};
use crate::check::{Check, KEY, Miss, Subject, Tried, Verdict, ensure, scripted};
use checks::fake_model::FakeModel;
use contracts::llm::{Failure, Finish, code};

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
    Check { name: "length", next: "turn finish_reason length into finish max-tokens", run: length },
];

/// The code of a lab's stub, whose hint knows best what to do.
const NOT_WRITTEN: &str = "NOT_WRITTEN";
/// A name that no resolver knows (RFC 6761), so that only a proxy could lead there.
const NOWHERE: &str = "http://check.invalid/v1";

fn failure(tried: &Tried<'_>, wanted: &str) -> Result<Failure, Miss> {
    match assembled(ask(tried, &request())?)?.finish() {
        Some(Finish::Error { failure }) => Ok(failure.clone()),
        finish => Err(unwanted(finish, wanted)),
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
    let shows = |text: &str| text.contains(KEY) || text.contains("[LLM_API_KEY]");
    ensure(!shows(&failure.message) && !shows(&failure.hint), || failure.message.clone(), wanted)
}

fn unsent(model: &FakeModel, wanted: &str) -> Verdict {
    let count = model.requests().len();
    ensure(count == 0, || format!("{count} request(s) sent"), wanted)
}

fn empty(subject: &Subject) -> Verdict {
    // A row may try an empty reply again: it stays empty.
    let model = scripted("{replies: [{finish: stop}], on_end: repeat_last}")?;
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
