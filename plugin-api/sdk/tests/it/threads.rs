//! Threads: none where a plugin wants none, one worker where it wants tokio, and none left once it is retired.
#![cfg(target_os = "linux")]
use crate::{
    host::{Lent, create, cx, object, wait},
    probe::{Probe, Probing, exercise},
};
use plugin_api::{RInstance, RPayload};
use plugin_sdk::{blocking, glue, glue::Provide};
use std::{process::Command, time::Instant};

/// Runs one test of this file in a process of its own, where nobody else starts a thread.
fn alone(test: &str, body: impl FnOnce()) {
    const MARK: &str = "SDK_TEST_ALONE";
    if std::env::var_os(MARK).is_some() {
        return body();
    }
    let name = format!("threads::{test}");
    let mut command = Command::new(std::env::current_exe().unwrap());
    let out = command.args([&name, "--exact", "--test-threads=1"]).env(MARK, "1").output().unwrap();
    let said = String::from_utf8_lossy(&out.stdout);
    assert!(
        out.status.success() && said.contains("1 passed"),
        "{said}{}",
        String::from_utf8_lossy(&out.stderr)
    );
}

fn threads() -> usize {
    std::fs::read_dir("/proc/self/task").unwrap().count()
}

fn mount(runtime: bool) -> RInstance {
    create::<Probe, Provide<Probing>>(Lent::default(), "{}", runtime).into_result().unwrap()
}

#[test]
fn a_plugin_without_a_runtime_starts_no_thread() {
    alone("a_plugin_without_a_runtime_starts_no_thread", || {
        let before = threads();
        let instance = mount(false);
        exercise(&instance);
        wait(instance.shutdown());
        drop(instance);
        assert_eq!(threads(), before);
    });
}

#[test]
fn a_plugin_with_a_runtime_starts_one_thread_and_a_retired_one_leaves_none() {
    alone("a_plugin_with_a_runtime_starts_one_thread_and_a_retired_one_leaves_none", || {
        let before = threads();
        let instance = mount(true);
        assert_eq!(threads(), before + 1, "one worker");
        exercise(&instance);
        let service = object(&instance);
        let answer = wait(service.call("spawn".into(), RPayload::default(), cx())).into_result().unwrap();
        assert_eq!(answer.head.as_str(), "on sdk-tests");
        assert_eq!(threads(), before + 1);
        glue::retire();
        exercise(&instance);
        assert_eq!(threads(), before + 1, "what is in use keeps its threads");
        drop((instance, service, answer));
        let begun = Instant::now();
        while threads() > before && begun.elapsed().as_secs() < 60 {
            std::thread::yield_now();
        }
        assert_eq!(threads(), before);
    });
}

#[test]
fn blocking_code_runs_on_a_thread_of_its_own() {
    let here = std::thread::current().id();
    let there = wait(blocking(move || std::thread::current().id())).unwrap();
    assert_ne!(there, here);
    let error = wait(blocking(move || assert!(here == there, "boom in blocking"))).unwrap_err();
    assert_eq!(&*error.code, "PANIC");
    assert!(error.message.contains("boom in blocking"), "{}", error.message);
}
