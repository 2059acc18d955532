//! Libraries and rows that cannot be used: nothing is mounted, and one sentence names the row, the file and the remedy.

use crate::sandbox::Sandbox;
use checks::workspace::built;
use expect_test::expect;
use std::{
    env::consts::{ARCH, DLL_PREFIX, DLL_SUFFIX},
    fs,
};

/// The bytes of a library with several plugins.
pub(crate) fn planted() -> Vec<u8> {
    fs::read(built().join(format!("{DLL_PREFIX}planted_bundle{DLL_SUFFIX}"))).unwrap()
}

/// The same with each `from` replaced by a `to` of the same length.
pub(crate) fn patched(from: &str, to: &str) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let (mut bytes, mut at, mut count) = (planted(), 0, 0);
    while let Some(found) = bytes[at..].windows(from.len()).position(|window| window == from.as_bytes()) {
        at += found;
        bytes[at..at + to.len()].copy_from_slice(to.as_bytes());
        count += 1;
    }
    assert!(count > 0, "`{from}` is not there");
    bytes
}

/// A library that is no plugin: cargo has built some for itself.
fn library() -> Vec<u8> {
    let files = fs::read_dir(built().join("deps")).unwrap().map(|file| file.unwrap().path());
    let wanted = |path: &std::path::PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        name.starts_with(&format!("{DLL_PREFIX}serde_derive-")) && name.ends_with(DLL_SUFFIX)
    };
    fs::read(files.into_iter().find(wanted).unwrap()).unwrap()
}

/// For a machine that this is not.
fn elsewhere() -> Vec<u8> {
    let mut bytes = planted();
    bytes[18] = if ARCH == "aarch64" { 62 } else { 183 };
    bytes
}

/// An error without the names of the plugins behind the first: there will be more.
fn without_the_others(text: &str) -> String {
    let Some((before, names)) = text.split_once("`llm-upper`, ") else { return text.to_owned() };
    let (_, after) = names.split_once(" (").unwrap();
    format!("{before}`llm-upper`, … ({after}")
}

