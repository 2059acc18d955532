//! Which bytes stand side by side in a set of texts: what most other texts are told apart by.

/// Pairs of bytes, and the first byte of each.
#[derive(Debug)]
pub(crate) struct Pairs {
    one: [bool; 256],
    two: Vec<bool>,
}

impl Default for Pairs {
    fn default() -> Pairs {
        Pairs { one: [false; 256], two: Vec::new() }
    }
}

impl Pairs {
    /// Adds the first pair of a text.
    pub(crate) fn add(&mut self, text: &[u8]) {
        self.two.resize(1 << 16, false);
        if let [first, second, ..] = text {
            self.one[usize::from(*first)] = true;
            self.two[usize::from(u16::from_be_bytes([*first, *second]))] = true;
        }
    }

    /// Whether a text begins with one of them.
    pub(crate) fn may(&self, tail: &[u8]) -> bool {
        match tail {
            [first, second, ..] => {
                self.two.get(usize::from(u16::from_be_bytes([*first, *second]))) == Some(&true)
            }
            [first] => self.one[usize::from(*first)],
            [] => false,
        }
    }
}
