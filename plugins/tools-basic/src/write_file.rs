//! `write_file`: the whole content of a file, at once or not at all.
//!
//! The content goes to a new file beside the target, which then takes the target's name: a reader sees the old content or the
//! new, and a failure leaves everything as it was. A link on the way is followed (inside the root), so it stays a link.

use std::{
    ffi::{OsStr, OsString},
    fs::{File, Permissions},
    io::{self, Write as _},
    os::{
        fd::{AsFd, BorrowedFd, OwnedFd},
        unix::fs::{PermissionsExt as _, fchown},
    },
    process,
    sync::atomic::{AtomicU64, Ordering},
};

use nix::{
    errno::Errno,
    fcntl::{AtFlags, OFlag, openat, renameat},
    sys::stat::{FileStat, Mode, mkdirat},
    unistd::{AccessFlags, UnlinkatFlags, faccessat, unlinkat},
};

use crate::{
    failure::{Failure, shown},
    root::{Place, Root, open_folder},
};

/// Writes `content` to `path`, creating the folders it names, and says what was there before.
pub(crate) fn write_file(root: &Root, path: &str, content: &str) -> Result<String, Failure> {
    let place = root.find(path)?;
    let old = place.regular_file(path)?;
    let was = old.map_or("a new file".to_owned(), |old| format!("in place of {} bytes", old.st_size));
    write(&place, old, content).map_err(|e| Failure::system(path, e))?;
    Ok(format!("wrote {}: {} bytes, {was}", shown(path), content.len()))
}

fn write(place: &Place, old: Option<&FileStat>, content: &str) -> io::Result<()> {
    if old.is_some() {
        // Taking a name asks only for the folder; whoever made the file read-only meant the content.
        faccessat(&place.folder, place.name.as_os_str(), AccessFlags::W_OK, AtFlags::AT_EACCESS)?;
    }
    let folders = NewFolders::make(place)?;
    let fresh = Fresh::make(folders.last(), old.is_some())?;
    fresh.fill(content, old)?;
    fresh.take_name(&place.name)?;
    folders.keep();
    Ok(())
}

/// Folders made for a file; they go again unless the file came to be.
struct NewFolders<'a> {
    top: BorrowedFd<'a>,
    /// The innermost, if there is any; however deep, it is the only one that is open.
    innermost: Option<OwnedFd>,
    /// The names that lead there, each with whether it was not there before.
    names: Vec<(OsString, bool)>,
}

impl<'a> NewFolders<'a> {
    fn make(place: &'a Place) -> nix::Result<Self> {
        let mut folders = Self { top: place.folder.as_fd(), innermost: None, names: Vec::new() };
        for name in &place.missing {
            let is_ours = match mkdirat(folders.last(), name.as_os_str(), Mode::from_bits_truncate(0o777)) {
                Ok(()) => true,
                // Another call has made it meanwhile: as good a place, but not ours to take away.
                Err(Errno::EEXIST) => false,
                Err(e) => return Err(e),
            };
            // It has to go as well if it cannot be opened.
            folders.names.push((name.clone(), is_ours));
            folders.innermost = Some(open_folder(folders.last(), name)?);
        }
        Ok(folders)
    }

    fn last(&self) -> BorrowedFd<'_> {
        self.innermost.as_ref().map_or(self.top, AsFd::as_fd)
    }

    fn keep(mut self) {
        self.names.clear();
    }

    /// Takes away the folder that bears the last name. Only an empty one goes, so one that somebody else uses by now stays.
    fn remove_last(&mut self) -> nix::Result<()> {
        let Some((name, is_ours)) = self.names.pop() else { return Ok(()) };
        self.innermost = None;
        for (name, _) in &self.names {
            self.innermost = Some(open_folder(self.last(), name)?);
        }
        if is_ours { unlinkat(self.last(), name.as_os_str(), UnlinkatFlags::RemoveDir) } else { Ok(()) }
    }
}

impl Drop for NewFolders<'_> {
    fn drop(&mut self) {
        while !self.names.is_empty() {
            // What cannot go, for whatever reason, holds those above it: each of them will say so too.
            let _ = self.remove_last();
        }
    }
}

/// A file under a name of its own, gone again unless it takes another.
struct Fresh<'a> {
    folder: BorrowedFd<'a>,
    name: String,
    file: File,
    named: bool,
}

impl<'a> Fresh<'a> {
    fn make(folder: BorrowedFd<'a>, private: bool) -> nix::Result<Self> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let flags = OFlag::O_WRONLY | OFlag::O_CREAT | OFlag::O_EXCL | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
        // What replaces a file gets that file's mode later; a new one gets what the process gives to all its files.
        let mode = Mode::from_bits_truncate(if private { 0o600 } else { 0o666 });
        loop {
            let name = format!(".{}-{}.tmp", process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
            match openat(folder, name.as_str(), flags, mode) {
                Ok(file) => return Ok(Self { folder, name, file: file.into(), named: false }),
                Err(Errno::EEXIST) => {}
                Err(e) => return Err(e),
            }
        }
    }

    fn fill(&self, content: &str, old: Option<&FileStat>) -> io::Result<()> {
        (&self.file).write_all(content.as_bytes())?;
        if let Some(old) = old {
            // Only root may give files away; for others the new file is theirs.
            let _ = fchown(&self.file, Some(old.st_uid), Some(old.st_gid));
            self.file.set_permissions(Permissions::from_mode(old.st_mode & 0o7777))?;
        }
        self.file.sync_all()
    }

    fn take_name(mut self, name: &OsStr) -> nix::Result<()> {
        renameat(self.folder, self.name.as_str(), self.folder, name)?;
        self.named = true;
        Ok(())
    }
}

impl Drop for Fresh<'_> {
    fn drop(&mut self) {
        if !self.named {
            let _ = unlinkat(self.folder, self.name.as_str(), UnlinkatFlags::NoRemoveDir);
        }
    }
}
