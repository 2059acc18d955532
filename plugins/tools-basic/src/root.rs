//! The one way from a path of the model's to something on disk: the root folder, and nothing that leads out of it.
//!
//! A path is walked one name at a time, each looked up in the folder that is already open and never followed if it is a link;
//! links are read and walked here, from where they stand. So there is no moment between a check and its use: what was found
//! is the open folder and a name in it, and whoever swaps a folder for a link meanwhile only makes the walk see the link.
//! Linux's `openat2` with `RESOLVE_BENEATH` does the same in one call, but it refuses links that are absolute and point inside,
//! says the same for them as for an escape, and is missing elsewhere; one way that works everywhere is easier to trust.

use std::{
    ffi::{OsStr, OsString},
    fs::File,
    io,
    os::fd::{AsFd, OwnedFd},
    path::{Component, Path, PathBuf},
};

use contracts::tools::code::INVALID_ARGS;
use nix::{
    errno::Errno,
    fcntl::{AtFlags, OFlag, open, openat, readlinkat},
    sys::stat::{FileStat, Mode, SFlag, fstat, fstatat, stat},
};
use plugin_sdk::contracts;

use crate::failure::{Failure, shown};

/// Links followed in one path before it counts as a circle; Linux takes as many.
const LINKS_MAX: usize = 40;

/// The longest path Linux takes.
const PATH_BYTES_MAX: usize = 4096;

/// Words that a shell would replace and a path keeps: a file of that name is never what was meant.
const SHELL_WORDS: [&str; 5] = ["~", "$HOME", "${HOME}", "$PWD", "${PWD}"];

/// A folder opened only to look names up in it.
#[cfg(target_os = "linux")]
const FOLDER: OFlag =
    OFlag::O_PATH.union(OFlag::O_DIRECTORY).union(OFlag::O_CLOEXEC).union(OFlag::O_NOFOLLOW);
#[cfg(not(target_os = "linux"))]
const FOLDER: OFlag = OFlag::O_DIRECTORY.union(OFlag::O_CLOEXEC).union(OFlag::O_NOFOLLOW);

/// The folder that file tools cannot leave.
#[derive(Debug)]
pub(crate) struct Root {
    /// Without links.
    path: PathBuf,
}

/// Where a path leads once every link has been followed.
pub(crate) struct Place {
    /// An open folder inside the root.
    pub(crate) folder: OwnedFd,
    /// Names of folders between that one and the last name that do not exist; empty if `stat` is there.
    pub(crate) missing: Vec<OsString>,
    /// The last name, not a link.
    pub(crate) name: OsString,
    /// What bears that name, if anything does.
    pub(crate) stat: Option<FileStat>,
    /// The folder's path below the root.
    pub(crate) below: PathBuf,
}

impl Root {
    /// # Errors
    /// When `path` is not a folder that can be opened.
    pub(crate) fn new(path: &Path) -> io::Result<Self> {
        let root = Self { path: path.canonicalize()? };
        root.open()?;
        Ok(root)
    }

    /// The root itself, without links.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Follows `path`, relative to the root or absolute, to the place it names.
    pub(crate) fn find(&self, path: &str) -> Result<Place, Failure> {
        let steps = self.steps(path)?;
        let top = self.open().map_err(|e| Failure::system(".", e))?;
        let mut walk = Walk { root: self, here: top, names: Vec::new(), todo: Vec::new(), links: 0 };
        walk.push(&steps);
        walk.run(path)
    }

    /// Opens the regular file that `path` leads to. A pipe or device is refused before it is opened, and what has taken a
    /// file's place in between is opened without waiting and refused then.
    pub(crate) fn open_file(&self, path: &str) -> Result<(File, FileStat), Failure> {
        let place = self.find(path)?;
        place.regular_file(path)?.ok_or_else(|| Failure::system(path, Errno::ENOENT))?;
        let flags =
            OFlag::O_RDONLY | OFlag::O_NONBLOCK | OFlag::O_NOCTTY | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
        let file = openat(&place.folder, place.name.as_os_str(), flags, Mode::empty());
        let file = file.map_err(|e| Failure::system(path, e))?;
        let stat = fstat(&file).map_err(|e| Failure::system(path, e))?;
        match kind(&stat) {
            SFlag::S_IFREG => Ok((file.into(), stat)),
            other => Err(Failure::not_a_file(path, kind_name(other))),
        }
    }

