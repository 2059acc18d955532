//! However much a command prints, reading it takes the same memory.
#![cfg(target_os = "linux")]

use std::process::Command;

use serde_json::json;
use tempfile::tempdir;

use crate::{basic, call};

/// What collecting all of it would take several times over.
const GROWTH_KB_MAX: u64 = 64 << 10;

/// Runs the command, and says the most memory that this process has ever had (proc(5)).
async fn read(bytes: u64) -> String {
    let root = tempdir().unwrap();
    let command = format!("head -c {bytes} /dev/zero | tr '\\0' x; echo; echo END");
    let result = call(&basic(root.path()), "run_shell", json!({"command": command})).await;
    assert!(result.text.ends_with("x\nEND\n[exit code: 0]"), "{result:?}");
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    status.lines().find(|line| line.starts_with("VmHWM:")).unwrap().to_owned()
}

#[tokio::test]
async fn a_little_is_read() {
    println!("{}", read(100_000).await);
}

#[tokio::test]
async fn very_much_is_read() {
    println!("{}", read(200_000_000).await);
}

/// The most memory that a process of its own, which runs just this test, has ever had.
fn peak_kb(test: &str) -> u64 {
    let test = format!("memory::{test}");
    let args = ["--exact", &test, "--nocapture", "--test-threads", "1"];
    let done = Command::new(std::env::current_exe().unwrap()).args(args).output().unwrap();
    let said = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success(), "{said}");
    let (_, peak) = said.split_once("VmHWM:").unwrap();
    peak.split_whitespace().next().unwrap().parse().unwrap()
}

#[test]
fn memory_does_not_grow_with_the_output() {
    let (little, much) = (peak_kb("a_little_is_read"), peak_kb("very_much_is_read"));
    assert!(little > 0 && much < little + GROWTH_KB_MAX, "{little} kB and {much} kB");
}
