//! Every command against every failure that may speak of the key: nothing that comes out of the program shows it, in any form.

use crate::{
    process::Done,
    sandbox::{Call, Sandbox},
};
use checks::fake_model::FakeModel;
use nix::sys::signal::Signal::SIGINT;
use std::{
    collections::BTreeMap,
    fs,
    net::TcpListener,
    path::{Path, PathBuf},
};

/// In its base64 both alphabets differ, and nothing of it needs quotes in YAML, JSON, a shell or `.env`.
const KEY: &str = "canary/3141+5926>?>?5358~~~9793";
/// As `base64` has it at the three places where it may begin, without what its neighbours have a share in.
const BASE64: [&str; 3] = [
    "Y2FuYXJ5LzMxNDErNTkyNj4/Pj81MzU4fn5+OTc5M",
    "NhbmFyeS8zMTQxKzU5MjY+Pz4/NTM1OH5+fjk3OT",
    "jYW5hcnkvMzE0MSs1OTI2Pj8+PzUzNTh+fn45Nzkz",
];
const URL: &str = "canary%2F3141%2B5926%3E%3F%3E%3F5358~~~9793";
const HEX: &str = "63616e6172792f333134312b353932363e3f3e3f353335387e7e7e39373933";
/// As Go writes it in JSON.
const JSON: &str = r"canary/3141+5926\u003e?\u003e?5358~~~9793";

/// Every form, and how much of one tells that there was a key.
fn forms() -> Vec<(String, usize)> {
    let url_safe = BASE64.map(|form| form.replace('+', "-").replace('/', "_"));
    let base64 = BASE64.map(str::to_owned).into_iter().chain(url_safe).map(|form| (form, 12));
    let others = [(KEY, 8), (URL, 12), (HEX, 16), (JSON, 12)].map(|(form, bytes)| (form.to_owned(), bytes));
    let other_cases = [(URL.to_lowercase(), 12), (HEX.to_uppercase(), 16)];
    base64.chain(others).chain(other_cases).collect()
}

/// Fails where a text shows the key, or a part of it.
fn assert_hidden(what: &str, text: &str) {
    for (form, bytes) in forms() {
        for at in 0..=form.len() - bytes {
            let part = &form[at..at + bytes];
            let shown = text.find(part).map(|at| &text[text.floor_char_boundary(at.saturating_sub(200))..]);
            assert!(shown.is_none(), "{what} shows `{part}`: {}", shown.unwrap_or_default());
        }
    }
}

/// All files below a folder with what they hold.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        if entry.file_type().unwrap().is_dir() {
            found.extend(files(&entry.path()));
        } else if entry.file_type().unwrap().is_file() {
            found.insert(entry.path(), fs::read(entry.path()).unwrap());
        }
    }
    found
}

/// A run of the program whose every output is looked at.
struct Looked<'a> {
    what: String,
    sandbox: &'a Sandbox,
    before: BTreeMap<PathBuf, Vec<u8>>,
}

impl<'a> Looked<'a> {
    fn at(what: String, sandbox: &'a Sandbox) -> Looked<'a> {
        Looked { what, sandbox, before: files(&sandbox.path("")) }
    }

    /// The program, which logs all it can.
    fn call(&self, args: &[&str]) -> Call<'a> {
        self.sandbox.harness(args).env("HARNESS_LOG", "trace").env("LLM_API_KEY", KEY)
    }

    /// Looks at both streams, at the requests, and at every file that was written.
    fn check(&self, done: &Done, model: Option<&FakeModel>, code: i32) {
        let what = &self.what;
        assert_eq!(done.code(), code, "{what}: {done:?}");
        assert_hidden(&format!("{what}: stdout"), &done.stdout);
        assert_hidden(&format!("{what}: stderr"), &done.stderr);
        for request in model.iter().flat_map(|model| model.requests()) {
            assert_hidden(&format!("{what}: a request"), &request.body);
        }
        let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache");
        let written = files(&self.sandbox.path("")).into_iter().chain(files(&cache));
        for (path, bytes) in written.filter(|(path, bytes)| self.before.get(path) != Some(bytes)) {
            assert_hidden(&format!("{what}: {}", path.display()), &String::from_utf8_lossy(&bytes));
        }
    }
}

