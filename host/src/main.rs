//! `harness`: reads rows, loads the plugins they name, and exposes what those provide as named services.
//!
//! It knows no service. The modules stand in the order in which a run goes through them.
mod cli;
mod plan;
mod mount;
mod supervise;
mod run;
mod ask;
mod call;
mod show;
mod report;

use clap::{Parser as _, error::ErrorKind};
use cli::{Cli, Command, Setup, Task};
use loader::{Opened, Verdicts};
use mount::Means;
use plan::Planned;
use plugin_api::{Token, run::ABORTED};
use rows::{Environment, Problem, RawRow, Resolved, Row, did_you_mean, names};
use run::Settings;
use secrets::{Redactor, Secrets};
use std::{
    io::{self, IsTerminal as _, Read as _},
    os::unix::process::CommandExt as _,
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
    time::Duration,
};
use supervise::Job;

const TASK_BYTES_MAX: u64 = 16 << 20;
const STUCK_AFTER: Duration = Duration::from_secs(10);

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) if error.use_stderr() => {
            // What was typed may be a key.
            terminal::print_error(&early(&[]).text(&error.to_string()));
            return ExitCode::from(2);
        }
        Err(help) => {
            let whole = std::env::args_os().len() <= 2 && help.kind() != ErrorKind::DisplayVersion;
            let programs = if whole { programs() } else { Vec::new() };
            let more = format!("\nPrograms beside this one: {}\n", programs.join(", "));
            let shown = help.print().is_ok() && (programs.is_empty() || terminal::print(&more));
            return ExitCode::from(u8::from(!shown));
        }
    };
    let colour =
        io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let mut redactor = Arc::new(Redactor::default());
    let mut files: Vec<_> = config_file(&cli.setup).into_iter().chain(cli.setup.patch.clone()).collect();
    files.retain(|file| file.is_file()); // A pipe may never end.
    watch::adopt_orphans();
    let code = harness(cli, colour, &mut redactor).unwrap_or_else(|problem| {
        if redactor.is_empty() {
            redactor = Arc::new(early(&files));
        }
        report::problem(&problem, &redactor, colour);
        ExitCode::from(if problem.code == ABORTED { 130 } else { 2 })
    });
    watch::end_orphans();
    code
}

/// What masks errors that come before the rows are known.
fn early(files: &[PathBuf]) -> Redactor {
    let folder = files.first().and_then(|file| file.parent()).unwrap_or(Path::new(""));
    let env = Environment::snapshot(folder, Vec::new()).ok();
    Redactor::early(files, |name| get(env.as_ref()?, name))
}

/// One line a stage; each takes what the one before it made.
fn harness(cli: Cli, colour: bool, redactor: &mut Arc<Redactor>) -> Result<ExitCode, Problem> {
    let (setup, command) = program_or_task(cli)?;
    let file = config_file(&setup)?;
    let env = Environment::snapshot(file.parent().unwrap_or(Path::new("")), flags(&setup)?)?;
    let Resolved { rows, secrets } = rows::resolve(patched(&setup, &file)?, &env)?;
    hide(secrets.keys());
    *redactor = Arc::new(Redactor::new(Secrets::new(&secrets)));
    redactor.warnings().for_each(|text| terminal::say("warn", &text, colour));
    let masked = Arc::clone(redactor);
    let write = move |line: &str| watch::outside(|| terminal::print_error(&masked.text(line)));
    let dispatch = terminal::start_log(get(&env, "HARNESS_LOG").as_deref(), colour, write).map_err(|e| {
        Problem::new(
            "BAD_LOG_FILTER",
            format!("HARNESS_LOG: {e}"),
            "write it as `warn` or `info,llm_openai=debug`",
        )
    })?;
    let mut verdicts = Verdicts::load(|name| get(&env, name));
    // Only a list of all rows needs those that are not mounted.
    let listed = if matches!(command, Command::Rows { .. }) { rows.clone() } else { Vec::new() };
    let planned = plan::plan(rows, &loader::folders(|name| get(&env, name)), &mut verdicts)?;
    let (job, output, asked) = job(command, listed, &planned)?;
    let (session, cancel) = (setup.session.map(|name| redactor.text(&name).into_owned()), Token::root());
    let settings =
        Settings { output, asked, session, colour, cancel, drop: Arc::default(), begun: Arc::default() };
    let means = Means {
        opened: Opened::default(),
        verdicts,
        trace: loader::sink(dispatch),
        watch: watch::Watch::new(stuck_after(&env)?),
        cancel: settings.cancel.clone(),
        redactor: Arc::clone(redactor),
    };
    supervise::supervise(planned, means, job, settings)
}

