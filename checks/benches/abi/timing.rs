//! Times two pieces of code in turn, so that whatever else the machine does meets both.

use std::time::{Duration, Instant};

use contracts::{Error, Result};

use crate::table::Samples;

/// How much is measured.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effort {
    /// How often each is timed.
    pub(crate) rounds: usize,
    /// How long one timing takes at least.
    pub(crate) time: Duration,
}

impl Effort {
    /// The time of one `work` and of one `baseline`, each `per` things that are counted.
    ///
    /// # Errors
    /// That of the first that fails.
    pub(crate) async fn compare<A, B>(
        self,
        per: u32,
        mut work: A,
        mut baseline: B,
    ) -> Result<(Samples, Samples)>
    where
        A: AsyncFnMut() -> Result<()>,
        B: AsyncFnMut() -> Result<()>,
    {
        let (times, times_baseline) = (self.times(&mut work).await?, self.times(&mut baseline).await?);
        let (mut one, mut other) = (Samples::default(), Samples::default());
        for _ in 0..self.rounds {
            one.push(timed(times, &mut work).await?.as_secs_f64() * 1e6 / f64::from(times) / f64::from(per));
            let time = timed(times_baseline, &mut baseline).await?.as_secs_f64();
            other.push(time * 1e6 / f64::from(times_baseline) / f64::from(per));
        }
        Ok((one, other))
    }

    /// How often to repeat code for one timing.
    async fn times(self, code: &mut impl AsyncFnMut() -> Result<()>) -> Result<u32> {
        let mut times = 1;
        while timed(times, code).await? < self.time {
            times *= 2;
        }
        Ok(times)
    }
}

/// Fails when what is timed does not do what it should.
pub(crate) fn expect(holds: bool, what: &str) -> Result<()> {
    if holds { Ok(()) } else { Err(Error::new("BENCH_WRONG", format!("this does not hold: {what}"))) }
}

async fn timed(times: u32, code: &mut impl AsyncFnMut() -> Result<()>) -> Result<Duration> {
    let begun = Instant::now();
    for _ in 0..times {
        code().await?;
    }
    Ok(begun.elapsed())
}
