//! A whole agent harness in one file: ask the model, run the tools it names, show it the results, repeat.
//!
//! Read it once from top to bottom: every plugin of this repository grows out of one of its parts. It is crude on
//! purpose, with no permissions beyond [`safe_path`], no time limits, no retries and no log.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "the terminal is the only output of this program"
)]

use std::collections::BTreeMap;
use std::io::Write as _;
use std::net::IpAddr;
use std::path::{Component, Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context as _, Result, bail, ensure};
use reqwest::{Client, Url, redirect};
use serde_json::{Value, json};

const MAX_OBSERVATION_CHARS: usize = 8_000;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let Err(error) = run().await else { return ExitCode::SUCCESS };
    eprintln!("[halt] {error:#}");
    ExitCode::FAILURE
}

async fn run() -> Result<()> {
    let task = std::env::args().skip(1).collect::<Vec<_>>().join(" ");
    ensure!(!task.is_empty(), "no task was given: spine \"<task>\"");
    let root = std::env::current_dir()?;
    let provider = Provider::from_environment()?;
    let mut history = History::new(&provider.model)?;
    let system = format!(
        "You are a coding agent in the folder {}. Look at files and change them with the tools you have. \
         Read a file before you overwrite it. When the task is done, answer with a short summary and call no tool.",
        root.display()
    );
    history.push(&json!({ "role": "system", "content": system }))?;
    history.push(&json!({ "role": "user", "content": task }))?;

    let mut input_tokens = 0;
    let ended = turn(&provider, &mut history, &root, &mut input_tokens).await;
    println!("[usage] total: {input_tokens} input tokens");
    ended
}

/// The loop. Each way out of it has a name; only `tool_calls` leads to another step.
async fn turn(provider: &Provider, history: &mut History, root: &Path, input_tokens: &mut u64) -> Result<()> {
    let cap = variable("SPINE_MAX_STEPS").map_or(Ok(20), |n| n.parse::<u32>()).context("SPINE_MAX_STEPS")?;
    for step in 1..=cap {
        let reply = provider.ask(history).await?;
        *input_tokens += reply.usage["prompt_tokens"].as_u64().unwrap_or(0);
        println!("[usage] step {step}: {} (input tokens so far: {input_tokens})", reply.usage);
        history.push(&reply.message())?;
        match reply.finish.as_str() {
            "tool_calls" => {}
            "stop" => {
                println!("[done] {step} step(s)");
                return Ok(());
            }
            // Running what a cut reply asks for could write half a file.
            "length" => bail!("the reply was cut at the token limit; none of its tool calls ran"),
            "" => bail!("the reply ended without a finish_reason; none of its tool calls ran"),
            other => bail!("unexpected finish_reason `{other}`"),
        }
        for call in reply.calls.values() {
            println!("[tool] {} {}", call.name, call.arguments);
            // A failed tool is something for the model to see and correct, not an end of the run.
            let content = observe(execute(root, call).unwrap_or_else(|error| {
                println!("[tool] {} failed: {error:#}", call.name);
                format!("Error: {error:#}")
            }));
            // The id says which call this answers; providers refuse a conversation where one is missing.
            history.push(&json!({ "role": "tool", "tool_call_id": call.id, "content": content }))?;
        }
    }
    bail!("the step cap ({cap}) was reached before the task was done")
}

/// What the model knows of its tools is this text and nothing else: it is part of the prompt.
fn tool_schemas() -> Value {
    let tool = |name: &str, description: &str, required: &[&str], properties: Value| {
        json!({ "type": "function", "function": { "name": name, "description": description, "parameters": {
            "type": "object", "properties": properties, "required": required, "additionalProperties": false,
        } } })
    };
    let path = json!({ "type": "string", "description": "File path, relative to the working folder." });
    let content = json!({ "type": "string", "description": "The complete new content of the file." });
    let command = json!({ "type": "string", "description": "The command line, as typed into a shell." });
    let read = "Return the content of a UTF-8 text file.";
    let write = "Create a text file, or replace its whole content. Its folder must exist.";
    let shell = "Run a command in the working folder and return its exit status, stdout and stderr.";
    json!([
        tool("read_file", read, &["path"], json!({ "path": path })),
        tool("write_file", write, &["path", "content"], json!({ "path": path, "content": content })),
        tool("run_shell", shell, &["command"], json!({ "command": command })),
    ])
}

