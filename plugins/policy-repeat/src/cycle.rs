//! How often the end of a list says the same again.

/// The same stretch, one time after the other, at the end of a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cycle {
    /// How long the stretch is.
    pub length: usize,
    /// How often it stands there without anything between; 1 is no repetition.
    pub times: usize,
}

/// The cycle that repeats most often, of stretches of at most that length; the shorter of two. An empty list has none: all zero.
pub fn last_cycle<T: PartialEq>(list: &[T], length_max: usize) -> Cycle {
    let mut most = Cycle::default();
    for length in 1..=length_max.min(list.len()) {
        let mut stretches = list.rchunks_exact(length);
        let Some(last) = stretches.next() else { break };
        let times = 1 + stretches.take_while(|stretch| *stretch == last).count();
        if times > most.times {
            most = Cycle { length, times };
        }
    }
    most
}
