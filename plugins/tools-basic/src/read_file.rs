//! `read_file`: the text of a file, or as many whole lines of it as an observation may hold.

use std::io::{self, BufRead, BufReader, Read as _};

use contracts::tools::code::INVALID_ARGS;
use memchr::{memchr, memchr_iter};
use plugin_sdk::{contracts, truncate::MARGIN_BYTES};

use crate::{
    failure::{Failure, code, shown},
    mask::Mask,
    root::Root,
};

/// A NUL this near to the beginning tells a binary file, whatever lines are asked for.
const LOOK_BYTES: usize = 8 << 10;

/// Reads from line `offset` (counted from 1) at most `limit` lines and about `bytes_max` bytes. A text that fits is returned
/// byte for byte; of one that does not, a last line in brackets says which lines these are and how to go on.
pub(crate) fn read_file(
    root: &Root,
    path: &str,
    offset: u64,
    limit: u64,
    bytes_max: usize,
    mask: &Mask,
) -> Result<String, Failure> {
    let (file, stat) = root.open_file(path)?;
    let mut reader = BufReader::with_capacity(64 << 10, file);
    let window = Window::read(&mut reader, offset, limit, bytes_max).map_err(|e| Failure::system(path, e))?;
    let window = window.ok_or_else(|| not_text(path, "it has a NUL byte near its beginning"))?;
    if window.lines == 0 && offset > 1 {
        let message = format!("`offset` is {offset}, but {} has {} lines", shown(path), window.skipped);
        return Err(Failure::new(INVALID_ARGS, message));
    }
    let (first, last) = (offset, offset + window.lines.saturating_sub(1));
    let mut text = window.text(path)?;
    if window.cut_line {
        let masked = mask.text(&text);
        // Unless the line ends there, the end of what was read may be half a secret.
        let margin = if window.more { MARGIN_BYTES } else { 0 };
        text = masked[..masked.floor_char_boundary(bytes_max.min(masked.len().saturating_sub(margin)))]
            .to_owned();
    }
    let note = match (window.cut_line, window.more) {
        (true, _) => format!(
            "line {first} is longer than one answer and cut here; the file has {} bytes; see the rest with run_shell and \
             `cut -b`, or go on with offset {}",
            stat.st_size,
            first + 1
        ),
        (false, true) => {
            format!(
                "lines {first} to {last} of a file of {} bytes; go on with offset {}",
                stat.st_size,
                last + 1
            )
        }
        (false, false) if first > 1 => format!("lines {first} to {last}, the end of the file"),
        (false, false) if text.is_empty() => "empty file".to_owned(),
        (false, false) => return Ok(text),
    };
    let line_end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    Ok(format!("{text}{line_end}[{note}]"))
}

#[derive(Default)]
struct Window {
    bytes: Vec<u8>,
    /// Lines before the window.
    skipped: u64,
    lines: u64,
    /// Whether the only line is too long; then there is some of what follows the cut as well.
    cut_line: bool,
    /// Whether the file, or else that line, goes on after it.
    more: bool,
}

impl Window {
    /// None if the file is not text at first sight.
    fn read(
        reader: &mut impl BufRead,
        offset: u64,
        limit: u64,
        bytes_max: usize,
    ) -> io::Result<Option<Self>> {
        let beginning = reader.fill_buf()?;
        if memchr(0, &beginning[..beginning.len().min(LOOK_BYTES)]).is_some() {
            return Ok(None);
        }
        let mut window = Self { skipped: skip(reader, offset - 1)?, ..Self::default() };
        while window.lines < limit {
            let before = window.bytes.len();
            // One byte more than fits tells a line that just fits from one that does not.
            let room = (bytes_max - before) as u64 + 1;
            reader.by_ref().take(room).read_until(b'\n', &mut window.bytes)?;
            if window.bytes.len() == before {
                break;
            }
            if window.bytes.len() > bytes_max && window.lines > 0 {
                window.bytes.truncate(before);
                window.more = true;
                return Ok(Some(window));
            }
            window.lines += 1;
            if window.bytes.len() > bytes_max {
                let margin = MARGIN_BYTES as u64 + 4;
                window.more =
                    reader.by_ref().take(margin).read_until(b'\n', &mut window.bytes)? as u64 == margin;
                window.cut_line = true;
                return Ok(Some(window));
            }
            // Only the file's end ends a line that fits without a line end.
            if !window.bytes.ends_with(b"\n") {
                return Ok(Some(window));
            }
        }
        window.more = !reader.fill_buf()?.is_empty();
        Ok(Some(window))
    }

    fn text(&self, path: &str) -> Result<String, Failure> {
        if memchr(0, &self.bytes).is_some() {
            return Err(not_text(path, "it has a NUL byte"));
        }
        match std::str::from_utf8(&self.bytes) {
            Ok(text) => Ok(text.to_owned()),
            // The end of what was read fell into a character.
            Err(e) if self.cut_line && self.more && e.error_len().is_none() => {
                Ok(String::from_utf8_lossy(&self.bytes[..e.valid_up_to()]).into_owned())
            }
            Err(e) => {
                let line =
                    self.skipped + 1 + memchr_iter(b'\n', &self.bytes[..e.valid_up_to()]).count() as u64;
                Err(not_text(path, &format!("it is not UTF-8 at line {line}")))
            }
        }
    }
}

/// Skips so many lines, or as many as there are, and says how many.
fn skip(reader: &mut impl BufRead, lines: u64) -> io::Result<u64> {
    let (mut skipped, mut in_line) = (0, false);
    while skipped < lines {
        let buffer = reader.fill_buf()?;
        if buffer.is_empty() {
            return Ok(skipped + u64::from(in_line));
        }
        let used = match memchr(b'\n', buffer) {
            Some(end) => {
                skipped += 1;
                in_line = false;
                end + 1
            }
            None => {
                in_line = true;
                buffer.len()
            }
        };
        reader.consume(used);
    }
    Ok(skipped)
}

fn not_text(path: &str, why: &str) -> Failure {
    let message =
        format!("{} is not a text file: {why}; look at it with run_shell and `file` or `xxd`", shown(path));
    Failure::new(code::FS_NOT_TEXT, message)
}
