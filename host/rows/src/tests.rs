//! Rows, patches, variables and schemas: the files of a case go in, resolved rows or the error's text come out.
//!
//! `tests/cases/*.case` holds the cases. A line `=== NAME` begins a file of that name; `*.patch.yml` are applied in order; the
//! names `env` and `flags` are variables, `schema ID` a plugin's schema, `expected` the outcome. `UPDATE_EXPECT=1`
//! rewrites outcomes.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::{
    environment::Environment,
    lines::Lines,
    locate::dotted,
    patch,
    problem::Problem,
    raw,
    resolve::{self, Resolved, Row},
    schema,
    yaml::position,
};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases")
}

/// The sections of a case, in order.
fn sections(text: &str) -> Vec<(String, String)> {
    let mut sections: Vec<(String, String)> = Vec::new();
    for line in text.split_inclusive('\n') {
        if let Some(name) = line.strip_prefix("=== ") {
            sections.push((name.trim().to_owned(), String::new()));
        } else if let Some((_, body)) = sections.last_mut() {
            body.push_str(line);
        }
    }
    sections
}

fn pairs(text: &str) -> Vec<(String, String)> {
    text.lines().filter_map(|line| line.split_once('=')).map(|(k, v)| (k.to_owned(), v.to_owned())).collect()
}

fn run(root: &Path, sections: &[(String, String)]) -> Result<(Vec<Row>, BTreeMap<String, String>), Problem> {
    let section =
        |wanted: &str| sections.iter().find(|(name, _)| name == wanted).map(|(_, body)| body.as_str());
    let mut raw = raw::read(&root.join("harness.yml"))?;
    for (name, _) in sections.iter().filter(|(name, _)| name.ends_with(".patch.yml")) {
        patch::apply(&mut raw, &root.join(name))?;
    }
    let process = pairs(section("env").unwrap_or_default());
    let process = process.into_iter().map(|(k, v)| (OsString::from(k), OsString::from(v)));
    let environment = Environment::new(root, pairs(section("flags").unwrap_or_default()), process)?;
    let Resolved { mut rows, secrets } = resolve::rows(raw, &environment)?;
    for row in rows.iter_mut().filter(|row| !row.disabled) {
        if let Some(text) = section(&format!("schema {}", row.id)) {
            schema::apply(row, &serde_json::from_str(text).unwrap())?;
        }
    }
    Ok((rows, secrets))
}

fn leaves(value: &Value, pointer: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            map.iter().for_each(|(key, value)| leaves(value, &format!("{pointer}/{key}"), found))
        }
        Value::Array(list) => {
            list.iter()
                .enumerate()
                .for_each(|(index, value)| leaves(value, &format!("{pointer}/{index}"), found));
        }
        _ => found.push(pointer.to_owned()),
    }
}

/// Everything that is known of a row, without what is not there.
fn shown(row: &Row) -> Value {
    let mut shown = Map::new();
    let mut put = |key: &str, value: Value| drop(shown.insert(key.to_owned(), value));
    put("id", json!(row.id));
    put("name", json!(row.name));
    put("place", json!(row.place.to_string()));
    if let Some(version) = &row.version {
        put("version", json!(version.to_string()));
    }
    if let Some(library) = &row.library {
        put("library", json!(library));
    }
    if row.disabled {
        put("disabled", json!(true));
    }
    if !row.slots.is_empty() {
        let slots = row.slots.iter().map(|(of, slot)| (of.as_deref().unwrap_or("(only service)"), slot));
        put("as", json!(slots.collect::<BTreeMap<_, _>>()));
    }
    if !row.needs.is_empty() {
        put("needs", json!(row.needs));
    }
    let mut pointers = Vec::new();
    leaves(&row.config, "/config", &mut pointers);
    let from: BTreeMap<_, _> =
        pointers.iter().map(|pointer| (dotted(pointer), row.origin(pointer))).collect();
    put("config", row.config.clone());
    if !from.is_empty() {
        put("from", json!(from));
    }
    Value::Object(shown)
}

