//! Questions to whoever is behind a run: a person at the terminal, a client on standard input, or no one.
use crate::report::{Output, Report};
use clap::ValueEnum;
use plugin_api::{RError, RPayload, run::NO_ONE_TO_ASK};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::{
    io::{self, BufRead as _, IsTerminal as _},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use terminal::say;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

/// Who answers a run's questions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Asked {
    /// The person, when stdin and stderr are a terminal; else no one.
    #[default]
    Auto,
    /// A client that reads questions from stream-json and writes answers to stdin, a JSON object a line.
    Stdin,
    /// No one.
    None,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Question {
    id: String,
    title: String,
    body: String,
    choices: Vec<Choice>,
    default: Option<String>,
    timeout_ms: u64,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Choice {
    id: String,
    label: String,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Answer {
    #[serde(skip_serializing)]
    id: String,
    choice: String,
    remember: bool,
}

/// Asks, one question at a time.
pub(crate) struct Asker {
    who: Asked,
    report: Arc<Mutex<Report>>,
    colour: bool,
    lines: tokio::sync::Mutex<Option<UnboundedReceiver<String>>>,
}

impl Asker {
    pub(crate) fn new(who: Asked, output: Output, report: &Arc<Mutex<Report>>, colour: bool) -> Asker {
        let person = output == Output::Text && io::stdin().is_terminal() && io::stderr().is_terminal();
        let who = if who == Asked::Auto && !person { Asked::None } else { who };
        Asker { who, report: Arc::clone(report), colour, lines: tokio::sync::Mutex::default() }
    }

    pub(crate) async fn ask(&self, head: &str) -> Result<RPayload, RError> {
        let nobody = |what: &str| {
            RError::new(NO_ONE_TO_ASK, what)
                .hint("run it in a terminal, or with --ask stdin and a client that answers")
        };
        let question: Question =
            serde_json::from_str(head).map_err(|e| RError::new("BAD_PAYLOAD", format!("question: {e}")))?;
        if self.who == Asked::None || question.choices.is_empty() {
            return Err(nobody("there is no one to ask"));
        }
        let mut lines = self.lines.lock().await;
        let lines = lines.get_or_insert_with(read_lines);
        if self.who == Asked::Auto {
            // What was typed before a question was seen does not answer it.
            while lines.try_recv().is_ok() {}
        }
        watch::outside(|| self.put(&question));
        let answer = async {
            loop {
                let line = lines.recv().await?;
                match self.read(&question, &line) {
                    Some(answer) => return Some(answer),
                    None => watch::outside(|| self.put(&question)),
                }
            }
        };
        let answer = match question.timeout_ms {
            0 => answer.await,
            ms => tokio::time::timeout(Duration::from_millis(ms), answer).await.unwrap_or_default(),
        };
        let by_default = || question.default.clone().map(|choice| Answer { choice, ..Answer::default() });
        let answer = answer.or_else(by_default).ok_or_else(|| nobody("nobody answered"))?;
        Ok(RPayload::new(serde_json::to_string(&answer).unwrap_or_default(), Default::default()))
    }

    fn put(&self, question: &Question) {
        if self.who == Asked::Stdin {
            let mut report = self.report.lock().unwrap_or_else(PoisonError::into_inner);
            return report.emitted("ask", &json!(question).to_string());
        }
        say("warn", &question.title, self.colour);
        if !question.body.is_empty() {
            say("info", &question.body, false);
        }
        for (n, choice) in question.choices.iter().enumerate() {
            say("info", &format!("  {}) {}", n + 1, choice.label), false);
        }
    }

    /// The answer in a line, `None` when it is not one to this question.
    fn read(&self, question: &Question, line: &str) -> Option<Answer> {
        if self.who == Asked::Stdin {
            let answer: Answer = serde_json::from_str(line).ok()?;
            let known = question.choices.iter().any(|choice| choice.id == answer.choice);
            return (known && answer.id == question.id).then_some(answer);
        }
        let line = line.trim();
        let number = line.parse::<usize>().ok().and_then(|n| question.choices.get(n.checked_sub(1)?));
        let named = question
            .choices
            .iter()
            .find(|c| !line.is_empty() && (c.id == line || c.label.eq_ignore_ascii_case(line)));
        let choice = number.or(named)?;
        Some(Answer { choice: choice.id.clone(), ..Answer::default() })
    }
}

/// Standard input, line by line; the thread that reads it ends with the process.
fn read_lines() -> UnboundedReceiver<String> {
    let (send, receive) = unbounded_channel();
    let read = move || {
        for line in io::stdin().lock().lines().map_while(Result::ok) {
            if send.send(line).is_err() {
                break;
            }
        }
    };
    // Without a thread the channel is closed, and nobody answers.
    drop(std::thread::Builder::new().name("stdin".into()).spawn(read));
    receive
}
