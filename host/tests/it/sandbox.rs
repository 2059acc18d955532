//! A folder with rows of its own, and the program run in it with nothing of this process's environment but `PATH`.

use crate::process::{Done, Process};
use checks::fake_model::FakeModel;
use std::{
    fs,
    io::{Read, Write as _},
    path::{Path, PathBuf},
    process::{Child, ChildStdout, Command, Stdio},
};
use tempfile::TempDir;

/// The usual rows, with a scripted model.
const SCRIPTED: &str = r#"
- id: llm-adapter
  name: llm-scripted
  config: {script: !file script.yml}
- id: tools
  name: tools-basic
  config: {root: !env "HARNESS_ROOT:-."}
- id: dispatch
  name: dispatch-parallel
- id: loop
  name: loop-basic
  config: {model: !env "HARNESS_MODEL:-", max_steps: !env "HARNESS_MAX_STEPS:-50"}
"#;

pub(crate) struct Sandbox {
    // Removes the folder at the end.
    _folder: TempDir,
    root: PathBuf,
}

impl Sandbox {
    /// A folder whose `harness.yml` holds these rows.
    pub(crate) fn new(rows: &str) -> Sandbox {
        let folder = TempDir::new().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let sandbox = Sandbox { _folder: folder, root };
        sandbox.put("harness.yml", rows);
        sandbox
    }

    /// The usual rows; the model says what the script says.
    pub(crate) fn scripted(script: &str) -> Sandbox {
        let sandbox = Sandbox::new(SCRIPTED);
        sandbox.put("script.yml", script);
        sandbox
    }

    /// The rows that are shipped; the model is this server.
    pub(crate) fn http(model: &FakeModel) -> Sandbox {
        let sandbox = Sandbox::new(include_str!("../../../harness.yml"));
        sandbox.put(".env", format!("LLM_BASE_URL={}\nLLM_MODEL=fake-model\n", model.base_url()));
        sandbox
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    /// Writes a file, and the folders it is in.
    pub(crate) fn put(&self, name: &str, content: impl AsRef<[u8]>) -> &Sandbox {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
        self
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// The program with these arguments.
    pub(crate) fn harness(&self, args: &[&str]) -> Call<'_> {
        let mut command = Command::new(checks::workspace::built().join("harness"));
        command.args(args).current_dir(&self.root).env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("HOME", self.path("home")).env("TMPDIR", &self.root);
        // What is known of the libraries may be shared: it is about files, and each is looked at again when it changes.
        command.env("XDG_CACHE_HOME", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"));
        Call { sandbox: self, command, input: Vec::new() }
    }

    /// Runs the program to its end.
    pub(crate) fn run(&self, args: &[&str]) -> Done {
        self.harness(args).run()
    }
}

/// The program, about to be started.
pub(crate) struct Call<'a> {
    sandbox: &'a Sandbox,
    command: Command,
    input: Vec<u8>,
}

impl<'a> Call<'a> {
    pub(crate) fn env(mut self, name: &str, value: impl AsRef<std::ffi::OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    pub(crate) fn stdin(mut self, text: impl AsRef<[u8]>) -> Self {
        self.input = text.as_ref().to_vec();
        self
    }

    /// Puts a shell before it, which ends with `exec "$0" "$@"`.
    pub(crate) fn through_shell(mut self, script: &str) -> Self {
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(format!("{script}; exec \"$0\" \"$@\"")).arg(self.command.get_program());
        shell.args(self.command.get_args()).current_dir(&self.sandbox.root).env_clear();
        shell.envs(self.command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        self.command = shell;
        self
    }

    /// Runs it to its end; its standard input ends after what [`Call::stdin`] gave.
    pub(crate) fn run(self) -> Done {
        self.start().finish()
    }

    /// Starts it; its standard input stays open.
    pub(crate) fn start(self) -> Process {
        let (sandbox, mut child) = self.spawn();
        let stdout = child.stdout.take().unwrap();
        process(sandbox, child, Box::new(stdout))
    }

    /// Starts it and leaves reading its standard output to the caller.
    pub(crate) fn start_unread(self) -> (Process, ChildStdout) {
        let (sandbox, mut child) = self.spawn();
        let stdout = child.stdout.take().unwrap();
        (process(sandbox, child, Box::new(std::io::empty())), stdout)
    }

    fn spawn(mut self) -> (&'a Sandbox, Child) {
        self.command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = self.command.spawn().unwrap();
        // A program that reads none of its input may have closed it.
        drop(child.stdin.as_mut().unwrap().write_all(&self.input));
        (self.sandbox, child)
    }

    /// Starts it with a terminal for its three streams; all that is shown there counts as standard output.
    pub(crate) fn start_in_terminal(mut self) -> Process {
        let terminal = crate::terminal::open();
        let side = || Stdio::from(terminal.program.try_clone().unwrap());
        self.command.stdin(side()).stdout(side()).stderr(side());
        let child = self.command.spawn().unwrap();
        let typed = terminal.person.try_clone().unwrap();
        Process::new(
            child,
            Box::new(typed),
            Box::new(terminal.person),
            Box::new(std::io::empty()),
            &self.sandbox.root,
        )
    }
}

fn process(sandbox: &Sandbox, mut child: Child, stdout: Box<dyn Read + Send>) -> Process {
    let (stdin, stderr) = (child.stdin.take().unwrap(), child.stderr.take().unwrap());
    Process::new(child, Box::new(stdin), stdout, Box::new(stderr), &sandbox.root)
}
