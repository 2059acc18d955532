//! The logs through their contract: what every log does, and what is in the files.

// The attributes are what makes clippy treat the tools of these tests as test code.
#[cfg(test)]
#[path = "../../../../checks/tests/sessions/suite.rs"]
mod suite;
#[cfg(test)]
mod files;

/// The log under test.
#[cfg(test)]
fn open(folder: &std::path::Path) -> session_jsonl::Jsonl {
    session_jsonl::Jsonl::new(&session_jsonl::Config { root: folder.to_str().unwrap().to_owned() }).unwrap()
}
