//! The manifest: a JSON record embedded in a library's bytes, so that a host can read it without mapping the file.
//!
//! A file holds one record per plugin crate that is linked into it (a bundle holds many). A record is [`BEGIN`],
//! one JSON object, [`END`]:
//!
//! ```json
//! {"entry": "harness_plugin_llm_openai", "api": "1.0.0", "target": "x86_64-unknown-linux-gnu", "panic": "unwind",
//!  "rustc": "rustc 1.95.0", "plugins": [{"name": "llm-openai", "version": "0.1.0",
//!  "services": [{"service": "llm", "version": "1.0.0", "role": "provide"}],
//!  "needs": [{"service": "tools", "version": "^1", "hint": "…", "optional": false}],
//!  "commands": [{"name": "run", "service": "loop", "method": "run", "about": "…"}], "config": {…JSON Schema…}}]}
//! ```
//!
//! `entry` names the symbol of the root module; `role` is `provide`, `join` or `wrap`.

/// The mark before a record.
pub const BEGIN: &[u8] = b"\x00HARNESS-PLUGIN-MANIFEST\x01";
/// The mark behind a record.
pub const END: u8 = 2;

/// Finds the records in the bytes of a library file, given a way to find [`BEGIN`] from an offset on. The JSON is not
/// looked into, except that a record starts with `{`: the host's own copy of the mark does not.
pub fn records<'a>(
    file: &'a [u8],
    find: impl Fn(&[u8]) -> Option<usize> + 'a,
) -> impl Iterator<Item = &'a [u8]> + 'a {
    let mut rest = file;
    std::iter::from_fn(move || {
        loop {
            let at = find(rest)?;
            rest = &rest[at + BEGIN.len()..];
            if rest.first() == Some(&b'{') {
                let end = rest.iter().position(|b| *b == END)?;
                let (record, behind) = rest.split_at(end);
                rest = behind;
                return Some(record);
            }
        }
    })
}

/// A piece of a record under construction.
#[derive(Clone, Copy)]
pub enum Piece {
    /// JSON text as it is.
    Raw(&'static str),
    /// A string to be quoted and escaped.
    Text(&'static str),
}

const HEX: &[u8; 16] = b"0123456789abcdef";

const fn escaped_len(byte: u8) -> usize {
    match byte {
        b'"' | b'\\' => 2,
        0..0x20 => 6,
        _ => 1,
    }
}

/// How long the joined pieces are, in bytes.
pub const fn joined_len(pieces: &[&[Piece]]) -> usize {
    let (mut n, mut i) = (0, 0);
    while i < pieces.len() {
        let mut j = 0;
        while j < pieces[i].len() {
            match pieces[i][j] {
                Piece::Raw(text) => n += text.len(),
                Piece::Text(text) => {
                    let mut k = 0;
                    while k < text.len() {
                        n += escaped_len(text.as_bytes()[k]);
                        k += 1;
                    }
                    n += 2;
                }
            }
            j += 1;
        }
        i += 1;
    }
    n
}

/// Joins pieces at compile time; `N` is [`joined_len`] of the same pieces.
pub const fn join<const N: usize>(pieces: &[&[Piece]]) -> [u8; N] {
    let (mut out, mut n, mut i) = ([0; N], 0, 0);
    while i < pieces.len() {
        let mut j = 0;
        while j < pieces[i].len() {
            let (bytes, quoted) = match pieces[i][j] {
                Piece::Raw(text) => (text.as_bytes(), false),
                Piece::Text(text) => (text.as_bytes(), true),
            };
            if quoted {
                out[n] = b'"';
                n += 1;
            }
            let mut k = 0;
            while k < bytes.len() {
                let b = bytes[k];
                if quoted && escaped_len(b) == 2 {
                    out[n] = b'\\';
                    out[n + 1] = b;
                    n += 2;
                } else if quoted && escaped_len(b) == 6 {
                    let escape = [b'\\', b'u', b'0', b'0', HEX[(b >> 4) as usize], HEX[(b & 15) as usize]];
                    let mut e = 0;
                    while e < 6 {
                        out[n] = escape[e];
                        n += 1;
                        e += 1;
                    }
                } else {
                    out[n] = b;
                    n += 1;
                }
                k += 1;
            }
            if quoted {
                out[n] = b'"';
                n += 1;
            }
            j += 1;
        }
        i += 1;
    }
    out
}
