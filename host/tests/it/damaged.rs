//! Libraries that are damaged, or that say of themselves what cannot be: no byte of them runs, and no signal ends the process.

use crate::{
    loading::{patched, planted},
    sandbox::Sandbox,
};
use expect_test::expect;
use nix::{sys::stat::Mode, unistd::mkfifo};
use std::fs;

/// What is said of a library of these bytes, in one line and a hint.
fn told(what: &str, bytes: &[u8]) -> String {
    let sandbox = Sandbox::new("- {id: it, name: ./it.so#llm-upper}");
    let done = sandbox.put("it.so", bytes).run(&["rows"]);
    assert!(done.code() == 0 || done.code() == 2, "{what}: {done:?}");
    format!("{what}: {}", done.plain(&done.stderr))
}

#[test]
fn a_copy_that_broke_off_is_refused_wherever_it_did() {
    let whole = planted();
    let many = (0..48).map(|n| whole.len() * n / 48);
    let mut refused = 0;
    for len in [1, 3, 4, 5, 16, 17, 18, 32, 52, 55, 63, 64, 65, 100, 500, 4_096].into_iter().chain(many) {
        let said = told("cut", &whole[..len]);
        let known = [
            "the file is empty",
            "is no known kind",
            "are there",
            "no known kind",
            "no shared object",
            "a big-endian machine",
            "another machine",
        ];
        refused += usize::from(said.contains("row `it`: ./it.so: ") && said.contains("\n  hint: "));
        assert!(said == "cut: " || known.iter().any(|words| said.contains(words)), "{len}: {said}");
    }
    // Behind the last segment that is mapped only names for debuggers are missing.
    assert!(refused > 16, "only {refused} were refused");
}

