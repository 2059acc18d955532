//! Starts one program and tells what the kernel counted of it.
//!
//! A process of its own, because the kernel adds up the children of a process, and because the peak memory of a child begins with
//! that of the process it was started from: this one is small.

use std::io::{Read as _, Write as _};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeVal;
use serde::{Deserialize, Serialize};

/// The first argument that makes this program a launcher.
pub(crate) const WORD: &str = "--launch";

/// What is known of a program that has ended.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) stderr: String,
    /// User and system time of it and its children.
    pub(crate) cpu: Duration,
    pub(crate) memory_kb: i64,
    /// How often it waited.
    pub(crate) waits: i64,
}

/// Prints the process id, and at the end [`Ended`], a line each. The program's output goes to a pipe that is read and forgotten.
pub(crate) fn run(arguments: Vec<String>) -> Result<()> {
    let (program, arguments) = arguments.split_first().context("no program to start")?;
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().with_context(|| program.clone())?;
    say(&child.id().to_string())?;
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let drain = std::thread::spawn(move || {
        let (mut stdout, mut buffer) = (stdout?, vec![0; 1 << 16]);
        while stdout.read(&mut buffer).ok()? > 0 {}
        Some(())
    });
    let mut text = String::new();
    stderr.context("no stderr")?.read_to_string(&mut text)?;
    let status = child.wait()?;
    // It ends with the program, and has nothing to tell.
    drop(drain.join());
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let ended = Ended {
        code: status.code(),
        stderr: text,
        cpu: duration(usage.user_time()) + duration(usage.system_time()),
        memory_kb: usage.max_rss(),
        waits: usage.voluntary_context_switches(),
    };
    say(&serde_json::to_string(&ended)?)
}

fn duration(time: TimeVal) -> Duration {
    let part = |value: i64| u64::try_from(value).unwrap_or_default();
    Duration::from_secs(part(time.tv_sec())) + Duration::from_micros(part(time.tv_usec()))
}

fn say(line: &str) -> Result<()> {
    let mut stdout = std::io::stdout();
    writeln!(stdout, "{line}")?;
    Ok(stdout.flush()?)
}
