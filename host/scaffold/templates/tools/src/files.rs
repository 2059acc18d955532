//! `read_file` and `write_file`.
use crate::root::Root;
use plugin_sdk::{Error, Result, contracts::tools::ToolResult, truncate::HeadTail};
use serde::Deserialize;
use std::{
    fs::{self, File},
    io::{self, ErrorKind, Read as _},
    path::Path,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Read {
    path: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Write {
    path: String,
    content: String,
}

pub(crate) fn read(root: &Root, Read { path }: &Read, bytes_max: usize) -> Result<ToolResult> {
    let place = root.resolve(path)?;
    let is_file = place.metadata().map_err(|error| failed(path, &error))?.is_file();
    if !is_file {
        return Err(Error::new(
            "FS_ERROR",
            format!("`{path}` is not a file; run_shell with `ls` lists a folder"),
        ));
    }
    let text = head_and_tail(&place, bytes_max).map_err(|error| failed(path, &error))?;
    Ok(ToolResult::ok(text))
}

/// However long the file is, memory is bounded.
fn head_and_tail(place: &Path, bytes_max: usize) -> io::Result<String> {
    let (mut file, mut buffer) = (File::open(place)?, vec![0; 64 << 10]);
    let mut text = HeadTail::new(bytes_max / 2, bytes_max.div_ceil(2));
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(text.finish().0),
            n => text.push(&buffer[..n]),
        }
    }
}

pub(crate) fn write(root: &Root, Write { path, content }: &Write) -> Result<ToolResult> {
    let place = root.resolve(path)?;
    let folder = place.parent().unwrap_or(root.folder());
    let written = fs::create_dir_all(folder).and_then(|()| fs::write(&place, content));
    written.map_err(|error| failed(path, &error))?;
    Ok(ToolResult::ok(format!("wrote {} bytes to {path}", content.len())))
}

fn failed(path: &str, error: &io::Error) -> Error {
    match error.kind() {
        ErrorKind::NotFound => Error::new("FS_NOT_FOUND", format!("`{path}` is not there")),
        _ => Error::new("FS_ERROR", format!("`{path}`: {error}")),
    }
}
