//! The tests of this package, in one binary.

// The attribute is what makes clippy treat the helpers of these tests as test code.
#[cfg(test)]
mod fake_model;
#[cfg(test)]
mod foundations;
#[cfg(test)]
mod tidy;
