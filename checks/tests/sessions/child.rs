//! A writer in a process of its own: this very test program, told what to do over its stdin.
use super::{cx, event};
use crate::open;
use plugin_sdk::contracts::session::Session as _;
use serde_json::json;
use std::{
    ffi::OsStr,
    io::{BufRead as _, BufReader, Write as _},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

const ROOT: &str = "SESSION_CHILD_ROOT";
const ANSWER: &str = ">> ";

/// `append SESSION NUMBER BYTES`, `create SESSION`, `flush SESSION`, `close SESSION`; answers `ok`, or the code and the message.
#[tokio::test]
#[ignore = "the other half of tests that need two processes"]
async fn serves_its_parent() {
    let Some(root) = std::env::var_os(ROOT) else { return };
    let log = open(Path::new(&root));
    for line in std::io::stdin().lines() {
        let line = line.unwrap();
        let words: Vec<&str> = line.split(' ').collect();
        let done = match words[..] {
            ["create", session] => log.create(Some(session.to_owned()), None, &cx()).await.map(drop),
            ["append", session, n, bytes] => {
                let data =
                    json!({ "n": n.parse::<u64>().unwrap(), "fill": "x".repeat(bytes.parse().unwrap()) });
                log.append(session, vec![event("test/number", data)], &cx()).await.map(drop)
            }
            ["flush", session] => log.flush(session, &cx()).await,
            ["close", session] => log.close(session, &cx()).await,
            _ => panic!("{line}"),
        };
        let answer = done.map_or_else(|e| format!("{}: {}", e.code, e.message), |()| "ok".to_owned());
        // Not through print, which the test harness may keep.
        writeln!(std::io::stdout(), "\n{ANSWER}{answer}").unwrap();
    }
}

pub(crate) struct Writer {
    pub(crate) process: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Writer {
    pub(crate) fn start(root: &Path) -> Self {
        Writer::of(Command::new(std::env::current_exe().unwrap()), root)
    }

    /// The same by a command that ends in a program and takes its arguments.
    pub(crate) fn of(mut command: Command, root: &Path) -> Self {
        let args = ["suite::child::serves_its_parent", "--exact", "--ignored", "--nocapture"];
        command.args(args.map(OsStr::new)).env(ROOT, root);
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (stdin, stdout) = (process.stdin.take().unwrap(), process.stdout.take().unwrap());
        Writer { process, stdin, stdout: BufReader::new(stdout) }
    }

    /// One to whom the disk is full there: no file of its may become longer than so many blocks of 512 bytes.
    pub(crate) fn limited(root: &Path, blocks: u32) -> Self {
        let mut command = Command::new("sh");
        let limit = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
        command.args(["-c", &limit]).arg(std::env::current_exe().unwrap());
        Writer::of(command, root)
    }

    pub(crate) fn send(&mut self, line: &str) {
        writeln!(self.stdin, "{line}").unwrap();
    }

    /// The next answer, `None` once the process has ended.
    pub(crate) fn answer(&mut self) -> Option<String> {
        loop {
            let mut line = String::new();
            if self.stdout.read_line(&mut line).unwrap() == 0 {
                return None;
            }
            if let Some(answer) = line.strip_prefix(ANSWER) {
                return Some(answer.trim_end().to_owned());
            }
        }
    }

    pub(crate) fn ask(&mut self, line: &str) -> String {
        self.send(line);
        self.answer().unwrap()
    }

    pub(crate) fn kill(mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}
