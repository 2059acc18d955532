//! Who holds a lock, as far as the system tells: Linux lists locks in `/proc/locks`, proc_locks(5).

use std::{fmt, fs, fs::File, process};

/// A process that has a lock.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Holder {
    /// Its id, where that is known.
    pub pid: Option<u32>,
    /// Its program's name, where that is known.
    pub program: Option<String>,
}

impl Holder {
    pub(crate) fn of(file: &File) -> Self {
        let pid = fs::read_to_string("/proc/locks")
            .ok()
            .zip(place(file))
            .and_then(|(locks, place)| pid(&locks, &place));
        let program = pid.and_then(|pid| fs::read_to_string(format!("/proc/{pid}/comm")).ok());
        Holder { pid, program: program.map(|name| name.trim_end().to_owned()) }
    }
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.pid, &self.program) {
            (Some(pid), _) if pid == process::id() => f.write_str("this process"),
            (Some(pid), Some(program)) => write!(f, "process {pid} (`{program}`)"),
            (Some(pid), None) => write!(f, "process {pid}"),
            (None, _) => f.write_str("another process"),
        }
    }
}

/// A file as `/proc/locks` names it: `MAJOR:MINOR:INODE`, the device in hexadecimal.
#[cfg(unix)]
fn place(file: &File) -> Option<String> {
    use std::os::unix::fs::MetadataExt as _;
    let metadata = file.metadata().ok()?;
    let (device, inode) = (metadata.dev(), metadata.ino());
    // As makedev(3) packs them.
    let major = ((device >> 8) & 0xfff) | ((device >> 32) & !0xfff);
    let minor = (device & 0xff) | ((device >> 12) & !0xff);
    Some(format!("{major:02x}:{minor:02x}:{inode}"))
}

#[cfg(not(unix))]
fn place(_: &File) -> Option<String> {
    None
}

/// Whose lock is on that place: `1: FLOCK  ADVISORY  WRITE 2432 fe:00:10592305 0 EOF`. One that waits for it begins with `->`.
fn pid(locks: &str, place: &str) -> Option<u32> {
    locks.lines().find_map(|line| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        match fields[..] {
            [_, "FLOCK", _, _, pid, at, ..] if at == place => pid.parse().ok().filter(|pid| *pid > 0),
            _ => None,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::{Holder, pid};

    #[test]
    fn a_holder_is_found_by_the_place_of_its_file() {
        let locks = "1: POSIX  ADVISORY  WRITE 7 fe:00:10 0 EOF\n\
                     2: FLOCK  ADVISORY  WRITE 12 fe:00:10 0 EOF\n\
                     2: -> FLOCK  ADVISORY  WRITE 13 fe:00:11 0 EOF\n\
                     3: FLOCK  ADVISORY  WRITE 0 fe:00:12 0 EOF\n\
                     nonsense\n";
        for (place, expected) in
            [("fe:00:10", Some(12)), ("fe:00:11", None), ("fe:00:12", None), ("fe:00:1", None)]
        {
            assert_eq!(pid(locks, place), expected, "{place}");
        }
    }

    #[test]
    fn a_holder_is_named_as_far_as_it_is_known() {
        let holder =
            |pid, program: Option<&str>| Holder { pid, program: program.map(Into::into) }.to_string();
        assert_eq!(holder(Some(1), Some("init")), "process 1 (`init`)");
        assert_eq!(holder(Some(1), None), "process 1");
        assert_eq!(holder(None, None), "another process");
        assert_eq!(holder(Some(std::process::id()), Some("it")), "this process");
    }
}
