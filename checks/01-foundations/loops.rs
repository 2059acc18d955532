//! L1.12 and L1.13: what a loop does with a response, and how a run ends.
use super::runs::{Run, task};
use crate::check::{Check, Miss, Subject, Tried, Verdict, ensure, scripted};
use checks::fake_model::{FakeModel, Recorded};
use serde_json::{Value, json};
use std::fs;

pub(super) const STEPS: &[Check] = &[
    Check {
        name: "cites-id",
        next: "answer each call with a tool result that carries the call's own id, and put it behind the assistant's message",
        run: cites_id,
    },
    Check {
        name: "two-steps",
        next: "go on after tool-calls, end with completed after stop, and count one step a request",
        run: two_steps,
    },
    Check { name: "usage", next: "add the usage of each step to the end's", run: usage },
    Check {
        name: "each-request",
        next: "send settings, system prompt and tools with each request, and the same ones: the model keeps nothing",
        run: each_request,
    },
    Check {
        name: "four-steps",
        next: "answer every call, in the model's order, failed ones too; go on while there are calls, whatever the finish is called; tell the person the text",
        run: four_steps,
    },
    Check {
        name: "resends",
        next: "send the whole history each time: the task, the assistant's message with its calls, the results",
        run: resends,
    },
];

pub(super) const ENDS: &[Check] = &[
    Check {
        name: "max-tokens",
        next: "end the turn at finish max-tokens, and run no call of that response",
        run: max_tokens,
    },
    Check {
        name: "step-cap",
        next: "before each step, compare with `max_steps` (`--max-steps` reaches the row as !env HARNESS_MAX_STEPS), and end blocked, code LIMIT_STEPS",
        run: step_cap,
    },
    Check {
        name: "failed-request",
        next: "end with error, the failure's code and its message when a request fails",
        run: failed_request,
    },
    Check {
        name: "invalid-arguments",
        next: "answer a call whose arguments are no JSON with an error result, and go on",
        run: invalid_arguments,
    },
];

const TASK: &str = "What does facts.txt say?";
const FACT: &str = "The facts are many, and a loop that shows the model only the first hundred characters of them hides what matters most. In the end the answer is forty-two";
const READ_AND_TELL: &str = r"
replies:
  - calls: [{id: call_Facts-1, name: read_file, arguments: {path: facts.txt}}]
    usage: {prompt_tokens: 30, completion_tokens: 5}
  - text: It says forty-two.
    usage: {prompt_tokens: 50, completion_tokens: 7, cached_tokens: 20}
";

/// Four requests: two calls at once of which one fails, a call whose finish is called stop, one more, and the answer.
const LOOK_AROUND: &str = r"
replies:
  - text: 'Looking. '
    calls:
      - {id: call_A, name: read_file, arguments: {path: facts.txt}}
      - {id: call_B, name: read_file, arguments: {path: missing.txt}}
  - calls: [{id: call_C, name: read_file, arguments: {path: facts.txt}}]
    finish: stop
  - calls: [{id: call_D, name: read_file, arguments: {path: facts.txt}}]
  - text: It says forty-two.
";

/// Runs a task against a script, in a root that holds facts.txt.
fn run(tried: &Tried<'_>, model: &FakeModel, args: &[&str]) -> Result<Run, Miss> {
    let facts = tried.root().join("facts.txt");
    fs::write(&facts, FACT).map_err(|error| Miss::new(format!("{}: {error}", facts.display()), "a file"))?;
    task(tried, model, args, TASK)
}

fn read_and_tell(subject: &Subject) -> Result<Run, Miss> {
    scripted_run(subject, READ_AND_TELL)
}

fn scripted_run(subject: &Subject, script: &str) -> Result<Run, Miss> {
    subject.once(script, || {
        let model = scripted(script)?;
        run(&subject.with(&model)?, &model, &[])
    })
}

fn result<'a>(messages: &'a Value, id: &str) -> Option<&'a Value> {
    messages.as_array()?.iter().find(|message| message["role"] == "tool" && message["tool_call_id"] == id)
}

fn cites_id(subject: &Subject) -> Verdict {
    let run = read_and_tell(subject)?;
    if run.requests.len() < 2 {
        run.ended("completed")?;
    }
    let messages = run.messages(1);
    let cited =
        result(&messages, "call_Facts-1").is_some_and(|result| result["content"].to_string().contains(FACT));
    let wanted = format!("a tool message that cites call_Facts-1 and holds `{FACT}`");
    ensure(cited, || format!("messages of request 2: {messages}"), &wanted)
}

fn two_steps(subject: &Subject) -> Verdict {
    let run = read_and_tell(subject)?;
    run.ended("completed")?;
    let counts = (run.end["steps"].as_u64(), run.requests.len());
    ensure(
        counts == (Some(2), 2),
        || format!("steps {}, {} requests", run.end["steps"], counts.1),
        "2 steps, 2 requests",
    )
}

fn usage(subject: &Subject) -> Verdict {
    let run = read_and_tell(subject)?;
    run.ended("completed")?;
    let usage = &run.end["usage"];
    let tokens = |key: &str| usage[key].as_u64().unwrap_or_default();
    let input = tokens("input_tokens") + tokens("cache_read_tokens") + tokens("cache_write_tokens");
    let wanted = "80 input tokens in all (30 + 50) and 12 output tokens (5 + 7)";
    ensure((input, tokens("output_tokens")) == (80, 12), || usage.to_string(), wanted)
}

