//! The list of sessions, from the two ends of each file.
use crate::{
    line::{self, Header},
    name::SUFFIX,
};
use plugin_sdk::{
    Message,
    contracts::session::{Summary, kind},
};
use std::{
    fs::{self, File},
    io::{self, Read as _},
    os::unix::fs::{FileExt as _, MetadataExt as _},
    path::Path,
};

/// How much of each end is read.
const END_BYTES: u64 = 16 << 10;
/// How long a title is.
const TITLE_CHARS: usize = 80;

/// The sessions of a folder, latest first, and the files that are none. A folder that is not there has none.
pub(crate) fn list(folder: &Path) -> io::Result<(Vec<Summary>, Vec<String>)> {
    let (mut found, mut odd) = (Vec::new(), Vec::new());
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok((found, odd)),
        entries => entries?,
    };
    for entry in entries {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if !name.ends_with(SUFFIX) {
            continue;
        }
        match summary(&path) {
            Ok(Some(summary)) => found.push(summary),
            // One whose writer died before its first line is nobody's session yet.
            Ok(None) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => odd.push(format!("`{}`: {error}", path.display())),
        }
    }
    found.sort_by(|a, b| b.last_ms.cmp(&a.last_ms).then_with(|| b.session.cmp(&a.session)));
    odd.sort();
    Ok((found, odd))
}

fn summary(path: &Path) -> io::Result<Option<Summary>> {
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    let mut head = Vec::new();
    (&file).take(END_BYTES).read_to_end(&mut head)?;
    let mut lines = whole_lines(&head);
    let Some(first) = lines.next() else { return Ok(None) };
    let Some(header) = serde_json::from_str::<Header>(first).ok() else {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "its first line is no header of a session"));
    };
    let Header { session, parent, started_ms, .. } = header;
    let title = lines.find_map(title);
    let from = metadata.len().saturating_sub(END_BYTES);
    let mut tail = vec![0; usize::try_from(metadata.len() - from).unwrap_or(0)];
    let read = file.read_at(&mut tail, from)?;
    tail.truncate(read);
    let last = whole_lines(&tail).filter_map(line::glance).last().map(|glance| glance.at_ms);
    // The last event is longer than what was read: the file was written when it was appended.
    let modified =
        if from > 0 { u64::try_from(metadata.mtime()).unwrap_or(0).saturating_mul(1000) } else { 0 };
    let last_ms = last.unwrap_or(modified).max(started_ms);
    Ok(Some(Summary { session, parent, started_ms, last_ms, title }))
}

/// The lines that have their end.
fn whole_lines(bytes: &[u8]) -> impl Iterator<Item = &str> {
    bytes
        .split_inclusive(|byte| *byte == b'\n')
        .filter_map(|line| std::str::from_utf8(line.strip_suffix(b"\n")?).ok())
}

/// The first words of a user message.
fn title(line: &str) -> Option<String> {
    line::glance(line).filter(|glance| glance.kind == kind::USER_MESSAGE)?;
    let events = line::read(line)?;
    let text = Message::from_part(events.first()?.event.parts.first()?).ok()?.text();
    let first = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    Some(first.chars().take(TITLE_CHARS).collect())
}
