//! The release archive, made out of what the workspace has built, unpacked elsewhere and run as somebody would who has nothing else.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test fails where it stands")]

mod release;

mod packing;
mod authors;
mod places;
mod plugins;