/// A word that is neither a command of this program nor a plugin's is a program beside it, as with git and cargo.
fn program_or_task(cli: Cli) -> Result<(Setup, Command), Problem> {
    let Command::Other(words) = &cli.command else { return Ok((cli.setup, cli.command)) };
    let name = words.first().map(|word| word.to_string_lossy().into_owned()).unwrap_or_default();
    let program = std::env::current_exe().unwrap_or_default().with_file_name(format!("harness-{name}"));
    if program.is_file() {
        let error = std::process::Command::new(&program).args(&words[1..]).exec();
        return Err(Problem::new(
            "PROGRAM_FAILED",
            format!("{}: {error}", program.display()),
            "install it again",
        ));
    }
    Ok((cli.setup, cli.command))
}

/// The names of those programs.
fn programs() -> Vec<String> {
    let beside = std::env::current_exe().unwrap_or_default().with_file_name("");
    let entries = std::fs::read_dir(beside).into_iter().flatten().filter_map(Result::ok);
    let name = |entry: std::fs::DirEntry| {
        entry
            .file_name()
            .to_str()?
            .strip_prefix("harness-")
            .filter(|name| !name.contains('.'))
            .map(str::to_owned)
    };
    let mut names: Vec<String> = entries.filter_map(name).collect();
    names.sort();
    names
}

fn config_file(setup: &Setup) -> Result<PathBuf, Problem> {
    if let Some(file) = &setup.config {
        return Ok(file.clone());
    }
    let beside = std::env::current_exe().unwrap_or_default().with_file_name("harness.yml");
    [PathBuf::from("harness.yml"), beside.clone()].into_iter().find(|file| file.is_file()).ok_or_else(|| {
        let what = format!("there is no harness.yml, neither here nor at {}", beside.display());
        Problem::new("NO_CONFIG", what, "name one with --config, or run this where one is")
    })
}

/// The host's flags, as variables that only tags see.
fn flags(setup: &Setup) -> Result<Vec<(String, String)>, Problem> {
    let root = setup.root.as_deref().map(|root| {
        let full = root.canonicalize().ok().filter(|full| full.is_dir());
        let full = full.and_then(|full| full.into_os_string().into_string().ok());
        full.ok_or_else(|| {
            Problem::new(
                "BAD_ROOT",
                format!("--root {}: not a folder", root.display()),
                "name a folder that exists",
            )
        })
    });
    let steps = setup.max_steps.map(|n| n.to_string());
    let flags = [
        ("HARNESS_ROOT", root.transpose()?),
        ("HARNESS_MODEL", setup.model.clone()),
        ("HARNESS_MAX_STEPS", steps),
        ("HARNESS_SESSION", setup.session.clone()),
    ];
    Ok(flags.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect())
}

fn patched(setup: &Setup, file: &Path) -> Result<Vec<RawRow>, Problem> {
    let mut raw = rows::read(file)?;
    let shipped = setup.offline.then(|| {
        let near = file.with_file_name("offline.patch.yml");
        let beside = std::env::current_exe().unwrap_or_default().with_file_name("offline.patch.yml");
        [near, beside].into_iter().find(|patch| patch.is_file()).ok_or_else(|| {
            let what = format!(
                "--offline: there is no offline.patch.yml beside {} nor beside this program",
                file.display()
            );
            Problem::new(
                "NO_OFFLINE_PATCH",
                what,
                "copy the one that comes with the harness to where your rows are",
            )
        })
    });
    let shipped = shipped.transpose()?;
    for patch in shipped.iter().chain(&setup.patch) {
        rows::patch(&mut raw, patch)?;
    }
    Ok(raw)
}

