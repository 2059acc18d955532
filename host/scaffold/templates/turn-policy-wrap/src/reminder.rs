//! What is added to a decision: apart from the service, so that it can be tested without a host.
use crate::Config;
use plugin_sdk::{
    Message, Part,
    contracts::turn_policy::{Enter, StepFacts},
};

/// A message, and the step that it comes before.
#[derive(Debug)]
pub struct Reminder {
    at_step: u32,
    message: Part,
}

impl Reminder {
    /// The reminder of a row.
    pub fn new(config: Config) -> Self {
        // Whoever reads the conversation can tell that no person said it.
        let source = Some(env!("CARGO_PKG_NAME").to_owned());
        let message = Message { source, ..Message::user(config.text) };
        Reminder { at_step: config.at_step, message: message.part() }
    }

    /// A decision with the message behind those it has, if its time is now.
    pub fn added_to(&self, decided: Enter, facts: &StepFacts) -> Enter {
        match decided {
            Enter::Enter { mut inject } if facts.step == self.at_step => {
                inject.push(self.message.clone());
                Enter::Enter { inject }
            }
            Enter::Enter { .. } | Enter::Reject { .. } => decided,
        }
    }
}
