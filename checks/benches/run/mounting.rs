//! What each row of a start costs: its library found and read, its types compared, mapped and started, its instance made.
//!
//! The host's loader in a process of its own for each reading, since a library is mapped once.

use std::collections::BTreeMap;
use std::future::Future as _;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::process::Command;
use std::task::{Context as Wake, Poll, Waker};
use std::time::Instant;

use anyhow::{Context as _, Result, anyhow, bail, ensure};
use loader::{Opened, Verdicts, Wanted};
use plugin_api::abi_stable::std_types::{RErr, ROption, RSome, RStr, RString};
use plugin_api::{
    CallCx, Create, FfiFuture, FfiStream, Host, RBatch, RError, RHost, RPayload, RResultE, RService, Service,
};
use rows::{Environment, Problem, Resolved};
use serde::{Deserialize, Serialize};

use crate::scene::Scene;
use crate::table::{Samples, Table, Unit};

/// The first argument that makes this program mount the default rows and tell the times.
pub(crate) const WORD: &str = "--mount";

/// The times of one row, in microseconds.
#[derive(Serialize, Deserialize)]
struct Row {
    id: String,
    find: f64,
    open: f64,
    create: f64,
}

#[derive(Default)]
struct Times {
    find: Samples,
    open: Samples,
    create: Samples,
}

pub(crate) fn measure(scene: &Scene, runs: usize, table: &mut Table) -> Result<()> {
    let forms = [("bundle", scene.bundle()), ("single files", Some(scene.singles()))];
    for (name, folder) in forms {
        let Some(folder) = folder else { continue };
        // By row: for the first time, and once everything is known.
        let mut rows: Vec<(String, Times, Times)> = Vec::new();
        for run in 0..=runs {
            let cache = tempfile::tempdir()?;
            let first = mount(scene, &folder, cache.path())?;
            let again = mount(scene, &folder, cache.path())?;
            // The first run finds the files on disk.
            if run == 0 {
                rows.extend(first.into_iter().map(|row| (row.id, Times::default(), Times::default())));
                continue;
            }
            for ((_, times, times_again), (first, again)) in rows.iter_mut().zip(first.into_iter().zip(again))
            {
                times.add(&first);
                times_again.add(&again);
            }
        }
        table.heading(&format!("{name}, by row: first time, and once known"));
        for (id, first, again) in &rows {
            let compared = first.open.beyond(&again.open);
            let figures = [
                ("read", &first.find),
                ("compare", &compared),
                ("find", &again.find),
                ("map", &again.open),
                ("create", &again.create),
            ];
            table.line(&format!("  {id}"), Unit::Time, &figures);
        }
    }
    Ok(())
}

impl Times {
    fn add(&mut self, row: &Row) {
        self.find.push(row.find);
        self.open.push(row.open);
        self.create.push(row.create);
    }
}

/// Mounts in a fresh process, with what the folder `cache` remembers.
fn mount(scene: &Scene, folder: &Path, cache: &Path) -> Result<Vec<Row>> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg(WORD).arg(folder).current_dir(scene.root()).env_clear().env("XDG_CACHE_HOME", cache);
    let output = command.env("LLM_API_KEY", "sk-bench-4f9c1e7a2b8d4e6f").output()?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// `<folder of libraries>`, in the folder of `harness.yml`.
pub(crate) fn run(arguments: Vec<String>) -> Result<()> {
    let [folder] = arguments.as_slice() else { bail!("expected a folder of libraries") };
    let said = |problem: Problem| anyhow!("{} ({})", problem.message, problem.code);
    let environment = Environment::snapshot(Path::new(""), Vec::new()).map_err(said)?;
    let raw = rows::read(Path::new("harness.yml")).map_err(said)?;
    let Resolved { rows, .. } = rows::resolve(raw, &environment).map_err(said)?;
    let variables =
        BTreeMap::from([("XDG_CACHE_HOME", std::env::var_os("XDG_CACHE_HOME").unwrap_or_default())]);
    let mut verdicts = Verdicts::load(|name| variables.get(name)?.clone().into_string().ok());
    let (mut opened, trace) = (Opened::default(), loader::sink(tracing::Dispatch::none()));
    let (folders, mut times) = ([PathBuf::from(folder)], Vec::new());
    for mut row in rows {
        let begun = Instant::now();
        let wanted =
            Wanted { name: &row.name, version: row.version.as_ref(), library: row.library.as_deref() };
        let library =
            loader::find(&wanted, &folders, &mut verdicts).map_err(|refusal| anyhow!("{}", refusal.what))?;
        rows::complete(&mut row, &library.manifest.config).map_err(said)?;
        let found = begun.elapsed();
        let module =
            opened.open(&library, &trace, &mut verdicts).map_err(|refusal| anyhow!("{}", refusal.what))?;
        let mapped = begun.elapsed();
        let create = Create {
            host: RHost::new(Nobody),
            row_id: row.id.as_str().into(),
            config: row.config.to_string().into(),
            handover: RPayload::default(),
            ext: RString::new(),
        };
        let creating = pin!((module.create())(library.manifest.name.as_str().into(), create));
        let Poll::Ready(created) = creating.poll(&mut Wake::from_waker(Waker::noop())) else {
            bail!("row `{}` is not made at once", row.id);
        };
        let made = begun.elapsed();
        let instance = created.into_result().with_context(|| row.id.clone())?;
        // The process ends with it.
        std::mem::forget(instance);
        let [find, open, create] =
            [found, mapped - found, made - mapped].map(|time| time.as_secs_f64() * 1e6);
        times.push(Row { id: row.id, find, open, create });
    }
    verdicts.save();
    serde_json::to_writer(std::io::stdout(), &times)?;
    Ok(())
}

/// A host whose every service is there and answers nothing: `create` calls none.
struct Nobody;

impl Host for Nobody {
    fn service(&self, _: RStr<'_>) -> ROption<RService> {
        RSome(RService::new(Nobody))
    }
    fn below(&self, _: RStr<'_>) -> ROption<RService> {
        RSome(RService::new(Nobody))
    }
    fn redact(&self, payload: RPayload) -> RPayload {
        payload
    }
}

impl Service for Nobody {
    fn describe(&self) -> RString {
        RString::new()
    }
    fn call(&self, _: RStr<'_>, _: RPayload, _: CallCx) -> FfiFuture<RResultE<RPayload>> {
        FfiFuture::ready(RErr(RError::new("NOBODY", "nobody is there")))
    }
    fn open(&self, _: RStr<'_>, _: RPayload, _: CallCx) -> FfiStream<RResultE<RBatch>> {
        FfiStream::once(RErr(RError::new("NOBODY", "nobody is there")))
    }
}
