//! Runs of many steps with one tool call each: processor time, memory, threads, and what a step costs beyond its HTTP.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Result, ensure};

use crate::child::Running;
use crate::client;
use crate::contender::Contender;
use crate::launcher::Ended;
use crate::model::{self, Threads};
use crate::scene::Scene;
use crate::table::{Samples, Table, Unit};

/// How many steps one reading of the clock spans.
const SPAN: usize = 20;

/// The steps around which the cost of one is read, each as the requests before and behind.
fn spans(length: usize) -> Vec<(usize, usize, usize)> {
    let last = length + 1;
    vec![(20, 11, 11 + SPAN), (length, last - SPAN, last)]
}

/// One run.
struct Run {
    ended: Ended,
    /// Processor time of a step in each span.
    steps: Vec<Duration>,
    threads: u64,
    bodies: Vec<String>,
}

/// Runs of one length.
#[derive(Default)]
struct Runs {
    cpu: Samples,
    memory: Samples,
    threads: Samples,
    steps: Vec<Samples>,
}

impl Runs {
    fn add(&mut self, length: usize, run: &Run) {
        self.cpu.time(run.ended.cpu / u32::try_from(length).unwrap_or(u32::MAX));
        self.memory.push(run.ended.memory_kb as f64);
        self.threads.push(run.threads as f64);
        self.steps.resize_with(run.steps.len(), Samples::default);
        for (samples, step) in self.steps.iter_mut().zip(&run.steps) {
            samples.time(*step);
        }
    }
}

pub(crate) fn measure(scene: &Scene, lengths: &[(usize, usize)], table: &mut Table) -> Result<()> {
    let folder = scene.shipped();
    let contenders = [Contender::Harness { folder: &folder, patches: &[] }, Contender::Spine];
    let longest = lengths.iter().map(|(length, _)| *length).max().unwrap_or_default();
    for (length, runs) in lengths {
        let spans = if *length == longest { spans(*length) } else { Vec::new() };
        let mut measured = [Runs::default(), Runs::default()];
        let mut clients = [Runs::default(), Runs::default()];
        let mut bodies: [Option<PathBuf>; 2] = [None, None];
        for _ in 0..*runs {
            for (at, contender) in contenders.into_iter().enumerate() {
                let run = one(scene, contender, *length, &spans)?;
                measured[at].add(*length, &run);
                let bodies = recorded(scene, &mut bodies[at], contender.name(), &run)?;
                clients[at].add(*length, &one(scene, Contender::Client { bodies }, *length, &spans)?);
            }
        }
        report(*length, &spans, &measured, &clients, table);
    }
    Ok(())
}

/// The file of the bodies of the first run: those of the others are the same, but for the name of the session.
fn recorded<'a>(scene: &Scene, file: &'a mut Option<PathBuf>, name: &str, run: &Run) -> Result<&'a Path> {
    let path = scene.path(&format!("{name}.bodies"));
    if file.is_none() {
        client::record(&run.bodies, &path)?;
    }
    Ok(file.insert(path))
}

fn one(
    scene: &Scene,
    contender: Contender<'_>,
    length: usize,
    spans: &[(usize, usize, usize)],
) -> Result<Run> {
    let mut stops: Vec<usize> = spans.iter().flat_map(|(_, from, to)| [*from, *to]).collect();
    stops.sort_unstable();
    stops.dedup();
    let threads = Threads::default();
    let model = model::stepping(length, &stops, Some(&threads))?;
    let mut running = Running::start(contender, scene, model.base_url())?;
    threads.watch(running.pid());
    let mut clock = Vec::new();
    for stop in stops {
        model::wait_for(&model, stop, &mut running)?;
        clock.push((stop, running.cpu()?));
        model::go_on(&model, stop);
    }
    let ended = running.end()?;
    ensure!(model.violations().is_empty(), "{}: {:?}", contender.name(), model.violations());
    ensure!(model.progress().0 == length + 1, "{}: {:?} requests", contender.name(), model.progress());
    let at = |request: usize| clock.iter().find(|(stop, _)| *stop == request).map(|(_, cpu)| *cpu);
    let step = |from, to| at(to).unwrap_or_default().saturating_sub(at(from).unwrap_or_default());
    let steps = spans.iter().map(|(_, from, to)| step(*from, *to) / SPAN as u32).collect();
    let bodies = model.requests().into_iter().map(|request| request.body).collect();
    Ok(Run { ended, steps, threads: threads.most(), bodies })
}

fn report(
    length: usize,
    spans: &[(usize, usize, usize)],
    measured: &[Runs; 2],
    clients: &[Runs; 2],
    table: &mut Table,
) {
    let [harness, spine] = measured;
    table.heading(&format!("a run of {length} steps"));
    table.pair("  CPU a step, start included", Unit::Time, &harness.cpu, &spine.cpu, None);
    table.pair("  … of a client posting the same bodies", Unit::Time, &clients[0].cpu, &clients[1].cpu, None);
    let bound = (length == 200).then_some(3.0);
    table.pair("  peak memory", Unit::Memory, &harness.memory, &spine.memory, bound);
    table.pair("  threads", Unit::Count, &harness.threads, &spine.threads, None);
    for (at, (step, ..)) in spans.iter().enumerate() {
        let [ours, theirs] = [&harness.steps[at], &spine.steps[at]];
        let [posting, posting_theirs] = [&clients[0].steps[at], &clients[1].steps[at]];
        table.pair(&format!("  CPU of step {step}"), Unit::Time, ours, theirs, None);
        table.pair("  … of a client posting the same bodies", Unit::Time, posting, posting_theirs, None);
        let (ours, theirs) = (ours.beyond(posting), theirs.beyond(posting_theirs));
        table.pair(&format!("  overhead of step {step}"), Unit::Time, &ours, &theirs, Some(2.0));
    }
}
