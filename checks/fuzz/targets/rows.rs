//! Files of rows, patches, `.env` and config schemas: any bytes are read or refused with a place and a remedy, in bounded time.
//!
//! An input is a file of rows, or several files in the form of the cases of `host/rows`: a line `=== NAME` begins the file of that
//! name, where `*.patch.yml`, `.env`, `env` (variables) and `schema ID` have their meaning.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rows::{Environment, Problem};
use std::{ffi::OsString, fs, io, path::Path};

struct Section<'a> {
    name: String,
    body: &'a [u8],
}

fn sections(input: &[u8]) -> Vec<Section<'_>> {
    const MARK: &[u8] = b"=== ";
    if !input.starts_with(MARK) {
        return vec![Section { name: "harness.yml".into(), body: input }];
    }
    let starts = |at: &usize| input[*at..].starts_with(MARK) && (*at == 0 || input[*at - 1] == b'\n');
    let at: Vec<usize> = (0..input.len()).filter(starts).collect();
    let ends = at.iter().skip(1).copied().chain([input.len()]);
    let section = |(start, end): (&usize, usize)| {
        let text = &input[start + MARK.len()..end];
        let name = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let body = text.get(name.len() + 1..).unwrap_or_default();
        Section { name: String::from_utf8_lossy(name).trim().to_owned(), body }
    };
    at.iter().zip(ends).map(section).collect()
}

/// `KEY=VALUE` lines.
fn variables(sections: &[Section<'_>]) -> Vec<(OsString, OsString)> {
    let section = sections.iter().find(|section| section.name == "env");
    let text = String::from_utf8_lossy(section.map(|section| section.body).unwrap_or_default());
    let pairs = text.lines().filter_map(|line| line.split_once('='));
    pairs.map(|(name, value)| (name.into(), value.into())).collect()
}

fn read(folder: &Path, sections: &[Section<'_>]) -> io::Result<Result<(), Problem>> {
    let path = folder.join("harness.yml");
    let body = |name: &str| sections.iter().find(|section| section.name == name).map(|section| section.body);
    fs::write(&path, body("harness.yml").unwrap_or_default())?;
    fs::write(folder.join(".env"), body(".env").unwrap_or_default())?;
    let mut rows = match rows::read(&path) {
        Ok(rows) => rows,
        Err(problem) => return Ok(Err(problem)),
    };
    let patch = folder.join("a.patch.yml");
    for section in sections.iter().filter(|section| section.name.ends_with(".patch.yml")) {
        fs::write(&patch, section.body)?;
        if let Err(problem) = rows::patch(&mut rows, &patch) {
            return Ok(Err(problem));
        }
    }
    let resolved = Environment::new(folder, Vec::new(), variables(sections).into_iter())
        .and_then(|environment| rows::resolve(rows, &environment));
    let mut resolved = match resolved {
        Ok(resolved) => resolved,
        Err(problem) => return Ok(Err(problem)),
    };
    for row in &mut resolved.rows {
        let schema = body(&format!("schema {}", row.id)).and_then(|json| serde_json::from_slice(json).ok());
        if let Some(Err(problem)) = schema.map(|schema| rows::complete(row, &schema)) {
            return Ok(Err(problem));
        }
        assert!(!row.id.is_empty() && !row.place_of("/config").to_string().is_empty());
    }
    Ok(Ok(()))
}

fuzz_target!(|input: &[u8]| {
    let read = fuzz::folder().and_then(|folder| read(folder, &sections(input)));
    if let Ok(Err(problem)) = read {
        assert!(!problem.code.is_empty() && !problem.message.is_empty() && !problem.hint.is_empty());
    }
});
