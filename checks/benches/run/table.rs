//! Figures side by side: the least and the median of some runs, and their ratio beside its bound.

use std::io::Write as _;
use std::time::Duration;

/// What was measured of one thing, run by run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Samples(Vec<f64>);

impl Samples {
    pub(crate) fn push(&mut self, value: f64) {
        self.0.push(value);
    }

    pub(crate) fn time(&mut self, time: Duration) {
        self.push(time.as_secs_f64() * 1e6);
    }

    /// The least: what the work takes when nothing else gets in its way.
    pub(crate) fn min(&self) -> f64 {
        self.0.iter().copied().fold(f64::INFINITY, f64::min)
    }

    /// What is left of each when the least of another is taken away.
    pub(crate) fn beyond(&self, other: &Samples) -> Samples {
        Samples(self.0.iter().map(|value| value - other.min()).collect())
    }

    pub(crate) fn median(&self) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        let middle = sorted.len() / 2;
        match sorted.len() {
            0 => f64::NAN,
            n if n % 2 == 1 => sorted[middle],
            _ => f64::midpoint(sorted[middle - 1], sorted[middle]),
        }
    }
}

/// What a figure is counted in.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Unit {
    /// Microseconds, printed in the unit that suits.
    Time,
    /// Kilobytes.
    Memory,
    Count,
}

impl Unit {
    fn show(self, value: f64) -> String {
        match self {
            Unit::Time if value.abs() < 1.0 => format!("{:.0} ns", value * 1e3),
            Unit::Time if value.abs() < 1e3 => format!("{value:.1} µs"),
            Unit::Time if value.abs() < 1e6 => format!("{:.2} ms", value / 1e3),
            Unit::Time => format!("{:.2} s", value / 1e6),
            Unit::Memory => format!("{:.1} MB", value / 1024.0),
            Unit::Count => format!("{value:.0}"),
        }
    }
}

/// A table that is printed line by line, as the figures come.
#[derive(Debug)]
pub(crate) struct Table {
    heading: String,
    missed: Vec<String>,
}

impl Table {
    /// A table of one thing beside its baseline.
    pub(crate) fn new(one: &str, baseline: &str) -> Self {
        let columns = format!("{one:>11} {:>11}   {baseline:>11} {:>11}", "median", "median");
        say(&format!("{:<44} {columns}   ratio (of medians)", ""));
        Table { heading: String::new(), missed: Vec::new() }
    }

    pub(crate) fn heading(&mut self, text: &str) {
        text.clone_into(&mut self.heading);
        say(&format!("\n{text}"));
    }

    /// A figure beside its baseline. The ratio is that of the least values.
    pub(crate) fn pair(
        &mut self,
        name: &str,
        unit: Unit,
        one: &Samples,
        baseline: &Samples,
        bound: Option<f64>,
    ) {
        let ratio = one.min() / baseline.min();
        let verdict = bound.map(|bound| {
            if ratio > bound {
                self.missed.push(format!(
                    "{}: {}: {ratio:.2}x, bound {bound}x",
                    self.heading,
                    name.trim_start()
                ));
            }
            format!(", bound {bound}x, {}", if ratio <= bound { "kept" } else { "missed" })
        });
        let [a, b, c, d] = [one.min(), one.median(), baseline.min(), baseline.median()].map(|v| unit.show(v));
        // A small ratio is worth its digits.
        let digits = if ratio < 0.1 { 4 } else { 2 };
        let medians = one.median() / baseline.median();
        let ratios = format!("{ratio:.digits$}x ({medians:.digits$}x){}", verdict.unwrap_or_default());
        say(&format!("{name:<44} {a:>11} {b:>11}   {c:>11} {d:>11}   {ratios}"));
    }

    /// Several figures of one thing, the least of each.
    pub(crate) fn line(&self, name: &str, unit: Unit, figures: &[(&str, &Samples)]) {
        let figures = figures.iter().map(|(what, samples)| format!("{what} {:>9}", unit.show(samples.min())));
        say(&format!("{name:<44} {}", figures.collect::<Vec<_>>().join("   ")));
    }

    /// Says which bounds were missed.
    pub(crate) fn end(&self) {
        if self.missed.is_empty() {
            return say("\nno bound was missed");
        }
        say("\nmissed:");
        for line in &self.missed {
            say(&format!("  {line}"));
        }
    }
}

fn say(line: &str) {
    // Whoever closed our standard output does not want the figures.
    let _ = writeln!(std::io::stdout(), "{line}");
}

pub(crate) fn complain(line: &str) {
    // There is nowhere left to tell that stderr is closed.
    let _ = writeln!(std::io::stderr(), "error: {line}");
}