/// Takes secrets out of what child processes inherit, whoever starts them, and out of what they may read of this one.
fn hide<'a>(names: impl Iterator<Item = &'a String>) {
    watch::close_memory();
    for name in names {
        // SAFETY: no thread has been started yet.
        #[expect(unsafe_code, reason = "the one way to keep a variable from every child process")]
        unsafe {
            std::env::remove_var(name);
        }
    }
}

fn get(env: &Environment, name: &str) -> Option<String> {
    env.get(name).ok().flatten().map(|(value, _)| value.to_owned()).filter(|value| !value.is_empty())
}

fn stuck_after(env: &Environment) -> Result<Duration, Problem> {
    let Some(ms) = get(env, "HARNESS_STUCK_MS") else { return Ok(STUCK_AFTER) };
    ms.parse().map(Duration::from_millis).map_err(|e| {
        Problem::new(
            "BAD_VARIABLE",
            format!("HARNESS_STUCK_MS is `{ms}`: {e}"),
            "give it a number of milliseconds",
        )
    })
}

type Work = (Job, report::Output, ask::Asked);

fn job(command: Command, rows: Vec<Row>, planned: &[Planned]) -> Result<Work, Problem> {
    let quiet = |job| Ok((job, report::Output::StreamJson, ask::Asked::None));
    match command {
        Command::Rows { json } => quiet(Job::Rows { rows, json }),
        Command::Call { service, method, head, part } => {
            quiet(Job::Call { slot: service, method, head, part })
        }
        Command::Run(task) => verb("run", planned, || task),
        Command::Other(words) => {
            let name = words.first().map(|word| word.to_string_lossy().into_owned()).unwrap_or_default();
            verb(&name, planned, || Task::parse_from(words))
        }
    }
}

/// A command that a plugin declares.
fn verb(name: &str, planned: &[Planned], task: impl FnOnce() -> Task) -> Result<Work, Problem> {
    let verbs = || planned.iter().flat_map(|p| p.library.manifest.commands.iter().map(move |verb| (p, verb)));
    let Some((plan, verb)) = verbs().find(|(_, verb)| verb.name == name) else {
        let programs = programs();
        let programs = || programs.iter().map(String::as_str);
        let known = || verbs().map(|(_, verb)| verb.name.as_str()).chain(["rows", "call"]).chain(programs());
        let what = format!("no row's plugin answers the command `{name}`{}", did_you_mean(name, known()));
        return Err(Problem::new(
            "NO_COMMAND",
            what,
            format!("add a row that does; there are {}", names(known())),
        ));
    };
    let slot = plan.roles.iter().find(|(role, _)| role.service == verb.service);
    let slot = slot.map_or(&verb.service, |(_, slot)| slot).clone();
    let task = task();
    if task.ask == ask::Asked::Stdin && task.output != report::Output::StreamJson {
        return Err(Problem::new(
            "BAD_FLAGS",
            "--ask stdin: questions are put in stream-json only",
            "add --output stream-json",
        ));
    }
    let job = Job::Task { slot, method: verb.method.clone(), task: task_text(&task.task)? };
    Ok((job, task.output, task.ask))
}

fn task_text(words: &[String]) -> Result<String, Problem> {
    let text = if (words.is_empty() && !io::stdin().is_terminal()) || words == ["-"] {
        let mut text = String::new();
        let read = io::stdin().take(TASK_BYTES_MAX + 1).read_to_string(&mut text);
        read.map_err(|e| {
            Problem::new("BAD_TASK", format!("the task on standard input: {e}"), "write it as UTF-8 text")
        })?;
        if text.len() as u64 > TASK_BYTES_MAX {
            let what = format!("the task on standard input is larger than {} MB", TASK_BYTES_MAX >> 20);
            return Err(Problem::new("BAD_TASK", what, "put it into a file, and name the file in the task"));
        }
        text
    } else {
        words.join(" ")
    };
    if text.trim().is_empty() {
        return Err(Problem::new(
            "NO_TASK",
            "there is no task",
            "put it behind the command, or on standard input",
        ));
    }
    Ok(text)
}