/// The whole outcome as text, with the case's folder left out.
fn outcome(root: &Path, sections: &[(String, String)]) -> String {
    let text = match run(root, sections) {
        Ok((rows, secrets)) => {
            let mut text: String = rows.iter().fold(String::new(), |mut text, row| {
                writeln!(text, "{}", serde_json::to_string_pretty(&shown(row)).unwrap()).unwrap();
                text
            });
            if !secrets.is_empty() {
                writeln!(text, "secrets: {}", secrets.keys().cloned().collect::<Vec<_>>().join(" ")).unwrap();
            }
            text
        }
        Err(Problem { code, message, hint }) => format!("error: {message}\n  hint: {hint}\n  code: {code}\n"),
    };
    text.replace(&format!("{}/", root.display()), "")
}

/// Runs one case in a folder of its own.
fn case(sections: &[(String, String)]) -> String {
    let root = tempfile::tempdir().unwrap();
    for (name, body) in sections {
        let is_file = !["env", "flags", "expected"].contains(&name.as_str()) && !name.starts_with("schema ");
        if is_file {
            let path = root.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, body).unwrap();
        }
    }
    outcome(root.path(), sections)
}

fn rows_of(text: impl AsRef<[u8]>) -> String {
    let root = tempfile::tempdir().unwrap();
    fs::write(root.path().join("harness.yml"), text).unwrap();
    outcome(root.path(), &[])
}

#[test]
fn every_case_has_its_outcome() {
    let update = std::env::var_os("UPDATE_EXPECT").is_some();
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "case"));
    files.sort();
    assert!(files.len() > 50, "only {} cases found", files.len());
    let mut failed = String::new();
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        let sections = sections(&text);
        let got = case(&sections);
        let wanted = sections.iter().find(|(name, _)| name == "expected").map_or("", |(_, body)| body);
        if update {
            let kept = text.split("=== expected").next().unwrap();
            fs::write(&file, format!("{kept}=== expected\n{got}")).unwrap();
        } else if got != wanted {
            write!(failed, "--- {}\ngot:\n{got}\nwanted:\n{wanted}\n", file.display()).unwrap();
        }
    }
    assert!(failed.is_empty(), "{failed}");
}

/// Inputs that no one would keep as a file, each with words its error has to say; none may take endless time or memory.
#[test]
fn hostile_files_are_refused() {
    let bomb = (0..12).fold("- &l0 [x]\n".to_owned(), |text, level| {
        let aliases = vec![format!("*l{level}"); 10].join(", ");
        format!("{text}- &l{} [{aliases}]\n", level + 1)
    });
    let wide = format!("- &a [{}]\n{}", "x, ".repeat(4000), "- *a\n".repeat(4000));
    let inputs: [(&str, Vec<u8>, &str); 13] = [
        ("ten megabytes", vec![b'#'; (10 << 20) + 1], "harness.yml: the file is larger than 1 MB"),
        ("deep brackets", "[".repeat(200_000).into_bytes(), "harness.yml: more than 1000 brackets are open"),
        ("deep braces", "{a: ".repeat(1000).into_bytes(), "harness.yml:1:513: nested deeper than 128 levels"),
        ("deep blocks", "- ".repeat(200_000).into_bytes(), "nested deeper than 128 levels"),
        ("alias bomb", bomb.into_bytes(), "harness.yml: the aliases expand to too many values"),
        ("wide aliases", wide.into_bytes(), "more than 200000 values"),
        ("an alias of itself", b"- &a [*a]".to_vec(), "harness.yml:1:3: nested deeper than 128 levels"),
        ("merges of itself", b"- &a {<<: *a}".to_vec(), "nested deeper than 128 levels"),
        ("many numbers", format!("[{}]", "1,".repeat(400_000)).into_bytes(), "more than 200000 values"),
        (
            "many keys",
            (0..80_000).fold(String::new(), |t, n| t + &format!("k{n}: 1\n")).into_bytes(),
            "a mapping, not a list of rows",
        ),
        ("not UTF-8", b"- id: \xff\xfe".to_vec(), "harness.yml: the file is not UTF-8 text"),
        ("UTF-16", b"\xff\xfe-\0 \0".to_vec(), "harness.yml: the file is not UTF-8 text"),
        ("NUL", b"- id: a\0b".to_vec(), "harness.yml:1"),
    ];
    for (name, input, words) in inputs {
        let got = rows_of(&input);
        assert!(got.contains(words), "{name}: {}", got.chars().take(300).collect::<String>());
    }
}