#[test]
fn a_library_for_another_machine_is_told_by_its_header() {
    let with = |at: usize, byte: u8| {
        let mut bytes = planted();
        bytes[at] = byte;
        bytes
    };
    let table = [
        ("32 bits", with(4, 1)),
        ("big-endian", with(5, 2)),
        ("riscv64", with(18, 243)),
        ("unknown", with(18, 7)),
        ("an executable", with(16, 2)),
        ("an object file", with(16, 1)),
    ];
    let shown: String = table.iter().map(|(what, bytes)| told(what, bytes)).collect();
    expect![[r#"
        32 bits: error: harness.yml:1: row `it`: ./it.so: built for elf32/x86_64, this host runs on elf64/x86_64 (PLUGIN_UNUSABLE)
          hint: rebuild it for this machine
        big-endian: error: harness.yml:1: row `it`: ./it.so: built for elf64/a big-endian machine, this host runs on elf64/x86_64 (PLUGIN_UNUSABLE)
          hint: rebuild it for this machine
        riscv64: error: harness.yml:1: row `it`: ./it.so: built for elf64/riscv64, this host runs on elf64/x86_64 (PLUGIN_UNUSABLE)
          hint: rebuild it for this machine
        unknown: error: harness.yml:1: row `it`: ./it.so: built for elf64/another machine, this host runs on elf64/x86_64 (PLUGIN_UNUSABLE)
          hint: rebuild it for this machine
        an executable: error: harness.yml:1: row `it`: ./it.so: not a dynamic library: an ELF file, but no shared object (PLUGIN_UNUSABLE)
          hint: build it again, or copy it anew
        an object file: error: harness.yml:1: row `it`: ./it.so: not a dynamic library: an ELF file, but no shared object (PLUGIN_UNUSABLE)
          hint: build it again, or copy it anew
    "#]].assert_eq(&shown);
}

#[test]
fn a_manifest_that_cannot_be_is_refused() {
    let table = [
        ("no JSON", patched(r#"{"entry":"#, r#"{"entry";"#)),
        (
            "a list of names",
            patched(r#""plugins":[{"name":"llm-upper","#, r#""plugins":["llm-upper",{"a":"","#),
        ),
        ("a version that is none", patched(r#""api":"1.0.0""#, r#""api":"first""#)),
        ("a role that is none", patched(r#""role":"wrap""#, r#""role":"wrip""#)),
        ("no end", patched("}]}\u{2}", "}]} ")),
    ];
    let shown: String = table.iter().map(|(what, bytes)| told(what, bytes)).collect();
    expect![[r#"
        no JSON: error: harness.yml:1: row `it`: ./it.so: its manifest cannot be read: expected `:` at line 1 column 9 (PLUGIN_UNUSABLE)
          hint: rebuild it against plugin-api 1.0.0
        a list of names: error: harness.yml:1: row `it`: ./it.so: its manifest cannot be read: invalid type: string "llm-upper", expected struct Manifest at line 1 column 176 (PLUGIN_UNUSABLE)
          hint: rebuild it against plugin-api 1.0.0
        a version that is none: error: harness.yml:1: row `it`: ./it.so: its manifest cannot be read: unexpected character 'f' while parsing major version number at line 1 column 54 (PLUGIN_UNUSABLE)
          hint: rebuild it against plugin-api 1.0.0
        a role that is none: error: harness.yml:1: row `it`: ./it.so: its manifest cannot be read: unknown variant `wrip`, expected one of `provide`, `join`, `wrap` at line 1 column 263 (PLUGIN_UNUSABLE)
          hint: rebuild it against plugin-api 1.0.0
        no end: error: harness.yml:1: row `it`: ./it.so: its manifest cannot be read: trailing characters at line 74 column 5 (PLUGIN_UNUSABLE)
          hint: rebuild it against plugin-api 1.0.0
    "#]].assert_eq(&shown);
}

#[test]
fn a_plugin_has_one_role_in_a_service() {
    let twice = patched(
        r#""role":"wrap"},{"service":"turn-policy","version""#,
        r#""role":"wrap"},{"service":"llm",        "version""#,
    );
    let sandbox = Sandbox::new("- {id: it, name: ./it.so#policy-both}");
    expect![[r#"
        exit 2
        -- stderr
        error: harness.yml:1: row `it`: ./it.so: plugin `policy-both` lists the service `llm` twice (PLUGIN_UNUSABLE)
          hint: remove one of the two from services in export_plugins!
    "#]].assert_eq(&sandbox.put("it.so", twice).run(&["rows"]).shown());
}

/// What a newer host may know more of, an older one need not.
#[test]
fn a_newer_minor_version_loads() {
    assert_eq!(told("newer", &patched(r#""api":"1.0.0""#, r#""api":"1.9.0""#)), "newer: ");
}

#[test]
fn what_is_no_file_is_refused_and_not_waited_for() {
    let mut shown = String::new();
    let mut make = |what: &str, make: &dyn Fn(&Sandbox)| {
        let sandbox = Sandbox::new("- {id: it, name: ./it.so}");
        make(&sandbox);
        shown.push_str(&format!("{what}: {}", sandbox.run(&["rows"]).shown()));
    };
    make("a pipe", &|s| mkfifo(&s.path("it.so"), Mode::S_IRWXU).unwrap());
    make("a folder", &|s| fs::create_dir(s.path("it.so")).unwrap());
    make("a link to nothing", &|s| std::os::unix::fs::symlink("gone.so", s.path("it.so")).unwrap());
    make("a misspelt name", &|s| _ = s.put("harness.yml", "- {id: it, name: tools-basc}"));
    expect![[r#"
        a pipe: exit 2
        -- stderr
        error: harness.yml:1: row `it`: ./it.so: this is a folder, a pipe or a device, not a file (PLUGIN_UNUSABLE)
          hint: make it a library that this user may read
        a folder: exit 2
        -- stderr
        error: harness.yml:1: row `it`: plugin `./it.so` is not there; looked for `./it.so/libit.so.so` (PLUGIN_UNUSABLE)
          hint: build it, or correct the path, which is relative to the file that names it
        a link to nothing: exit 2
        -- stderr
        error: harness.yml:1: row `it`: plugin `./it.so` is not there; looked for `./it.so` (PLUGIN_UNUSABLE)
          hint: build it, or correct the path, which is relative to the file that names it
        a misspelt name: exit 2
        -- stderr
        error: harness.yml:1: row `it`: plugin `tools-basc` is not there; looked for `[BUILT]/libtools_basc.so`, `[ROOT]/home/.local/share/harness/plugins/libtools_basc.so`, `[BUILT]/libbundle.so`, `[BUILT]/libdefects_bundle.so`, `[BUILT]/libplanted_bundle.so`, did you mean `tools-basic`? (PLUGIN_UNUSABLE)
    "#]].assert_eq(
        &shown.split_inclusive('\n').filter(|line| !line.contains("name one of")).collect::<String>(),
    );
}

/// The base directory specification has it that a relative path counts as none.
#[test]
fn a_relative_folder_for_caches_is_ignored() {
    let sandbox = Sandbox::new("- {id: it, name: tools-basic}");
    assert_eq!(sandbox.harness(&["rows"]).env("XDG_CACHE_HOME", "cache").run().code(), 0);
    assert!(!sandbox.path("cache").exists());
    assert!(sandbox.path("home/.cache/harness/libraries.json").exists());
}
