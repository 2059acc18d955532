//! The ways in which one input arrives. They are derived from its bytes: a corpus file is nothing but a stream, so that the
//! fixtures of the repository serve as they are, and an input that fails does so again.

/// The longest piece of an uneven cut, in bytes.
const PIECE_MAX: u64 = 24;

/// Byte by byte, and unevenly with empty pieces in between.
pub fn ways(stream: &[u8]) -> [Vec<&[u8]>; 2] {
    [stream.chunks(1).collect(), uneven(stream)]
}

fn uneven(mut stream: &[u8]) -> Vec<&[u8]> {
    let mut state = stream.iter().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let mut pieces = Vec::new();
    while !stream.is_empty() {
        // Xorshift64, whose state is never zero again once it is not.
        state |= 1;
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let len = usize::try_from(state % PIECE_MAX).unwrap_or_default().min(stream.len());
        let (piece, rest) = stream.split_at(len);
        pieces.push(piece);
        stream = rest;
    }
    pieces
}
