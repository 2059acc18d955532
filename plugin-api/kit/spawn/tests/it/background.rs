//! Commands that leave something running.

use kit_spawn::{Exit, Group, Stopped};
use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};

use crate::{FOR_EVER, assert_gone, bash, is_running, numbers, ran, stopped_at};

#[tokio::test]
async fn a_background_process_does_not_hold_the_result() {
    for background in ["sleep 1000", "(sleep 1000; echo late)", "timeout 1000 sleep 1000"] {
        let (ran, text) = ran(&bash(&format!("{background} & echo $!"))).await;
        assert_eq!((ran.exit, ran.stopped), (Exit::Code(0), None), "{background}");
        assert!(ran.background.as_ref().is_some_and(Group::alive), "{background}");
        let pids = numbers(&text);
        assert!(is_running(pids[0]), "{background}");
        drop(ran);
        assert_gone(&pids);
    }
}

#[tokio::test]
async fn a_background_process_that_prints_for_ever_does_not_hold_the_result() {
    let (ran, text) = ran(&bash("yes & echo; echo $!")).await;
    assert_eq!((ran.exit, ran.stopped), (Exit::Code(0), None));
    drop(ran);
    assert_gone(&numbers(&text));
}

#[tokio::test]
async fn a_background_process_without_the_pipe_is_seen_too() {
    let (ran, text) = ran(&bash(&format!("nohup sleep {FOR_EVER} >/dev/null 2>&1 & echo $$ $!"))).await;
    let pids = numbers(&text);
    let background = ran.background.unwrap();
    assert_eq!(background.id(), pids[0]);
    assert!(is_running(pids[1]));
    drop(background);
    assert_gone(&pids);
}

#[tokio::test]
async fn who_has_left_the_session_does_not_hold_the_result_and_is_not_touched() {
    let script = format!(
        "exec 3>&1; coproc setsid sh -c 'echo $$; exec sleep {FOR_EVER} >&3'; read -u ${{COPROC[0]}} pid; echo $pid"
    );
    let (ran, text) = ran(&bash(&script)).await;
    assert_eq!((ran.exit, ran.stopped), (Exit::Code(0), None));
    assert!(ran.background.is_none());
    let pid = numbers(&text)[0];
    assert!(is_running(pid));
    kill(Pid::from_raw(pid), Signal::SIGKILL).unwrap();
}

#[tokio::test]
async fn a_process_that_ended_and_waits_to_be_reaped_is_not_running() {
    // The inner shell becomes a sleep, which never asks after the child it had as a shell: that one stays a zombie.
    let script = format!("bash -c 'true & echo $!; exec sleep {FOR_EVER}'");
    let (ran, text) = stopped_at("\n", &bash(&script)).await;
    assert_eq!((ran.exit, ran.stopped), (Exit::Signal(15), Some(Stopped::Cancelled)));
    assert_gone(&numbers(&text));
}
