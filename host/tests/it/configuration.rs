//! Configurations that cannot be used: whatever is wrong with a file, one sentence says where and what, one what to do, and nothing starts.

use crate::{process::Done, sandbox::Sandbox};
use expect_test::{Expect, expect};
use nix::{sys::stat::Mode, unistd::mkfifo};
use std::{fs, os::unix::fs::symlink};

/// What every refusal has in common, and what of it is shown.
fn refused(what: &str, done: &Done) -> String {
    let shown = done.plain(&done.stderr);
    assert_eq!((done.code(), done.stdout.as_str()), (2, ""), "{what}: {shown}");
    assert!(!shown.contains("panicked"), "{what}: {shown}");
    let lines: Vec<&str> = shown.lines().collect();
    let hints = lines.iter().filter(|line| line.starts_with("  hint: ")).count();
    assert!(lines[0].starts_with("error: ") && hints == 1, "{what}: {shown}");
    format!("{what}: {shown}")
}

#[track_caller]
fn check(table: &[(&str, &str)], expected: Expect) {
    let shown = |(what, rows): &(&str, &str)| refused(what, &Sandbox::new(rows).run(&["rows"]));
    expected.assert_eq(&table.iter().map(shown).collect::<String>());
}

#[test]
fn a_file_of_another_shape() {
    check(
        &[
            ("nothing", ""),
            ("a comment", "# no rows yet\n"),
            ("a mapping", "rows:\n- {id: a, name: b}\n"),
            ("a word", "nothing of use"),
            ("a word in the list", "- {id: a, name: tools-basic}\n- b\n"),
            ("a list in the list", "- - {id: a, name: b}\n"),
            ("null in the list", "-\n"),
            ("a tab", "- id: a\n\tname: b\n"),
            ("quotes that stay open", "- id: a\n  name: \"b\n"),
            ("a bracket that stays open", "- {id: a, name: b\n"),
            ("a colon in a text", "- id: a\n  name: b: c\n"),
            ("a key twice", "- id: a\n  name: b\n  name: c\n"),
            ("two documents", "- {id: a, name: b}\n---\n- {id: c, name: d}\n"),
            ("an unknown anchor", "- {id: a, name: *b}\n"),
            ("a number as key", "- {id: a, name: b, config: {1: x}}\n"),
        ],
        expect![[r#"
            nothing: error: harness.yml: the file holds nothing, not a list of rows (ROWS_INVALID)
              hint: write rows as `- id: …`
            a comment: error: harness.yml: the file holds nothing, not a list of rows (ROWS_INVALID)
              hint: write rows as `- id: …`
            a mapping: error: harness.yml: the file holds a mapping, not a list of rows (ROWS_INVALID)
              hint: write rows as `- id: …`
            a word: error: harness.yml: the file holds `"nothing of use"`, not a list of rows (ROWS_INVALID)
              hint: write rows as `- id: …`
            a word in the list: error: harness.yml:2: expected a mapping, not `"b"` (ROWS_INVALID)
              hint: give it keys out of `id`, `name`, `config`, `disabled`, `as` and `needs`
            a list in the list: error: harness.yml:1: expected a mapping, not a list (ROWS_INVALID)
              hint: give it keys out of `id`, `name`, `config`, `disabled`, `as` and `needs`
            null in the list: error: harness.yml:1: expected a mapping, not null (ROWS_INVALID)
              hint: give it keys out of `id`, `name`, `config`, `disabled`, `as` and `needs`
            a tab: error: harness.yml:2:1: found a tab character that violates indentation, while scanning a plain scalar at line 1 column 7 (YAML_INVALID)
              hint: correct it there; special characters need quotes
            quotes that stay open: error: harness.yml:3:1: found unexpected end of stream, while scanning a quoted scalar at line 2 column 9 (YAML_INVALID)
              hint: correct it there; special characters need quotes
            a bracket that stays open: error: harness.yml:2:1: did not find expected ',' or '}', while parsing a flow mapping at line 1 column 3 (YAML_INVALID)
              hint: correct it there; special characters need quotes
            a colon in a text: error: harness.yml:2:10: mapping values are not allowed in this context (YAML_INVALID)
              hint: correct it there; special characters need quotes
            a key twice: error: harness.yml:3:3: `name` is given twice (DUPLICATE_KEY)
              hint: remove one of the two
            two documents: error: harness.yml: the file holds several documents (YAML_INVALID)
              hint: keep one and remove `---`
            an unknown anchor: error: harness.yml:1:17: unknown anchor (YAML_INVALID)
              hint: correct it there; special characters need quotes
            a number as key: error: harness.yml:1:29: a key is a string, not `1` (YAML_INVALID)
              hint: put it in quotes
        "#]],
    );
}

#[test]
fn a_row_that_says_too_little_or_too_much() {
    check(
        &[
            ("no id", "- name: tools-basic\n"),
            ("no name", "# tools\n- id: a\n"),
            ("an id that is no word", "- {id: My Tools, name: tools-basic}\n"),
            ("an id that is a number", "- {id: 7, name: tools-basic}\n"),
            ("a misspelt key", "- id: a\n  name: tools-basic\n  confg: {}\n"),
            ("an unknown key", "- id: a\n  name: tools-basic\n  retries: 3\n"),
            (
                "an id twice",
                "- {id: a, name: tools-basic}\n- {id: b, name: llm-scripted}\n- {id: a, name: llm-openai}\n",
            ),
            ("a config that is a list", "- {id: a, name: tools-basic, config: [root]}\n"),
            ("needs that are a word", "- {id: a, name: loop-basic, needs: llm}\n"),
            ("a version that is none", "- {id: a, name: tools-basic@latest}\n"),
            ("neither on nor off", "- {id: a, name: tools-basic, disabled: maybe}\n"),
        ],
        expect![[r#"
            no id: error: harness.yml:1: the row has no `id` (ROW_INVALID)
              hint: give it a name of its own: `id: …`
            no name: error: harness.yml:2: row `a` has no `name` (ROW_INVALID)
              hint: name its plugin: `name: …`
            an id that is no word: error: harness.yml:1: row `My Tools`: `id` must be a string of a-z, 0-9, `.`, `_` and `-` only, not `"My Tools"` (ROW_INVALID)
              hint: correct `id` there
            an id that is a number: error: harness.yml:1: `id` must be a string of a-z, 0-9, `.`, `_` and `-` only, not `7` (ROW_INVALID)
              hint: correct `id` there
            a misspelt key: error: harness.yml:3: row `a`: unknown key `confg`, did you mean `config`? (UNKNOWN_KEY)
              hint: use one of `id`, `name`, `config`, `disabled`, `as` and `needs`
            an unknown key: error: harness.yml:3: row `a`: unknown key `retries` (UNKNOWN_KEY)
              hint: use one of `id`, `name`, `config`, `disabled`, `as` and `needs`
            an id twice: error: harness.yml:3: row `a` is already there, at harness.yml:1 (DUPLICATE_ID)
              hint: give one of the two another id
            a config that is a list: error: harness.yml:1: row `a`: `config` must be a mapping, not a list (CONFIG_INVALID)
              hint: make `config` a mapping
            needs that are a word: error: harness.yml:1: row `a`: `needs` must be a mapping from needs to plain names of slots, not `"llm"` (ROW_INVALID)
              hint: correct `needs` there
            a version that is none: error: harness.yml:1: row `a`: version `latest`: unexpected character 'l' while parsing major version number (ROW_INVALID)
              hint: write it as `tools-basic@^1.2`
            neither on nor off: error: harness.yml:1: row `a`: `disabled` must be true or false, not `"maybe"` (ROW_INVALID)
              hint: use true or false
        "#]],
    );
}

#[test]
fn a_tag_that_cannot_be_resolved() {
    check(
        &[
            ("an unknown tag", "- {id: a, name: tools-basic, config: {root: !evn ROOT}}\n"),
            ("a tag of another program", "- {id: a, name: tools-basic, config: {root: !!python/object x}}\n"),
            (
                "a variable that is not set",
                "- id: a\n  name: tools-basic\n  config:\n    root: !env NO_SUCH_ROOT\n",
            ),
            ("a variable with a bad name", "- {id: a, name: tools-basic, config: {root: !env my-root}}\n"),
            ("a tag on a list", "- {id: a, name: tools-basic, config: {root: !env [A, B]}}\n"),
            ("a file that is not there", "- {id: a, name: llm-scripted, config: {script: !file gone.yml}}\n"),
            ("a file that is a folder", "- {id: a, name: llm-scripted, config: {script: !file .}}\n"),
            ("a variable in an id", "- {id: !env ID, name: tools-basic}\n"),
            ("a variable in a name", "- {id: a, name: !env NAME}\n"),
        ],
        expect![[r#"
            an unknown tag: error: harness.yml:1:45: unknown tag `!evn` (TAG_UNKNOWN)
              hint: use !env, !secret or !file
            a tag of another program: error: harness.yml:1:45: unknown tag `!!python/object` (TAG_UNKNOWN)
              hint: use !env, !secret or !file
            a variable that is not set: error: harness.yml:4: row `a`: NO_SUCH_ROOT is not set (VARIABLE_UNSET)
              hint: export NO_SUCH_ROOT or put it in .env, or give a default: `!env "NO_SUCH_ROOT:-…"`
            a variable with a bad name: error: harness.yml:1: row `a`: what follows `!env` is no variable's name (TAG_INVALID)
              hint: write `!env NAME` or `!env "NAME:-default"`
            a tag on a list: error: harness.yml:1:45: what follows `!env` is a list or a mapping (TAG_INVALID)
              hint: write one name or path behind `!env`
            a file that is not there: error: harness.yml:1: row `a`: `gone.yml`: there is no such file (FILE_UNREADABLE)
              hint: correct the path, which is relative to the YAML file
            a file that is a folder: error: harness.yml:1: row `a`: `.`: this is a directory, not a file (FILE_UNREADABLE)
              hint: correct the path, which is relative to the YAML file
            a variable in an id: error: harness.yml:1: `id` takes no tag (ROW_INVALID)
              hint: use tags under `config` and `disabled` only
            a variable in a name: error: harness.yml:1: row `a`: `name` takes no tag (ROW_INVALID)
              hint: use tags under `config` and `disabled` only
        "#]],
    );
}

#[test]
fn a_secret_in_a_wrong_place() {
    let table = [
        ("in an id", "- {id: !secret KEY, name: tools-basic}\n"),
        ("in a name", "- {id: a, name: !secret KEY}\n"),
        ("in a slot", "- {id: a, name: tools-basic, as: !secret KEY}\n"),
        ("in a need", "- {id: a, name: loop-basic, needs: {llm: !secret KEY}}\n"),
        ("for a row", "- !secret KEY\n"),
        ("for disabled", "- {id: a, name: tools-basic, disabled: !secret KEY}\n"),
        (
            "itself for its name",
            "- {id: a, name: llm-openai, config: {api_key: !secret sk-canary-0123456789}}\n",
        ),
        (
            "with a default",
            "- {id: a, name: llm-openai, config: {api_key: !secret \"KEY:-sk-canary-0123456789\"}}\n",
        ),
        ("where a number belongs", "- {id: a, name: tools-basic, config: {shell_timeout_ms: !secret KEY}}\n"),
        ("where a list belongs", "- {id: a, name: tools-basic, config: {env_keep: !secret KEY}}\n"),
    ];
    let mut shown = String::new();
    for (what, rows) in table {
        let sandbox = Sandbox::new(rows);
        let done = sandbox.harness(&["rows"]).env("KEY", "sk-canary-0123456789").run();
        assert!(!done.stderr.contains("canary"), "{what}: {done:?}");
        shown.push_str(&refused(what, &done));
    }
    let sandbox = Sandbox::new("[]");
    sandbox.put(".env", "# keys\nsk-canary-0123456789\n");
    let done = sandbox.run(&["rows"]);
    assert!(!done.stderr.contains("canary"), "{done:?}");
    shown.push_str(&refused("in a line of .env without a name", &done));
    expect![[r#"
        in an id: error: harness.yml:1: `id` takes no tag (ROW_INVALID)
          hint: use tags under `config` and `disabled` only
        in a name: error: harness.yml:1: row `a`: `name` takes no tag (ROW_INVALID)
          hint: use tags under `config` and `disabled` only
        in a slot: error: harness.yml:1: row `a`: `as` takes no tag (ROW_INVALID)
          hint: use tags under `config` and `disabled` only
        in a need: error: harness.yml:1: row `a`: `needs` takes no tag (ROW_INVALID)
          hint: use tags under `config` and `disabled` only
        for a row: error: harness.yml:1: expected a mapping, not the tag `!secret` (ROWS_INVALID)
          hint: give it keys out of `id`, `name`, `config`, `disabled`, `as` and `needs`
        for disabled: error: harness.yml:1: row `a`: `disabled` must be true or false, not what secret KEY says (ROW_INVALID)
          hint: use true or false
        itself for its name: error: harness.yml:1: row `a`: what follows `!secret` is no variable's name (TAG_INVALID)
          hint: write `!secret NAME`
        with a default: error: harness.yml:1: row `a`: what follows `!secret` is no variable's name (TAG_INVALID)
          hint: write `!secret NAME`
        where a number belongs: error: harness.yml:1: row `a`: `config.shell_timeout_ms` must be an integer, not the value of KEY (CONFIG_INVALID)
          hint: set KEY to an integer
        where a list belongs: error: harness.yml:1: row `a`: `config.env_keep` must be a list, not the value of KEY (CONFIG_INVALID)
          hint: set KEY to a list
        in a line of .env without a name: error: .env:2: the line has no `=` (DOTENV_INVALID)
          hint: write it as KEY=VALUE
    "#]].assert_eq(&shown);
}

#[test]
fn a_value_that_is_not_what_the_plugin_asks_for() {
    check(
        &[
            ("a string", "- {id: a, name: llm-faulty, config: {fault: 5}}\n"),
            ("one of some words", "- {id: a, name: policy-odd, config: {fail: now}}\n"),
            ("an integer", "- {id: a, name: tools-basic, config: {shell_timeout_ms: soon}}\n"),
            ("an integer, not a fraction", "- {id: a, name: tools-basic, config: {shell_timeout_ms: 1.5}}\n"),
            ("a number", "- {id: a, name: loop-basic, config: {temperature: hot}}\n"),
            ("at least", "- {id: a, name: loop-basic, config: {max_steps: 0}}\n"),
            ("true or false", "- {id: a, name: context-odd, config: {overflow: 1}}\n"),
            ("a list", "- {id: a, name: tools-basic, config: {env_keep: HOME}}\n"),
            ("a list of strings", "- {id: a, name: tools-basic, config: {env_keep: [HOME, 5]}}\n"),
            ("a mapping", "- {id: a, name: tools-garbled, config: {answers: [list]}}\n"),
            ("what must be there", "- {id: a, name: policy-no}\n"),
            ("a key that there is", "- {id: a, name: tools-basic, config: {shell_timout_ms: 5}}\n"),
            ("not null", "- {id: a, name: tools-basic, config: {root: null}}\n"),
            (
                "several at once",
                "- id: a\n  name: tools-basic\n  config:\n    rooot: .\n    env_keep: 5\n    shell_timeout_ms: -1\n",
            ),
        ],
        expect![[r#"
            a string: error: harness.yml:1: row `a`: `config.fault` must be a string, not `5` (CONFIG_INVALID)
              hint: make `config.fault` a string
            one of some words: error: harness.yml:1: row `a`: `config.fail` must be one of `before_step` and `before_stop`, not `"now"` (CONFIG_INVALID)
              hint: make `config.fail` one of `before_step` and `before_stop`
            an integer: error: harness.yml:1: row `a`: `config.shell_timeout_ms` must be an integer, not `"soon"` (CONFIG_INVALID)
              hint: make `config.shell_timeout_ms` an integer
            an integer, not a fraction: error: harness.yml:1: row `a`: `config.shell_timeout_ms` must be an integer, not `1.5` (CONFIG_INVALID)
              hint: make `config.shell_timeout_ms` an integer
            a number: error: harness.yml:1: row `a`: `config.temperature` must be a number or null, not `"hot"` (CONFIG_INVALID)
              hint: make `config.temperature` a number or null
            at least: error: harness.yml:1: row `a`: `config.max_steps` must be at least 1, not `0` (CONFIG_INVALID)
              hint: make `config.max_steps` at least 1
            true or false: error: harness.yml:1: row `a`: `config.overflow` must be true or false, not `1` (CONFIG_INVALID)
              hint: make `config.overflow` true or false
            a list: error: harness.yml:1: row `a`: `config.env_keep` must be a list, not `"HOME"` (CONFIG_INVALID)
              hint: make `config.env_keep` a list
            a list of strings: error: harness.yml:1: row `a`: `config.env_keep.1` must be a string, not `5` (CONFIG_INVALID)
              hint: make `config.env_keep.1` a string
            a mapping: error: harness.yml:1: row `a`: `config.answers` must be a mapping, not a list (CONFIG_INVALID)
              hint: make `config.answers` a mapping
            what must be there: error: harness.yml:1: row `a`: `config.code` is missing (CONFIG_INVALID)
              hint: add `config.code`
            a key that there is: error: harness.yml:1: row `a`: unknown key `config.shell_timout_ms`, did you mean `shell_timeout_ms`? (CONFIG_INVALID)
              hint: remove it, or use one of the keys there are: `env_keep`, `output_bytes_max`, `root`, `shell_timeout_ms` and `shell_timeout_ms_max`
            not null: error: harness.yml:1: row `a`: `config.root` must be a string, not null (CONFIG_INVALID)
              hint: make `config.root` a string
            several at once: error: harness.yml:4: row `a`: unknown key `config.rooot`, did you mean `root`?
              harness.yml:5: row `a`: `config.env_keep` must be a list, not `5`
              harness.yml:6: row `a`: `config.shell_timeout_ms` must be at least 1, not `-1` (CONFIG_INVALID)
              hint: remove it, or use one of the keys there are: `env_keep`, `output_bytes_max`, `root`, `shell_timeout_ms` and `shell_timeout_ms_max`
        "#]],
    );
    let rows = "- {id: a, name: tools-basic, config: {shell_timeout_ms: !env TIME}}\n";
    let done = Sandbox::new(rows).harness(&["rows"]).env("TIME", "soon").run();
    expect![[r#"
        from a variable: error: harness.yml:1: row `a`: `config.shell_timeout_ms` must be an integer, not `"soon"` (env TIME) (CONFIG_INVALID)
          hint: set TIME to an integer
    "#]].assert_eq(&refused("from a variable", &done));
}

#[test]
fn a_patch_that_does_not_fit() {
    let table = [
        ("no such row", "- {id: tolls, config: {}}\n"),
        ("no such neighbour", "- {insert: [{id: b, name: c}], before: lop}\n"),
        ("an id that is there", "- {insert: [{id: tools, name: tools-clock}]}\n"),
        ("nothing to do", "- {id: tools}\n"),
        ("neither one nor the other", "- {config: {}}\n"),
        ("both", "- {id: tools, remove: true, config: {}}\n"),
        ("a mapping", "id: tools\nremove: true\n"),
        ("a row's own mistake", "- {id: tools, config: {rooot: .}}\n"),
    ];
    let mut shown = String::new();
    for (what, patch) in table {
        let sandbox = Sandbox::scripted("replies: []");
        sandbox.put("p.yml", patch);
        shown.push_str(&refused(what, &sandbox.run(&["rows", "--patch", "p.yml"])));
    }
    expect![[r#"
        no such row: error: p.yml:1: there is no row `tolls`, did you mean `tools`? (PATCH_UNMATCHED)
          hint: the rows there are: `llm-adapter`, `tools`, `dispatch` and `loop`
        no such neighbour: error: p.yml:1: there is no row `lop`, did you mean `loop`? (PATCH_UNMATCHED)
          hint: the rows there are: `llm-adapter`, `tools`, `dispatch` and `loop`
        an id that is there: error: p.yml:1: row `tools` is already there, at harness.yml:5 (DUPLICATE_ID)
          hint: give one of the two another id
        nothing to do: error: p.yml:1: the operation changes nothing (PATCH_INVALID)
          hint: add the key to change
        neither one nor the other: error: p.yml:1: the operation has neither `id` nor `insert` (PATCH_INVALID)
          hint: add an `id`
        both: error: p.yml:1: `config` does not go with `remove` (PATCH_INVALID)
          hint: make two operations of it
        a mapping: error: p.yml: the file holds a mapping, not a list of operations (ROWS_INVALID)
          hint: write operations as `- id: …`
        a row's own mistake: error: p.yml:1: row `tools`: unknown key `config.rooot`, did you mean `root`? (CONFIG_INVALID)
          hint: remove it, or use one of the keys there are: `env_keep`, `output_bytes_max`, `root`, `shell_timeout_ms` and `shell_timeout_ms_max`
    "#]].assert_eq(&shown);
}

#[test]
fn a_file_that_cannot_be_read() {
    let mut shown = String::new();
    let mut make = |what: &str, args: &[&str], make: &dyn Fn(&Sandbox)| {
        let sandbox = Sandbox::scripted("replies: []");
        make(&sandbox);
        shown.push_str(&refused(what, &sandbox.run(&[&["rows"], args].concat())));
    };
    let config = &["--config", "it"];
    make("nothing", config, &|_| {});
    make("a folder", config, &|s| fs::create_dir(s.path("it")).unwrap());
    make("a link to nothing", config, &|s| symlink("gone.yml", s.path("it")).unwrap());
    make("a pipe", config, &|s| mkfifo(&s.path("it"), Mode::S_IRWXU).unwrap());
    make("a device", &["--config", "/dev/zero"], &|_| {});
    make("a pipe for a patch", &["--patch", "it"], &|s| mkfifo(&s.path("it"), Mode::S_IRWXU).unwrap());
    make("a pipe for .env", &[], &|s| mkfifo(&s.path(".env"), Mode::S_IRWXU).unwrap());
    make("a pipe for a text", &[], &|s| {
        fs::remove_file(s.path("script.yml")).unwrap();
        mkfifo(&s.path("script.yml"), Mode::S_IRWXU).unwrap();
    });
    make("no text", config, &|s| _ = s.put("it", b"- {id: a\xff, name: b}"));
    make("another encoding", config, &|s| _ = s.put("it", b"\xff\xfe-\0 \0"));
    expect![[r#"
        nothing: error: it: there is no such file (FILE_UNREADABLE)
          hint: name a YAML file that exists, in UTF-8
        a folder: error: it: this is a directory, not a file (FILE_UNREADABLE)
          hint: name a YAML file that exists, in UTF-8
        a link to nothing: error: it: it links to `gone.yml`, which is not there (FILE_UNREADABLE)
          hint: name a YAML file that exists, in UTF-8
        a pipe: error: it: this is a pipe or a device, not a file (FILE_UNREADABLE)
          hint: name a YAML file that exists, in UTF-8
        a device: error: /dev/zero: this is a pipe or a device, not a file (FILE_UNREADABLE)
          hint: name a YAML file that exists, in UTF-8
        a pipe for a patch: error: it: this is a pipe or a device, not a file (FILE_UNREADABLE)
          hint: name a YAML file that exists, in UTF-8
        a pipe for .env: error: .env: this is a pipe or a device, not a file (FILE_UNREADABLE)
          hint: make it a text file, or remove it
        a pipe for a text: error: harness.yml:4: row `llm-adapter`: `script.yml`: this is a pipe or a device, not a file (FILE_UNREADABLE)
          hint: correct the path, which is relative to the YAML file
        no text: error: it: the file is not UTF-8 text (FILE_UNREADABLE)
          hint: name a YAML file that exists, in UTF-8
        another encoding: error: it: the file is not UTF-8 text (FILE_UNREADABLE)
          hint: name a YAML file that exists, in UTF-8
    "#]].assert_eq(&shown);
}

#[test]
fn a_file_that_is_too_much() {
    let bomb = (0..12).fold("- &l0 [x]\n".to_owned(), |text, level| {
        format!("{text}- &l{} [{}]\n", level + 1, vec![format!("*l{level}"); 10].join(", "))
    });
    let table = [
        ("ten megabytes", "#".repeat(10 << 20)),
        ("deep brackets", "[".repeat(200_000)),
        ("deep mappings", format!("- {}", "{a: ".repeat(900))),
        ("deep lists", "- ".repeat(100_000)),
        ("an alias bomb", bomb),
        ("an alias of itself", "- &a [*a]".to_owned()),
        ("many values", format!("- id: a\n  name: b\n  config: {{list: [{}]}}\n", "1, ".repeat(240_000))),
        ("many mistakes", {
            let keys: String = (0..20_000).map(|n| format!("    key_{n}: {n}\n")).collect();
            format!("- id: a\n  name: tools-basic\n  config:\n{keys}")
        }),
    ];
    let mut shown = String::new();
    for (what, text) in table {
        let told = refused(what, &Sandbox::new(&text).run(&["rows"]));
        assert!(told.len() < 5_000, "{what}: {told}");
        shown.push_str(told.split_inclusive('\n').next().unwrap());
    }
    expect![[r#"
        ten megabytes: error: harness.yml: the file is larger than 1 MB (FILE_UNREADABLE)
        deep brackets: error: harness.yml: more than 1000 brackets are open (YAML_INVALID)
        deep mappings: error: harness.yml:1:511: nested deeper than 128 levels (YAML_INVALID)
        deep lists: error: harness.yml:1:257: nested deeper than 128 levels (YAML_INVALID)
        an alias bomb: error: harness.yml: the aliases expand to too many values (YAML_INVALID)
        an alias of itself: error: harness.yml:1:3: nested deeper than 128 levels (YAML_INVALID)
        many values: error: harness.yml:3:18: more than 200000 values with all aliases (FILE_TOO_LARGE)
        many mistakes: error: harness.yml:4: row `a`: unknown key `config.key_0`
    "#]]
    .assert_eq(&shown);
}

#[test]
fn a_file_that_only_looks_odd_is_read() {
    let table = [
        ("an empty list", "[]"),
        ("a byte order mark", "\u{feff}- {id: a, name: tools-basic}\n"),
        ("line ends of another system", "- id: a\r\n  name: tools-basic\r\n  config:\r\n    root: .\r\n"),
    ];
    let mut shown = String::new();
    for (what, rows) in table {
        let done = Sandbox::new(rows).run(&["rows"]);
        shown.push_str(&format!(
            "{what}: exit {}: {}",
            done.code(),
            done.plain(&format!("{}{}", done.stdout, done.stderr))
        ));
        shown.push('\n');
    }
    expect![[r#"
        an empty list: exit 0: 
        a byte order mark: exit 0: a  tools-basic [VERSION]  mounted   provides tools
             env_keep = []  (default)
             output_bytes_max = 30000  (default)
             root = .  (default)
             shell_timeout_ms = 120000  (default)
             shell_timeout_ms_max = 600000  (default)
        tools = a

        line ends of another system: exit 0: a  tools-basic [VERSION]  mounted   provides tools
             env_keep = []  (default)
             output_bytes_max = 30000  (default)
             root = .  (harness.yml:4)
             shell_timeout_ms = 120000  (default)
             shell_timeout_ms_max = 600000  (default)
        tools = a

    "#]]
    .assert_eq(&shown);
}

#[test]
fn every_value_of_a_long_row_has_its_line() {
    let keys: String = (0..3_000).map(|n| format!("      key_{n}: \"{n}\"\n")).collect();
    let sandbox = Sandbox::new(&format!("- id: a\n  name: tools-garbled\n  config:\n    answers:\n{keys}"));
    let done = sandbox.run(&["rows"]);
    assert_eq!(done.code(), 0, "{done:?}");
    assert!(done.stdout.contains("answers.key_2999 = 2999  (harness.yml:3004)"), "{done:?}");
}