    fn open(&self) -> io::Result<OwnedFd> {
        // The root is opened anew each time: it may have been deleted and made again.
        Ok(open(&self.path, FOLDER, Mode::empty())?)
    }

    /// The names that `path` consists of, `.` and `..` resolved by their spelling.
    fn steps(&self, path: &str) -> Result<PathBuf, Failure> {
        if path.is_empty() || path.contains('\0') {
            return Err(Failure::new(
                INVALID_ARGS,
                "`path` is empty or has a NUL; a correct path is `src/main.rs`",
            ));
        }
        if self.path.as_os_str().len() + path.len() >= PATH_BYTES_MAX {
            return Err(Failure::system(path, Errno::ENAMETOOLONG));
        }
        if SHELL_WORDS.contains(&path.split('/').next().unwrap_or_default()) {
            let message = format!(
                "{} is not expanded; a correct path is relative to the working folder, such as `src/main.rs`",
                shown(path)
            );
            return Err(Failure::new(INVALID_ARGS, message));
        }
        let steps = flat(Path::new(path)).ok_or_else(Failure::outside)?;
        if !steps.is_absolute() {
            return Ok(steps);
        }
        self.inside(&steps).map(Path::to_owned).ok_or_else(Failure::outside)
    }

    /// The part of an absolute path that lies below the root, also where links lead to the root itself: a model may have seen that
    /// spelling. What comes below the root is walked like any other path.
    pub(crate) fn inside<'a>(&self, absolute: &'a Path) -> Option<&'a Path> {
        if let Ok(below) = absolute.strip_prefix(&self.path) {
            return Some(below);
        }
        let root = stat(&self.path).ok()?;
        let is_root = |folder: &&Path| {
            stat(*folder).is_ok_and(|stat| (stat.st_dev, stat.st_ino) == (root.st_dev, root.st_ino))
        };
        absolute.strip_prefix(absolute.ancestors().find(is_root)?).ok()
    }
}

impl Place {
    /// What is there if it is a regular file, none if nothing is there, a failure if it is anything else.
    pub(crate) fn regular_file(&self, path: &str) -> Result<Option<&FileStat>, Failure> {
        let names_a_folder = path.ends_with('/') || path.ends_with("/.");
        match &self.stat {
            Some(stat) if kind(stat) != SFlag::S_IFREG => {
                Err(Failure::not_a_file(path, kind_name(kind(stat))))
            }
            _ if names_a_folder => Err(Failure::not_a_file(path, "the name of a folder")),
            stat => Ok(stat.as_ref()),
        }
    }
}

struct Walk<'a> {
    root: &'a Root,
    /// The folder where the walk stands, and the names that lead there from the root: however deep, it takes one file handle.
    here: OwnedFd,
    names: Vec<OsString>,
    /// What is still to be walked, the next name last.
    todo: Vec<OsString>,
    links: usize,
}

