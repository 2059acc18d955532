//! One writer at a time: the system's lock on an open file, and who holds it when it is taken.
//!
//! The lock lives as long as the file stays open, in this process alone: whoever is killed has given it back. It keeps out others that
//! ask for it, and no reader. Two files opened on one path are two that ask, in one process as well.
//!
//! ```
//! use std::fs::File;
//!
//! let path = std::env::temp_dir().join(format!("kit-lock-{}", std::process::id()));
//! let first = File::create(&path).unwrap();
//! kit_lock::take(&first).unwrap();
//! let second = File::open(&path).unwrap();
//! let refused = kit_lock::take(&second).unwrap_err();
//! # if cfg!(target_os = "linux") {
//! assert_eq!(refused.to_string(), "this process has it");
//! # }
//! drop(first);
//! kit_lock::take(&second).unwrap();
//! # std::fs::remove_file(path).unwrap();
//! ```

mod holder;

use std::{
    error, fmt,
    fs::{File, TryLockError},
    io,
};

pub use holder::Holder;

/// Why a lock was not to be had.
#[derive(Debug)]
pub enum Refused {
    /// Somebody has it.
    Held(Holder),
    /// The system has no locks there, or failed.
    Failed(io::Error),
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refused::Held(holder) => write!(f, "{holder} has it"),
            Refused::Failed(error) => write!(f, "{error}"),
        }
    }
}

impl error::Error for Refused {}

/// Takes the lock of a file until it is closed, without waiting.
///
/// # Errors
/// [`Refused`]
pub fn take(file: &File) -> Result<(), Refused> {
    file.try_lock().map_err(|error| match error {
        TryLockError::WouldBlock => Refused::Held(Holder::of(file)),
        TryLockError::Error(error) => Refused::Failed(error),
    })
}
