//! Bounds text at the observation seam: head and tail stay, the middle goes, and the cut is said with exact counts.
//!
//! A model that reads cut text must know that it is cut, and by how much; both ends matter, because a listing says what
//! it is at its head and a failing build says why at its tail. Only whole characters are kept.
//!
//! [`keep_bytes`] and [`keep_chars`] bound text that is there already. [`HeadTail`] bounds bytes that are still arriving,
//! the output of a process for one, in memory that does not grow with them. [`Decoder`] is the part of it that turns
//! bytes into text, for those who pass the text on while it arrives.
//!
//! ```
//! assert_eq!(kit_truncate::keep_bytes("all of it", 9), "all of it");
//! assert_eq!(
//!     kit_truncate::keep_bytes("0123456789abcdef", 6),
//!     "012\n… [cut: 10 of 16 bytes left out of the middle] …\ndef"
//! );
//!
//! let mut output = kit_truncate::HeadTail::new(4, 4);
//! for _ in 0..5_000 {
//!     output.push(b"y\n");
//! }
//! let (text, cut_bytes) = output.finish();
//! assert_eq!(text, "y\ny\n\n… [cut: 9,992 of 10,000 bytes left out of the middle] …\ny\ny\n");
//! assert_eq!(cut_bytes, 9_992);
//! ```

mod decode;
mod head_tail;
mod keep;

pub use decode::Decoder;
pub use head_tail::{HeadTail, MARGIN_BYTES};
pub use keep::{keep_bytes, keep_chars};