const RUNS: [&[&str]; 3] =
    [&["run", "go"], &["run", "go", "--output", "json"], &["run", "go", "--output", "stream-json"]];

const OTHERS: [&[&str]; 6] = [
    &["rows"],
    &["rows", "--json"],
    &["call", "tools", "list"],
    &["call", "llm", "stream", "{}"],
    &["call", "nothing", "at-all"],
    &["no-such-command", "go"],
];

fn commands() -> impl Iterator<Item = &'static [&'static str]> {
    RUNS.into_iter().chain(OTHERS)
}

/// Files with something wrong in them, all of it about the key; `<KEY>` stands for it.
const FAULTS: [(&str, &str); 11] = [
    ("a config that the plugin refuses", "- {id: llm-adapter, config: {base_url: !secret LLM_API_KEY}}"),
    ("a wrong type", "- {id: tools, config: {output_bytes_max: !secret LLM_API_KEY}}"),
    ("a list where a text is wanted", "- {id: tools, config: {root: [!secret LLM_API_KEY]}}"),
    ("an unknown property", r#"- {id: tools, config: {"<KEY>": 1}}"#),
    ("a plugin of that name", r#"- {insert: [{id: x, name: "<KEY>"}]}"#),
    ("a row that is not there", r#"- {id: "<KEY>", config: {}}"#),
    ("an unknown tag", r#"- {id: tools, config: {root: !scret "<KEY>"}}"#),
    ("broken YAML", "- {id: tools, config: {root: \"<KEY>}"),
    ("no list", r#""<KEY>""#),
    ("an unset variable", r#"- {id: tools, config: {root: !env "<KEY>"}}"#),
    ("an insertion at no place", r#"- {insert: [{id: x, name: tools-basic}], after: "<KEY>"}"#),
];

#[test]
fn no_fault_of_the_files_shows_it_to_any_command() {
    let model = FakeModel::start("replies: [{text: never}]");
    let sandbox = Sandbox::http(&model);
    for (fault, patch) in FAULTS {
        sandbox.put("p.yml", patch.replace("<KEY>", KEY));
        for args in commands() {
            let looked = Looked::at(format!("{fault}, {args:?}"), &sandbox);
            let done = looked.call(&[args, &["--patch", "p.yml"]].concat()).run();
            looked.check(&done, Some(&model), 2);
        }
    }
    assert!(model.requests().is_empty());
}

#[test]
fn no_flag_and_no_variable_shows_it_to_any_command() {
    let model = FakeModel::start("replies: [{text: never}]");
    let sandbox = Sandbox::http(&model);
    let base64 = format!("{KEY}.yml");
    let flags: [(&[&str], i32); 7] = [
        (&["--config", KEY], 2),
        (&["--patch", &base64], 2),
        (&["--root", KEY], 2),
        (&["--max-steps", "1", "--model", KEY, "--patch", "gone.yml"], 2),
        (&["--session", KEY, "--patch", "gone.yml"], 2),
        (&["--max-steps", KEY], 2),
        (&["--output", KEY], 2),
    ];
    for (flags, code) in flags {
        for args in commands() {
            let looked = Looked::at(format!("{flags:?}, {args:?}"), &sandbox);
            looked.check(&looked.call(&[args, flags].concat()).run(), Some(&model), code);
        }
    }
    for (name, value) in [("HARNESS_LOG", format!("{KEY}=[")), ("HARNESS_STUCK_MS", KEY.to_owned())] {
        for args in
            commands().filter(|args| args[0] != "rows" && args[0] != "call" && args[0] != "no-such-command")
        {
            let looked = Looked::at(format!("{name}, {args:?}"), &sandbox);
            looked.check(&looked.call(args).env(name, &value).run(), Some(&model), 2);
        }
    }
    for help in [&["--help"][..], &["help"], &["run", "--help"], &["--version"]] {
        let looked = Looked::at(format!("{help:?}"), &sandbox);
        let code = if help == ["run", "--help"] { 2 } else { 0 };
        let done = looked.call(help).run();
        looked.check(&done, Some(&model), if done.code() == 0 { 0 } else { code });
    }
    for args in [&["rows"][..], &["rows", "--json"], &["call", "tools", "list"]] {
        let looked = Looked::at(format!("nothing wrong, {args:?}"), &sandbox);
        looked.check(&looked.call(args).run(), Some(&model), 0);
    }
    for (what, line) in [
        ("no name", format!("{KEY}\n")),
        ("no end", format!("A=\"{KEY}\n")),
        ("more", format!("A='{KEY}' {KEY}\n")),
    ] {
        sandbox.put(".env", line);
        for args in commands() {
            let looked = Looked::at(format!(".env, {what}, {args:?}"), &sandbox);
            looked.check(&looked.call(args).run(), None, 2);
        }
    }
}

/// What a provider may answer with the key in it; `<KEY>` and the names of its forms stand for them.
const ANSWERS: [(&str, &str, i32); 8] = [
    (
        "a refusal",
        "{status: 401, body: 'bad key <KEY>, <BASE64-0>, <BASE64-1>, <BASE64-2>, <URL>, <HEX>, <JSON>'}",
        1,
    ),
    (
        "a refusal in JSON",
        "{status: 403, body: {error: {message: 'no: <KEY>', type: '<KEY>', code: '<URL>', param: '<BASE64-0>'}}}",
        1,
    ),
    ("a request that is wrong", "{status: 400, body: '<p>key=<KEY></p>'}", 1),
    ("a failure", "{status: 500, body: '<KEY><KEY>'}", 1),
    ("no stream", "{status: 200, body: '<KEY>'}", 1),
    (
        "a text",
        "{text: 'It is <KEY>, <BASE64-0>, <BASE64-1>, <BASE64-2>, <URL>, <HEX> or <JSON>.', split: 5}",
        0,
    ),
    ("a thought", "{reasoning: 'It is <KEY> and <BASE64-1>.', text: 'I see.', split: 3}", 0),
    ("a text that breaks off", "{text: 'It is <KEY>.', split: 1, fault: cut, after: 30}", 1),
];

fn with_forms(text: &str) -> String {
    let forms = [("<KEY>", KEY), ("<URL>", URL), ("<HEX>", HEX), ("<JSON>", JSON)];
    let base64 = [("<BASE64-0>", BASE64[0]), ("<BASE64-1>", BASE64[1]), ("<BASE64-2>", BASE64[2])];
    forms.into_iter().chain(base64).fold(text.to_owned(), |text, (name, form)| text.replace(name, form))
}

#[test]
fn no_answer_of_the_provider_shows_it() {
    let task = r#"{"role": "user", "content": [{"type": "text", "text": "go"}]}"#;
    let call: &[&str] = &["call", "llm", "stream", r#"{"tools": 0}"#, "--part", task];
    for (answer, reply, code) in ANSWERS {
        for args in RUNS.into_iter().chain([call]) {
            let model = FakeModel::start(&format!("replies: [{}]", with_forms(reply)));
            let sandbox = Sandbox::http(&model);
            let looked = Looked::at(format!("{answer}, {args:?}"), &sandbox);
            let done = looked.call(args).run();
            // A call prints the finish, whatever it is, and has answered.
            looked.check(&done, Some(&model), if args[0] == "call" { done.code().min(1) } else { code });
            assert_eq!(model.requests().len(), 1, "{answer}, {args:?}: {done:?}");
        }
    }
}

#[test]
fn no_unreachable_address_shows_it() {
    // Bound once and let go: nobody listens there.
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let addresses = [
        format!("http://127.0.0.1:{port}/v1?key={KEY}"),
        format!("http://127.0.0.1:{port}/{URL}/v1"),
        format!("http://user:{URL}@127.0.0.1:{port}/v1"),
        format!("http://{URL}.invalid/v1"),
        format!("{KEY}://127.0.0.1:{port}/v1"),
    ];
    let model = FakeModel::start("replies: [{text: never}]");
    let sandbox = Sandbox::http(&model);
    for address in addresses {
        for args in RUNS {
            let looked = Looked::at(format!("{address}, {args:?}"), &sandbox);
            let done = looked.call(args).env("LLM_BASE_URL", &address).run();
            looked.check(&done, Some(&model), done.code().clamp(1, 2));
        }
    }
}

#[test]
fn a_key_that_no_header_can_carry_is_refused_without_an_echo() {
    let model = FakeModel::start("replies: [{text: never}]");
    let sandbox = Sandbox::http(&model);
    for key in [
        format!("{KEY}\n{KEY}"),
        format!("{KEY}\u{1}x"),
        format!("{KEY}é"),
        format!("Bearer {KEY}"),
        format!("{KEY}\r\nX-Evil: {KEY}"),
    ] {
        for args in RUNS {
            let looked = Looked::at(format!("{key:?}, {args:?}"), &sandbox);
            let done = looked.call(args).env("LLM_API_KEY", &key).run();
            looked.check(&done, Some(&model), 1);
            assert!(
                done.stdout.contains("INVALID_CREDENTIAL") || done.stderr.contains("INVALID_CREDENTIAL"),
                "{done:?}"
            );
        }
    }
    assert!(model.requests().is_empty());
}

/// Everything that a command may do to a file with the key in it, short of hiding it on purpose.
const COMMANDS: [&str; 11] = [
    "cat .env; cat -n .env; grep -r canary . ; tail -1 .env",
    "env; export -p; tr '\\0' '\\n' < /proc/self/environ; cat /proc/$PPID/environ; echo key=$LLM_API_KEY.",
    "base64 .env; base64 -w0 .env; base64 -w20 .env",
    "cut -d= -f2- .env | tail -1 | base64 -w0; cut -d= -f2- .env | tail -1 | base64 | tr '+/' '-_'",
    "(printf x; cut -d= -f2- .env | tail -1) | base64 -w0; (printf xy; cut -d= -f2- .env | tail -1) | base64 -w0 | tr '+/' '-_'",
    "od -An -v -tx1 .env | tr -d ' \\n'; od -An -v -tx1 .env | tr -d ' \\n' | tr a-f A-F",
    "sed 's:/:%2F:g; s:+:%2B:g; s:>:%3E:g; s:?:%3F:g' .env; sed 's:/:%2f:g; s:+:%2b:g; s:>:%3e:g; s:?:%3f:g' .env",
    "sed 's:>:\\\\u003e:g' .env; sed 's:/:\\\\/:g' .env; sed 's:>:\\&gt;:g' .env",
    "cat .env >&2; exit 3",
    "tail -1 .env; kill -9 $$",
    "bash -x -c \"$(tail -1 .env); x=$(tail -1 .env)\"; cat \"$(tail -1 .env)\"",
];

#[test]
fn no_observation_shows_it() {
    let command = |command: &&str| {
        serde_json::json!({"name": "run_shell", "arguments": {"command": command}}).to_string()
    };
    let mut calls: Vec<String> = COMMANDS.iter().map(command).collect();
    calls.push(r#"{"name": "read_file", "arguments": {"path": ".env"}}"#.to_owned());
    for args in RUNS {
        let model =
            FakeModel::start(&format!("replies: [{{calls: [{}]}}, {{text: Done.}}]", calls.join(", ")));
        let sandbox = Sandbox::http(&model);
        sandbox.put(".env", format!("{}LLM_API_KEY={KEY}\n", sandbox.read(".env")));
        let looked = Looked::at(format!("{args:?}"), &sandbox);
        let done = looked.call(args).run();
        looked.check(&done, Some(&model), 0);
        model.assert_done();
        let last = model.requests().pop().unwrap().body;
        assert!(last.matches("[LLM_API_KEY]").count() > 20 && last.contains("key=."), "{last}");
    }
}

#[test]
fn no_repetition_by_the_model_shows_it() {
    let mut calls = Vec::new();
    // As an argument, a command, a name, and in what is no JSON.
    for text in [KEY, URL, BASE64[1]] {
        calls.push(serde_json::json!({"name": "read_file", "arguments": {"path": text}}).to_string());
        calls.push(serde_json::json!({"name": "run_shell", "arguments": {"command": format!("echo '{text}' > echoed; cat echoed; rm echoed")}}).to_string());
        calls.push(serde_json::json!({"name": text, "arguments": {text: text}}).to_string());
        calls.push(
            serde_json::json!({"name": "read_file", "arguments": format!("{{\"path\": {text}")}).to_string(),
        );
    }
    for args in RUNS {
        let model =
            FakeModel::start(&format!("replies: [{{calls: [{}]}}, {{text: Done.}}]", calls.join(", ")));
        let sandbox = Sandbox::http(&model);
        let looked = Looked::at(format!("{args:?}"), &sandbox);
        let done = looked.call(args).run();
        // What the model has said goes back to it masked, which this provider takes for another turn than its own.
        looked.check(&done, Some(&model), 1);
        let told = [done.stdout, done.stderr].concat();
        assert!(told.contains("TURN_CHANGED") && told.contains("[LLM_API_KEY]"), "{told}");
    }
}

#[test]
fn no_cut_through_it_leaves_a_half() {
    const BYTES_MAX: usize = 1_000;
    let sandbox_of = |model: &FakeModel| {
        let sandbox = Sandbox::http(model);
        sandbox.put("p.yml", format!("- {{id: tools, config: {{output_bytes_max: {BYTES_MAX}}}}}"));
        sandbox
    };
    for (what, cut, after) in [("short", 500, 300), ("long", 500, 40_000), ("line", BYTES_MAX, 40_000)] {
        let mut calls = Vec::new();
        let shifts: Vec<usize> = (0..=KEY.len()).step_by(2).collect();
        for shift in &shifts {
            calls.push(format!("{{name: read_file, arguments: {{path: f{shift}}}}}"));
            calls.push(format!("{{name: run_shell, arguments: {{command: 'cat f{shift}'}}}}"));
            calls.push(format!(
                "{{name: run_shell, arguments: {{command: 'rev f{shift} | rev | tail -c {}'}}}}",
                30_000
            ));
        }
        for args in RUNS {
            let model =
                FakeModel::start(&format!("replies: [{{calls: [{}]}}, {{text: Done.}}]", calls.join(", ")));
            let sandbox = sandbox_of(&model);
            for shift in &shifts {
                // Across the end of the head, and across the beginning of the tail.
                let (x, y) = ("x".repeat(cut - shift), "y".repeat(after));
                sandbox.put(&format!("f{shift}"), format!("{x}{KEY}{y}{KEY}{x}"));
            }
            let looked = Looked::at(format!("{what}, {args:?}"), &sandbox);
            let done = looked.call(&[args, &["--patch", "p.yml"]].concat()).run();
            looked.check(&done, Some(&model), 0);
            model.assert_done();
        }
    }
}

#[test]
fn no_interrupt_shows_it() {
    for args in [RUNS[0], RUNS[2]] {
        let model = FakeModel::start(&format!(
            "replies: [{{text: 'It is {KEY}. And so it goes on.', split: 7, fault: stall, after: 8}}]"
        ));
        let sandbox = Sandbox::http(&model);
        let looked = Looked::at(format!("{args:?}"), &sandbox);
        let run = looked.call(args).start();
        run.wait_for("[LLM_API_KEY]").signal(SIGINT);
        looked.check(&run.finish(), Some(&model), 130);
    }
}
