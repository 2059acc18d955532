//! Files as crashes, disks and other harnesses leave them.
use crate::{
    open,
    suite::{child::Writer, code, cx, event, events, items, numbered, user},
};
use plugin_sdk::{
    contracts::session::{NewEvent, Session as _},
    testing,
};
use serde_json::{Value, json};
use std::{fs, os::unix::fs::FileExt as _, path::PathBuf};
use tempfile::TempDir;

const HEADER: &str = r#"{"format":1,"session":"s","started_ms":1000}"#;

/// Four events, as lines.
fn lines() -> Vec<String> {
    let line = |seq: u64, kind: &str| {
        format!(r#"{{"seq":{seq},"at_ms":{},"kind":"{kind}","data":{{"n":{seq}}}}}"#, 1001 + seq)
    };
    let kinds = ["turn/start", "user/message", "turn/end", "turn/start"];
    let events = (0..).zip(kinds).map(|(seq, kind)| line(seq, kind));
    [HEADER.to_owned()].into_iter().chain(events).collect()
}

/// A folder with the log `s`.
fn folder(content: impl AsRef<[u8]>) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.jsonl");
    fs::write(&path, content).unwrap();
    (folder, path)
}

fn text(content: &[u8]) -> String {
    String::from_utf8(content.to_vec()).unwrap()
}

