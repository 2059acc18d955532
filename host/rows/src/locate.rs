//! Files as they were read, and where in them a value stands: looked up for an error or for `harness rows` only.
//!
//! A path inside a file or a row is a JSON pointer: `/0/config/model`.
//! `read_text(path, bytes_max) -> Result<String, (io::ErrorKind, String)>`, kind and words; `Source::read(path)`;
//! `Place::new(&source)`, `.child(step)`, `.join(pointer)`, `.folder()`, `.line()`, and `Display`: `harness.yml:12`;
//! `escaped(key)` makes a step of a key, `dotted(pointer)` is `config.headers.x.0` for people.

use std::{
    fmt,
    fs::{self, File},
    io::{self, ErrorKind, Read},
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

use crate::{
    lines::Lines,
    problem::{Problem, problem},
};

/// Rows never need more, long texts have `!file`; ten times as much costs the parser 600 MB and half a minute.
const FILE_BYTES_MAX: u64 = 1 << 20;

/// One file; places share it.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) path: PathBuf,
    pub(crate) text: String,
    lines: OnceLock<Lines>,
}

impl Source {
    pub(crate) fn read(path: &Path) -> Result<Arc<Source>, Problem> {
        let (file, text) = (path.display(), read_text(path, FILE_BYTES_MAX));
        let text = text.map_err(
            |(_, why)| problem!(FILE_UNREADABLE: "{file}: {why}"; "name a YAML file that exists, in UTF-8"),
        )?;
        Ok(Arc::new(Source { path: path.to_owned(), text, lines: OnceLock::new() }))
    }
}

/// A whole text file without its byte order mark; one that is too large is refused before it is read.
pub(crate) fn read_text(path: &Path, bytes_max: u64) -> Result<String, (ErrorKind, String)> {
    let mut text = String::new();
    let why = match read_into(&mut text, path, bytes_max).map_err(|error| (error.kind(), error)) {
        Ok(()) => return Ok(text.trim_start_matches('\u{feff}').to_owned()),
        Err((kind @ ErrorKind::NotFound, _)) => match fs::read_link(path) {
            Ok(target) => (kind, format!("it links to `{}`, which is not there", target.display())),
            Err(_) => (kind, "there is no such file".into()),
        },
        Err((kind @ ErrorKind::IsADirectory, _)) => (kind, "this is a directory, not a file".into()),
        Err((kind @ ErrorKind::PermissionDenied, _)) => (kind, "this user may not read it".into()),
        Err((kind @ ErrorKind::InvalidData, _)) => (kind, "the file is not UTF-8 text".into()),
        Err((kind @ ErrorKind::FileTooLarge, _)) => {
            (kind, format!("the file is larger than {} MB", bytes_max >> 20))
        }
        Err((kind, error)) => (kind, error.to_string()),
    };
    Err(why)
}

fn read_into(text: &mut String, path: &Path, bytes_max: u64) -> io::Result<()> {
    // Looked at before it is opened: to open a pipe that nobody writes to waits for ever.
    let meta = fs::metadata(path)?;
    if meta.is_dir() {
        return Err(ErrorKind::IsADirectory.into());
    }
    if !meta.is_file() {
        return Err(io::Error::other("this is a pipe or a device, not a file"));
    }
    if meta.len() > bytes_max {
        return Err(ErrorKind::FileTooLarge.into());
    }
    File::open(path)?.take(bytes_max).read_to_string(text).map(drop)
}

/// A value's file and its pointer from the top of that file.
#[derive(Debug, Clone)]
pub struct Place {
    source: Arc<Source>,
    pointer: String,
}

impl Place {
    pub(crate) fn new(source: &Arc<Source>) -> Place {
        Place { source: Arc::clone(source), pointer: String::new() }
    }

    pub(crate) fn child(&self, step: impl ToString) -> Place {
        self.join(&format!("/{}", escaped(&step.to_string())))
    }

    pub(crate) fn join(&self, pointer: &str) -> Place {
        Place { source: Arc::clone(&self.source), pointer: format!("{}{pointer}", self.pointer) }
    }

    /// The file, as it was named.
    pub fn file(&self) -> std::path::Display<'_> {
        self.source.path.display()
    }

    /// The folder that paths written here are relative to.
    pub(crate) fn folder(&self) -> &Path {
        self.source.path.parent().unwrap_or(Path::new(""))
    }

    /// File and line; the first look-up in a file finds out all of its lines.
    pub(crate) fn line(&self) -> (&Path, usize) {
        let Source { path, text, lines } = &*self.source;
        (path, lines.get_or_init(|| Lines::of(text)).line(text, &self.pointer))
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (file, line) = self.line();
        write!(f, "{}:{line}", file.display())
    }
}

/// A step of a JSON pointer (RFC 6901) made of a key.
pub fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

pub(crate) fn dotted(pointer: &str) -> String {
    pointer.trim_start_matches('/').replace('/', ".").replace("~1", "/").replace("~0", "~")
}
