//! The workspace that a new crate would be taken for a part of.
use crate::Problem;
use std::{
    fs,
    path::{Path, PathBuf},
};
use toml_edit::{DocumentMut, Item};

/// A workspace that somebody has around a folder.
pub(crate) struct Around {
    root: PathBuf,
    members: Vec<String>,
}

/// The nearest one, as cargo looks for it.
pub(crate) fn around(folder: &Path) -> Result<Option<Around>, Problem> {
    let folder = std::path::absolute(folder).map_err(|error| Problem::file(folder, &error))?;
    for above in folder.ancestors().skip(1) {
        let manifest = fs::read_to_string(above.join("Cargo.toml")).ok();
        let manifest = manifest.and_then(|text| text.parse::<DocumentMut>().ok());
        let Some(workspace) = manifest.as_ref().and_then(|manifest| manifest.get("workspace")) else {
            continue;
        };
        let members = workspace.get("members").and_then(Item::as_array);
        let members =
            members.into_iter().flatten().filter_map(|member| member.as_str()).map(str::to_owned).collect();
        return Ok(Some(Around { root: above.to_owned(), members }));
    }
    Ok(None)
}

impl Around {
    /// Whether its list has the folder; `*` stands for one part of a path.
    pub(crate) fn has_member(&self, folder: &Path) -> bool {
        let folder = std::path::absolute(folder).unwrap_or_default();
        let Ok(inside) = folder.strip_prefix(&self.root) else { return false };
        let parts: Vec<_> = inside.iter().map(|part| part.to_string_lossy()).collect();
        let fits = |pattern: &String| {
            let pattern = pattern.trim_start_matches("./").trim_end_matches('/');
            let pattern: Vec<&str> = pattern.split('/').collect();
            pattern.len() == parts.len() && pattern.iter().zip(&parts).all(|(p, part)| *p == "*" || p == part)
        };
        self.members.iter().any(fits)
    }
}