#[test]
fn unreadable_files_say_why() {
    let root = tempfile::tempdir().unwrap();
    assert_eq!(
        outcome(root.path(), &[]),
        "error: harness.yml: there is no such file\n  hint: name a YAML file that exists, in UTF-8\n  code: FILE_UNREADABLE\n"
    );
    let file = root.path().join("harness.yml");
    fs::create_dir(&file).unwrap();
    assert!(outcome(root.path(), &[]).contains("harness.yml: this is a directory, not a file"));
    assert!(Environment::snapshot(root.path(), Vec::new()).is_ok());
    fs::create_dir(root.path().join(".env")).unwrap();
    let problem = Environment::snapshot(root.path(), Vec::new()).unwrap_err();
    assert!(problem.message.ends_with(".env: this is a directory, not a file"), "{problem:?}");
    fs::remove_dir(root.path().join(".env")).unwrap();
    fs::remove_dir(&file).unwrap();
    let texts = [
        (vec![b'x'; (1 << 20) + 1], "the file is larger than 1 MB"),
        (vec![0xff], "the file is not UTF-8 text"),
    ];
    for (text, why) in texts {
        fs::write(root.path().join("text"), text).unwrap();
        fs::write(&file, "- {id: a, name: b, config: {x: !file text}}").unwrap();
        let wanted = format!("harness.yml:1: row `a`: `text`: {why}");
        assert!(outcome(root.path(), &[]).contains(&wanted));
    }
    fs::write(&file, "- {id: a, name: b}").unwrap();
    let mut nobody = fs::metadata(&file).unwrap().permissions();
    std::os::unix::fs::PermissionsExt::set_mode(&mut nobody, 0);
    fs::set_permissions(&file, nobody).unwrap();
    // The superuser may read everything.
    if fs::File::open(&file).is_err() {
        assert!(outcome(root.path(), &[]).contains("harness.yml: this user may not read it"));
    }
}

#[test]
fn flags_win_over_the_process_environment_and_that_over_dotenv() {
    let flags = vec![("HARNESS_MODEL".to_owned(), "flag".to_owned())];
    let process = [("HARNESS_MODEL", "process"), ("A", "process")].map(|(k, v)| (k.into(), v.into()));
    let root = tempfile::tempdir().unwrap();
    fs::write(root.path().join(".env"), "HARNESS_MODEL=file\nA=file\nB=file\nB=last\n").unwrap();
    let environment = Environment::new(root.path(), flags, process.into_iter()).unwrap();
    let seen = ["HARNESS_MODEL", "A", "B", "C"].map(|name| {
        environment.get(name).unwrap().map(|(value, layer)| format!("{layer}: {value}")).unwrap_or_default()
    });
    assert_eq!(seen, ["flag: flag", "env: process", ".env: last", ""]);
}

#[cfg(unix)]
#[test]
fn a_variable_that_is_not_text_is_refused_where_it_is_used() {
    let root = tempfile::tempdir().unwrap();
    let value = std::os::unix::ffi::OsStringExt::from_vec(vec![0xff]);
    let environment =
        Environment::new(root.path(), Vec::new(), [(OsString::from("BAD"), value)].into_iter()).unwrap();
    assert_eq!(environment.get("BAD").unwrap_err().message, "BAD is not UTF-8");
}

