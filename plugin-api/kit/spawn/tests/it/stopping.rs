//! Commands that do not end by themselves: timeout, cancellation, drop.

use std::time::Duration;

use kit_spawn::{Exit, Stopped, run};
use tokio::sync::mpsc;

use crate::{FOR_EVER, assert_gone, bash, numbers, ran, stopped_at};

#[tokio::test]
async fn a_timeout_ends_the_whole_group() {
    let mut spec = bash(&format!("sleep {FOR_EVER} & echo $$ $!; wait"));
    spec.timeout = Some(Duration::from_millis(300));
    let (ran, text) = ran(&spec).await;
    assert_eq!((ran.exit, ran.stopped), (Exit::Signal(15), Some(Stopped::TimedOut)));
    assert!(ran.background.is_none());
    assert_gone(&numbers(&text));
}

#[tokio::test]
async fn a_flood_does_not_outrun_the_clock() {
    for script in ["yes", "yes >&2"] {
        let mut spec = bash(script);
        spec.timeout = Some(Duration::from_millis(100));
        let mut bytes = 0;
        let ran = run(&spec, std::future::pending(), |chunk| bytes += chunk.len()).await.unwrap();
        assert_eq!(ran.stopped, Some(Stopped::TimedOut), "{script}");
        assert!(bytes > 0);
    }
}

#[tokio::test]
async fn a_trapped_term_is_still_a_cancellation_and_its_last_words_are_heard() {
    let script = "trap 'echo bye; exit 0' TERM; echo ready; while :; do sleep 0.01; done";
    let (ran, text) = stopped_at("ready", &bash(script)).await;
    assert_eq!((ran.exit, ran.stopped), (Exit::Code(0), Some(Stopped::Cancelled)));
    assert!(text.starts_with("ready\n") && text.ends_with("bye\n"), "{text}");
}

#[tokio::test]
async fn who_ignores_term_is_killed_after_the_grace() {
    let script = format!("trap '' TERM; sleep {FOR_EVER} & echo $$ $! ready; wait; echo no; wait");
    let mut spec = bash(&script);
    spec.cancel_grace = Duration::from_millis(50);
    let (ran, text) = stopped_at("ready", &spec).await;
    assert_eq!((ran.exit, ran.stopped), (Exit::Signal(9), Some(Stopped::Cancelled)));
    assert_gone(&numbers(&text));
}

#[tokio::test]
async fn the_grace_ends_with_the_last_process() {
    let mut spec = bash(&format!("sleep {FOR_EVER} & echo ready; wait"));
    spec.cancel_grace = Duration::from_secs(3_600);
    let (ran, _) = stopped_at("ready", &spec).await;
    assert_eq!((ran.exit, ran.stopped), (Exit::Signal(15), Some(Stopped::Cancelled)));
}

#[tokio::test]
async fn a_child_that_outlives_the_leader_is_killed_after_the_grace() {
    let script = format!("(trap '' TERM; echo $$ $BASHPID ready; exec sleep {FOR_EVER}) & wait");
    let mut spec = bash(&script);
    spec.cancel_grace = Duration::from_millis(50);
    let (ran, text) = stopped_at("ready", &spec).await;
    assert_eq!(ran.stopped, Some(Stopped::Cancelled));
    assert!(ran.background.is_none());
    assert_gone(&numbers(&text));
}

#[tokio::test]
async fn a_process_with_a_group_of_its_own_is_stopped_too() {
    let script = format!("timeout {FOR_EVER} sh -c 'echo $$ $PPID ready; sleep {FOR_EVER}; :'; :");
    let (ran, text) = stopped_at("ready", &bash(&script)).await;
    assert_eq!(ran.stopped, Some(Stopped::Cancelled));
    assert_gone(&numbers(&text));
}

#[tokio::test]
async fn dropping_the_run_kills_the_group_at_once() {
    let spec = bash(&format!("trap '' TERM; sleep {FOR_EVER} & echo $$ $! ready; wait; wait"));
    let (send, mut printed) = mpsc::unbounded_channel();
    let task = tokio::spawn(async move {
        run(&spec, std::future::pending(), move |bytes| send.send(bytes.to_vec()).unwrap()).await
    });
    let mut text = String::new();
    while !text.contains("ready") {
        text.push_str(&String::from_utf8(printed.recv().await.unwrap()).unwrap());
    }
    task.abort();
    assert!(task.await.unwrap_err().is_cancelled());
    assert_gone(&numbers(&text));
}
