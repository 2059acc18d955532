//! The program while it runs, and what is left when it has ended. Every wait is for an event, and every wait has a bound.

use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use serde_json::Value;
use std::{
    borrow::Cow,
    io::{Read, Write},
    os::unix::process::ExitStatusExt as _,
    path::{Path, PathBuf},
    process::{Child, ExitStatus},
    sync::{
        Arc, Condvar, Mutex,
        mpsc::{Receiver, channel},
    },
    thread,
    time::Duration,
};

/// Much longer than anything here takes, on a machine that does much else.
const WAIT_MAX: Duration = Duration::from_secs(60);

pub(crate) struct Process {
    pid: Pid,
    stdin: Option<Box<dyn Write>>,
    stdout: Arc<Stream>,
    stderr: Arc<Stream>,
    ended: Receiver<ExitStatus>,
    has_ended: bool,
    root: PathBuf,
}

impl Process {
    pub(crate) fn new(
        mut child: Child,
        stdin: Box<dyn Write>,
        stdout: Box<dyn Read + Send>,
        stderr: Box<dyn Read + Send>,
        root: &Path,
    ) -> Process {
        let pid = Pid::from_raw(child.id().try_into().unwrap());
        let (send, ended) = channel();
        thread::spawn(move || send.send(child.wait().unwrap()));
        let (stdout, stderr) = (Stream::read(stdout), Stream::read(stderr));
        Process { pid, stdin: Some(stdin), stdout, stderr, ended, has_ended: false, root: root.to_owned() }
    }

    /// Waits until standard output holds `text`.
    pub(crate) fn wait_for(&self, text: &str) -> &Process {
        self.wait_in(&self.stdout, text)
    }

    /// Waits until standard error holds `text`.
    pub(crate) fn wait_for_note(&self, text: &str) -> &Process {
        self.wait_in(&self.stderr, text)
    }

    /// Waits until standard output is what was waited for.
    pub(crate) fn wait_until(&self, awaited: &str, is_there: impl Fn(&str) -> bool) -> &Process {
        if !self.stdout.wait(|held| is_there(&held.text())) {
            panic!("{awaited} did not come\n{self:?}");
        }
        self
    }

    fn wait_in(&self, stream: &Stream, text: &str) -> &Process {
        if !stream.wait(|held| held.text().contains(text)) {
            panic!("`{text}` did not come\n{self:?}");
        }
        self
    }

    /// What standard output holds by now.
    pub(crate) fn stdout(&self) -> String {
        self.stdout.text()
    }

    /// Types a line.
    pub(crate) fn say(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(format!("{line}\n").as_bytes()).and_then(|()| stdin.flush()).unwrap();
    }

    pub(crate) fn signal(&self, signal: Signal) -> &Process {
        kill(self.pid, signal).unwrap();
        self
    }

    /// Ends its standard input and waits for its end.
    pub(crate) fn finish(mut self) -> Done {
        self.stdin = None;
        self.finish_within(WAIT_MAX)
    }

    /// Waits for its end, for a time that is part of what is tested, and leaves its standard input open until then.
    pub(crate) fn finish_within(mut self, time: Duration) -> Done {
        let Ok(status) = self.ended.recv_timeout(time) else {
            panic!("it did not end within {time:?}\n{self:?}");
        };
        self.has_ended = true;
        let read = |stream: &Stream| {
            assert!(stream.wait(|held| held.ended), "somebody holds its output open\n{self:?}");
            stream.text()
        };
        let (stdout, stderr) = (read(&self.stdout), read(&self.stderr));
        Done { status, stdout, stderr, root: self.root.clone() }
    }
}

impl std::fmt::Debug for Process {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "stdout:\n{}\nstderr:\n{}", self.stdout.text(), self.stderr.text())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if !self.has_ended {
            // It may end by itself at this moment.
            let _ = kill(self.pid, Signal::SIGKILL);
        }
    }
}

/// What has come out so far.
#[derive(Default)]
struct Held {
    bytes: Vec<u8>,
    ended: bool,
}

impl Held {
    fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.bytes)
    }
}

#[derive(Default)]
struct Stream {
    held: Mutex<Held>,
    more: Condvar,
}

