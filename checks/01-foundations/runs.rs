//! A run through the public binary: its end, its text, and what the model was asked.
use crate::check::{Miss, Tried, Verdict, foreign};
use checks::fake_model::{FakeModel, Recorded};
use serde_json::Value;

/// A run, and what the model was asked in it.
#[derive(Clone)]
pub(super) struct Run {
    pub(super) end: Value,
    /// What the person was told.
    pub(super) text: String,
    pub(super) requests: Vec<Recorded>,
}

impl Run {
    /// The messages of a request, `null` where there was none.
    pub(super) fn messages(&self, request: usize) -> Value {
        self.requests.get(request).map(|request| request.json()["messages"].clone()).unwrap_or_default()
    }

    pub(super) fn status(&self) -> &str {
        self.end["status"].as_str().unwrap_or_default()
    }

    /// A miss unless the run ended with `status`.
    pub(super) fn ended(&self, status: &str) -> Verdict {
        if self.status() == status {
            return Ok(());
        }
        let [code, message] = ["code", "message"].map(|key| self.end[key].as_str().unwrap_or_default());
        let words: Vec<&str> =
            [self.status(), code, message].into_iter().filter(|word| !word.is_empty()).collect();
        let hint = self.end["hint"].as_str().unwrap_or_default();
        Err(Miss::new(format!("the run ended {}", words.join(": ")), format!("the run to end {status}"))
            .next(hint))
    }
}

/// Runs a task to its end.
pub(super) fn task(tried: &Tried<'_>, model: &FakeModel, args: &[&str], task: &str) -> Result<Run, Miss> {
    let args: Vec<&str> =
        ["run", "--output", "stream-json"].iter().chain(args).chain(&[task]).copied().collect();
    let ended = tried.harness(&args, &mut |_| {})?;
    if ended.cut.is_some() {
        return Err(ended.miss("a run that says how it ended"));
    }
    let read = |line: &String| serde_json::from_str::<Value>(line).map_err(|_unread| foreign(line));
    let events = ended.lines.iter().map(read).collect::<Result<Vec<Value>, Miss>>()?;
    let out = events.iter().filter(|event| event["type"] == "out");
    let text = out.filter_map(|event| event["text"].as_str()).collect();
    match events.last() {
        Some(end) if end["type"] == "end" => Ok(Run { end: end.clone(), text, requests: model.requests() }),
        _ => Err(ended.miss("a run that says how it ended")),
    }
}