fn execute(root: &Path, call: &Call) -> Result<String> {
    let arguments = if call.arguments.is_empty() { "{}" } else { &call.arguments };
    let arguments: Value = serde_json::from_str(arguments).context("arguments are not JSON")?;
    let argument = |name| arguments[name].as_str().with_context(|| format!("`{name}` must be a string"));
    match call.name.as_str() {
        "read_file" => Ok(std::fs::read_to_string(safe_path(root, argument("path")?)?)?),
        "write_file" => {
            let path = argument("path")?;
            std::fs::write(safe_path(root, path)?, argument("content")?)?;
            Ok(format!("wrote {path}"))
        }
        "run_shell" => {
            let mut shell = Command::new("sh");
            shell.arg("-c").arg(argument("command")?).current_dir(root).stdin(Stdio::null());
            let output = shell.env_remove("LLM_API_KEY").env_remove("DEEPSEEK_API_KEY").output()?;
            let [out, err] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
            Ok(format!("{}\nstdout:\n{out}\nstderr:\n{err}", output.status))
        }
        other => bail!("unknown tool `{other}`; the tools are read_file, write_file and run_shell"),
    }
}

/// The only rule this program enforces: a file tool's path stays below `root`. It compares names, so it does not
/// see where a symbolic link leads, and nothing at all holds `run_shell`.
fn safe_path(root: &Path, path: &str) -> Result<PathBuf> {
    let mut resolved = PathBuf::new();
    for part in root.join(path).components() {
        if part == Component::ParentDir {
            resolved.pop();
        } else {
            resolved.push(part);
        }
    }
    ensure!(resolved.starts_with(root), "path leaves the working folder: {path}");
    Ok(resolved)
}

/// Bounds what one tool can add to the conversation; the cut is said, so the model can ask for less.
fn observe(text: String) -> String {
    let length = text.chars().count();
    if length <= MAX_OBSERVATION_CHARS {
        return text;
    }
    let head: String = text.chars().take(MAX_OBSERVATION_CHARS / 2).collect();
    let tail: String = text.chars().skip(length - MAX_OBSERVATION_CHARS / 2).collect();
    format!("{head}\n[cut: {} of {length} characters left out here]\n{tail}", length - MAX_OBSERVATION_CHARS)
}

/// The conversation as the bytes of a request: settings and tools first, messages last. A message is serialised
/// once and never touched again, so each request extends the one before and a provider can reuse its prefix.
struct History(Vec<u8>);

impl History {
    fn new(model: &str) -> Result<Self> {
        let mut bytes = serde_json::to_vec(&json!({
            "model": model, "temperature": 0, "tools": tool_schemas(),
            "stream": true, "stream_options": { "include_usage": true },
        }))?;
        bytes.pop();
        bytes.extend_from_slice(b",\"messages\":[");
        Ok(Self(bytes))
    }

    fn push(&mut self, message: &Value) -> Result<()> {
        if self.0.last() != Some(&b'[') {
            self.0.push(b',');
        }
        Ok(serde_json::to_writer(&mut self.0, message)?)
    }
}

struct Provider {
    client: Client,
    url: Url,
    key: Option<String>,
    model: String,
}

impl Provider {
    fn from_environment() -> Result<Self> {
        // A DeepSeek key is for DeepSeek: it never goes to a base URL that was set for someone else.
        let (base, key) = match variable("LLM_BASE_URL") {
            Some(base) => (Some(base), variable("LLM_API_KEY")),
            None => (variable("DEEPSEEK_BASE_URL"), variable("LLM_API_KEY").or(variable("DEEPSEEK_API_KEY"))),
        };
        let base = base.unwrap_or("https://api.deepseek.com".into());
        let url = format!("{}/chat/completions", base.trim_end_matches('/'));
        let url = Url::parse(&url).context("LLM_BASE_URL is not a URL")?;
        let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
        let loopback = host == "localhost" || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback());
        ensure!(loopback || key.is_some(), "LLM_API_KEY is not set, and {host} needs a key");