impl Walk<'_> {
    fn push(&mut self, path: &Path) {
        let names = path.components().filter(|c| matches!(c, Component::Normal(_) | Component::ParentDir));
        self.todo.extend(names.rev().map(|c| c.as_os_str().to_owned()));
    }

    fn run(mut self, path: &str) -> Result<Place, Failure> {
        let system = |e: Errno| Failure::system(path, e);
        while let Some(name) = self.todo.pop() {
            let here = &self.here;
            if name == ".." {
                self.up(path)?;
                continue;
            }
            let stat = match fstatat(here, name.as_os_str(), AtFlags::AT_SYMLINK_NOFOLLOW) {
                Ok(stat) => stat,
                Err(Errno::ENOENT) => return self.nowhere(name, path),
                Err(e) => return Err(system(e)),
            };
            match kind(&stat) {
                SFlag::S_IFLNK => {
                    let target = readlinkat(here, name.as_os_str()).map_err(system)?;
                    self.links += 1;
                    if self.links > LINKS_MAX {
                        return Err(system(Errno::ELOOP));
                    }
                    self.follow(Path::new(&target), path)?;
                }
                SFlag::S_IFDIR if !self.todo.is_empty() => {
                    let folder = openat(here, name.as_os_str(), FOLDER, Mode::empty()).map_err(system)?;
                    self.here = folder;
                    self.names.push(name);
                }
                _ if !self.todo.is_empty() => return Err(system(Errno::ENOTDIR)),
                _ => return self.place(Vec::new(), name, Some(stat)),
            }
        }
        // The path was used up by `..` or names the root: the place is the folder itself.
        let stat = fstatat(&self.here, ".", AtFlags::empty()).map_err(system)?;
        self.place(Vec::new(), ".".into(), Some(stat))
    }

    /// Back to the folder above, by the way that led here: its `..` may lead elsewhere by now.
    fn up(&mut self, path: &str) -> Result<(), Failure> {
        self.names.pop().ok_or_else(Failure::outside)?;
        self.here = self.root.open().map_err(|e| Failure::system(path, e))?;
        for name in &self.names {
            self.here = open_folder(&self.here, name).map_err(|e| Failure::system(path, e))?;
        }
        Ok(())
    }

    fn follow(&mut self, target: &Path, path: &str) -> Result<(), Failure> {
        if target.is_absolute() {
            let inside = flat(target).and_then(|flat| self.root.inside(&flat).map(Path::to_owned));
            self.push(&inside.ok_or_else(Failure::outside)?);
            self.here = self.root.open().map_err(|e| Failure::system(path, e))?;
            self.names.clear();
        } else {
            self.push(target);
        }
        Ok(())
    }

    /// Nothing bears `name`. What was to come below it is missing too; a `..` there has nothing to be relative to.
    fn nowhere(mut self, name: OsString, path: &str) -> Result<Place, Failure> {
        let mut missing = vec![name];
        missing.extend(self.todo.drain(..).rev());
        if missing.iter().any(|name| name == "..") {
            return Err(Failure::system(path, Errno::ENOENT));
        }
        let name = missing.pop().unwrap_or_default();
        self.place(missing, name, None)
    }

    fn place(self, missing: Vec<OsString>, name: OsString, stat: Option<FileStat>) -> Result<Place, Failure> {
        Ok(Place { folder: self.here, missing, name, stat, below: self.names.iter().collect() })
    }
}

/// Opens a folder in another one, if it is one and no link.
pub(crate) fn open_folder(folder: impl AsFd, name: &OsStr) -> nix::Result<OwnedFd> {
    openat(folder, name, FOLDER, Mode::empty())
}

/// `path` without `.` and `..`; none if a relative one leads out of where it begins.
pub(crate) fn flat(path: &Path) -> Option<PathBuf> {
    let mut flat = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            // The parent of `/` is `/`.
            Component::ParentDir if !flat.pop() && !flat.has_root() => return None,
            Component::ParentDir => {}
            name => flat.push(name),
        }
    }
    Some(flat)
}

pub(crate) fn kind(stat: &FileStat) -> SFlag {
    SFlag::from_bits_truncate(stat.st_mode) & SFlag::S_IFMT
}

pub(crate) fn kind_name(kind: SFlag) -> &'static str {
    match kind {
        SFlag::S_IFDIR => "a folder (list_files shows what is in it)",
        SFlag::S_IFLNK => "a link",
        SFlag::S_IFIFO => "a named pipe",
        SFlag::S_IFSOCK => "a socket",
        _ => "a device",
    }
}
