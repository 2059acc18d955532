//! What one reply of the script demands of the request that it answers.

use crate::fake_model::breach::Breach;
use crate::fake_model::record::Recorded;
use crate::fake_model::request::Request;
use crate::fake_model::script::Expect;

pub(super) fn check(expect: &Expect, request: &Request<'_>, recorded: &Recorded) -> Result<(), Breach> {
    equal("model", expect.model.as_ref(), &request.model)?;
    equal("stream", expect.stream.as_ref(), &request.stream)?;
    equal("tools", expect.tools.as_ref(), &request.tool_names)?;
    let header = |name: &str| recorded.header(name).unwrap_or_default().to_owned();
    if let Some(key) = &expect.bearer {
        // The value may be a real key of a real user: it is compared and never shown.
        if header("authorization") != format!("Bearer {key}") {
            return Err(failed("authorization", "it is not the expected bearer key"));
        }
    }
    for (name, value) in &expect.headers {
        equal(&format!("header {name}"), Some(value), &header(name))?;
    }
    let last = request.messages.last();
    let role = last.map_or("", |message| &message.fields.role).to_owned();
    equal("the last message's role", expect.last_role.as_ref(), &role)?;
    let text = last.map(|message| message.text()).unwrap_or_default();
    contains("the last message's text", expect.last_text_contains.as_ref(), &text)?;
    contains("body", expect.body_contains.as_ref(), &recorded.body)
}

fn equal<T: PartialEq + std::fmt::Debug>(at: &str, wanted: Option<&T>, got: &T) -> Result<(), Breach> {
    match wanted {
        Some(wanted) if wanted != got => Err(failed(at, &format!("expected {wanted:?}, got {got:?}"))),
        _ => Ok(()),
    }
}

fn contains(at: &str, wanted: Option<&String>, got: &str) -> Result<(), Breach> {
    match wanted {
        Some(wanted) if !got.contains(wanted.as_str()) => {
            let got: String = got.chars().take(200).collect();
            Err(failed(at, &format!("expected it to contain {wanted:?}, got {got:?}")))
        }
        _ => Ok(()),
    }
}

fn failed(at: &str, said: &str) -> Breach {
    Breach::new("EXPECTATION_FAILED", at, said)
}
