//! Rows mounted in this process, by the host's own stages: from YAML to slots.

use std::path::Path;
use std::time::Duration;

use contracts::{Cx, Error, Raw, Result};
use loader::{Opened, Verdicts};
use plugin_api::Token;
use rows::{Environment, Problem};
use secrets::{Redactor, Secrets};
use std::sync::Arc;

use crate::mount::{self, Means, Mounted};
use crate::plan;

/// Longer than any call here takes.
const STUCK_AFTER: Duration = Duration::from_secs(60);
/// The value of the secret `BENCH_KEY`: with one to look for, results are masked as in every real run.
const KEY: &str = "sk-bench-4f9c1e7a2b8d4e6f";

fn said(problem: Problem) -> Error {
    Error::new(problem.code, problem.message).hint(problem.hint)
}

/// Mounts rows; libraries are looked for in one folder and nothing is remembered of them.
pub(crate) async fn rows(yaml: &str, libraries: &Path) -> Result<Mounted> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("harness.yml");
    std::fs::write(&file, yaml)?;
    let flags = vec![("BENCH_KEY".to_owned(), KEY.to_owned())];
    let environment = Environment::new(folder.path(), flags, std::iter::empty()).map_err(said)?;
    let resolved = rows::resolve(rows::read(&file).map_err(said)?, &environment).map_err(said)?;
    let mut verdicts = Verdicts::load(|_| None);
    let planned = plan::plan(resolved.rows, &[libraries.to_owned()], &mut verdicts).map_err(said)?;
    let mut means = Means {
        opened: Opened::default(),
        verdicts,
        trace: loader::sink(tracing::Dispatch::none()),
        watch: watch::Watch::new(STUCK_AFTER),
        cancel: Token::root(),
        redactor: Arc::new(Redactor::new(Secrets::new(&resolved.secrets))),
    };
    mount::all(&planned, &mut means).await.map_err(said)
}

/// A client of a slot, as the host hands it to a consumer.
pub(crate) fn client(mounted: &Mounted, slot: &str) -> Raw {
    mounted.slots.handle(slot).into()
}

/// The context of a call.
pub(crate) fn cx() -> Cx {
    plugin_sdk::testing::cx().0
}
