//! A log read from its beginning, line by line, and what is wrong with it.
use crate::{
    failure,
    line::{self, Header},
};
use plugin_sdk::Result;
use std::{
    fs::File,
    io::{self, BufRead as _, BufReader, Read as _, Take},
    path::{Path, PathBuf},
};

/// How much is read from the file at once.
const BLOCK_BYTES: usize = 256 << 10;

/// What a line says of its place, and what was made of it.
pub(crate) struct Found<T> {
    pub(crate) seq: u64,
    pub(crate) count: u64,
    pub(crate) value: T,
}

/// A walk over a log as long as it is now. It sees whole lines: what is behind them is an end that was half written, by a writer that died
/// or is about to write the rest.
pub(crate) struct Walk {
    session: String,
    path: PathBuf,
    reader: Take<BufReader<File>>,
    text: Vec<u8>,
    /// The number of the line in `text`, from 1.
    line: u64,
    /// Behind the last whole line.
    end: u64,
    /// The position of the next event.
    next: u64,
    length: u64,
}

enum Step {
    Line,
    /// Nothing more, or not the whole of it.
    End,
}

impl Walk {
    /// Reads the header: `None` when not even that is there.
    pub(crate) fn begin(session: &str, path: &Path, file: File) -> Result<(Self, Option<Header>)> {
        let length = file.metadata().map_err(|error| failure::failed(session, "read", path, &error))?.len();
        let reader = BufReader::with_capacity(BLOCK_BYTES, file).take(length);
        let (session, path) = (session.to_owned(), path.to_owned());
        let mut walk = Walk { session, path, reader, text: Vec::new(), line: 0, end: 0, next: 0, length };
        if let Step::End = walk.step()? {
            return Ok((walk, None));
        }
        let format = walk.text().and_then(line::format);
        if let Some(format) = format.filter(|format| *format > line::FORMAT) {
            return Err(failure::newer(&walk.session, &walk.path, format));
        }
        match walk.text().and_then(|text| serde_json::from_str::<Header>(text).ok()) {
            Some(header) if header.session == walk.session => {
                walk.accept();
                Ok((walk, Some(header)))
            }
            Some(Header { session, .. }) => {
                Err(walk.corrupt(&format!("is the header of session `{session}`")))
            }
            None => {
                walk.unreadable()?;
                Ok((walk, None))
            }
        }
    }

    /// The next line, as `read` sees it; the end once it is none.
    pub(crate) fn next<T>(&mut self, read: impl FnOnce(&str) -> Option<Found<T>>) -> Result<Option<T>> {
        if let Step::End = self.step()? {
            return Ok(None);
        }
        match self.text().and_then(read) {
            None => self.unreadable().map(|()| None),
            Some(Found { seq, .. }) if seq != self.next => {
                Err(self.corrupt(&format!("has event {seq} where event {} belongs", self.next)))
            }
            Some(Found { seq, count, value }) => {
                self.next = seq.saturating_add(count);
                self.accept();
                Ok(Some(value))
            }
        }
    }

    /// The line that was read last, without its end.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.text
    }

    /// Behind the last whole line.
    pub(crate) fn end(&self) -> u64 {
        self.end
    }

    /// The position of the next event.
    pub(crate) fn next_seq(&self) -> u64 {
        self.next
    }

    /// How much of the file is no whole line.
    pub(crate) fn torn_bytes(&self) -> u64 {
        self.length.saturating_sub(self.end)
    }

    fn text(&self) -> Option<&str> {
        std::str::from_utf8(&self.text).ok()
    }

    fn accept(&mut self) {
        self.end += self.text.len() as u64 + 1;
    }

    fn step(&mut self) -> Result<Step> {
        self.text.clear();
        let read = self.reader.read_until(b'\n', &mut self.text);
        read.map_err(|error| self.failed(&error))?;
        self.line += 1;
        Ok(if self.text.pop_if(|last| *last == b'\n').is_some() { Step::Line } else { Step::End })
    }

    /// A line that cannot be read is an end that was half written if no whole line follows, and damage if one does.
    fn unreadable(&mut self) -> Result<()> {
        let (at, mut rest) = (self.line, Vec::new());
        let read = self.reader.read_until(b'\n', &mut rest);
        read.map_err(|error| self.failed(&error))?;
        if rest.ends_with(b"\n") {
            return Err(failure::corrupt(&self.session, &self.path, at, "cannot be read"));
        }
        self.reader.set_limit(0);
        Ok(())
    }

    fn corrupt(&self, what: &str) -> plugin_sdk::Error {
        failure::corrupt(&self.session, &self.path, self.line, what)
    }

    fn failed(&self, error: &io::Error) -> plugin_sdk::Error {
        failure::failed(&self.session, "read", &self.path, error)
    }
}