fn each_request(subject: &Subject) -> Verdict {
    let run = read_and_tell(subject)?;
    if run.requests.len() < 2 {
        run.ended("completed")?;
    }
    let carried = |request: &Recorded| {
        let (body, headers) = (
            request.json(),
            ["authorization", "user-agent"].map(|name| request.header(name).unwrap_or("none").to_owned()),
        );
        json!([headers, body["model"], body["tools"]])
    };
    let all: Vec<Value> = run.requests.iter().map(carried).collect();
    let offered =
        run.requests.first().is_some_and(|request| request.json()["tools"].to_string().contains("read_file"));
    ensure(
        offered,
        || format!("tools: {}", all.first().map(|first| first[2].to_string()).unwrap_or_default()),
        "read_file among the tools of a request",
    )?;
    let same = all.windows(2).all(|pair| pair[0] == pair[1]);
    ensure(
        same,
        || json!(all).to_string(),
        "key, user-agent, model and tools to be the same in both requests",
    )
}

fn four_steps(subject: &Subject) -> Verdict {
    let run = scripted_run(subject, LOOK_AROUND)?;
    if let Some(broken) = run.requests.iter().find_map(|request| request.violation.as_deref()) {
        return Err(Miss::new(
            broken,
            "each call answered once, in the model's order, and nothing of the conversation lost",
        ));
    }
    run.ended("completed")?;
    let counts = (run.end["steps"].as_u64(), run.requests.len());
    ensure(
        counts == (Some(4), 4),
        || format!("steps {}, {} requests", run.end["steps"], counts.1),
        "4 steps, 4 requests",
    )?;
    let wanted = "both texts told to the person: Looking, and It says forty-two.";
    let told = ["Looking.", "It says forty-two."].iter().all(|text| run.text.contains(text));
    ensure(told, || format!("{:?}", run.text), wanted)
}

fn failed_request(subject: &Subject) -> Verdict {
    let model = scripted("replies: [{status: 401}]")?;
    let run = run(&subject.with(&model)?, &model, &[])?;
    run.ended("error")?;
    let said =
        ["code", "message"].iter().all(|key| run.end[key].as_str().is_some_and(|text| !text.is_empty()));
    ensure(said, || run.end.to_string(), "the failure's code and message in the run's end")
}

fn resends(subject: &Subject) -> Verdict {
    let run = read_and_tell(subject)?;
    if let Some(broken) = run.requests.iter().find_map(|request| request.violation.as_deref()) {
        return Err(Miss::new(broken, "each request to hold all of the last one, and what was added since"));
    }
    if run.requests.len() < 2 {
        run.ended("completed")?;
    }
    let (first, second) = (run.messages(0), run.messages(1));
    let (first, second) =
        (first.as_array().cloned().unwrap_or_default(), second.as_array().cloned().unwrap_or_default());
    let asks = first
        .iter()
        .any(|message| message["role"] == "user" && message["content"].to_string().contains(TASK));
    ensure(asks, || json!(first).to_string(), "the task as a user message of the first request")?;
    ensure(
        second.len() == first.len() + 2 && second.starts_with(&first),
        || json!(second).to_string(),
        "the messages of the first request, the assistant's with its call, and the result",
    )
}

fn max_tokens(subject: &Subject) -> Verdict {
    let model = scripted(
        "replies: [{text: Writing., calls: [{name: write_file, arguments: {path: made.txt, content: half}}], finish: length}]",
    )?;
    let tried = subject.with(&model)?;
    let run = run(&tried, &model, &[])?;
    run.ended("max-tokens")?;
    let count = run.requests.len();
    ensure(count == 1, || format!("{count} requests"), "one request")?;
    let ran = tried.root().join("made.txt").exists();
    ensure(!ran, || "the truncated call was run: made.txt is there".to_owned(), "no tool to run")
}

fn step_cap(subject: &Subject) -> Verdict {
    let reply = |n: usize| json!({ "calls": [{ "id": format!("call_{n}"), "name": "read_file", "arguments": { "path": "facts.txt" } }] });
    let replies: Vec<Value> = (0..60).map(reply).collect();
    for most in [3, 5] {
        let model = scripted(&json!({ "replies": replies }).to_string())?;
        let run = run(&subject.with(&model)?, &model, &["--max-steps", &most.to_string()])?;
        if run.status() == "error" {
            return run.ended("blocked");
        }
        let counts = (run.end["steps"].as_u64(), run.requests.len() as u64);
        let wanted = format!("{most} steps and {most} requests with --max-steps {most}");
        ensure(
            counts == (Some(most), most),
            || format!("steps {}, {} requests", run.end["steps"], counts.1),
            &wanted,
        )?;
        run.ended("blocked")?;
        let code = run.end["code"].as_str().unwrap_or_default();
        ensure(
            code.starts_with("LIMIT_"),
            || format!("code {code:?}"),
            "a code that begins with LIMIT_, such as LIMIT_STEPS",
        )?;
    }
    Ok(())
}

fn invalid_arguments(subject: &Subject) -> Verdict {
    let script = json!({ "replies": [
        { "calls": [{ "id": "call_Broken-1", "name": "read_file", "arguments": "{\"path\": \"facts" }] },
        { "text": "I will try again later." },
    ] });
    let model = scripted(&script.to_string())?;
    let run = run(&subject.with(&model)?, &model, &[])?;
    run.ended("completed")?;
    let messages = run.messages(1);
    let wanted = "a tool message that cites call_Broken-1 and says what is wrong";
    let told = result(&messages, "call_Broken-1").map(|result| result["content"].to_string().to_lowercase());
    let says =
        told.is_some_and(|text| ["error", "invalid", "json", "not "].iter().any(|word| text.contains(word)));
    ensure(says, || format!("messages of request 2: {messages}"), wanted)
}