#[test]
fn a_library_that_will_not_do_is_refused_before_any_of_it_runs() {
    let cut = planted()[..100_000].to_vec();
    let table: [(&str, &str, Vec<u8>); 11] = [
        ("a text", "text.so", b"hello".to_vec()),
        ("nothing", "empty.so", Vec::new()),
        ("no plugin", "other.so", library()),
        ("half copied", "cut.so", cut),
        ("for another machine", "foreign.so#llm-upper", elsewhere()),
        ("of another ABI", "newer.so#llm-upper", patched(r#""api":"1."#, r#""api":"9."#)),
        ("of an older ABI", "older.so#llm-upper", patched(r#""api":"1."#, r#""api":"0."#)),
        ("a broken manifest", "broken.so#llm-upper", patched(r#""entry":""#, r#""entry":["#)),
        (
            "no such entry",
            "lost.so#llm-upper",
            patched(r#""entry":"harness"#, r#""entry":"hairnet"#)[..].to_vec(),
        ),
        ("several, none named", "several.so", planted()),
        ("several, another named", "named.so#llm-lower", planted()),
    ];
    let mut shown = String::new();
    for (what, name, bytes) in table {
        let sandbox = Sandbox::new(&format!("- {{id: it, name: ./{name}}}"));
        sandbox.put(name.split('#').next().unwrap(), bytes);
        shown.push_str(&format!("{what}: {}", without_the_others(&sandbox.run(&["rows"]).shown())));
    }
    expect![[r#"
        a text: exit 2
        -- stderr
        error: harness.yml:1: row `it`: ./text.so: not a dynamic library: a text file (PLUGIN_UNUSABLE)
          hint: build it again, or copy it anew
        nothing: exit 2
        -- stderr
        error: harness.yml:1: row `it`: ./empty.so: not a dynamic library: the file is empty (PLUGIN_UNUSABLE)
          hint: build it again, or copy it anew
        no plugin: exit 2
        -- stderr
        error: harness.yml:1: row `it`: ./other.so: a library, but not a harness plugin: there is no manifest in it (PLUGIN_UNUSABLE)
          hint: name a library made with plugin_sdk::export_plugins!
        half copied: exit 2
        -- stderr
        error: harness.yml:1: row `it`: ./cut.so: not a dynamic library: only 100000 bytes of it are there (PLUGIN_UNUSABLE)
          hint: build it again, or copy it anew
        for another machine: exit 2
        -- stderr
        error: harness.yml:1: row `it`: ./foreign.so: built for elf64/aarch64, this host runs on elf64/x86_64 (PLUGIN_UNUSABLE)
          hint: rebuild it for this machine
        of another ABI: exit 2
        -- stderr
        error: harness.yml:1: row `it`: ./newer.so: plugin `llm-upper` speaks plugin-api 9.0.0, this host speaks 1.0.0 (PLUGIN_UNUSABLE)
          hint: update the host
        of an older ABI: exit 2
        -- stderr
        error: harness.yml:1: row `it`: ./older.so: plugin `llm-upper` speaks plugin-api 0.0.0, this host speaks 1.0.0 (PLUGIN_UNUSABLE)
          hint: rebuild llm-upper against plugin-api 1.0.0
        a broken manifest: exit 2
        -- stderr
        error: harness.yml:1: row `it`: ./broken.so: its manifest cannot be read: invalid type: sequence, expected a string at line 1 column 9 (PLUGIN_UNUSABLE)
          hint: rebuild it against plugin-api 1.0.0
        no such entry: exit 2
        -- stderr
        error: harness.yml:1: row `it`: ./lost.so: it lacks the entry its manifest names: dlsym failed (PLUGIN_UNUSABLE)
          hint: rebuild llm-upper against plugin-api 1.0.0
        several, none named: exit 2
        -- stderr
        error: harness.yml:1: row `it`: ./several.so: it holds several plugins: `llm-upper`, … (PLUGIN_UNUSABLE)
          hint: say which one behind the path: library.so#plugin
        several, another named: exit 2
        -- stderr
        error: harness.yml:1: row `it`: ./named.so: it does not hold the plugin, only `llm-upper`, … (PLUGIN_UNUSABLE)
          hint: name one of those behind the `#`
    "#]].assert_eq(&shown);
}

#[test]
fn types_that_differ_are_refused_before_any_of_them_crosses() {
    let sandbox = Sandbox::new("- {id: it, name: ./changed.so#llm-upper}");
    sandbox.put("changed.so", patched("deadline_ns", "deadline_ms"));
    let done = sandbox.run(&["rows"]);
    let difference = "its types differ from this host's (CallCx has `deadline_ns` here, `deadline_ms` there; built with rustc";
    assert!(done.stderr.contains(difference), "{done:?}");
    assert_eq!(done.code(), 2);
}

#[test]
fn rows_that_do_not_fit_together_are_refused_before_any_is_mounted() {
    let llm = "- {id: llm-adapter, name: llm-scripted}";
    let tools = "- {id: tools, name: tools-basic}";
    let run = "- {id: loop, name: loop-basic}";
    let table: [(&str, &[&str]); 12] = [
        ("no such library", &["- {id: it, name: ./lib/gone.so}"]),
        ("no such version", &["- {id: it, name: llm-openai@^9}"]),
        ("two providers", &[llm, "- {id: again, name: llm-openai}"]),
        ("no tools", &[llm, run]),
        (
            "no tools where they are looked for",
            &[llm, tools, "- {id: loop, name: loop-basic, needs: {tools: tools.b}}"],
        ),
        ("the wrong service there", &[llm, tools, "- {id: loop, name: loop-basic, needs: {tools: llm}}"]),
        ("a need it has not", &[llm, tools, "- {id: loop, name: loop-basic, needs: {tool: tools}}"]),
        ("a role it has not", &["- {id: it, name: llm-scripted, as: {lmm: llm.b}}"]),
        ("two services in one slot", &[llm, "- {id: tools, name: tools-basic, as: llm}"]),
        ("an unknown key", &["- {id: it, name: tools-basic, config: {rooot: .}}"]),
        ("a wrong value", &["- {id: it, name: tools-basic, config: {shell_timeout_ms: soon}}"]),
        ("a plugin's own refusal", &["- {id: it, name: tools-basic, config: {root: ./gone}}"]),
    ];
    let mut shown = String::new();
    for (what, rows) in table {
        let sandbox = Sandbox::new(&rows.join("\n"));
        shown.push_str(&format!("{what}: {}", sandbox.run(&["rows"]).shown()));
    }
    expect![[r#"
        no such library: exit 2
        -- stderr
        error: harness.yml:1: row `it`: plugin `./lib/gone.so` is not there; looked for `./lib/gone.so` (PLUGIN_UNUSABLE)
          hint: build it, or correct the path, which is relative to the file that names it
        no such version: exit 2
        -- stderr
        error: harness.yml:1: row `it`: [BUILT]/libllm_openai.so: plugin `llm-openai` is version [VERSION], the row asks for ^9 (PLUGIN_UNUSABLE)
          hint: install a version that fits, or change what the row asks for
        two providers: exit 2
        -- stderr
        error: harness.yml:2: row `again`: it provides `llm`, and so does row `llm-adapter` (harness.yml:1) (TWO_PROVIDERS)
          hint: disable one of the two, or give one another slot with `as`
        no tools: exit 2
        -- stderr
        error: no tools service: add the tools row from checks/01-foundations/rows.yml (row `loop` needs it) (NEED_MISSING)
          hint: add the row to harness.yml
        no tools where they are looked for: exit 2
        -- stderr
        error: harness.yml:3: row `loop`: no row provides `tools.b`, which it needs (NEED_MISSING)
          hint: add a row that provides `tools.b`, or point the need elsewhere with `needs`
        the wrong service there: exit 2
        -- stderr
        error: harness.yml:3: row `loop`: it needs `tools` ^1, and row `llm-adapter` puts `llm` 1.0.0 into slot `llm` (NEED_UNFIT)
          hint: swap one of the two for a version that fits
        a need it has not: exit 2
        -- stderr
        error: harness.yml:3: row `loop`: `needs` names `tool`, which `loop-basic` does not need, did you mean `tools`? (BAD_NEED)
          hint: it needs `llm`, `tools`, `dispatch`, `turn-policy` and `context`
        a role it has not: exit 2
        -- stderr
        error: harness.yml:1: row `it`: `as` names `lmm`, in which `llm-scripted` has no role, did you mean `llm`? (BAD_SLOT)
          hint: name one of `llm`
        two services in one slot: exit 2
        -- stderr
        error: harness.yml:2: row `tools`: it provides `llm`, and so does row `llm-adapter` (harness.yml:1) (TWO_PROVIDERS)
          hint: disable one of the two, or give one another slot with `as`
        an unknown key: exit 2
        -- stderr
        error: harness.yml:1: row `it`: unknown key `config.rooot`, did you mean `root`? (CONFIG_INVALID)
          hint: remove it, or use one of the keys there are: `env_keep`, `output_bytes_max`, `root`, `shell_timeout_ms` and `shell_timeout_ms_max`
        a wrong value: exit 2
        -- stderr
        error: harness.yml:1: row `it`: `config.shell_timeout_ms` must be an integer, not `"soon"` (CONFIG_INVALID)
          hint: make `config.shell_timeout_ms` an integer
        a plugin's own refusal: exit 2
        -- stderr
        error: harness.yml:1: row `it`: root `./gone`: No such file or directory (os error 2) (ROOT_NOT_FOUND)
          hint: set `root` to a folder that exists
    "#]].assert_eq(&shown);
}

#[test]
fn a_disabled_row_may_lack_anything() {
    let sandbox = Sandbox::scripted("replies: [{text: fine}]");
    sandbox.put("p.yml", "- {insert: [{id: it, name: ./gone.so, disabled: true}], before: llm-adapter}");
    assert_eq!(sandbox.run(&["run", "go", "--patch", "p.yml"]).stdout, "fine\n");
}

#[test]
fn plugins_are_looked_for_where_the_environment_says_and_then_with_the_users_own() {
    let sandbox = Sandbox::new("- {id: it, name: llm-wupper}");
    let rows = || sandbox.harness(&["rows"]).env("HARNESS_PLUGIN_PATH", sandbox.path("lib")).run();
    let done = rows();
    assert_eq!(done.code(), 2);
    let places =
        done.stderr.split('`').filter(|word| word.contains("libllm_wupper")).map(|place| done.plain(place));
    let places: Vec<String> = places.collect();
    assert_eq!(
        places,
        ["BUILT", "ROOT/lib", "ROOT/home/.local/share/harness/plugins"].map(place_of),
        "{done:?}"
    );
    let bytes = patched("llm-upper", "llm-wuppe");
    sandbox.put("harness.yml", "- {id: it, name: llm-wuppe}");
    sandbox.put("home/.local/share/harness/plugins/libmy_bundle.so", &bytes);
    assert_eq!(rows().code(), 0);
    sandbox.put("lib/libmy_bundle.so", "no library");
    assert_eq!(rows().code(), 0, "the first that fits");
    // A library of its own comes before a bundle, wherever they are.
    sandbox.put("lib/libllm_wuppe.so", "no library");
    assert_eq!(rows().code(), 2);
}

/// Where a plugin of that name would be.
fn place_of(folder: &str) -> String {
    let (name, rest) =
        folder.split_once('/').map_or((folder, String::new()), |(name, rest)| (name, format!("/{rest}")));
    format!("[{name}]{rest}/libllm_wupper.so")
}

#[test]
fn what_is_remembered_of_a_library_goes_with_its_bytes() {
    let sandbox = Sandbox::new("- {id: it, name: ./it.so#llm-upper}");
    let cache =
        |sandbox: &Sandbox| sandbox.harness(&["rows"]).env("XDG_CACHE_HOME", sandbox.path("cache")).run();
    // Remembered is what has not changed just now, so this is a link to what was built before.
    let known = format!("{DLL_PREFIX}planted_bundle{DLL_SUFFIX}");
    std::os::unix::fs::symlink(built().join(known), sandbox.path("it.so")).unwrap();
    let remembers = |sandbox: &Sandbox| sandbox.read("cache/harness/libraries.json").contains("llm-upper");
    assert!((0..1_000).any(|_| cache(&sandbox).code() == 0 && remembers(&sandbox)));
    assert_eq!(cache(&sandbox).code(), 0);
    fs::remove_file(sandbox.path("it.so")).unwrap();
    sandbox.put("it.so", "something else");
    assert_eq!(cache(&sandbox).code(), 2);
    fs::remove_file(sandbox.path("it.so")).unwrap();
    // Nor does a memory that nobody can read, or write, do harm.
    sandbox.put("it.so", planted()).put("cache/harness/libraries.json", "[");
    assert_eq!(cache(&sandbox).code(), 0);
    fs::remove_dir_all(sandbox.path("cache")).unwrap();
    sandbox.put("cache", "a file");
    assert_eq!(cache(&sandbox).code(), 0);
}