#[tokio::test]
async fn a_half_written_end_is_dropped_and_said() {
    let whole = format!("{}\n", lines().join("\n"));
    let next = r#"{"seq":4,"at_ms":1005,"kind":"user/message","data":{"text":"caf"#;
    let tails: [(&str, &[u8]); 7] = [
        ("cut in JSON", br#"{"kind":"user/message","seq":4"#),
        ("cut in a character", &[next.as_bytes(), b"\xc3"].concat()),
        ("no line end", &[next.as_bytes(), "é\"}}".as_bytes()].concat()),
        ("zeros", &[0; 64]),
        ("a line of zeros", &[&[0; 64][..], b"\n"].concat()),
        ("an undecodable line", b"\xc3\n"),
        ("an undecodable line and more", b"{\"seq\"\n{"),
    ];
    for (what, tail) in tails {
        let (folder, path) = folder([whole.as_bytes(), tail].concat());
        let log = open(folder.path());
        assert_eq!(events(&log, "s").await.len(), 4, "{what}");
        assert_eq!(
            fs::read(&path).unwrap().len(),
            whole.len() + tail.len(),
            "{what}: a reader has changed it"
        );
        let (cx, _, notes) = testing::cx();
        assert_eq!(log.append("s", vec![user("on")], &cx).await.unwrap(), 4, "{what}");
        let told = notes.take();
        let expected = format!("session `s`: {} bytes at the end of `{}`", tail.len(), path.display())
            .replace("1 bytes", "1 byte");
        assert!(
            matches!(&told[..], [(kind, note)] if kind == "note" && note.contains(&expected)),
            "{what}: {told:?}"
        );
        let now = text(&fs::read(&path).unwrap());
        assert!(
            now.starts_with(&whole) && now.lines().all(|line| serde_json::from_str::<Value>(line).is_ok())
        );
        assert_eq!(events(&log, "s").await.last(), Some(&user("on")), "{what}");
    }
}

#[test]
fn what_a_full_disk_has_taken_of_an_append_is_given_back() {
    let (folder, path) = folder(format!("{HEADER}\n"));
    let mut writer = Writer::limited(folder.path(), 2);
    assert_eq!(writer.ask("append s 0 300"), "ok");
    let before = fs::read(&path).unwrap();
    let refused = writer.ask("append s 1 3000");
    let expected =
        format!("SESSION_IO: session `s`: cannot write `{}`: files may not become longer", path.display());
    assert_eq!(refused, expected);
    assert_eq!(text(&fs::read(&path).unwrap()), text(&before));
    assert_eq!(writer.ask("append s 1 0"), "ok", "there is room for a small one");
    writer.kill();
    assert!(fs::read(&path).unwrap().starts_with(&before));
}

#[tokio::test]
async fn a_file_without_a_whole_header_is_an_empty_session() {
    for content in ["", "{\"for", HEADER, "\0\0\0", "nonsense\n"] {
        let (folder, path) = folder(content);
        let log = open(folder.path());
        assert_eq!(events(&log, "s").await, []);
        assert_eq!(log.list(&cx()).await.unwrap(), []);
        assert_eq!(log.append("s", numbered(0..1), &cx()).await.unwrap(), 0, "{content}");
        assert_eq!(events(&log, "s").await, numbered(0..1));
        let header: Value =
            serde_json::from_str(text(&fs::read(&path).unwrap()).lines().next().unwrap()).unwrap();
        assert_eq!((&header["format"], &header["session"]), (&json!(1), &json!("s")));
    }
}

#[tokio::test]
async fn damage_before_the_end_is_named_and_left() {
    let with = |line: usize, text: &str| {
        let mut lines = lines();
        text.clone_into(&mut lines[line - 1]);
        format!("{}\n", lines.join("\n"))
    };
    for (content, line, what, readable) in [
        (with(3, r#"{"seq":1,"kind":"user/mess"#), 3, "cannot be read", 1),
        (with(3, &"\0".repeat(40)), 3, "cannot be read", 1),
        (with(3, ""), 3, "cannot be read", 1),
        (with(3, r#"{"seq":9,"at_ms":1,"kind":"k"}"#), 3, "has event 9 where event 1 belongs", 1),
        (with(4, r#"{"seq":1,"at_ms":1,"kind":"k"}"#), 4, "has event 1 where event 2 belongs", 2),
        (with(5, r#"{"seq":9,"at_ms":1,"kind":"k"}"#), 5, "has event 9 where event 3 belongs", 3),
        (with(1, "{}"), 1, "cannot be read", 0),
        (
            with(1, r#"{"format":1,"session":"other","started_ms":1}"#),
            1,
            "is the header of session `other`",
            0,
        ),
    ] {
        let (folder, path) = folder(&content);
        let log = open(folder.path());
        let refused = log.append("s", vec![user("on")], &cx()).await.unwrap_err();
        let expected = format!("session `s` is damaged: line {line} of `{}` {what}", path.display());
        assert_eq!((&*refused.code, refused.message), ("SESSION_CORRUPT", expected));
        let read = items(&log, "s", 0).await;
        assert_eq!(read.iter().filter(|item| item.is_ok()).count(), readable, "{content}");
        assert_eq!(code(read.into_iter().next_back().unwrap()), "SESSION_CORRUPT");
        assert_eq!(code(log.get("s", "k", &cx()).await), "SESSION_CORRUPT");
        assert_eq!(code(log.fork("s", u64::MAX, &cx()).await), "SESSION_CORRUPT");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left of the fork");
        assert_eq!(text(&fs::read(&path).unwrap()), content, "the file is as it was");
    }
    // What comes before the damage can be saved.
    let (folder, _) = folder(with(5, "?").replace("?\n", "?\n?\n"));
    let log = open(folder.path());
    let fork = log.fork("s", 3, &cx()).await.unwrap();
    assert_eq!(events(&log, &fork).await.len(), 3);
}

#[tokio::test]
async fn a_newer_format_is_refused_as_newer() {
    let newer = format!("{}\n{{\"anything\":1}}\n", r#"{"format":2,"session":"s","later":[]}"#);
    let (folder, path) = folder(&newer);
    let log = open(folder.path());
    let expected = format!(
        "session `s` was written by a newer harness: `{}` has the format 2, and this one reads up to 1",
        path.display()
    );
    let refused = log.append("s", vec![], &cx()).await.unwrap_err();
    assert_eq!((&*refused.code, &*refused.message), ("SESSION_UNSUPPORTED", &*expected));
    assert_eq!(refused.hint, "go on with the harness that wrote it");
    assert_eq!(items(&log, "s", 0).await, [Err(refused)]);
    assert_eq!(text(&fs::read(&path).unwrap()), newer);
}

#[tokio::test]
async fn a_clock_that_was_set_back_does_not_turn_time_back() {
    let late = 32_503_680_000_000_u64;
    let lines = [
        HEADER.to_owned(),
        format!(r#"{{"seq":0,"at_ms":{late},"kind":"one"}}"#),
        r#"{"seq":1,"at_ms":5,"kind":"two"}"#.into(),
    ];
    let (folder, path) = folder(format!("{}\n", lines.join("\n")));
    let log = open(folder.path());
    log.append("s", vec![event("three", Value::Null)], &cx()).await.unwrap();
    log.append("s", vec![event("four", Value::Null)], &cx()).await.unwrap();
    let times: Vec<u64> = items(&log, "s", 0).await.into_iter().map(|event| event.unwrap().at_ms).collect();
    assert_eq!(
        times,
        [late, late, late, late],
        "what another writer has let go back is read as standing still"
    );
    let written = text(&fs::read(&path).unwrap());
    assert_eq!(written.matches(&format!(r#""at_ms":{late},"#)).count(), 3);
}

#[tokio::test]
async fn a_file_cut_anywhere_goes_on_from_its_last_whole_line() {
    let (folder, path) = folder("");
    let log = open(folder.path());
    let mut written: Vec<NewEvent> = Vec::new();
    // Short lines and long ones, runs and characters of several bytes, until there are more than 4 kB of them.
    for n in 0..8u64 {
        let deltas =
            (0..n % 3).map(|d| event("assistant/delta", json!({ "index": n, "text": format!("é{d}") })));
        let batch: Vec<NewEvent> =
            deltas.chain([user(&"ü".repeat(n as usize * 60)), event("k", json!({ "n": n }))]).collect();
        log.append("s", batch.clone(), &cx()).await.unwrap();
        written.extend(batch);
    }
    log.close("s", &cx()).await.unwrap();
    let whole = fs::read(&path).unwrap();
    assert!(whole.len() > 4096 + HEADER.len());
    let mut seen = 0;
    for cut in whole.len() - 4096..=whole.len() {
        fs::write(&path, &whole[..cut]).unwrap();
        let before = whole[..cut].iter().rposition(|byte| *byte == b'\n').unwrap() + 1;
        let read = events(&log, "s").await;
        assert_eq!(read, written[..read.len()], "cut at {cut}");
        seen = seen.max(read.len());
        let next = log.append("s", numbered(0..1), &cx()).await.unwrap();
        assert_eq!(next, read.len() as u64, "cut at {cut}");
        log.close("s", &cx()).await.unwrap();
        let now = fs::read(&path).unwrap();
        assert_eq!(&now[..before], &whole[..before]);
        assert_eq!(now[before..].iter().filter(|byte| **byte == b'\n').count(), 1);
    }
    assert_eq!(seen, written.len());
}

#[tokio::test]
async fn what_is_no_session_is_left_out_of_the_list_and_said() {
    let (folder, _) = folder(format!("{}\n", lines().join("\n")));
    fs::write(folder.path().join("odd.jsonl"), "{}\n").unwrap();
    fs::write(folder.path().join("notes.txt"), "mine").unwrap();
    fs::create_dir(folder.path().join("folder.jsonl")).unwrap();
    let (cx, _, notes) = testing::cx();
    let listed = open(folder.path()).list(&cx).await.unwrap();
    assert_eq!(
        listed.iter().map(|s| (&*s.session, s.started_ms, s.last_ms)).collect::<Vec<_>>(),
        [("s", 1000, 1004)]
    );
    let told: Vec<String> = notes.take().into_iter().map(|(_, note)| note).collect();
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(
        told[1].contains("odd.jsonl") && told[1].contains("its first line is no header of a session"),
        "{told:?}"
    );
}

#[tokio::test]
async fn a_list_reads_no_whole_log() {
    let (folder, path) = folder(format!("{}\n", lines().join("\n")));
    // A gibibyte of nothing between the two ends takes no room and would take long to read.
    let file = fs::OpenOptions::new().write(true).open(&path).unwrap();
    let last = "\n{\"seq\":5,\"at_ms\":7000,\"kind\":\"k\"}\n";
    file.write_all_at(last.as_bytes(), 1 << 30).unwrap();
    let listed = open(folder.path()).list(&cx()).await.unwrap();
    assert_eq!((listed[0].started_ms, listed[0].last_ms), (1000, 7000));
}

/// `cargo test --release -p session-jsonl --test it long -- --nocapture` prints what it takes.
#[tokio::test]
async fn a_long_log_is_opened_and_read_in_pieces() {
    let (folder, path) = folder("");
    let log = open(folder.path());
    for batch in 0..100u64 {
        let step = |n: u64| {
            [event("test/number", json!({ "n": n, "turn": 1 })), user(&"word ".repeat(n as usize % 60))]
        };
        let events: Vec<NewEvent> = (batch * 500..batch * 500 + 500).flat_map(step).collect();
        log.append("s", events, &cx()).await.unwrap();
    }
    log.close("s", &cx()).await.unwrap();
    let mut begun = std::time::Instant::now();
    let mut took = || std::mem::replace(&mut begun, std::time::Instant::now()).elapsed();
    assert_eq!(log.append("s", vec![], &cx()).await.unwrap(), 100_000);
    let opened = took();
    let mut read = std::pin::pin!(log.read("s".into(), 0, cx()));
    let first = futures_util::StreamExt::next(&mut read).await.unwrap().unwrap();
    let (began, mut seq) = (took(), first.seq);
    while let Some(event) = futures_util::StreamExt::next(&mut read).await {
        seq += 1;
        assert_eq!(event.unwrap().seq, seq);
    }
    let whole = took();
    assert_eq!(seq, 99_999);
    assert_eq!(items(&log, "s", 99_990).await.len(), 10);
    let (end, bytes) = (took(), fs::metadata(&path).unwrap().len());
    eprintln!("{bytes} bytes: open {opened:?}, first event {began:?}, all {whole:?}, the last ten {end:?}");
}
