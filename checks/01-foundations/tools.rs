//! L1.9 and L1.10: files and errors.
use crate::check::{Check, Miss, Subject, Tried, Verdict, ensure};
use contracts::tools::{ToolEvent, ToolResult};
use serde_json::{Value, json};
use std::{fs, path::Path};

pub(super) const FILES: &[Check] = &[
    Check {
        name: "schemas",
        next: "list read_file (path), write_file (path, content) and run_shell (command), each with a description and a JSON Schema of type object",
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
        name: "folder",
        next: "answer with one error result when a file to read or write is a folder",
        run: folder,
    },
    Check {
        name: "arguments",
        next: "answer arguments that are no JSON, or not what the schema says, with one error result",
        run: bad_arguments,
    },
    Check {
        name: "missing-file",
        next: "answer with one error result that names the path",
        run: missing_file,
    },
];

const SECRET: &str = "kept outside of the root";

/// A use of the rows in which no model is asked.
pub(super) fn tried(subject: &Subject) -> Result<Tried<'_>, Miss> {
    subject.alone()
}

pub(super) fn execute(tried: &Tried<'_>, name: &str, arguments: &Value) -> Result<ToolResult, Miss> {
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
pub(super) fn done(tried: &Tried<'_>, name: &str, arguments: &Value) -> Result<String, Miss> {
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
    for (name, properties) in
        [("read_file", &["path"][..]), ("write_file", &["path", "content"]), ("run_shell", &["command"])]
    {
        let parameters = tools
            .iter()
            .find(|tool| tool["name"] == name)
            .map(|tool| tool["parameters"].clone())
            .unwrap_or_default();
        let is_there = |property: &&str| parameters["properties"][property]["type"] == "string";
        ensure(
            properties.iter().all(is_there),
            || format!("{name}: {parameters}"),
            &format!("{name} to take {}", properties.join(" and ")),
        )?;
    }
    let poor = tools.iter().find(|tool| {
        let described = tool["description"].as_str().is_some_and(|text| !text.trim().is_empty());
        !described || tool["parameters"]["type"] != "object"
    });
    let wanted = "a description, and parameters of type object";
    poor.map_or(Ok(()), |tool| Err(Miss::new(tool.to_string(), wanted)))
}

fn round_trip(subject: &Subject) -> Verdict {
    let tried = tried(subject)?;
    // Written over, so that the first is gone, with characters of several bytes.
    for content in ["the first\nof three\nlines\n", "größe one\nline two\n"] {
        done(&tried, "write_file", &json!({ "path": "made.txt", "content": content }))?;
    }
    let written = fs::read_to_string(tried.root().join("made.txt")).unwrap_or_else(|error| error.to_string());
    let wanted = "the two lines written: größe one, line two";
    ensure(written == "größe one\nline two\n", || format!("made.txt under the root: {written}"), wanted)?;
    let read = done(&tried, "read_file", &json!({ "path": "made.txt" }))?;
    let all = read.contains("größe one\n") && read.contains("line two");
    ensure(all, || read.clone(), "the two lines read back")
}

/// A root between folders that are none of the tools' business, with links that lead there.
fn beside(subject: &Subject) -> Result<Tried<'_>, Miss> {
    let tried = tried(subject)?;
    let (root, outside) = (tried.root(), tried.root().with_file_name("root-beside"));
    let link = |to: &Path, name: &str| std::os::unix::fs::symlink(to, root.join(name));
    let made = fs::create_dir_all(&outside)
        .and_then(|()| fs::create_dir(root.join("inner")))
        .and_then(|()| fs::write(outside.join("secret.txt"), SECRET))
        .and_then(|()| fs::write(root.join("inside.txt"), "inside\n"))
        .and_then(|()| link(&outside.join("secret.txt"), "link.txt"))
        .and_then(|()| link(&outside, "linked"))
        .and_then(|()| link(&outside.join("new.txt"), "nowhere.txt"));
    made.map_err(|error| Miss::new(format!("{}: {error}", outside.display()), "a place for the check"))?;
    Ok(tried)
}

fn escape_read(subject: &Subject) -> Verdict {
    let tried = beside(subject)?;
    // A tool that refuses everything keeps nothing in.
    done(&tried, "read_file", &json!({ "path": "inside.txt" }))?;
    let absolute = tried.root().with_file_name("root-beside").join("secret.txt").display().to_string();
    let relative =
        ["../root-beside/secret.txt", "inner/../../root-beside/secret.txt", "link.txt", "linked/secret.txt"];
    for path in relative.into_iter().chain([absolute.as_str()]) {
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
    let outside = tried.root().with_file_name("root-beside");
    let absolute = outside.join("new.txt").display().to_string();
    let relative =
        ["../root-beside/new.txt", "inner/../../made/new.txt", "link.txt", "linked/new.txt", "nowhere.txt"];
    for path in relative.into_iter().chain([absolute.as_str()]) {
        let wanted = format!("an error result for {path}, which is outside of the root");
        refused(&tried, "write_file", &json!({ "path": path, "content": "changed" }), &wanted)?;
    }
    let secret = fs::read_to_string(outside.join("secret.txt")).unwrap_or_default();
    let untouched = secret == SECRET && names(&outside) == ["secret.txt"];
    let around = outside.with_file_name("");
    ensure(
        untouched,
        || format!("root-beside holds {}", names(&outside).join(", ")),
        "nothing written beside the root",
    )?;
    let is_as_before = names(&around) == ["root", "root-beside"];
    ensure(
        is_as_before,
        || format!("beside the root there is {}", names(&around).join(", ")),
        "no folder made",
    )
}

/// What a folder holds, sorted.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn folder(subject: &Subject) -> Verdict {
    let tried = beside(subject)?;
    refused(&tried, "read_file", &json!({ "path": "inner" }), "an error result: inner is a folder")?;
    refused(
        &tried,
        "write_file",
        &json!({ "path": "inner", "content": "x" }),
        "an error result: inner is a folder",
    )
    .map(drop)
}

fn bad_arguments(subject: &Subject) -> Verdict {
    let tried = tried(subject)?;
    let head = json!({ "id": "call_check", "name": "read_file" });
    for arguments in [r#"{"path": "in"#, "{}", r#"{"path": 7}"#] {
        let wanted = format!("an error result for the arguments {arguments}");
        let events: Vec<ToolEvent> = tried.open("tools", "execute", &head, &[arguments.to_owned()])?;
        let is_refused = matches!(events.last(), Some(ToolEvent::Result(result)) if result.is_error);
        ensure(is_refused, || format!("{} events, and no error", events.len()), &wanted)?;
    }
    Ok(())
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
