//! `list_files`: what is in one folder.

use std::{
    collections::BTreeSet,
    ffi::{OsStr, OsString},
    fmt::Write as _,
    os::{fd::OwnedFd, unix::ffi::OsStrExt as _},
    path::{Path, PathBuf},
};

use nix::{
    dir::Dir,
    errno::Errno,
    fcntl::{AtFlags, OFlag, openat, readlinkat},
    sys::stat::{Mode, SFlag, fstatat},
};

use crate::{
    failure::{Failure, code, shown},
    root::{Root, flat, kind, kind_name, open_folder},
};

/// Lists the folder that `path` leads to: one line an entry, sorted by name, about `bytes_max` bytes of them.
pub(crate) fn list_files(root: &Root, path: &str, bytes_max: usize) -> Result<String, Failure> {
    let system = |e| Failure::system(path, e);
    let place = root.find(path)?;
    match place.stat.as_ref().map(kind) {
        Some(SFlag::S_IFDIR) => {}
        Some(_) => {
            let message = format!("{} is not a folder; read_file reads files", shown(path));
            return Err(Failure::new(code::FS_NOT_DIRECTORY, message));
        }
        None => return Err(system(Errno::ENOENT)),
    }
    let (total, names) = names(&place.folder, &place.name, bytes_max).map_err(system)?;
    let folder = open_folder(&place.folder, &place.name).map_err(system)?;
    let below = if place.name == "." { place.below } else { place.below.join(&place.name) };
    let mut text = String::new();
    let mut lines = 0;
    for name in &names {
        let line = line(root, &folder, &below, name);
        if text.len() + line.len() >= bytes_max && lines > 0 {
            break;
        }
        text.push_str(&line);
        text.push('\n');
        lines += 1;
    }
    if total == 0 {
        text.push_str("[empty folder]");
    } else if lines < total {
        let _ =
            write!(text, "[the first {lines} of {total} entries; see the others with run_shell and `ls`]");
    }
    Ok(text)
}

/// How many entries there are, and the first names: as many as could ever be shown, so that a folder of any size takes
/// bounded memory.
fn names(folder: &OwnedFd, name: &OsStr, bytes_max: usize) -> nix::Result<(usize, BTreeSet<OsString>)> {
    // A line has at least a character and its end.
    let names_max = bytes_max / 2 + 1;
    let flags = OFlag::O_RDONLY | OFlag::O_DIRECTORY | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
    let mut entries = Dir::from_fd(openat(folder, name, flags, Mode::empty())?)?;
    let (mut total, mut names) = (0, BTreeSet::new());
    for entry in entries.iter() {
        let entry = entry?;
        let name = OsStr::from_bytes(entry.file_name().to_bytes());
        if name == "." || name == ".." {
            continue;
        }
        total += 1;
        names.insert(name.to_owned());
        if names.len() > names_max {
            names.pop_last();
        }
    }
    Ok((total, names))
}

fn line(root: &Root, folder: &OwnedFd, below: &Path, name: &OsStr) -> String {
    let kind = fstatat(folder, name, AtFlags::AT_SYMLINK_NOFOLLOW).map(|stat| kind(&stat));
    let name_shown = visible(name);
    match kind {
        Ok(SFlag::S_IFREG) => name_shown,
        Ok(SFlag::S_IFDIR) => format!("{name_shown}/"),
        Ok(SFlag::S_IFLNK) => match readlinkat(folder, name) {
            Ok(target) => format!("{name_shown} -> {}", target_shown(root, below, Path::new(&target))),
            Err(_) => format!("{name_shown} -> ?"),
        },
        Ok(other) => format!("{name_shown} ({})", kind_name(other)),
        // Gone since it was listed, or on a disk that fails.
        Err(_) => format!("{name_shown} (unreadable)"),
    }
}

/// Where a link leads, unless that is out of the root, which is nobody's business here.
fn target_shown(root: &Root, below: &Path, target: &Path) -> String {
    let flat: Option<PathBuf> = flat(&below.join(target));
    match flat {
        Some(flat) if !flat.is_absolute() || root.inside(&flat).is_some() => visible(target.as_os_str()),
        _ => "(out of the working folder)".to_owned(),
    }
}

/// A name as one line of text. What cannot be shown as it is puts it in quotes, with escapes.
fn visible(name: &OsStr) -> String {
    if let Some(name) = name.to_str().filter(|name| !name.contains(char::is_control)) {
        return name.to_owned();
    }
    let mut shown = String::from('"');
    for chunk in name.as_bytes().utf8_chunks() {
        shown.extend(chunk.valid().escape_debug());
        for byte in chunk.invalid() {
            let _ = write!(shown, "\\x{byte:02x}");
        }
    }
    shown.push('"');
    shown
}
