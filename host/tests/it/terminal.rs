//! A terminal without a person before it.

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use std::{
    ffi::OsString,
    fs::{File, OpenOptions},
    os::unix::{ffi::OsStringExt as _, fs::OpenOptionsExt as _},
};

/// Its two sides.
pub(crate) struct Terminal {
    /// Where the keyboard and the screen are.
    pub(crate) person: File,
    /// What a program has as its streams.
    pub(crate) program: File,
}

pub(crate) fn open() -> Terminal {
    let person = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&person).unwrap();
    unlockpt(&person).unwrap();
    let name = OsString::from_vec(ptsname(&person, Vec::new()).unwrap().into_bytes());
    let no_control = i32::try_from(OpenptFlags::NOCTTY.bits()).unwrap();
    let program = OpenOptions::new().read(true).write(true).custom_flags(no_control).open(name).unwrap();
    Terminal { person: File::from(person), program }
}
