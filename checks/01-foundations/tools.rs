//! L1.9 to L1.11: files, errors and the shell.
use crate::check::{Check, Miss, Subject, Tried, Verdict, ensure};
use contracts::tools::{ToolEvent, ToolResult};
use serde_json::{Value, json};
use std::fs;

pub(super) const FILES: &[Check] = &[
    Check {
        name: "schemas",
        next: "list read_file, write_file and run_shell, each with a description and a JSON Schema of type object",
        run: schemas,
    },
    Check {
        name: "round-trip",
        next: "write_file takes path and content, read_file takes path; both relative to the row's `root`",
        run: round_trip,
    },
];

pub(super) const ERRORS: &[Check] = &[
    Check {
        name: "escape-read",
        next: "resolve the path, symbolic links too, and refuse what is not below the root",
        run: escape_read,
    },
    Check {
        name: "escape-write",
        next: "refuse to write where the path, resolved, is not below the root",
        run: escape_write,
    },
    Check {
        name: "unknown-tool",
        next: "answer an unknown name with one error result that repeats it",
        run: unknown_tool,
    },
    Check {
        name: "missing-file",
        next: "answer with one error result that names the path",
        run: missing_file,
    },
];

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
];

const SECRET: &str = "kept outside of the root";

/// A use of the rows in which no model is asked.
fn tried(subject: &Subject) -> Result<Tried<'_>, Miss> {
    subject.alone()
}

fn execute(tried: &Tried<'_>, name: &str, arguments: &Value) -> Result<ToolResult, Miss> {
    let head = json!({ "id": "call_check", "name": name });
    let mut events: Vec<ToolEvent> = tried.open("tools", "execute", &head, &[arguments.to_string()])?;
    let wanted = "one result, the last item";
    let last = events.pop();
    let results = events.iter().filter(|event| matches!(event, ToolEvent::Result(_))).count();
    match last {
        Some(ToolEvent::Result(result)) if results == 0 => Ok(result),
        Some(ToolEvent::Result(_)) => Err(Miss::new(format!("{} results", results + 1), wanted)),
        Some(_) => Err(Miss::new("a stream that does not end with a result", wanted)),
        None => Err(Miss::new("an empty stream", wanted)),
    }
}

/// A success, or its error as a miss.
fn done(tried: &Tried<'_>, name: &str, arguments: &Value) -> Result<String, Miss> {
    let result = execute(tried, name, arguments)?;
    if result.is_error {
        let code = result.code.map(|code| format!(" ({code})")).unwrap_or_default();
        return Err(Miss::new(format!("{name}: {}{code}", result.text), format!("{name} to succeed")));
    }
    Ok(result.text)
}

/// An error result, with something to say.
fn refused(tried: &Tried<'_>, name: &str, arguments: &Value, wanted: &str) -> Result<ToolResult, Miss> {
    let result = execute(tried, name, arguments)?;
    ensure(result.is_error, || format!("{name} {arguments} succeeded: {}", result.text), wanted)?;
    ensure(!result.text.trim().is_empty(), || "an error without a word".to_owned(), wanted)?;
    Ok(result)
}

fn schemas(subject: &Subject) -> Verdict {
    let (_, parts) = tried(subject)?.call("tools", "list", &json!({ "known": null }))?;
    let tools: Vec<Value> = parts.iter().map(|part| serde_json::from_str(part).unwrap_or_default()).collect();
    let names: Vec<&str> = tools.iter().filter_map(|tool| tool["name"].as_str()).collect();
    let listed = if names.is_empty() { "no tool".to_owned() } else { names.join(", ") };
    let all = ["read_file", "write_file", "run_shell"].iter().all(|name| names.contains(name));
    ensure(all, || listed, "read_file, write_file and run_shell")?;
    let poor = tools.iter().find(|tool| {
        let described = tool["description"].as_str().is_some_and(|text| !text.trim().is_empty());
        !described || tool["parameters"]["type"] != "object"
    });
    let wanted = "a description, and parameters of type object";
    poor.map_or(Ok(()), |tool| Err(Miss::new(tool.to_string(), wanted)))
}

fn round_trip(subject: &Subject) -> Verdict {
    let tried = tried(subject)?;
    done(&tried, "write_file", &json!({ "path": "made.txt", "content": "line one\nline two\n" }))?;
    let written = fs::read_to_string(tried.root().join("made.txt")).unwrap_or_else(|error| error.to_string());
    ensure(
        written == "line one\nline two\n",
        || format!("made.txt under the root: {written}"),
        "the two lines written",
    )?;
    let read = done(&tried, "read_file", &json!({ "path": "made.txt" }))?;
    ensure(
        read.contains("line one\n") && read.contains("line two"),
        || read.clone(),
        "the two lines read back",
    )
}

/// The root with a file, one beside it that is none of the tools' business, and a link to that one.
fn beside(subject: &Subject) -> Result<Tried<'_>, Miss> {
    let tried = tried(subject)?;
    let root = tried.root();
    let outside = root.with_file_name("outside.txt");
    let made = fs::write(&outside, SECRET)
        .and_then(|()| fs::write(root.join("inside.txt"), "inside\n"))
        .and_then(|()| std::os::unix::fs::symlink(&outside, root.join("link.txt")));
    made.map_err(|error| Miss::new(format!("{}: {error}", outside.display()), "a file"))?;
    Ok(tried)
}

fn escape_read(subject: &Subject) -> Verdict {
    let tried = beside(subject)?;
    // A tool that refuses everything keeps nothing in.
    done(&tried, "read_file", &json!({ "path": "inside.txt" }))?;
    let absolute = tried.root().with_file_name("outside.txt").display().to_string();
    for path in ["../outside.txt", "link.txt", &absolute] {
        let wanted = format!("an error result for {path}, which is outside of the root");
        let result = refused(&tried, "read_file", &json!({ "path": path }), &wanted)?;
        ensure(
            !result.text.contains(SECRET),
            || result.text.clone(),
            "an error that does not show the file",
        )?;
    }
    Ok(())
}

fn escape_write(subject: &Subject) -> Verdict {
    let tried = beside(subject)?;
    done(&tried, "write_file", &json!({ "path": "inside.txt", "content": "changed" }))?;
    let made = tried.root().with_file_name("made.txt");
    for path in ["../made.txt", "link.txt", &made.display().to_string()] {
        let wanted = format!("an error result for {path}, which is outside of the root");
        refused(&tried, "write_file", &json!({ "path": path, "content": "changed" }), &wanted)?;
    }
    let outside = fs::read_to_string(tried.root().with_file_name("outside.txt")).unwrap_or_default();
    let untouched = !made.exists() && outside == SECRET;
    ensure(untouched, || "a file outside of the root was written".to_owned(), "nothing written")
}

fn unknown_tool(subject: &Subject) -> Verdict {
    let wanted = "an error result that names the tool";
    let result = refused(&tried(subject)?, "no_such_tool", &json!({}), wanted)?;
    ensure(result.text.contains("no_such_tool"), || result.text.clone(), wanted)
}

fn missing_file(subject: &Subject) -> Verdict {
    let wanted = "an error result that names the file";
    let result = refused(&tried(subject)?, "read_file", &json!({ "path": "not-here.txt" }), wanted)?;
    ensure(result.text.contains("not-here.txt"), || result.text.clone(), wanted)
}

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
