//! The launcher beside stand-ins for cargo and for the program: what each was given, where, and what came back.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// Says where it ran and what it was given, one thing a line.
const RECORD: &str = r#"#!/bin/sh
{ pwd; for argument in "$@"; do printf '<%s>\n' "$argument"; done; env | grep '^CARGO_' | sort; } >"$0.record"
"#;

/// A built target folder with a copy of the launcher, and a caller's folder beside it.
pub(crate) struct Target {
    root: TempDir,
    profile: &'static str,
}

impl Target {
    pub(crate) fn new(profile: &'static str) -> Self {
        let target = Self { root: tempfile::tempdir().unwrap(), profile };
        fs::create_dir_all(target.path("caller")).unwrap();
        fs::create_dir_all(target.path("target").join(profile)).unwrap();
        write(
            Command::new("cp").arg(env!("CARGO_BIN_EXE_harness-lab")).arg(target.program("harness-lab")),
            "",
        );
        target.script("cargo", RECORD);
        target.is_checkout("");
        target
    }

    /// Makes a folder one that is taken for a checkout.
    fn is_checkout(&self, name: &str) {
        let sdk = self.path(name).join("plugin-api/sdk");
        fs::create_dir_all(&sdk).unwrap();
        fs::write(sdk.join("Cargo.toml"), "").unwrap();
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.path().canonicalize().unwrap().join(name)
    }

    pub(crate) fn program(&self, name: &str) -> PathBuf {
        self.path("target").join(self.profile).join(name)
    }

    fn script(&self, name: &str, text: &str) {
        executable(&self.path(name), text);
    }

    /// Puts a program where the build would have left it.
    pub(crate) fn built(self, name: &str, text: &str) -> Self {
        executable(&self.program(name), text);
        self
    }

    /// Runs the launcher in the caller's folder: exit code, stdout, stderr.
    pub(crate) fn run(&self, arguments: &[&str]) -> (i32, String, String) {
        self.run_with(&[("CARGO", self.path("cargo").to_str().unwrap())], arguments)
    }

    fn run_with(&self, variables: &[(&str, &str)], arguments: &[&str]) -> (i32, String, String) {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let mut command = Command::new(self.program("harness-lab"));
        command.args(arguments).current_dir(self.path("caller")).env_clear().env("PATH", path);
        let Output { status, stdout, stderr } = command.envs(variables.iter().copied()).output().unwrap();
        let [stdout, stderr] = [stdout, stderr].map(|bytes| String::from_utf8(bytes).unwrap());
        (status.code().unwrap(), stdout, stderr)
    }

