//! The bytes of a library file, read and never mapped: whatever they are, a plugin is found or refused.
//!
//! An input that is no ELF file becomes one: what is behind the headers is where the manifest is looked for.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loader::{Verdicts, Wanted};
use plugin_api::manifest::{BEGIN, END};
use std::{borrow::Cow, fs, io};

/// An ELF header of a shared object for this machine, without a segment.
fn header() -> Vec<u8> {
    let machine: u16 = if cfg!(target_arch = "aarch64") { 183 } else { 62 };
    let mut header = vec![0; 64];
    header[..7].copy_from_slice(b"\x7fELF\x02\x01\x01");
    header[16] = 3;
    header[18..20].copy_from_slice(&machine.to_le_bytes());
    header[54] = 56;
    header
}

/// A library in which the input is one record, or all that there is behind the header.
fn library(input: &[u8]) -> Cow<'_, [u8]> {
    if input.starts_with(b"\x7fELF") {
        return Cow::Borrowed(input);
    }
    let mut library = header();
    if input.starts_with(b"{") {
        library.extend([BEGIN.as_bytes(), input, END.as_bytes()].concat());
    } else {
        library.extend(input);
    }
    Cow::Owned(library)
}

fn find(input: &[u8]) -> io::Result<()> {
    let path = fuzz::folder()?.join("libfuzzed.so");
    fs::write(&path, library(input))?;
    let named = format!("{}#llm-openai", path.display());
    for library in [path.as_path(), named.as_ref()] {
        let wanted = Wanted { name: "fuzzed", version: None, library: Some(library) };
        match loader::find(&wanted, &[], &mut Verdicts::load(|_| None)) {
            Ok(found) => assert_eq!(found.path, path),
            Err(refusal) => assert!(!refusal.what.is_empty() && !refusal.hint.is_empty()),
        }
    }
    Ok(())
}

fuzz_target!(|input: &[u8]| {
    drop(find(input));
});
