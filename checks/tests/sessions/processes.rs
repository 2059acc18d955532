//! Logs between processes: one writer, writers that are killed, folders and disks that refuse.
use super::{child::Writer, code, cx, events, items, numbered, session};
use crate::open;
use plugin_sdk::contracts::session::Session as _;
use std::{
    fs,
    os::unix::{
        fs::{MetadataExt as _, PermissionsExt as _},
        process::CommandExt as _,
    },
    path::Path,
    process::Command,
};

/// The files below a folder with their content.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_file())
        .map(|path| (path.display().to_string(), fs::read(&path).unwrap()))
        .collect();
    files.sort();
    files
}

#[tokio::test]
async fn a_second_writer_is_refused_until_the_first_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let mut first = Writer::start(folder.path());
    assert_eq!(first.ask("create s"), "ok");
    assert_eq!(first.ask("append s 0 10"), "ok");
    let before = files(folder.path());
    let log = open(folder.path());
    let refused = log.append("s", numbered(1..2), &cx()).await.unwrap_err();
    assert_eq!(refused.code, "SESSION_LOCKED");
    if cfg!(target_os = "linux") {
        let holder = format!("session `s` is being written by process {} (`", first.process.id());
        assert!(refused.message.starts_with(&holder), "{}", refused.message);
    }
    assert_eq!(code(log.put("s", "k", 1.into(), &cx()).await), "SESSION_LOCKED");
    assert_eq!(code(log.delete("s", &cx()).await), "SESSION_LOCKED");
    assert_eq!(files(folder.path()), before, "nothing was touched");
    assert_eq!(events(&log, "s").await.len(), 1, "a reader needs no lock");
    assert_eq!(first.ask("append s 1 10"), "ok");
    first.kill();
    assert_eq!(log.append("s", numbered(2..3), &cx()).await.unwrap(), 2);
    let mut third = Writer::start(folder.path());
    let answer = third.ask("append s 3 10");
    assert!(answer.starts_with("SESSION_LOCKED: session `s` is being written by "), "{answer}");
    log.close("s", &cx()).await.unwrap();
    assert_eq!(third.ask("append s 3 10"), "ok");
    assert_eq!(third.ask("close s"), "ok");
    assert_eq!(log.append("s", numbered(4..5), &cx()).await.unwrap(), 4);
    third.kill();
}

#[tokio::test]
async fn two_instances_of_one_process_are_two_writers() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (open(folder.path()), open(folder.path()));
    let id = session(&first, numbered(0..1)).await;
    let refused = second.append(&id, numbered(1..2), &cx()).await.unwrap_err();
    assert_eq!(refused.code, "SESSION_LOCKED");
    plugin_sdk::Plugin::session_closed(&first, &id);
    assert_eq!(second.append(&id, numbered(1..2), &cx()).await.unwrap(), 1);
}

#[tokio::test]
async fn a_killed_writer_loses_nothing_that_it_has_answered_for() {
    let folder = tempfile::tempdir().unwrap();
    let log = open(folder.path());
    log.create(Some("s".into()), None, &cx()).await.unwrap();
    log.close("s", &cx()).await.unwrap();
    let mut answered = 0;
    for round in 0..20 {
        let mut writer = Writer::start(folder.path());
        // More is asked than is waited for, so that the kill comes in the middle of something.
        for n in 0..200 {
            writer.send(&format!("append s {n} {}", (n * 37 + round * 101) % 5000));
        }
        for _ in 0..=round * 3 {
            assert_eq!(writer.answer().as_deref(), Some("ok"));
            answered += 1;
        }
        writer.kill();
        let next = log.append("s", vec![], &cx()).await.unwrap();
        assert!(next >= answered, "round {round}: {next} events, and {answered} were answered for");
        assert_eq!(events(&log, "s").await.len() as u64, next);
        answered = log.append("s", numbered(0..1), &cx()).await.unwrap() + 1;
        log.close("s", &cx()).await.unwrap();
    }
}

#[tokio::test]
async fn a_full_disk_is_said_and_leaves_whole_events() {
    let folder = tempfile::tempdir().unwrap();
    let log = open(folder.path());
    let id = session(&log, numbered(0..1)).await;
    log.close(&id, &cx()).await.unwrap();
    let mut writer = Writer::limited(folder.path(), 400);
    let mut written = 1;
    let refused = loop {
        match writer.ask(&format!("append {id} {written} 3000")) {
            answer if answer == "ok" => written += 1,
            answer => break answer,
        }
        assert!(written < 1000, "there is no end to the disk");
    };
    assert!(refused.starts_with("SESSION_IO: "), "{refused}");
    assert!(refused.contains(&id), "{refused}");
    // The smallest may still fit, or not; it is whole either way.
    let small = writer.ask(&format!("append {id} {written} 0"));
    written += u64::from(small == "ok");
    drop(writer.ask(&format!("close {id}")));
    writer.kill();
    // With no room at all a session is not there in half.
    let mut writer = Writer::limited(folder.path(), 0);
    let refused = writer.ask("create new");
    assert!(refused.starts_with("SESSION_IO: "), "{refused}");
    writer.kill();
    assert_eq!(log.create(Some("new".into()), None, &cx()).await.unwrap(), "new");
    assert_eq!(log.append(&id, numbered(written..written + 1), &cx()).await.unwrap(), written);
    let read = events(&log, &id).await;
    assert!(read.iter().map(|event| event.data["n"].as_u64().unwrap()).eq(0..=written));
}

#[tokio::test]
async fn a_folder_that_refuses_is_said() {
    let outer = tempfile::tempdir().unwrap();
    fs::set_permissions(outer.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let root = outer.path().join("sessions");
    let log = open(&root);
    let id = session(&log, numbered(0..2)).await;
    log.close(&id, &cx()).await.unwrap();
    drop(log);
    let read_only = |mode: u32, folder: u32| {
        for (path, _) in files(&root) {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        }
        fs::set_permissions(&root, fs::Permissions::from_mode(folder)).unwrap();
    };
    read_only(0o444, 0o555);
    // Whoever may do everything has to become somebody who may not, with a program that they can reach.
    let program = outer.path().join("tests");
    fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    let mut command = Command::new(&program);
    if fs::metadata(outer.path()).unwrap().uid() == 0 {
        command.uid(65534).gid(65534);
    }
    let mut writer = Writer::of(command, &root);
    for line in [format!("append {id} 2 10"), "create new".to_owned()] {
        let answer = writer.ask(&line);
        assert!(answer.starts_with("SESSION_IO: ") && answer.contains("not allowed"), "{answer}");
    }
    writer.kill();
    read_only(0o600, 0o700);
    let log = open(&root);
    assert_eq!(events(&log, &id).await, numbered(0..2));
    // And one that cannot be made.
    let file = outer.path().join("file");
    fs::write(&file, "").unwrap();
    let log = open(&file.join("sessions"));
    assert_eq!(code(log.create(None, None, &cx()).await), "SESSION_IO");
    assert_eq!(code(items(&log, "s", 0).await.remove(0)), "SESSION_IO");
}

#[tokio::test]
async fn only_the_owner_may_read_a_log() {
    let outer = tempfile::tempdir().unwrap();
    let root = outer.path().join("a").join("sessions");
    let log = open(&root);
    let id = session(&log, numbered(0..2)).await;
    log.fork(&id, 1, &cx()).await.unwrap();
    assert_eq!(fs::metadata(&root).unwrap().mode() & 0o777, 0o700);
    assert!(!files(&root).is_empty());
    for (path, _) in files(&root) {
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600, "{path}");
    }
}
