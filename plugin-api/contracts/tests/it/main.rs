//! The contracts as their two ends meet over the ABI: an author's value behind a service object, a typed client before it.

// The attributes are what makes clippy treat the tools of these tests as test code.
#[cfg(test)]
mod clock;
#[cfg(test)]
mod stage;
#[cfg(test)]
mod notation;
#[cfg(test)]
mod values;
#[cfg(test)]
mod error;
#[cfg(test)]
mod cx;
#[cfg(test)]
mod wire;
#[cfg(test)]
mod chunks;
#[cfg(test)]
mod llm;
#[cfg(test)]
mod tools;
#[cfg(test)]
mod join;
#[cfg(test)]
mod dispatch;
#[cfg(test)]
mod turn_policy;
#[cfg(test)]
mod context;
#[cfg(test)]
mod session;
#[cfg(test)]
mod agent_loop;
