//! What the file tools say, word for word, and what they leave on disk.

use std::{fs, os::unix::fs::PermissionsExt as _, path::Path, process::Command};

use expect_test::{Expect, expect};
use serde_json::{Value, json};
use tempfile::tempdir;
use tools_basic::Basic;

use crate::{basic, call, config, told};

/// Runs the calls, one after the other, and writes down each with what it answered.
async fn check(root: &Path, calls: &[(&str, Value)], wanted: Expect) {
    let tools = basic(root);
    let mut transcript = String::new();
    for (name, arguments) in calls {
        let answer = told(&call(&tools, name, arguments).await);
        transcript.push_str(&format!("> {name} {arguments}\n{answer}\n"));
    }
    wanted.assert_eq(&transcript);
}

/// A root whose tools show at most 1,000 bytes.
fn narrow(root: &Path) -> Basic {
    let mut config = config(root);
    config.output_bytes_max = 1_000;
    Basic::new(config).unwrap()
}

#[tokio::test]
async fn what_was_written_is_read_back_byte_for_byte() {
    let root = tempdir().unwrap();
    for content in ["x", "x\n", "a\r\nb\r\n", "\u{FEFF}bom\n", "é漢😀\n\n\n", "tab\there\u{1B}[31m"] {
        let written =
            call(&basic(root.path()), "write_file", json!({"path": "a.txt", "content": content})).await;
        assert!(!written.is_error, "{}", written.text);
        assert_eq!(call(&basic(root.path()), "read_file", json!({"path": "a.txt"})).await.text, content);
        assert_eq!(fs::read_to_string(root.path().join("a.txt")).unwrap(), content);
    }
}

