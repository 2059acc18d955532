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
pub const BEGIN: &str = "\x00HARNESS-PLUGIN-MANIFEST\x01";
/// The mark behind a record.
pub const END: &str = "\x02";

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
                let end = rest.iter().position(|b| *b == END.as_bytes()[0])?;
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
    /// A comma, unless a list has just begun.
    Sep,
}

const HEX: &[u8; 16] = b"0123456789abcdef";

/// Joins pieces into `out` when that is long enough, and says how long they are.
const fn write(pieces: &[Piece], out: &mut [u8]) -> usize {
    const fn put(out: &mut [u8], n: &mut usize, byte: u8) {
        if *n < out.len() {
            out[*n] = byte;
        }
        *n += 1;
    }
    let (mut n, mut i, mut last) = (0, 0, b'[');
    while i < pieces.len() {
        let (bytes, quoted) = match pieces[i] {
            Piece::Raw(text) => (text.as_bytes(), false),
            Piece::Text(text) => (text.as_bytes(), true),
            Piece::Sep if last == b'[' => (b"".as_slice(), false),
            Piece::Sep => (b",".as_slice(), false),
        };
        if quoted {
            put(out, &mut n, b'"');
        }
        let mut k = 0;
        while k < bytes.len() {
            let b = bytes[k];
            if quoted && (b == b'"' || b == b'\\') {
                put(out, &mut n, b'\\');
                put(out, &mut n, b);
            } else if quoted && b < 0x20 {
                let escape = [b'\\', b'u', b'0', b'0', HEX[(b >> 4) as usize], HEX[(b & 15) as usize]];
                let mut e = 0;
                while e < escape.len() {
                    put(out, &mut n, escape[e]);
                    e += 1;
                }
            } else {
                put(out, &mut n, b);
            }
            last = b;
            k += 1;
        }
        if quoted {
            put(out, &mut n, b'"');
            last = b'"';
        }
        i += 1;
    }
    n
}

/// How long the joined pieces are, in bytes.
pub const fn joined_len(pieces: &[Piece]) -> usize {
    write(pieces, &mut [])
}

/// Joins pieces at compile time; `N` is [`joined_len`] of the same pieces.
pub const fn join<const N: usize>(pieces: &[Piece]) -> [u8; N] {
    let mut out = [0; N];
    write(pieces, &mut out);
    out
}
