//! What kind of file a library is, from its bytes alone: mapping a wrong or half-written one could kill the process.
use super::{Refusal, refuse};
use std::env::consts::{ARCH, OS};

/// A shared object for this machine, whole.
pub(super) fn check(bytes: &[u8]) -> Result<(), Refusal> {
    let here = match OS {
        "windows" => format!("pe/{ARCH}"),
        "macos" => format!("macho/{ARCH}"),
        _ => format!("elf{}/{ARCH}", usize::BITS),
    };
    match kind(bytes) {
        Ok(found) if found == here || found == "macho/any" => Ok(()),
        Ok(found) => {
            refuse(format!("built for {found}, this host runs on {here}"), "rebuild it for this machine")
        }
        Err(what) => refuse(format!("not a dynamic library: {what}"), "build it again, or copy it anew"),
    }
}

fn number(bytes: &[u8], at: usize, len: usize) -> Option<u64> {
    let field = bytes.get(at..at.checked_add(len)?)?;
    Some(field.iter().rev().fold(0, |n, byte| n << 8 | u64::from(*byte)))
}

fn kind(bytes: &[u8]) -> Result<String, String> {
    let field = |at, len| number(bytes, at, len).unwrap_or_default();
    match bytes {
        [] => Err("the file is empty".into()),
        [0x7f, b'E', b'L', b'F', class, 2, ..] => {
            Ok(format!("elf{}/a big-endian machine", if *class == 2 { 64 } else { 32 }))
        }
        [0x7f, b'E', b'L', b'F', class, ..] => {
            if field(16, 2) != 3 {
                return Err("an ELF file, but no shared object".into());
            }
            let machine = match field(18, 2) {
                62 => "x86_64",
                183 => "aarch64",
                3 => "x86",
                40 => "arm",
                243 => "riscv64",
                _ => "another machine",
            };
            if *class == 2 {
                whole(bytes)?;
            }
            Ok(format!("elf{}/{machine}", if *class == 2 { 64 } else { 32 }))
        }
        [0xcf, 0xfa, 0xed, 0xfe, ..] => Ok(match field(4, 4) {
            0x0100_0007 => "macho/x86_64".into(),
            0x0100_000c => "macho/aarch64".into(),
            _ => "macho/another machine".into(),
        }),
        [0xca, 0xfe, 0xba, 0xbe, ..] => Ok("macho/any".into()),
        [b'M', b'Z', ..] => {
            Ok(match field(usize::try_from(field(0x3c, 4)).unwrap_or(usize::MAX).saturating_add(4), 2) {
                0x8664 => "pe/x86_64".into(),
                0xaa64 => "pe/aarch64".into(),
                _ => "pe/another machine".into(),
            })
        }
        [b'!', b'<', b'a', b'r', b'c', b'h', ..] => Err("a static archive".into()),
        [first, ..] if first.is_ascii_graphic() => Err("a text file".into()),
        _ => Err("its first bytes are those of no known kind".into()),
    }
}

/// Every loadable segment of an ELF file lies within it. A half-written file maps, and kills with SIGBUS when it is read.
fn whole(bytes: &[u8]) -> Result<(), String> {
    let field = |at: u64, len| number(bytes, usize::try_from(at).unwrap_or(usize::MAX), len);
    let cut = || format!("only {} bytes of it are there", bytes.len());
    let (table, size, count) = (field(32, 8), field(54, 2), field(56, 2));
    let (Some(table), Some(size), Some(count)) = (table, size, count) else { return Err(cut()) };
    for header in (0..count).map(|i| table.saturating_add(i * size)) {
        let (kind, offset, length) =
            (field(header, 4), field(header.saturating_add(8), 8), field(header.saturating_add(32), 8));
        let (Some(kind), Some(offset), Some(length)) = (kind, offset, length) else { return Err(cut()) };
        if kind == 1 && offset.saturating_add(length) > bytes.len() as u64 {
            return Err(cut());
        }
    }
    Ok(())
}