#[tokio::test]
async fn reading_part_of_a_file_says_which_part() {
    let root = tempdir().unwrap();
    fs::write(root.path().join("a.txt"), "one\ntwo\nthree\nfour").unwrap();
    fs::write(root.path().join("empty.txt"), "").unwrap();
    let calls = [
        ("read_file", json!({"path": "a.txt", "limit": 2})),
        ("read_file", json!({"path": "a.txt", "offset": 2, "limit": 1})),
        ("read_file", json!({"path": "a.txt", "offset": 3, "limit": 9})),
        ("read_file", json!({"path": "a.txt", "limit": 4})),
        ("read_file", json!({"path": "a.txt", "offset": 5})),
        ("read_file", json!({"path": "empty.txt"})),
        ("read_file", json!({"path": "empty.txt", "offset": 2})),
    ];
    check(
        root.path(),
        &calls,
        expect![[r#"
        > read_file {"limit":2,"path":"a.txt"}
        one
        two
        [lines 1 to 2 of a file of 18 bytes; go on with offset 3]
        > read_file {"limit":1,"offset":2,"path":"a.txt"}
        two
        [lines 2 to 2 of a file of 18 bytes; go on with offset 3]
        > read_file {"limit":9,"offset":3,"path":"a.txt"}
        three
        four
        [lines 3 to 4, the end of the file]
        > read_file {"limit":4,"path":"a.txt"}
        one
        two
        three
        four
        > read_file {"offset":5,"path":"a.txt"}
        INVALID_ARGS: Error: `offset` is 5, but `a.txt` has 4 lines
        > read_file {"path":"empty.txt"}
        [empty file]
        > read_file {"offset":2,"path":"empty.txt"}
        INVALID_ARGS: Error: `offset` is 2, but `empty.txt` has 0 lines
    "#]],
    )
    .await;
}

#[tokio::test]
async fn a_long_file_can_be_read_to_its_end_by_following_the_offsets() {
    let root = tempdir().unwrap();
    let content: String = (0..700).map(|n| format!("line {n} {}\n", "é".repeat(n % 90))).collect();
    fs::write(root.path().join("long.txt"), &content).unwrap();
    let tools = narrow(root.path());
    let (mut read, mut offset) = (String::new(), 1);
    loop {
        let text = call(&tools, "read_file", json!({"path": "long.txt", "offset": offset})).await.text;
        let (lines, note) = text.rsplit_once("\n[lines ").unwrap();
        assert!(lines.len() <= 1_000);
        read.push_str(lines);
        read.push('\n');
        match note.split_once("go on with offset ") {
            Some((_, next)) => offset = next.trim_end_matches(']').parse().unwrap(),
            None => break,
        }
    }
    assert_eq!(read, content);
}

#[tokio::test]
async fn a_line_that_is_too_long_is_cut_at_a_character_and_the_cut_is_said() {
    let root = tempdir().unwrap();
    for shift in 0..4 {
        let line = format!("{}{}", "x".repeat(shift), "😀".repeat(1_000));
        fs::write(root.path().join("long.txt"), format!("{line}\nnext\n")).unwrap();
        let text = call(&narrow(root.path()), "read_file", json!({"path": "long.txt"})).await.text;
        let (shown, note) = text.split_once('\n').unwrap();
        assert!(line.starts_with(shown) && (996..=1_000).contains(&shown.len()), "{}", shown.len());
        assert!(note.starts_with("[line 1 is longer") && note.ends_with("or go on with offset 2]"), "{note}");
    }
}

#[tokio::test]
async fn what_is_not_text_is_not_shown() {
    let root = tempdir().unwrap();
    fs::write(root.path().join("nul"), b"ab\0").unwrap();
    fs::write(root.path().join("late-nul"), [b"x\n".repeat(6_000), b"\0".to_vec()].concat()).unwrap();
    fs::write(root.path().join("latin"), b"one\ntwo\ncaf\xE9\n").unwrap();
    fs::write(root.path().join("cut"), b"caf\xC3").unwrap();
    let calls = [
        ("read_file", json!({"path": "nul"})),
        ("read_file", json!({"path": "late-nul"})),
        ("read_file", json!({"path": "latin"})),
        ("read_file", json!({"path": "cut"})),
        ("read_file", json!({"path": "latin", "offset": 3})),
    ];
    check(root.path(), &calls, expect![[r#"
        > read_file {"path":"nul"}
        FS_NOT_TEXT: Error: `nul` is not a text file: it has a NUL byte near its beginning; look at it with run_shell and `file` or `xxd`
        > read_file {"path":"late-nul"}
        FS_NOT_TEXT: Error: `late-nul` is not a text file: it has a NUL byte; look at it with run_shell and `file` or `xxd`
        > read_file {"path":"latin"}
        FS_NOT_TEXT: Error: `latin` is not a text file: it is not UTF-8 at line 3; look at it with run_shell and `file` or `xxd`
        > read_file {"path":"cut"}
        FS_NOT_TEXT: Error: `cut` is not a text file: it is not UTF-8 at line 1; look at it with run_shell and `file` or `xxd`
        > read_file {"offset":3,"path":"latin"}
        FS_NOT_TEXT: Error: `latin` is not a text file: it is not UTF-8 at line 3; look at it with run_shell and `file` or `xxd`
    "#]]).await;
}

#[tokio::test]
async fn failures_say_what_is_wrong_and_what_to_do() {
    let root = tempdir().unwrap();
    fs::create_dir(root.path().join("sub")).unwrap();
    fs::write(root.path().join("a.txt"), "x").unwrap();
    let calls = [
        ("read_file", json!({"path": "none.txt"})),
        ("read_file", json!({"path": "sub"})),
        ("read_file", json!({"path": "a.txt/"})),
        ("read_file", json!({"path": "a.txt/b"})),
        ("read_file", json!({"path": "../secret"})),
        ("read_file", json!({"path": "/etc/hostname"})),
        ("read_file", json!({"path": ""})),
        ("write_file", json!({"path": "~/x", "content": ""})),
        ("write_file", json!({"path": "new/", "content": ""})),
        ("write_file", json!({"path": "a.txt/b/c", "content": ""})),
        ("list_files", json!({"path": "a.txt"})),
        ("list_files", json!({"path": "none"})),
        ("Read_File", json!({"path": "a.txt"})),
    ];
    check(root.path(), &calls, expect![[r#"
        > read_file {"path":"none.txt"}
        FS_NOT_FOUND: Error: `none.txt` is not there; list_files shows what is
        > read_file {"path":"sub"}
        FS_NOT_REGULAR_FILE: Error: `sub` is a folder (list_files shows what is in it), not a regular file
        > read_file {"path":"a.txt/"}
        FS_NOT_REGULAR_FILE: Error: `a.txt/` is the name of a folder, not a regular file
        > read_file {"path":"a.txt/b"}
        FS_NOT_DIRECTORY: Error: `a.txt/b`: a part of the path is a file, not a folder
        > read_file {"path":"../secret"}
        FS_SANDBOX_DENIED: Error: the path leads out of the working folder, which file tools cannot leave; a correct path is relative to it, such as `src/main.rs`
        > read_file {"path":"/etc/hostname"}
        FS_SANDBOX_DENIED: Error: the path leads out of the working folder, which file tools cannot leave; a correct path is relative to it, such as `src/main.rs`
        > read_file {"path":""}
        INVALID_ARGS: Error: `path` is empty or has a NUL; a correct path is `src/main.rs`
        > write_file {"content":"","path":"~/x"}
        INVALID_ARGS: Error: `~/x` is not expanded; a correct path is relative to the working folder, such as `src/main.rs`
        > write_file {"content":"","path":"new/"}
        FS_NOT_REGULAR_FILE: Error: `new/` is the name of a folder, not a regular file
        > write_file {"content":"","path":"a.txt/b/c"}
        FS_NOT_DIRECTORY: Error: `a.txt/b/c`: a part of the path is a file, not a folder
        > list_files {"path":"a.txt"}
        FS_NOT_DIRECTORY: Error: `a.txt` is not a folder; read_file reads files
        > list_files {"path":"none"}
        FS_NOT_FOUND: Error: `none` is not there; list_files shows what is
        > Read_File {"path":"a.txt"}
        UNKNOWN_TOOL: Error: unknown tool `Read_File`; the tools are `read_file`, `write_file`, `list_files`, `run_shell`
    "#]]).await;
    let long = call(&basic(root.path()), "write_file", json!({"path": "n".repeat(300), "content": ""})).await;
    assert!(long.text.ends_with("nnn…` is too long a path or name for the system"), "{}", long.text);
}

#[tokio::test]
async fn writing_creates_folders_and_says_what_was_there() {
    let root = tempdir().unwrap();
    let calls = [
        ("write_file", json!({"path": "a/b/c.txt", "content": "one\ntwo\n"})),
        ("write_file", json!({"path": "./a/../a/b/c.txt", "content": ""})),
    ];
    check(
        root.path(),
        &calls,
        expect![[r#"
            > write_file {"content":"one\ntwo\n","path":"a/b/c.txt"}
            wrote `a/b/c.txt`: 8 bytes, a new file
            > write_file {"content":"","path":"./a/../a/b/c.txt"}
            wrote `./a/../a/b/c.txt`: 0 bytes, in place of 8 bytes
        "#]],
    )
    .await;
    assert_eq!(fs::read(root.path().join("a/b/c.txt")).unwrap(), b"");
    assert_eq!(fs::read_dir(root.path().join("a/b")).unwrap().count(), 1);
}

#[tokio::test]
async fn a_failed_write_leaves_no_folder_and_no_file() {
    let root = tempdir().unwrap();
    for path in [format!("new/deeper/{}", "n".repeat(256)), format!("new/{}/a.txt", "n".repeat(256))] {
        let result = call(&basic(root.path()), "write_file", json!({"path": path, "content": "x"})).await;
        assert_eq!(result.code.as_deref(), Some("FS_ERROR"), "{}", result.text);
        assert_eq!(fs::read_dir(root.path()).unwrap().count(), 0);
    }
}

#[tokio::test]
async fn a_path_may_be_deep() {
    let root = tempdir().unwrap();
    let tools = basic(root.path());
    let path = format!("{}leaf.txt", "d/".repeat(1_500));
    let written = call(&tools, "write_file", json!({"path": path, "content": "deep"})).await;
    assert!(!written.is_error, "{}", written.text);
    assert_eq!(call(&tools, "read_file", json!({"path": path})).await.text, "deep");
}

/// The same in a process of its own that may open few files.
#[test]
fn a_deep_path_takes_few_file_handles() {
    let script = r#"ulimit -n 64 && exec "$0" --exact files::a_path_may_be_deep --test-threads 1"#;
    let this = std::env::current_exe().unwrap();
    let done = Command::new("sh").arg("-c").arg(script).arg(this).output().unwrap();
    let said = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success() && said.contains("1 passed"), "{said}");
}

#[tokio::test]
async fn writing_keeps_the_mode_and_never_shows_half_a_file() {
    let root = tempdir().unwrap();
    let path = root.path().join("run.sh");
    fs::write(&path, "a".repeat(100_000)).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o751)).unwrap();
    let tools = basic(root.path());
    let reader = std::thread::spawn({
        let path = path.clone();
        move || {
            for _ in 0..2_000 {
                let content = fs::read(&path).unwrap();
                assert!(content.len() == 100_000 && content.iter().all(|byte| *byte == content[0]));
            }
        }
    });
    for letter in ["b", "c"].iter().cycle().take(100) {
        let content = letter.repeat(100_000);
        assert!(!call(&tools, "write_file", json!({"path": "run.sh", "content": content})).await.is_error);
    }
    reader.join().unwrap();
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o7777, 0o751);
}

#[tokio::test]
async fn a_folder_is_listed_one_line_an_entry() {
    let root = tempdir().unwrap();
    fs::create_dir_all(root.path().join("sub/deep")).unwrap();
    fs::create_dir(root.path().join("none")).unwrap();
    for name in ["b.txt", "B.txt", ".hidden", "two words", "line\nbreak", "-rf"] {
        fs::write(root.path().join(name), "").unwrap();
    }
    let calls = [
        ("list_files", json!({})),
        ("list_files", json!({"path": "sub/"})),
        ("list_files", json!({"path": "none"})),
    ];
    check(
        root.path(),
        &calls,
        expect![[r#"
        > list_files {}
        -rf
        .hidden
        B.txt
        b.txt
        "line\nbreak"
        none/
        sub/
        two words

        > list_files {"path":"sub/"}
        deep/

        > list_files {"path":"none"}
        [empty folder]
    "#]],
    )
    .await;
}

#[tokio::test]
async fn a_huge_folder_is_cut_and_the_cut_is_said() {
    let root = tempdir().unwrap();
    for n in 0..1_500 {
        fs::write(root.path().join(format!("{n:05}")), "").unwrap();
    }
    let text = call(&narrow(root.path()), "list_files", "").await.text;
    assert!(text.starts_with("00000\n00001\n") && text.len() < 1_100, "{text}");
    assert!(
        text.ends_with("\n[the first 166 of 1500 entries; see the others with run_shell and `ls`]"),
        "{text}"
    );
}

#[tokio::test]
async fn a_config_that_cannot_work_is_told_when_the_row_is_made() {
    let root = tempdir().unwrap();
    let error = Basic::new(config(&root.path().join("gone"))).unwrap_err();
    assert_eq!(
        (error.code.as_ref(), error.hint.as_str()),
        ("ROOT_NOT_FOUND", "set `root` to a folder that exists")
    );
    let mut config = config(root.path());
    config.shell_timeout_ms_max = 5;
    assert_eq!(Basic::new(config).unwrap_err().code, "CONFIG_INVALID");
}

#[tokio::test]
async fn a_root_that_was_made_again_is_found_again() {
    let parent = tempdir().unwrap();
    let root = parent.path().join("root");
    fs::create_dir(&root).unwrap();
    let tools = basic(&root);
    fs::remove_dir(&root).unwrap();
    assert_eq!(call(&tools, "list_files", "").await.code.as_deref(), Some("FS_NOT_FOUND"));
    fs::create_dir(&root).unwrap();
    assert_eq!(call(&tools, "list_files", "").await.text, "[empty folder]");
}
