//! Skips that a swap declares: which check its plugin is known to miss, and why.
use super::{Criterion, Kind, Module};
use checks::failure::Failure;
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// What stands beside a patch, in `NAME.skips.yml` beside `NAME.patch.yml`: a list of
/// `{criterion: L1.7, check: base-url, reason: one sentence}`.
#[derive(Debug, Default)]
pub(crate) struct Declared(Vec<(Skip, String)>);

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Skip {
    criterion: String,
    check: String,
    reason: String,
}

impl Declared {
    /// Why a check is expected to miss, and the file that says so.
    pub(crate) fn reason(&self, criterion: &str, check: &str) -> Option<(&str, &str)> {
        let found = self.0.iter().find(|(skip, _)| skip.criterion == criterion && skip.check == check);
        found.map(|(skip, file)| (skip.reason.as_str(), file.as_str()))
    }
}

/// The skips of all patches.
///
/// # Errors
/// `BAD_SKIPS` when a file is no such list, or names what the module does not have.
pub(crate) fn read(module: &Module, patches: &[PathBuf]) -> Result<Declared, Failure> {
    let mut declared = Vec::new();
    for file in patches.iter().map(|patch| beside(patch)).filter(|file| file.is_file()) {
        let shown = file.display().to_string();
        let bad = |what: String| {
            Failure::new(
                "BAD_SKIPS",
                format!("{shown}: {what}"),
                "write entries of criterion, check and reason",
            )
        };
        let text = std::fs::read_to_string(&file).map_err(|error| bad(error.to_string()))?;
        let skips: Vec<Skip> = serde_yaml::from_str(&text).map_err(|error| bad(error.to_string()))?;
        for skip in skips {
            if skip.reason.trim().is_empty() {
                return Err(bad(format!("the skip of {} `{}` has no reason", skip.criterion, skip.check)));
            }
            if !module.criteria.iter().any(|criterion| has(criterion, &skip)) {
                return Err(bad(format!("{} has no check `{}`", skip.criterion, skip.check)));
            }
            declared.push((skip, shown.clone()));
        }
    }
    Ok(Declared(declared))
}

fn has(criterion: &Criterion, skip: &Skip) -> bool {
    let checks = match criterion.kind {
        Kind::Checked(checks) | Kind::Live(checks) => checks,
        Kind::Manual => &[],
    };
    criterion.id == skip.criterion && checks.iter().any(|check| check.name == skip.check)
}

/// `swaps/x.skips.yml` of `swaps/x.patch.yml`.
fn beside(patch: &Path) -> PathBuf {
    let name = patch.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let stem = name.strip_suffix(".yml").unwrap_or(&name);
    patch.with_file_name(format!("{}.skips.yml", stem.strip_suffix(".patch").unwrap_or(stem)))
}