        // This fails only where a provider is installed already, which is as good.
        rustls::crypto::ring::default_provider().install_default().ok();
        let client = Client::builder().redirect(redirect::Policy::none());
        let client = if loopback { client.no_proxy() } else { client };
        // Plain HTTP needs no certificates, and reading the system's would be most of the start-up time.
        let client = if url.scheme() == "http" { client.tls_certs_only([]) } else { client };
        let model = variable("LLM_MODEL").or(variable("DSH_MODEL")).unwrap_or("deepseek-chat".into());
        Ok(Self { client: client.build()?, url, key, model })
    }

    /// Sends the whole conversation, prints the text of the reply as it comes, and returns all of the reply.
    async fn ask(&self, history: &History) -> Result<Reply> {
        let mut request = self.client.post(self.url.clone()).header("content-type", "application/json");
        if let Some(key) = &self.key {
            request = request.bearer_auth(key);
        }
        let body = [history.0.as_slice(), b"]}"].concat();
        let mut response = request.body(body).send().await?;
        let status = response.status();
        ensure!(status.is_success(), "the model's server answered {status}: {}", response.text().await?);
        let (mut reply, mut unread) = (Reply::default(), Vec::new());
        while let Some(bytes) = response.chunk().await? {
            unread.extend_from_slice(&bytes);
            let complete = unread.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
            for line in unread[..complete].split(|&byte| byte == b'\n') {
                let Some(data) = line.strip_prefix(b"data:").map(<[u8]>::trim_ascii) else { continue };
                if data != b"[DONE]" {
                    reply.add(&serde_json::from_slice(data).context("a data line is not JSON")?)?;
                }
            }
            unread.drain(..complete);
            std::io::stdout().flush()?;
        }
        println!();
        Ok(reply)
    }
}

#[expect(clippy::disallowed_methods, reason = "this program has no host that could hand it its settings")]
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

#[derive(Default)]
struct Reply {
    text: String,
    reasoning: String,
    calls: BTreeMap<u64, Call>,
    finish: String,
    usage: Value,
}

#[derive(Default)]
struct Call {
    id: String,
    name: String,
    arguments: String,
}

fn string(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

impl Reply {
    /// Adds one chunk of the stream. Arguments come in fragments and are JSON only when the reply is complete.
    fn add(&mut self, chunk: &Value) -> Result<()> {
        ensure!(chunk["error"].is_null(), "the model's server reported {}", chunk["error"]);
        if chunk["usage"].is_object() {
            self.usage = chunk["usage"].clone();
        }
        let (choice, delta) = (&chunk["choices"][0], &chunk["choices"][0]["delta"]);
        let text = string(&delta["content"]);
        if !text.is_empty() {
            print!("{}{text}", if self.text.is_empty() { "\n[assistant] " } else { "" });
        }
        self.text += text;
        self.reasoning += string(&delta["reasoning_content"]);
        for fragment in delta["tool_calls"].as_array().into_iter().flatten() {
            let call = self.calls.entry(fragment["index"].as_u64().unwrap_or(0)).or_default();
            if call.id.is_empty() {
                call.id = string(&fragment["id"]).into();
                call.name = string(&fragment["function"]["name"]).into();
            }
            call.arguments += string(&fragment["function"]["arguments"]);
        }
        if !choice["finish_reason"].is_null() {
            self.finish = string(&choice["finish_reason"]).into();
        }
        Ok(())
    }

    fn message(&self) -> Value {
        let mut message = json!({ "role": "assistant", "content": self.text });
        if !self.reasoning.is_empty() {
            message["reasoning_content"] = json!(self.reasoning);
        }
        if !self.calls.is_empty() {
            let calls = self.calls.values().map(|Call { id, name, arguments }| {
                json!({ "id": id, "type": "function", "function": { "name": name, "arguments": arguments } })
            });
            message["tool_calls"] = calls.collect();
        }
        message
    }
}