impl Stream {
    /// Reads on a thread of its own, so that the program never waits for its reader.
    fn read(mut from: Box<dyn Read + Send>) -> Arc<Stream> {
        let stream = Arc::<Stream>::default();
        let kept = Arc::clone(&stream);
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            // A terminal whose last program has gone fails instead of ending.
            while let Ok(count @ 1..) = from.read(&mut bytes) {
                kept.held.lock().unwrap().bytes.extend_from_slice(&bytes[..count]);
                kept.more.notify_all();
            }
            kept.held.lock().unwrap().ended = true;
            kept.more.notify_all();
        });
        stream
    }

    fn text(&self) -> String {
        self.held.lock().unwrap().text().into_owned()
    }

    fn wait(&self, until: impl Fn(&Held) -> bool) -> bool {
        let held = self.held.lock().unwrap();
        let (held, _) =
            self.more.wait_timeout_while(held, WAIT_MAX, |held| !until(held) && !held.ended).unwrap();
        until(&held)
    }
}

/// What is left of a program that has ended.
pub(crate) struct Done {
    status: ExitStatus,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    root: PathBuf,
}

impl Done {
    /// The exit code; 128 and the number of the signal that ended it, as shells count.
    pub(crate) fn code(&self) -> i32 {
        self.status.code().unwrap_or_else(|| 128 + self.status.signal().unwrap_or_default())
    }

    /// The records of stream-json.
    pub(crate) fn records(&self) -> Vec<Value> {
        self.stdout
            .lines()
            .map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}")))
            .collect()
    }

    /// The data of the events of one kind, in order.
    pub(crate) fn events(&self, kind: &str) -> Vec<Value> {
        let is = |record: &Value| record["type"] == "event" && record["kind"] == kind;
        self.records().into_iter().filter(is).map(|mut record| record["data"].take()).collect()
    }

    /// The last record, which is the run's end and the only one.
    pub(crate) fn end(&self) -> Value {
        let records = self.records();
        let ends = records.iter().filter(|record| record["type"] == "end").count();
        assert_eq!(ends, 1, "{self:?}");
        let last = records.last().unwrap();
        assert_eq!(last["type"], "end", "{self:?}");
        last.clone()
    }

    /// Exit code and both streams, without what differs from run to run.
    pub(crate) fn shown(&self) -> String {
        let mut text = format!("exit {}\n", self.code());
        for (name, stream) in [("stdout", &self.stdout), ("stderr", &self.stderr)] {
            if !stream.is_empty() {
                text.push_str(&format!("-- {name}\n{}", self.plain(stream)));
                if !stream.ends_with('\n') {
                    text.push_str("[no line end]\n");
                }
            }
        }
        text
    }

    /// Folders, our version, session names and lines of source files are replaced by words.
    pub(crate) fn plain(&self, text: &str) -> String {
        let built = checks::workspace::built();
        let text = text
            .replace(&*self.root.to_string_lossy(), "[ROOT]")
            .replace(&*built.to_string_lossy(), "[BUILT]")
            .replace(concat!(" ", env!("CARGO_PKG_VERSION")), " [VERSION]");
        without_lines(&without_sessions(&text))
    }
}

impl std::fmt::Debug for Done {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.shown())
    }
}

/// A session that the host has named: 12 and 16 hex digits.
fn without_sessions(text: &str) -> String {
    const LENGTHS: [usize; 2] = [12, 16];
    let word = |c: char| c.is_ascii_hexdigit() || c == '-';
    let (mut out, mut rest) = (String::new(), text);
    while let Some(start) = rest.find(word) {
        let end = rest[start..].find(|c| !word(c)).map_or(rest.len(), |length| start + length);
        let found = &rest[start..end];
        let is_session = found.split('-').map(str::len).eq(LENGTHS);
        out.push_str(&rest[..start]);
        out.push_str(if is_session { "[SESSION]" } else { found });
        rest = &rest[end..];
    }
    out + rest
}

/// The places of panics.
fn without_lines(text: &str) -> String {
    let mut pieces = text.split(".rs:");
    let mut out = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        out.push_str(".rs:[LINE]");
        out.push_str(piece.trim_start_matches(|c: char| c.is_ascii_digit()));
    }
    out
}
