//! From the start of the process to its first request.

use std::fs;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use nix::unistd::Pid;

use crate::child::cpu_at_rest;
use crate::contender::Contender;
use crate::model;
use crate::scene::Scene;
use crate::table::{Samples, Table, Unit};

#[derive(Default)]
struct Start {
    wall: Samples,
    cpu: Samples,
}

pub(crate) fn measure(scene: &Scene, runs: usize, table: &mut Table) -> Result<()> {
    let (bundle, singles) = (scene.bundle(), scene.singles());
    let mut forms: Vec<(&str, PathBuf, bool)> = Vec::new();
    forms.extend(bundle.clone().map(|folder| ("bundle", folder, false)));
    forms.push(("single files", singles.clone(), false));
    forms.extend(bundle.map(|folder| ("bundle, for the first time", folder, true)));
    forms.push(("single files, for the first time", singles, true));
    let (mut spine, mut harness) = (Start::default(), Vec::new());
    harness.resize_with(forms.len(), Start::default);
    // One more than is counted: the first finds the files on disk.
    for run in 0..=runs {
        let counted = |start: &mut Start, (wall, cpu): (Duration, Duration)| {
            if run > 0 {
                start.wall.time(wall);
                start.cpu.time(cpu);
            }
        };
        counted(&mut spine, one(scene, Contender::Spine)?);
        for ((_, folder, first), start) in forms.iter().zip(&mut harness) {
            let contender = Contender::Harness { folder, patches: &[] };
            if *first {
                forget(scene)?;
            } else {
                // What is known of libraries is known of one host at a time.
                one(scene, contender)?;
            }
            counted(start, one(scene, contender)?);
        }
    }
    // Whatever is measured next starts with what it knows.
    scene.settle()?;
    table.heading("start to first request");
    for ((name, _, first), start) in forms.iter().zip(&harness) {
        let bound = (*name == "bundle").then_some(2.0);
        table.pair(&format!("  {name}"), Unit::Time, &start.wall, &spine.wall, bound);
        if !first {
            table.pair(&format!("  {name}, CPU"), Unit::Time, &start.cpu, &spine.cpu, None);
        }
    }
    Ok(())
}

/// What the harness has found out about libraries.
fn forget(scene: &Scene) -> Result<()> {
    match fs::remove_dir_all(scene.home().join(".cache")) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
        _ => Ok(()),
    }
}

/// The time to the first request, and the processor time by then. Started without the launcher, which would be counted.
fn one(scene: &Scene, contender: Contender<'_>) -> Result<(Duration, Duration)> {
    let model = model::stepping(0, &[1], None)?;
    let mut command = contender.command(scene, model.base_url(), false)?;
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let begun = Instant::now();
    let mut child = command.spawn().with_context(|| contender.name())?;
    model.wait_for_requests(1);
    let wall = begun.elapsed();
    let cpu = cpu_at_rest(Pid::from_raw(child.id().try_into()?))?;
    model::go_on(&model, 1);
    let status = child.wait()?;
    ensure!(status.success(), "{} ended with {status}", contender.name());
    Ok((wall, cpu))
}
