//! What it costs to reach a service: through the host's slots and a real library, beside the same code called directly.
//!
//! `cargo bench --bench abi`; README.md beside this folder says what each line means.
mod history;
mod memo;
mod reach;
mod timing;

// The host's own stages, from its files: what is measured is what runs, and they are no library.
#[expect(dead_code, reason = "the stages that this leaves out use the rest")]
#[path = "../../../host/src"]
mod host {
    pub(crate) mod mount;
    pub(crate) mod plan;
}
mod mounted;
// The code behind the service, called directly as the baseline.
#[path = "../../planted/src/echo/work.rs"]
mod work;
#[path = "../run/table.rs"]
#[expect(dead_code, reason = "the other bench uses the rest")]
mod table;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use contracts::{Error, Result};
use host::{mount, plan};
use table::Table;
use timing::Effort;

const USAGE: &str = "cargo bench --bench abi [-- [--quick] [--binaries DIR]]";

fn main() -> ExitCode {
    match measure() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            table::complain(&format!("{error} ({})", error.code));
            ExitCode::FAILURE
        }
    }
}

fn measure() -> Result<()> {
    let mut effort = Effort { rounds: 25, time: Duration::from_millis(10) };
    let mut binaries: Option<PathBuf> = None;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            // What cargo adds.
            "--bench" => {}
            "--quick" => effort = Effort { rounds: 5, time: Duration::from_millis(2) },
            "--binaries" => binaries = arguments.next().map(PathBuf::from),
            _ => return Err(Error::new("BAD_FLAGS", format!("unknown argument `{argument}`: {USAGE}"))),
        }
    }
    let binaries = binaries.unwrap_or_else(|| checks::workspace::built().to_owned());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut table = Table::new("mounted", "directly");
    runtime.block_on(async {
        reach::measure(&binaries, effort, &mut table).await?;
        history::measure(&binaries, effort, &mut table).await?;
        memo::measure(effort, &mut table).await
    })?;
    table.end();
    Ok(())
}
