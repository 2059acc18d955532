//! Commands: what is told of them, how they are stopped, and that nothing of them stays.

use std::{
    cell::RefCell,
    future::{pending, ready},
    path::Path,
};

use expect_test::expect;
use nix::{errno::Errno, sys::signal::kill, unistd::Pid};
use plugin_sdk::contracts::tools::ToolResult;
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    process::{PidfdFlags, pidfd_open},
};
use serde_json::json;
use tempfile::tempdir;
use tokio::sync::Notify;
use tools_basic::Basic;

use crate::{basic, call, config, told};

#[tokio::test]
async fn output_and_end_are_told() {
    const COMMANDS: &[&str] = &[
        "echo out; echo err >&2; printf last",
        "exit 3",
        "printf ' \\n\\n'",
        "kill -9 $$",
        "cat; echo end=$?; echo $TERM $PAGER $NO_COLOR",
        "[[ a == a* ]] && echo bash",
    ];
    let root = tempdir().unwrap();
    let tools = basic(root.path());
    let mut transcript = String::new();
    for command in COMMANDS {
        let result = call(&tools, "run_shell", json!({"command": command})).await;
        transcript.push_str(&format!("> {command}\n{}\n", told(&result)));
    }
    expect![[r#"
        > echo out; echo err >&2; printf last
        out
        err
        last
        [exit code: 0]
        > exit 3
        (no output)
        [exit code: 3]
        > printf ' \n\n'
        (no output)
        [exit code: 0]
        > kill -9 $$
        (no output)
        [killed by signal: SIGKILL]
        > cat; echo end=$?; echo $TERM $PAGER $NO_COLOR
        end=0
        dumb cat 1
        [exit code: 0]
        > [[ a == a* ]] && echo bash
        bash
        [exit code: 0]
    "#]]
    .assert_eq(&transcript);
}

#[tokio::test]
async fn long_output_keeps_head_and_tail() {
    let root = tempdir().unwrap();
    let mut config = config(root.path());
    config.output_bytes_max = 1_000;
    let tools = Basic::new(config).unwrap();
    let text = call(&tools, "run_shell", json!({"command": "seq 1 100000"})).await.text;
    assert!(text.starts_with("1\n2\n3\n") && text.ends_with("\n99999\n100000\n[exit code: 0]"), "{text}");
    assert!(text.contains("… [cut: 587,895 of 588,895 bytes left out of the middle] …"), "{text}");
    assert!(text.len() < 1_120);
}

#[tokio::test]
async fn a_command_runs_in_the_root() {
    let root = tempdir().unwrap();
    let tools = basic(root.path());
    call(&tools, "run_shell", json!({"command": "mkdir sub && cd sub && echo x > here"})).await;
    assert_eq!(std::fs::read_to_string(root.path().join("sub/here")).unwrap(), "x\n");
    let text = call(&tools, "run_shell", json!({"command": "pwd -P"})).await.text;
    assert_eq!(Path::new(text.lines().next().unwrap()), root.path().canonicalize().unwrap());
}

/// Runs `command` and cancels it as soon as it has printed `word`.
async fn cancelled_at(word: &str, command: &str) -> (ToolResult, String) {
    let root = tempdir().unwrap();
    let (seen, progress) = (Notify::new(), RefCell::new(String::new()));
    let note = |text: &str| {
        progress.borrow_mut().push_str(text);
        if progress.borrow().contains(word) {
            seen.notify_one();
        }
    };
    let arguments = json!({"command": command}).to_string();
    let result = basic(root.path()).execute("run_shell", &arguments, seen.notified(), note).await;
    (result, progress.into_inner())
}

#[tokio::test]
async fn a_cancelled_command_tells_what_it_had_printed() {
    let (result, progress) = cancelled_at("ready", "echo ready; sleep 1000").await;
    assert_eq!(told(&result), "ABORTED: ready\n[Error: stopped, the call was cancelled]");
    assert_eq!(progress, "ready\n");
}

#[tokio::test]
async fn a_cancelled_command_that_ignores_it_is_killed_with_all_it_started() {
    let command = "trap '' TERM; sleep 1000 & echo $$ $! ready; while :; do wait; done";
    let (result, progress) = cancelled_at("ready", command).await;
    assert_eq!(result.code.as_deref(), Some("ABORTED"));
    assert_gone(&progress);
}

#[tokio::test]
async fn what_is_left_running_is_told_and_ends_with_the_instance() {
    let root = tempdir().unwrap();
    let tools = basic(root.path());
    let result = call(&tools, "run_shell", json!({"command": "sleep 1000 >/dev/null 2>&1 & echo $!"})).await;
    assert!(!result.is_error);
    assert!(result.text.contains("\n[still running in the background"), "{}", result.text);
    let pid: i32 = result.text.lines().next().unwrap().parse().unwrap();
    call(&tools, "run_shell", json!({"command": "true"})).await;
    assert!(is_running(pid));
    tools.stop_background();
    assert_gone(&result.text);
}

#[tokio::test]
async fn the_command_that_is_offered_to_end_it_ends_it() {
    let root = tempdir().unwrap();
    let tools = basic(root.path());
    let text = call(&tools, "run_shell", json!({"command": "sleep 1000 & echo $!"})).await.text;
    let kill = text.split('`').nth(1).unwrap();
    assert!(kill.starts_with("kill -- -"), "{text}");
    call(&tools, "run_shell", json!({"command": kill})).await;
    assert_gone(text.lines().next().unwrap());
}

#[tokio::test]
async fn progress_stops_at_the_size_of_a_result() {
    let root = tempdir().unwrap();
    let mut config = config(root.path());
    config.output_bytes_max = 1_000;
    let tools = Basic::new(config).unwrap();
    let mut progress = String::new();
    let arguments = json!({"command": "yes é | head -c 200000"}).to_string();
    let result = tools.execute("run_shell", &arguments, pending(), |text| progress.push_str(text)).await;
    assert!(!result.is_error);
    assert!((998..=1_000).contains(&progress.len()) && progress.starts_with("é\né\n"), "{}", progress.len());
}

#[tokio::test]
async fn a_file_call_that_is_cancelled_still_says_what_became_of_it() {
    let root = tempdir().unwrap();
    let tools = basic(root.path());
    let arguments = json!({"path": "a.txt", "content": "x"}).to_string();
    let result = tools.execute("write_file", &arguments, ready(()), |_| {}).await;
    assert_eq!(told(&result), "wrote `a.txt`: 1 bytes, a new file");
}

fn is_running(pid: i32) -> bool {
    kill(Pid::from_raw(pid), None) != Err(Errno::ESRCH)
        && std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
}

/// Waits until none of the processes whose numbers begin `printed` runs, for a bounded time: of each the kernel tells when it ends (pidfd_open(2)).
fn assert_gone(printed: &str) {
    let pids: Vec<i32> = printed.split_whitespace().map_while(|word| word.parse().ok()).collect();
    assert!(!pids.is_empty(), "{printed}");
    for pid in pids {
        match pidfd_open(rustix::process::Pid::from_raw(pid).unwrap(), PidfdFlags::empty()) {
            Err(rustix::io::Errno::SRCH) => {}
            process => {
                let process = process.unwrap();
                let mut wanted = [PollFd::new(&process, PollFlags::IN)];
                let most = Timespec { tv_sec: 20, tv_nsec: 0 };
                assert_eq!(poll(&mut wanted, Some(&most)), Ok(1), "still running: {pid}");
            }
        }
    }
}
