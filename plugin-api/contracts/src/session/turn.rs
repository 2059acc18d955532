//! Which turn and step of a log is open, and what closes them.
use super::{
    NewEvent,
    kind::{STEP_END, STEP_START, Step, StepEnded, TURN_END, TURN_START, Turn, TurnEnded},
};
use crate::agent_loop::TurnEnd;
use serde::de::DeserializeOwned;

/// The latest turn.
#[derive(Clone, Debug, Default)]
pub(super) struct Latest {
    pub(super) turn: u32,
    open: bool,
    step: Option<u32>,
}

impl Latest {
    pub(super) fn is_open(&self) -> bool {
        self.open
    }

    pub(super) fn push(&mut self, event: &NewEvent) {
        match event.kind.as_str() {
            TURN_START => {
                // A number that is missing is the next one's.
                let Turn { turn } = read(event);
                let turn = if turn == 0 { self.turn.saturating_add(1) } else { turn };
                *self = Latest { turn, open: true, step: None };
            }
            TURN_END => (self.open, self.step) = (false, None),
            STEP_START if self.open => self.step = Some(read::<Step>(event).step),
            STEP_END => self.step = None,
            _ => {}
        }
    }

    /// The ends that an open turn lacks.
    pub(super) fn closers(&self) -> Vec<NewEvent> {
        if !self.open {
            return Vec::new();
        }
        let turn = self.turn;
        let step = self.step.map(|step| {
            let ended = StepEnded { turn, step, ..StepEnded::default() };
            NewEvent::new(STEP_END, ended)
        });
        let ended = TurnEnded {
            turn,
            status: TurnEnd::Interrupted,
            message: "the harness stopped before the turn ended".to_owned(),
            ..TurnEnded::default()
        };
        step.into_iter().chain([NewEvent::new(TURN_END, ended)]).collect()
    }
}

/// An event's data; what is missing or of another shape is defaulted, because a log outlives whoever wrote it.
pub(super) fn read<T: DeserializeOwned + Default>(event: &NewEvent) -> T {
    T::deserialize(&event.data).unwrap_or_default()
}