#[test]
fn every_form_of_a_dotenv_line_is_read_or_refused() {
    let read = |line: &str| -> String {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join(".env"), format!("\u{feff}# first\r\n{line}\r\n")).unwrap();
        match Environment::new(root.path(), Vec::new(), std::iter::empty()) {
            Ok(environment) => {
                environment.get("A").unwrap().map_or("(unset)".into(), |(value, _)| value.to_owned())
            }
            Err(problem) => problem.message.replace(&format!("{}/", root.path().display()), ""),
        }
    };
    let lines = [
        ("A=b", "b"),
        ("A=", ""),
        ("  export  A = b c  ", "b c"),
        ("export=b", "(unset)"),
        ("exportA=b", "(unset)"),
        ("A=b#c", "b#c"),
        ("A=b #c", "b"),
        ("A=b\t#c", "b"),
        ("A=#b", "#b"),
        ("A= # none", ""),
        ("A=\"b # c\" # d", "b # c"),
        (r#"A="\n\t\"\\\u00e9""#, "\n\t\"\\é"),
        (r#"A="C:\dir""#, ".env:2: the quotes are not closed, or hold an unknown escape"),
        (r"A='C:\dir'", r"C:\dir"),
        (r"A='\n$B'", r"\n$B"),
        ("A='it''s'", ".env:2: there is text after the closing quote"),
        ("A=\"b", ".env:2: the quotes are not closed, or hold an unknown escape"),
        ("A=\"b\\", ".env:2: the quotes are not closed, or hold an unknown escape"),
        ("A='b", ".env:2: the quotes are not closed, or hold an unknown escape"),
        ("A", ".env:2: the line has no `=`"),
        ("1A=b", ".env:2: what stands before `=` is no variable's name"),
        ("A B=b", ".env:2: what stands before `=` is no variable's name"),
        ("=b", ".env:2: what stands before `=` is no variable's name"),
        ("A=é=\"b", "é=\"b"),
    ];
    for (line, wanted) in lines {
        assert_eq!(read(line), wanted, "{line}");
    }
}

#[test]
fn positions_are_those_of_keys_and_items() {
    let text = "# top\n- id: a\n  config:\n    list:\n      - 1\n      - {x: 1, y: [2, !env Z]}\n    k: &k !env A\n    <<: {m: 1}\n  'as': \"s\"\n- *k\n- a/b: ~\n";
    let places = [
        ("", Some((2, 1))),
        ("/0", Some((2, 3))),
        ("/0/id", Some((2, 3))),
        ("/0/config", Some((3, 3))),
        ("/0/config/list", Some((4, 5))),
        ("/0/config/list/0", Some((5, 9))),
        ("/0/config/list/1", Some((6, 9))),
        ("/0/config/list/1/y", Some((6, 16))),
        ("/0/config/list/1/y/1", Some((6, 23))),
        ("/0/config/k", Some((7, 5))),
        ("/0/config/k/none", Some((7, 8))),
        ("/0/config/none", Some((4, 5))),
        ("/0/config/m", Some((4, 5))),
        ("/0/config/li", Some((4, 5))),
        ("/0/as", Some((9, 3))),
        ("/1", Some((7, 8))),
        ("/2/a~1b", Some((11, 3))),
        ("/9", Some((2, 1))),
    ];
    for (pointer, wanted) in places {
        assert_eq!(position(text, pointer), wanted, "{pointer}");
    }
    assert_eq!(position("", "/0"), Some((1, 1)));
    let lines = Lines::of(text);
    for (pointer, wanted) in places {
        assert_eq!(Some(lines.line(text, pointer)), wanted.map(|(line, _)| line), "{pointer}");
    }
}

#[test]
fn a_list_or_mapping_that_is_an_item_stands_where_the_first_thing_in_it_does() {
    let text = "- &a\n  b: [\n    c, [\n      d]]\n- []\n- {}\n- !env A\n- - e\n-\n  ? f\n  : g\n";
    let lines = Lines::of(text);
    let found = ["/0", "/0/b/0", "/0/b/1", "/0/b/1/0", "/1", "/2", "/3", "/4", "/4/0", "/5"];
    assert_eq!(found.map(|pointer| lines.line(text, pointer)), [2, 3, 4, 4, 5, 6, 7, 8, 8, 10]);
    assert_eq!(Lines::of("word").line("word", "/0/a"), 1);
    assert_eq!(Lines::of("a:\nb:").line("a:\nb:", "/a"), 1);
}

/// Text made of the pieces that mean something in YAML, so that most of it goes past the parser.
fn yaml_text() -> impl Strategy<Value = String> {
    let pieces = [
        "- ",
        "id: ",
        "name: ",
        "config: ",
        "as: ",
        "needs: ",
        "disabled: ",
        "insert: ",
        "remove: true",
        "before: ",
        "a",
        "b",
        "\n",
        "\n  ",
        "\n    ",
        "{",
        "}",
        "[",
        "]",
        ", ",
        ": ",
        "!env ",
        "!secret ",
        "!file ",
        "!js ",
        "!!js ",
        "!!str ",
        "&a ",
        "*a ",
        "<<: ",
        "\"",
        "'",
        "|\n",
        "---\n",
        "# c",
        "1",
        "1e3",
        ".nan",
        "~",
        "true",
        "é",
        "\t",
        "\u{feff}",
        "99999999999999999999",
        "?",
        "!<x> ",
        "%TAG ! x\n",
    ];
    proptest::collection::vec(proptest::sample::select(pieces.to_vec()), 0..40)
        .prop_map(|pieces| pieces.concat())
}

fn any_json() -> impl Strategy<Value = Value> {
    let words = [
        "type",
        "properties",
        "required",
        "items",
        "enum",
        "minimum",
        "default",
        "integer",
        "string",
        "null",
        "a",
        "b",
        "",
        "7",
    ];
    let word = move || proptest::sample::select(words.to_vec()).prop_map(str::to_owned);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        word().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 6, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            proptest::collection::btree_map(word(), inner, 0..6)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        rows_of(bytes);
    }

    #[test]
    fn any_yaml_is_read_or_refused(rows in yaml_text(), change in yaml_text(), dotenv in any::<String>()) {
        let sections = [("harness.yml", rows), ("a.patch.yml", change), (".env", dotenv)];
        case(&sections.map(|(name, body)| (name.to_owned(), body)));
    }

    #[test]
    fn any_row_is_patched_or_refused(id in "[a-c]", change in yaml_text()) {
        let rows = format!("- {{id: {id}, name: x, config: {{a: !env \"A:-7\"}}}}\n- {{id: d, name: y}}\n");
        let sections = [("harness.yml", rows), ("a.patch.yml", format!("- id: a\n  {change}"))];
        case(&sections.map(|(name, body)| (name.to_owned(), body)));
    }

    #[test]
    fn any_dotenv_is_read_or_refused(text in "[\\PC\"'=# \\\\\n\r\t]{0,80}") {
        case(&[("harness.yml".to_owned(), "[]".to_owned()), (".env".to_owned(), text)]);
    }

    #[test]
    fn any_position_is_found_or_not(text in yaml_text(), pointer in "(/[a-c0-2~]{0,3}){0,5}") {
        position(&text, &pointer);
    }

    /// The one reading finds what a reading for each place finds, but for lists and mappings that are items.
    #[test]
    fn all_lines_are_those_of_their_positions(text in yaml_text()) {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join("harness.yml");
        fs::write(&file, &text).unwrap();
        let Ok(value) = crate::locate::Source::read(&file).and_then(|source| crate::yaml::parse(&source)) else {
            return Ok(());
        };
        let (lines, mut pointers) = (Lines::of(&text), Vec::new());
        leaves(&value, "", &mut pointers);
        for pointer in pointers.iter().filter(|pointer| !pointer.contains('!')) {
            let wanted = position(&text, pointer).map_or(1, |(line, _)| line);
            prop_assert_eq!(lines.line(&text, pointer), wanted, "{}", pointer);
        }
    }

    #[test]
    fn any_schema_accepts_or_refuses_any_config(config in any_json(), schema in any_json()) {
        let text = format!("- id: a\n  name: b\n  config: {config}\n");
        let sections = [("harness.yml".to_owned(), text), ("schema a".to_owned(), schema.to_string())];
        case(&sections);
    }

    /// Whatever a schema accepts it accepts again, unchanged.
    #[test]
    fn a_checked_config_stays_as_it_is(config in any_json(), schema in any_json()) {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join("harness.yml");
        fs::write(&file, format!("- id: a\n  name: b\n  config: {config}\n")).unwrap();
        let environment = Environment::new(root.path(), Vec::new(), std::iter::empty()).unwrap();
        if let Ok(mut resolved) = raw::read(&file).and_then(|raw| resolve::rows(raw, &environment))
            && schema::apply(&mut resolved.rows[0], &schema).is_ok()
        {
            let once = resolved.rows[0].config.clone();
            schema::apply(&mut resolved.rows[0], &schema).unwrap();
            prop_assert_eq!(&resolved.rows[0].config, &once);
        }
    }
}
