//! What the SDK does around an author's code, seen from the host's side of the ABI.

// The attributes are what makes clippy treat the tools of these tests as test code.
#[cfg(test)]
mod host;
#[cfg(test)]
mod probe;
#[cfg(test)]
mod emit;
#[cfg(test)]
mod relay;
#[cfg(test)]
mod instance;
#[cfg(test)]
mod panics;
#[cfg(test)]
mod threads;
