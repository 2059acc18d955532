//! L1.14: the whole of it, with a real model.
use crate::check::{Check, Miss, Subject, Verdict, ensure};
use std::fs;

pub(super) const LIVE: &[Check] = &[Check {
    name: "hello",
    next: "look at the run itself: `harness run --output stream-json` with the same task",
    run: hello,
}];

const TASK: &str = "Create a file hello.txt that contains the word harness and nothing else. Use your tools, then say that it is done.";

fn hello(subject: &Subject) -> Verdict {
    let tried = subject.live()?;
    let ended = tried.harness(&["run", TASK], &mut |_| {})?;
    if ended.code != Some(0) {
        return Err(ended.miss("the run to complete"));
    }
    let made = fs::read_to_string(tried.root().join("hello.txt"))
        .map_err(|error| Miss::new(format!("hello.txt: {error}"), "hello.txt in the root"))?;
    ensure(made.trim() == "harness", || format!("hello.txt: {made}"), "hello.txt: harness")
}
