//! The variables that `!env` and `!secret` see, collected once: the host's flags, the environment, `.env`.
//!
//! `Environment::snapshot(folder: &Path, flags: Vec<(String, String)>) -> Result<Environment, Problem>`;
//! `.get(name) -> Result<Option<(&str value, &str layer)>, Problem>`, flags before the environment before `.env`.
//!
//! `.env` holds `KEY=VALUE` lines, `export KEY=VALUE` and `#` comments. Double quotes know the escapes of JSON, single
//! quotes none; `$NAME` is not expanded, a value ends on its line, the last line for a key counts. It never overrides
//! the process environment and is never put into it.

use std::{collections::BTreeMap, ffi::OsStr, ffi::OsString, io::ErrorKind, path::Path};

use crate::{
    locate::read_text,
    problem::{Problem, problem},
};

const DOTENV_BYTES_MAX: u64 = 1 << 20;

/// A snapshot of all variables, each with its layer: `flag`, `env` or `.env`.
#[derive(Debug)]
pub struct Environment {
    values: BTreeMap<OsString, (OsString, &'static str)>,
}

impl Environment {
    /// The variables of this run: `flags` are the host's own, as `HARNESS_*` names, `folder` is where `.env` may be.
    pub fn snapshot(folder: &Path, flags: Vec<(String, String)>) -> Result<Environment, Problem> {
        Environment::new(folder, flags, std::env::vars_os())
    }

    /// The same, for a process environment that is given.
    pub fn new(
        folder: &Path,
        flags: Vec<(String, String)>,
        process: impl Iterator<Item = (OsString, OsString)>,
    ) -> Result<Environment, Problem> {
        let (path, mut values) = (folder.join(".env"), BTreeMap::new());
        let file = path.display();
        let text = match read_text(&path, DOTENV_BYTES_MAX) {
            Ok(text) => text,
            Err((ErrorKind::NotFound, _)) => String::new(),
            Err((_, why)) => {
                return Err(problem!(FILE_UNREADABLE: "{file}: {why}"; "make it a text file, or remove it"));
            }
        };
        for (line, text) in (1..).zip(text.lines().map(str::trim)) {
            if !text.is_empty() && !text.starts_with('#') {
                // The value may be a secret, so an error shows nothing of the line.
                let (name, value) = assignment(text)
                    .map_err(|(what, hint)| problem!(DOTENV_INVALID: "{file}:{line}: {what}"; "{hint}"))?;
                values.insert(name.into(), (value.into(), ".env"));
            }
        }
        values.extend(process.map(|(name, value)| (name, (value, "env"))));
        values.extend(flags.into_iter().map(|(name, value)| (name.into(), (value.into(), "flag"))));
        Ok(Environment { values })
    }

    /// A variable's value and layer.
    pub fn get(&self, name: &str) -> Result<Option<(&str, &'static str)>, Problem> {
        let Some((value, layer)) = self.values.get(OsStr::new(name)) else { return Ok(None) };
        let value = value
            .to_str()
            .ok_or_else(|| problem!(VARIABLE_INVALID: "{name} is not UTF-8"; "set {name} to text"))?;
        Ok(Some((value, layer)))
    }
}

/// A name that a shell can set.
pub(crate) fn is_variable(name: &str) -> bool {
    let word = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    word && !name.is_empty() && !name.starts_with(|c: char| c.is_ascii_digit())
}

/// Name and value of one line, or what is wrong with it and what to do.
fn assignment(line: &str) -> Result<(&str, String), (&'static str, &'static str)> {
    let line = line.strip_prefix("export").filter(|rest| rest.starts_with([' ', '\t'])).unwrap_or(line);
    let (name, value) = line.split_once('=').ok_or(("the line has no `=`", "write it as KEY=VALUE"))?;
    if !is_variable(name.trim()) {
        return Err(("what stands before `=` is no variable's name", "use letters, digits and `_` only"));
    }
    let (quoted, unclosed) =
        (value.trim_start(), ("the quotes are not closed, or hold an unknown escape", "use single quotes"));
    let (value, after) = if let Some(literal) = quoted.strip_prefix('\'') {
        literal.split_once('\'').map(|(value, after)| (value.to_owned(), after)).ok_or(unclosed)?
    } else if quoted.starts_with('"') {
        let mut strings = serde_json::Deserializer::from_str(quoted).into_iter::<String>();
        let value = strings.next().and_then(Result::ok).ok_or(unclosed)?;
        (value, &quoted[strings.byte_offset()..])
    } else {
        let comment = [" #", "\t#"].iter().filter_map(|mark| value.find(mark)).min();
        (value[..comment.unwrap_or(value.len())].trim().to_owned(), "")
    };
    match after.trim_start().chars().next() {
        None | Some('#') => Ok((name.trim(), value)),
        Some(_) => {
            Err(("there is text after the closing quote", "put the whole value into one pair of quotes"))
        }
    }
}
