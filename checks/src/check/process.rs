//! A child process under a deadline: its lines as they come, and how it ended.
use super::{Miss, interrupt};
use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use std::{
    io,
    os::unix::process::ExitStatusExt as _,
    process::{Command, ExitStatus, Stdio},
    time::{Duration, Instant},
};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, BufReader},
    time::{timeout, timeout_at},
};

/// How much of standard output is kept, and how much of a line; more is a fault of what is checked.
const OUTPUT_BYTES_MAX: usize = 2 << 20;
const ERRORS_BYTES_MAX: usize = 256 << 10;
/// How long a process may take to end once it was asked to; then it is killed.
const GRACE: Duration = Duration::from_secs(2);

/// What to do about a row that does not come to an end.
const HANGS: &str = "look for what never ends in the row that is called: a wait, a loop, a lock";
/// What to do about a row that takes the process with it.
const ENDS_ALL: &str =
    "look for what ends a whole process in the row under check: abort, exit, a stack overflow, a bad pointer";

/// What a process left.
#[derive(Debug)]
pub(crate) struct Ended {
    /// `None` when it was killed.
    pub(crate) code: Option<i32>,
    /// What killed it.
    signal: Option<i32>,
    /// The lines of standard output.
    pub(crate) lines: Vec<String>,
    /// Standard error.
    pub(crate) errors: String,
    /// What ended it, when it did not end by itself.
    pub(crate) cut: Option<&'static str>,
}

impl Ended {
    /// What it said of its end, in the place of what was wanted.
    pub(crate) fn miss(&self, wanted: &str) -> Miss {
        let of = |mark: &str| {
            self.errors
                .lines()
                .find_map(|line| line.trim_start().strip_prefix(mark))
                .unwrap_or_default()
                .to_owned()
        };
        let (error, hint) = (of("error: "), of("hint: "));
        let (got, next) = match (self.cut, self.code) {
            (Some(cut), _) if error.is_empty() => (format!("it {cut}"), HANGS.to_owned()),
            (Some(cut), _) => (format!("it {cut}; it said: {error}"), HANGS.to_owned()),
            (None, None) => {
                let signal = self.signal.and_then(|signal| Signal::try_from(signal).ok()).map(Signal::as_str);
                (
                    format!("the whole harness was killed by {}", signal.unwrap_or("a signal")),
                    ENDS_ALL.to_owned(),
                )
            }
            (None, Some(code)) if error.is_empty() => (format!("exit code {code}"), hint),
            (None, Some(_)) => (error, hint),
        };
        Miss::new(got, wanted).next(next)
    }
}

/// Runs a command until `until`, calling `line` for each line of its output.
pub(crate) fn run(command: Command, until: Instant, line: &mut dyn FnMut(&str)) -> io::Result<Ended> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(follow(command, until, line))
}

async fn follow(command: Command, until: Instant, line: &mut dyn FnMut(&str)) -> io::Result<Ended> {
    let mut command = tokio::process::Command::from(command);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.kill_on_drop(true);
    let mut child = command.spawn()?;
    let process = child.id().and_then(|id| i32::try_from(id).ok()).map(Pid::from_raw);
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let (mut lines, mut errors, mut cut) = (Vec::new(), Vec::new(), None);
    let mut size = 0;
    let reading = async {
        let errors = async {
            let (Some(mut stderr), mut piece) = (stderr, [0; 4096]) else { return };
            // Read to its end whatever comes, because a full pipe would hold the process up; only the beginning is kept.
            while let Ok(bytes @ 1..) = stderr.read(&mut piece).await {
                errors.extend(&piece[..bytes.min(ERRORS_BYTES_MAX.saturating_sub(errors.len()))]);
            }
        };
        let output = async {
            let Some(stdout) = stdout else { return true };
            let mut stdout = BufReader::new(stdout.take(OUTPUT_BYTES_MAX as u64));
            let mut read = Vec::new();
            while stdout.read_until(b'\n', &mut read).await.is_ok_and(|bytes| bytes > 0) {
                size += read.len();
                let text = String::from_utf8_lossy(&read).trim_end_matches('\n').to_owned();
                line(&text);
                lines.push(text);
                read.clear();
            }
            size < OUTPUT_BYTES_MAX
        };
        tokio::join!(output, errors).0
    };
    tokio::select! {
        biased;
        () = interrupt::interrupted() => cut = Some("was interrupted"),
        read = timeout_at(until.into(), reading) => match read {
            Ok(true) => {}
            Ok(false) => cut = Some("printed more than 2 MiB"),
            Err(_) => cut = Some("did not end in time"),
        },
    }
    let status = if cut.is_some() { None } else { timeout_at(until.into(), child.wait()).await.ok() };
    let status = match status {
        Some(status) => status?,
        None => {
            cut = cut.or(Some("closed its output and did not end in time"));
            end(&mut child, process).await?
        }
    };
    let errors = String::from_utf8_lossy(&errors).into_owned();
    Ok(Ended { code: status.code(), signal: status.signal(), lines, errors, cut })
}

/// Asks, so that it ends what it has started; then kills.
async fn end(child: &mut tokio::process::Child, process: Option<Pid>) -> io::Result<ExitStatus> {
    // A process that is gone needs no signal.
    process.map(|process| kill(process, Signal::SIGTERM).ok());
    if let Ok(status) = timeout(GRACE, child.wait()).await {
        return status;
    }
    child.kill().await?;
    child.wait().await
}
