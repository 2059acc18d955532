//! One run, from the first process to the last byte.

use std::{
    io,
    pin::{Pin, pin},
    process::{ExitStatus, Stdio},
    time::Duration,
};

use nix::sys::signal::Signal;
use process_wrap::tokio::{ChildWrapper, CommandWrap, ProcessSession};
use tokio::{
    process::Command,
    time::{Instant, interval, sleep, sleep_until, timeout},
};

use crate::{Exit, Group, Ran, Spec, Stopped, output::Output};

/// How often a stopped group is looked at: nothing tells us that its last process has ended.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// How long the kernel may take over a killed process; one that sleeps in a broken driver is not waited for.
const KILL_WAIT: Duration = Duration::from_secs(1);

/// Runs `spec`, handing its output to `sink` as it arrives, until it ends, its time is up or `cancelled` is ready.
///
/// Must be polled inside a tokio runtime with I/O and time. Dropping the future kills the group with SIGKILL.
///
/// # Errors
/// When nothing was started: no such program, no such folder, a NUL in an argument, an argument longer than the system
/// takes. The first two are both `NotFound`.
pub async fn run(
    spec: &Spec,
    cancelled: impl Future<Output = ()>,
    sink: impl FnMut(&[u8]),
) -> io::Result<Ran> {
    // What is bound last is dropped first: a dropped run kills the group before it lets go of the child.
    let (mut child, group, mut output) = start(spec, sink)?;
    let mut exited = child.wait();
    let mut cancelled = pin!(cancelled);
    let mut deadline = pin!(deadline(spec.timeout));
    let ended = loop {
        tokio::select! {
            biased;
            () = &mut cancelled => break Err((Stopped::Cancelled, spec.cancel_grace)),
            () = &mut deadline => break Err((Stopped::TimedOut, spec.timeout_grace)),
            status = &mut exited => break Ok(exit(status)),
            () = output.read(), if output.is_open() => {}
        }
    };
    let (exit, stopped) = match ended {
        Ok(exit) => (exit, None),
        Err((why, grace)) => (stop(&group, exited, &mut output, grace).await, Some(why)),
    };
    // All that the child wrote is in the pipe by now, so it is read without a clock; what comes later gets a little time.
    output.drain();
    let _ = timeout(spec.drain, output.read_to_end()).await;
    let background = if stopped.is_none() { group.left_behind(output.is_open()) } else { None };
    Ok(Ran { exit, stopped, background })
}

type Exited<'a> = Pin<Box<dyn Future<Output = io::Result<ExitStatus>> + Send + 'a>>;

fn start<F: FnMut(&[u8])>(spec: &Spec, sink: F) -> io::Result<(Box<dyn ChildWrapper>, Group, Output<F>)> {
    let (reader, writer) = io::pipe()?;
    let mut command = Command::new(&spec.program);
    command.args(&spec.args).current_dir(&spec.cwd);
    command.stdin(Stdio::null()).stdout(writer.try_clone()?).stderr(writer);
    for name in &spec.env_remove {
        command.env_remove(name);
    }
    command.envs(spec.env.iter().map(|(name, value)| (name, value)));
    let output = Output::new(reader, sink)?;
    let mut command = CommandWrap::from(command);
    let child = command.wrap(ProcessSession).spawn()?;
    let leader = child.id().and_then(|id| i32::try_from(id).ok()).ok_or(io::ErrorKind::NotFound)?;
    // The writing ends go with the command: from here on only the child and what it starts hold them.
    drop(command);
    Ok((child.into_inner(), Group::of(leader), output))
}

async fn deadline(timeout: Option<Duration>) {
    match timeout.and_then(|timeout| Instant::now().checked_add(timeout)) {
        Some(at) => sleep_until(at).await,
        None => std::future::pending().await,
    }
}

/// Asks the group to end, gives it `grace` to do so, and kills what is left. Output is read all the while, because a
/// process that cannot write its last words cannot end either.
async fn stop<F: FnMut(&[u8])>(
    group: &Group,
    mut exited: Exited<'_>,
    output: &mut Output<F>,
    grace: Duration,
) -> Exit {
    group.signal(Signal::SIGTERM);
    let mut status = None;
    let mut grace = pin!(sleep(grace));
    let mut look = interval(LOOK_EVERY);
    loop {
        tokio::select! {
            biased;
            () = &mut grace => break,
            ended = &mut exited, if status.is_none() => status = Some(exit(ended)),
            _ = look.tick(), if status.is_some() => if !group.alive() { break },
            () = output.read(), if output.is_open() => {}
        }
    }
    group.signal(Signal::SIGKILL);
    match status {
        Some(exit) => exit,
        None => timeout(KILL_WAIT, exited).await.map_or(Exit::Unknown, exit),
    }
}

fn exit(status: io::Result<ExitStatus>) -> Exit {
    status.map_or(Exit::Unknown, Exit::from)
}