    pub(crate) fn record(&self, program: &Path) -> Vec<String> {
        let text = fs::read_to_string(program.with_added_extension("record")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    fn caller(&self) -> String {
        self.path("caller").to_str().unwrap().to_owned()
    }
}

fn executable(path: &Path, text: &str) {
    write(Command::new("sh").args(["-c", r#"cat >"$1" && chmod 755 "$1""#, "sh"]).arg(path), text);
}

/// Has another process write a program. Did this one do it, a test that starts a child meanwhile would hand it the open file for a
/// moment, and the system refuses to run a file that somebody could still write to.
fn write(command: &mut Command, text: &str) {
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    assert!(child.wait().unwrap().success());
}

#[test]
fn arguments_reach_the_program_as_typed_and_in_the_callers_folder() {
    let target = Target::new("debug").built("harness", RECORD);
    let typed =
        ["run", "--offline", "two  words", "it's \"quoted\" $HOME *", "--", "-x", "", "--release", "\n"];
    let (code, stdout, stderr) = target.run(&[&["run", "harness"], &typed[..]].concat());
    assert_eq!((code, stdout.as_str(), stderr.as_str()), (0, "", ""));
    let wanted = typed.map(|argument| format!("<{argument}>")).join("\n");
    assert_eq!(
        target.record(&target.program("harness")).join("\n"),
        format!("{}\n{wanted}", target.caller())
    );
}

#[test]
fn the_workspace_is_built_first_in_the_profile_asked_for() {
    let plain = ["<build>", "<--workspace>", "<--quiet>"].as_slice();
    let release = [plain, &["<--profile>", "<release>"]].concat();
    for (own, options, started, wanted) in [
        ("debug", &[][..], "debug", plain),
        ("debug", &["--"], "debug", plain),
        ("debug", &["--release"], "release", &release),
        ("debug", &["--release", "--"], "release", &release),
        ("release", &[], "release", &release),
    ] {
        let target = Target::new(own);
        let program = target.path("target").join(started).join("harness");
        fs::create_dir_all(program.parent().unwrap()).unwrap();
        executable(&program, RECORD);
        let (code, _, stderr) = target.run(&[&["run"], options, &["harness", "task"]].concat());
        assert_eq!((code, stderr.as_str()), (0, ""), "{own} {options:?}");
        assert_eq!(target.record(&program)[1..], ["<task>"], "{own} {options:?}");
        let call = target.record(&target.path("cargo"));
        assert_eq!(call[1..], *wanted, "{own} {options:?}");
    }
}

#[test]
fn exit_code_and_output_are_the_programs_own() {
    let target = Target::new("debug").built("harness", "#!/bin/sh\necho out; echo err >&2; exit 5\n");
    assert_eq!(target.run(&["run", "harness"]), (5, "out\n".to_owned(), "err\n".to_owned()));
}

#[test]
fn cargo_builds_the_checkout_it_was_called_in() {
    let target = Target::new("debug").built("harness", RECORD);
    let (cargo, checkout) = (target.path("cargo"), target.path("checkout"));
    fs::create_dir_all(checkout.join("labs")).unwrap();
    for (package, wanted) in [("labs", &checkout), ("host", &target.path(""))] {
        let labs = checkout.join("labs");
        let variables = [
            ("CARGO", cargo.to_str().unwrap()),
            ("CARGO_MANIFEST_DIR", labs.to_str().unwrap()),
            ("CARGO_PKG_NAME", package),
        ];
        assert_eq!(target.run_with(&variables, &["run", "harness"]).0, 0);
        assert_eq!(PathBuf::from(&target.record(&cargo)[0]).join(""), wanted.join(""), "{package}");
    }
}

#[test]
fn started_by_hand_in_a_foreign_target_folder_it_builds_the_checkout_it_is_in() {
    let target = Target::new("debug").built("harness", RECORD);
    fs::remove_dir_all(target.path("plugin-api")).unwrap();
    let (code, _, stderr) = target.run(&["run", "harness"]);
    assert_eq!(code, 2);
    assert!(stderr.ends_with("(NO_CHECKOUT)\n  hint: run this in a checkout of the harness\n"), "{stderr}");
    assert!(target.record(&target.path("cargo")).is_empty());
    target.is_checkout("caller");
    assert_eq!(target.run(&["run", "harness"]), (0, String::new(), String::new()));
    assert_eq!(target.record(&target.path("cargo"))[0], target.caller());
}

#[test]
fn the_program_is_told_where_the_sdk_is_unless_it_knows() {
    let target = Target::new("debug").built("harness", "#!/bin/sh\necho \"$HARNESS_SDK\"\n");
    let (cargo, root) = (target.path("cargo"), target.path(""));
    let (_, stdout, _) = target.run(&["run", "harness"]);
    assert_eq!(Path::new(stdout.trim_end()).join(""), root.join(""));
    let variables = [("CARGO", cargo.to_str().unwrap()), ("HARNESS_SDK", "/elsewhere")];
    assert_eq!(target.run_with(&variables, &["run", "harness"]).1, "/elsewhere\n");
}

#[test]
fn the_program_takes_over_the_launchers_process() {
    let target = Target::new("debug").built("harness", "#!/bin/sh\nkill -TERM $$\n");
    let mut command = Command::new(target.program("harness-lab"));
    let status = command.args(["run", "harness"]).env("CARGO", target.path("cargo")).status().unwrap();
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&status), Some(15));
}

#[test]
fn a_failed_build_starts_nothing_and_passes_cargos_exit_code_on() {
    let target = Target::new("debug").built("harness", RECORD);
    target.script("cargo", "#!/bin/sh\necho 'error: no such trait' >&2; exit 101\n");
    let (code, stdout, stderr) = target.run(&["run", "harness"]);
    assert_eq!((code, stdout.as_str()), (101, ""));
    assert_eq!(
        stderr,
        "error: no such trait\n\
         error: the workspace did not build (exit status: 101), so nothing was started (BUILD_FAILED)\n  \
         hint: mend what cargo says above\n"
    );
    assert!(target.record(&target.program("harness")).is_empty());
}

#[test]
fn the_first_build_says_that_it_takes_long() {
    let target = Target::new("debug");
    let build = format!(
        "#!/bin/sh\nprintf '#!/bin/sh\\necho built\\n' >'{0}'; chmod +x '{0}'\n",
        target.program("harness").display()
    );
    target.script("cargo", &build);
    let note = "building the workspace once (a few minutes)…\n";
    assert_eq!(target.run(&["run", "harness"]), (0, "built\n".to_owned(), note.to_owned()));
    assert_eq!(target.run(&["run", "harness"]), (0, "built\n".to_owned(), String::new()));
}

#[test]
fn what_cargo_run_says_of_its_own_package_goes_no_further() {
    let target = Target::new("debug").built("harness", RECORD);
    let cargo = target.path("cargo");
    let variables = [
        ("CARGO", cargo.to_str().unwrap()),
        ("CARGO_MANIFEST_DIR", "/x"),
        ("CARGO_PKG_NAME", "host"),
        ("CARGO_HOME", "/home"),
        ("CARGO_TARGET_DIR", "relative"),
    ];
    let (code, _, stderr) = target.run_with(&variables, &["run", "harness"]);
    assert_eq!((code, stderr.as_str()), (0, ""));
    let absolute = format!("CARGO_TARGET_DIR={}/relative", target.caller());
    assert_eq!(target.record(&cargo)[4..], ["CARGO_HOME=/home", absolute.as_str()]);
    let program = target.record(&target.program("harness"));
    assert_eq!(program[1..], ["CARGO_HOME=/home", "CARGO_TARGET_DIR=relative"]);
}

#[test]
fn a_wrong_call_says_how_to_call_and_exits_2() {
    let target = Target::new("debug").built("harness", RECORD);
    let run = "harness-lab run [--release] <program> [arguments…]";
    let all = "harness lab start 01, harness lab status, or harness lab run <program>";
    for (arguments, wanted, hint) in [
        (&["strat", "01"][..], "command `strat` is not known", all),
        (&["--halp"], "command `--halp` is not known", all),
        (&["run"], "`run` was given no program", run),
        (&["run", "--release", "--"], "`run` was given no program", run),
        (&["run", "--fast", "harness"], "option `--fast` is not known, the one option is `--release`", run),
        (&["start"], "no lab was named; there is 01", "harness lab start 01"),
        (&["start", "02"], "lab `02` is not known; there is 01", "harness lab start 01"),
        (&["start", "01", "x"], "argument `x` is one too many", "harness lab start 01"),
        (&["status", "7"], "lab `7` is not known; there is 01", "harness lab status [01]"),
    ] {
        let (code, stdout, stderr) = target.run(arguments);
        let wanted = format!("error: {wanted} (USAGE)\n  hint: {hint}\n");
        assert_eq!((code, stdout.as_str(), stderr), (2, "", wanted), "{arguments:?}");
    }
    assert!(target.record(&target.path("cargo")).is_empty());
}

#[test]
fn without_a_command_it_says_what_it_can_do() {
    let target = Target::new("debug");
    for arguments in [&[][..], &["--help"], &["help"]] {
        let (code, stdout, stderr) = target.run(arguments);
        assert_eq!((code, stderr.as_str()), (0, ""));
        for command in ["start 01 ", "status ", "run "] {
            assert!(stdout.contains(&format!("\n  {command}")), "{stdout}");
        }
    }
}

#[test]
fn a_program_that_the_build_did_not_make_is_named() {
    let target = Target::new("debug").built("harness", RECORD);
    let (code, _, stderr) = target.run(&["run", "harnes"]);
    assert_eq!(code, 2);
    assert!(
        stderr.starts_with("error: program `harnes` is not one that the workspace builds (NO_PROGRAM)\n"),
        "{stderr}"
    );
}

#[test]
fn a_missing_cargo_is_named() {
    let target = Target::new("debug").built("harness", RECORD);
    let (code, _, stderr) = target.run_with(&[("CARGO", "/nowhere/cargo")], &["run", "harness"]);
    assert_eq!(code, 2);
    assert!(stderr.starts_with("error: cargo cannot be started as `/nowhere/cargo`"), "{stderr}");
}
