//! What was made, and how to go on: commands and rows that can be pasted as they are.
use scaffold::{Offer, Place, Problem, Written};
use std::{
    env::{self, consts::EXE_SUFFIX},
    fs,
    path::{Path, PathBuf},
};

/// The patch of each template: the row that a plugin is mounted by.
const PATCH: &str = "try.patch.yml";

/// A plugin that was made.
pub(crate) struct Guide<'a> {
    pub(crate) name: &'a str,
    pub(crate) folder: &'a Path,
    pub(crate) place: &'a Place,
    pub(crate) offer: &'a Offer,
    pub(crate) files: &'a [Written],
}

impl Guide<'_> {
    /// # Errors
    /// The patch that was made cannot be read.
    pub(crate) fn text(&self) -> Result<String, Problem> {
        let Offer { service, role, .. } = self.offer;
        let path = self.folder.join(PATCH);
        let patch = fs::read_to_string(&path).map_err(|error| Problem::file(&path, &error))?;
        let (harness, shown) = (self.harness(), quoted(&path));
        let manifest = match self.place {
            Place::Workspace => format!("--package {}", self.name),
            Place::Alone { .. } => format!("--manifest-path {}", quoted(&self.folder.join("Cargo.toml"))),
        };
        let mut text = format!("made {}, which {role}s {service}:\n", self.name);
        for file in self.files {
            text += &format!("  {}\n", file.path.display());
        }
        text += "\nbuild it, and run its tests:\n";
        text += &format!("  cargo build {manifest}\n  cargo test {manifest}\n");
        text += "\nmount it for one command, see its row, and check it:\n";
        text += &format!("  {harness} rows --patch {shown}\n  {harness} check 01 --patch {shown}\n");
        if *role != "provide" || *service == "turn-policy" {
            text += "(no criterion judges it by itself: these show that all else still works with it, its own tests say the rest)\n";
        }
        text += match *role {
            "provide" if !patch.contains("- insert:") => {
                "\nto keep it, put this row into harness.yml in the place of the one with its id:\n"
            }
            _ => "\nto keep it, add this row to harness.yml:\n",
        };
        text += &self.row(&patch);
        Ok(text)
    }

    /// The program beside this one, as it can be called from here.
    fn harness(&self) -> String {
        if *self.place == Place::Workspace {
            return "cargo harness".to_owned();
        }
        let program = env::current_exe().unwrap_or_default().with_file_name(format!("harness{EXE_SUFFIX}"));
        let here = env::current_dir().unwrap_or_default();
        match program.strip_prefix(&here) {
            Ok(inside) => quoted(&Path::new(".").join(inside)),
            Err(_) => quoted(&program),
        }
    }

    /// The row of the patch, as it stands in a `harness.yml` of the current folder, or of another where there is none here.
    fn row(&self, patch: &str) -> String {
        let is_here = env::current_dir().is_ok_and(|here| here.join("harness.yml").is_file());
        let relative = self.folder.is_relative() && is_here;
        let folder = if relative { Path::new(".").join(self.folder) } else { absolute(self.folder) };
        let path = |line: &str| line.replace("./target/", &format!("{}/target/", folder.display()));
        let is_row = |line: &&str| !line.starts_with('#') && *line != "- insert:";
        let indent = if patch.contains("- insert:") { 4 } else { 0 };
        patch.lines().filter(is_row).map(|line| path(line.get(indent..).unwrap_or(line)) + "\n").collect()
    }
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or(path.to_owned())
}

/// As a shell takes it.
fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+@%,:".contains(c);
    if text.chars().all(is_plain) { text } else { format!("'{}'", text.replace('\'', r"'\''")) }
}
