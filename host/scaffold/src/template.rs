//! A template, and how a crate is made of it.
use crate::{Problem, around::around, manifest, name};
use std::{
    env::consts::{DLL_PREFIX, DLL_SUFFIX},
    fs::{self, OpenOptions},
    io::{ErrorKind, Write as _},
    path::{Path, PathBuf},
};

/// What a crate has of the workspace around it: the settings that its lints count on, and how its text is laid out.
const SETTINGS: [(&str, &str); 2] = [
    ("clippy.toml", include_str!("../../../clippy.toml")),
    ("rustfmt.toml", include_str!("../../../rustfmt.toml")),
];

/// A crate as text.
#[derive(Clone, Copy, Debug)]
pub struct Template {
    /// The name of its package, which stands for the new one wherever it is written, with dashes or with underscores.
    pub name: &'static str,
    /// Its files: the path from the crate's folder on, with `/`, and the text.
    pub files: &'static [(&'static str, &'static str)],
}

/// Embeds a crate as a [`Template`]: its package's name, its folder from the file this is written in, and its files.
///
/// ```text
/// const LLM: Template = template!("template-llm" in "../templates/llm": "Cargo.toml", "src/lib.rs");
/// ```
#[macro_export]
macro_rules! template {
    ($name:literal in $folder:literal: $($path:literal),+ $(,)?) => {
        $crate::Template {
            name: $name,
            files: &[$(($path, include_str!(concat!($folder, "/", $path)))),+],
        }
    };
}

/// What the new crate is part of.
#[derive(Clone, Debug, PartialEq)]
pub enum Place {
    /// The workspace of the harness: what the manifest inherits stays inherited, and the library is beside the program.
    Workspace,
    /// Nothing of ours: the manifest says all itself, and the library is in the crate's own target folder.
    Alone {
        /// The folder that holds `plugin-api/sdk`, as [`crate::sdk`] finds it.
        sdk: PathBuf,
    },
}

/// A file of the new crate.
#[derive(Clone, Debug, PartialEq)]
pub struct Written {
    /// Where it is.
    pub path: PathBuf,
    /// It was there already, and is as it was.
    pub existed: bool,
}

impl Template {
    /// Writes the crate into `folder`, which is made if need be, and returns its files in the order of the template. A file that is there
    /// is left as it is, whatever it holds.
    ///
    /// # Errors
    /// `INVALID_NAME`, `NAME_TAKEN`; `NOT_IN_SDK`; `FILE_FAILED`, after which some of the files may be there.
    pub fn write(&self, folder: &Path, new_name: &str, place: &Place) -> Result<Vec<Written>, Problem> {
        name::check(new_name)?;
        let files = self.files(folder, new_name, place)?;
        files.into_iter().map(|(path, text)| write(folder.join(path), &text)).collect()
    }

    fn files(
        &self,
        folder: &Path,
        new_name: &str,
        place: &Place,
    ) -> Result<Vec<(&'static str, String)>, Problem> {
        let mut files = Vec::new();
        for (path, text) in self.files {
            let text = self.renamed(text, new_name, place);
            match (*path, place) {
                // Of a member, the workspace's own file speaks.
                (".gitignore", Place::Workspace) => {}
                ("Cargo.toml", Place::Alone { sdk }) => {
                    let text = manifest::alone(&text, sdk)?;
                    let is_strange = around(folder)?.is_some_and(|root| !root.has_member(folder));
                    files.push((*path, if is_strange { manifest::as_root(&text) } else { text }));
                }
                _ => files.push((*path, text)),
            }
        }
        if matches!(place, Place::Alone { .. }) {
            files.extend(SETTINGS.map(|(path, text)| (path, text.to_owned())));
        }
        Ok(files)
    }

    fn renamed(&self, text: &str, new_name: &str, place: &Place) -> String {
        let snake = |name: &str| name.replace('-', "_");
        let renamed = text.replace(self.name, new_name).replace(&snake(self.name), &snake(new_name));
        // Templates write Linux's name of a library.
        let library = format!("lib{}.so", snake(new_name));
        match place {
            Place::Workspace => renamed.replace(&format!("./target/debug/{library}"), new_name),
            Place::Alone { .. } => {
                renamed.replace(&library, &format!("{DLL_PREFIX}{}{DLL_SUFFIX}", snake(new_name)))
            }
        }
    }
}

fn write(path: PathBuf, text: &str) -> Result<Written, Problem> {
    let failed = |error| Problem::file(&path, &error);
    fs::create_dir_all(path.parent().unwrap_or(Path::new(""))).map_err(failed)?;
    match OpenOptions::new().write(true).create_new(true).open(&path) {
        Ok(mut file) => {
            file.write_all(text.as_bytes()).map_err(failed)?;
            Ok(Written { path, existed: false })
        }
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(Written { path, existed: true }),
        Err(error) => Err(failed(error)),
    }
}
