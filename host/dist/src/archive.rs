//! Packs files so that the same files give the same bytes: in order, of one time, nobody's.
use crate::{contents::File, problem::Problem};
use flate2::{Compression, write::GzEncoder};
use sha2::{Digest as _, Sha256};
use std::{
    fmt::Write as _,
    fs, io,
    path::{Path, PathBuf},
};
use tar::{Builder, EntryType, Header};

/// A written archive.
#[derive(Debug)]
pub(crate) struct Archive {
    pub(crate) path: PathBuf,
    pub(crate) bytes: usize,
    /// In hex digits.
    pub(crate) sha256: String,
}

/// Writes `NAME.tar.gz` into a folder, which is made if need be; the files are in a folder `NAME`, dated `time`, in seconds
/// since 1970.
///
/// # Errors
/// The folder or the file cannot be written.
pub(crate) fn write(folder: &Path, name: &str, files: &[File], time: u64) -> Result<Archive, Problem> {
    let path = folder.join(format!("{name}.tar.gz"));
    let fresh = path.with_extension("gz.new");
    let bytes = pack(name, files, time).map_err(|error| Problem::file(&path, &error))?;
    fs::create_dir_all(folder).map_err(|error| Problem::file(folder, &error))?;
    let written = fs::write(&fresh, &bytes).and_then(|()| fs::rename(&fresh, &path));
    written.map_err(|error| Problem::file(&path, &error))?;
    let mut sha256 = String::new();
    for byte in Sha256::digest(&bytes) {
        // Writing into a string does not fail.
        write!(sha256, "{byte:02x}").ok();
    }
    Ok(Archive { path, bytes: bytes.len(), sha256 })
}

fn pack(name: &str, files: &[File], time: u64) -> io::Result<Vec<u8>> {
    // The encoder's own header has neither a time nor a name.
    let mut tar = Builder::new(GzEncoder::new(Vec::new(), Compression::default()));
    for file in files {
        let mut header = Header::new_ustar();
        header.set_entry_type(EntryType::Regular);
        header.set_mode(if file.is_program { 0o755 } else { 0o644 });
        header.set_uid(0);
        header.set_gid(0);
        header.set_mtime(time);
        header.set_size(file.bytes.len() as u64);
        tar.append_data(&mut header, format!("{name}/{}", file.path), file.bytes.as_slice())?;
    }
    tar.into_inner()?.finish()
}
