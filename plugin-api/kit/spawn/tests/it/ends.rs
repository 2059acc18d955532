//! Commands that end by themselves.

use std::io::ErrorKind;

use kit_spawn::{Exit, Spec, run};

use crate::{bash, ran};

#[tokio::test]
async fn each_end_has_its_own_name() {
    const TABLE: &[(&str, Exit, &str)] = &[
        ("true", Exit::Code(0), "exit code: 0"),
        ("exit 3", Exit::Code(3), "exit code: 3"),
        ("exit 137", Exit::Code(137), "exit code: 137"),
        ("kill -9 $$", Exit::Signal(9), "killed by signal: SIGKILL"),
        ("kill -SEGV $$", Exit::Signal(11), "killed by signal: SIGSEGV"),
        ("kill -40 $$", Exit::Signal(40), "killed by signal: 40"),
        ("no_such_command", Exit::Code(127), "exit code: 127"),
    ];
    for (script, exit, words) in TABLE {
        let (ran, _) = ran(&bash(script)).await;
        assert_eq!((ran.exit, ran.stopped), (*exit, None), "{script}");
        assert!(ran.background.is_none(), "{script}");
        assert_eq!(ran.exit.to_string(), *words);
    }
}

#[tokio::test]
async fn both_streams_arrive_in_the_order_they_were_written() {
    let (_, text) = ran(&bash("for i in 1 2 3; do echo out $i; echo err $i >&2; done")).await;
    assert_eq!(text, "out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\n");
}

#[tokio::test]
async fn the_last_bytes_before_the_end_are_not_lost() {
    for bytes in [1, 4_096, 60_000, 1_000_000] {
        let (_, text) = ran(&bash(&format!("head -c {bytes} /dev/zero | tr '\\0' x"))).await;
        assert_eq!(text.len(), bytes);
    }
}

#[tokio::test]
async fn nothing_can_be_read_from_stdin_or_a_terminal() {
    let (_, text) = ran(&bash("cat; echo end=$?; read x 2>/dev/null </dev/tty; echo rc=$?")).await;
    assert_eq!(text, "end=0\nrc=1\n");
}

#[tokio::test]
async fn the_environment_is_inherited_but_for_what_is_taken_out_or_put_in() {
    let has_path = |text: &str| text.lines().any(|line| line.starts_with("PATH="));
    let mut spec = Spec::new("/usr/bin/env", "/");
    assert!(has_path(&ran(&spec).await.1));
    spec.env_remove = vec!["PATH".into()];
    assert!(!has_path(&ran(&spec).await.1));
    spec.env = vec![("PATH".into(), "mine".into())];
    assert!(ran(&spec).await.1.contains("PATH=mine\n"));
}

#[tokio::test]
async fn the_folder_is_the_one_asked_for() {
    let mut spec = bash("pwd");
    spec.cwd = "/proc".into();
    assert_eq!(ran(&spec).await.1, "/proc\n");
}

#[tokio::test]
async fn what_cannot_be_started_is_an_error() {
    let mut nowhere = bash("true");
    nowhere.cwd = "/no/such/folder".into();
    let table = [
        (Spec::new("/no/such/program", "/"), ErrorKind::NotFound),
        (nowhere, ErrorKind::NotFound),
        (bash("echo \0"), ErrorKind::InvalidInput),
        (bash(&"x".repeat(300_000)), ErrorKind::ArgumentListTooLong),
    ];
    for (spec, kind) in table {
        let failed = run(&spec, std::future::pending(), |_| {}).await;
        assert_eq!(failed.map_err(|e| e.kind()).err(), Some(kind), "{:?}", spec.program);
    }
}
