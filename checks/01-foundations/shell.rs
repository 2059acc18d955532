//! L1.11: the shell, and observations that are too long.
use super::tools::{done, execute, tried};
use crate::check::{Check, Miss, Subject, Verdict, ensure};
use serde_json::json;
use std::fs;

pub(super) const SHELL: &[Check] = &[
    Check {
        name: "shell",
        next: "run the command with the root as its folder and answer with its output",
        run: shell,
    },
    Check {
        name: "truncated",
        next: "keep the head and the tail of a long observation, and say between them how many bytes or lines were cut",
        run: truncated,
    },
    Check {
        name: "long-file",
        next: "bound what read_file shows as well: a file may be larger than any context",
        run: long_file,
    },
];

fn shell(subject: &Subject) -> Verdict {
    let tried = tried(subject)?;
    let text = done(&tried, "run_shell", &json!({ "command": "pwd; echo said by the shell" }))?;
    let root = tried.root().display().to_string();
    let wanted = format!("an observation with {root} and `said by the shell`");
    ensure(text.contains(&root) && text.contains("said by the shell"), || text.clone(), &wanted)
}

/// Lines of nine letters and a line end.
const LINES: usize = 40_000;
const LINE_BYTES: usize = 10;

fn truncated(subject: &Subject) -> Verdict {
    let command = format!("yes xxxxxxxxx | head -n {LINES}");
    let text = done(&tried(subject)?, "run_shell", &json!({ "command": command }))?;
    let all = LINES * LINE_BYTES;
    let wanted = format!("less than a quarter of the {all} bytes of output");
    ensure(text.len() < all / 4, || format!("{} bytes", text.len()), &wanted)?;
    let kept = text.matches('x').count() * LINE_BYTES / (LINE_BYTES - 1);
    let cut = all - kept;
    let said = numbers(&text).any(|number| [cut, cut / LINE_BYTES].iter().any(|cut| is_about(number, *cut)));
    let note: String = text.split("xxxxxxxxx").map(str::trim).filter(|piece| !piece.is_empty()).collect();
    let wanted =
        format!("a note that says how much was cut: about {cut} bytes, or {} lines", cut / LINE_BYTES);
    ensure(said, || if note.is_empty() { "no note".to_owned() } else { note }, &wanted)
}

fn long_file(subject: &Subject) -> Verdict {
    let tried = tried(subject)?;
    let all = LINES * LINE_BYTES;
    let long = "xxxxxxxxx\n".repeat(LINES);
    fs::write(tried.root().join("long.txt"), long)
        .map_err(|error| Miss::new(error.to_string(), "a long file"))?;
    let result = execute(&tried, "read_file", &json!({ "path": "long.txt" }))?;
    let wanted = format!("less than a quarter of the {all} bytes of the file, or an error");
    ensure(result.text.len() < all / 4, || format!("{} bytes", result.text.len()), &wanted)
}

/// The numbers of a text, also as 400,000 or 400_000, and those in kB and KiB as bytes.
fn numbers(text: &str) -> impl Iterator<Item = usize> {
    let plain = text.replace([',', '_'], "").to_ascii_lowercase();
    let mut found = Vec::new();
    let mut rest = plain.as_str();
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        let digits: String = rest[at..].chars().take_while(char::is_ascii_digit).collect();
        rest = &rest[at + digits.len()..];
        let Ok(number) = digits.parse::<usize>() else { continue };
        let unit = rest.trim_start();
        let factor = if unit.starts_with("kib") {
            1024
        } else if unit.starts_with("kb") {
            1000
        } else {
            1
        };
        found.push(number.saturating_mul(factor));
    }
    found.into_iter()
}

/// Within one in fifty: what counts as a line, and what the note itself takes, is the plugin's business.
fn is_about(number: usize, wanted: usize) -> bool {
    number.abs_diff(wanted) <= wanted / 50
}
