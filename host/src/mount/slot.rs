//! Slots: the chain of each service, and handles that look a position up at each call.
use loader::Role;
use plugin_api::{
    CallCx, FfiFuture, FfiStream, PollNext, RBatch, RError, RPayload, RResultE, RService, Service,
    abi_stable::std_types::{RErr, ROk, RStr, RString},
    run::{NOT_MOUNTED, PANIC, STUCK},
};
use secrets::{Redactor, StreamMask};
use std::{
    collections::BTreeMap,
    sync::{
        Arc, PoisonError, RwLock, Weak,
        atomic::{AtomicBool, Ordering::SeqCst},
    },
    task::{Context, Poll, ready},
};
use watch::{Live, Watched};

/// One object in a chain.
#[derive(Clone)]
pub(super) struct Entry {
    pub(super) live: Arc<Live>,
    pub(super) role: Role,
    /// The row's place in the file: later is further out.
    pub(super) order: usize,
    pub(super) object: RService,
}

/// All slots; a chain is innermost first.
pub(crate) struct Slots {
    chains: RwLock<BTreeMap<String, Vec<Entry>>>,
    redactor: Arc<Redactor>,
}

impl Slots {
    pub(super) fn new(redactor: Arc<Redactor>) -> Slots {
        Slots { chains: RwLock::default(), redactor }
    }

    pub(crate) fn redactor(&self) -> &Arc<Redactor> {
        &self.redactor
    }

    pub(super) fn put(&self, slot: &str, entry: Entry) {
        let mut chains = self.chains.write().unwrap_or_else(PoisonError::into_inner);
        let chain = chains.entry(slot.to_owned()).or_default();
        let at = chain.partition_point(|other| (other.role, other.order) <= (entry.role, entry.order));
        chain.insert(at, entry);
    }

    /// Takes out what a row has put in.
    pub(super) fn take(&self, live: &Arc<Live>) -> Vec<Entry> {
        let mut chains = self.chains.write().unwrap_or_else(PoisonError::into_inner);
        chains
            .values_mut()
            .flat_map(|chain| chain.extract_if(.., |entry| Arc::ptr_eq(&entry.live, live)))
            .collect()
    }

    /// A handle on a slot's outermost service.
    pub(crate) fn handle(self: &Arc<Self>, slot: &str) -> RService {
        Position::handle(Arc::downgrade(self), slot, None, None)
    }

    /// The slots, and the rows and roles in each, innermost first.
    pub(crate) fn chains(&self) -> Vec<(String, Vec<(String, Role)>)> {
        let chains = self.chains.read().unwrap_or_else(PoisonError::into_inner);
        let rows =
            |chain: &Vec<Entry>| chain.iter().map(|entry| (entry.live.id.clone(), entry.role)).collect();
        chains.iter().map(|(slot, chain)| (slot.clone(), rows(chain))).collect()
    }
}

/// A place in a chain: its outermost object, or what is below a row.
pub(super) struct Position {
    slots: Weak<Slots>,
    slot: String,
    below: Option<Arc<Live>>,
    /// Whether the instance that holds this has been made: `create` calls nobody.
    ready: Option<Arc<AtomicBool>>,
}

impl Position {
    pub(super) fn handle(
        slots: Weak<Slots>,
        slot: &str,
        below: Option<Arc<Live>>,
        ready: Option<Arc<AtomicBool>>,
    ) -> RService {
        RService::new(Position { slots, slot: slot.to_owned(), below, ready })
    }

    fn find(&self) -> Option<(Arc<Slots>, Entry)> {
        let slots = self.slots.upgrade()?;
        if self.ready.as_ref().is_some_and(|ready| !ready.load(SeqCst)) {
            return None;
        }
        let chains = slots.chains.read().unwrap_or_else(PoisonError::into_inner);
        let chain = chains.get(&self.slot)?;
        let entry = match &self.below {
            None => chain.last(),
            Some(live) => {
                let at = chain.iter().position(|entry| Arc::ptr_eq(&entry.live, live))?;
                at.checked_sub(1).and_then(|below| chain.get(below))
            }
        };
        let entry = entry?.clone();
        drop(chains);
        Some((slots, entry))
    }

    fn target(&self) -> Result<(Arc<Slots>, Entry), RError> {
        let (slots, entry) = self.find().ok_or_else(|| {
            let place =
                self.below.as_ref().map_or("in".to_owned(), |live| format!("below row `{}` in", live.id));
            RError::new(NOT_MOUNTED, format!("nothing is mounted {place} slot `{}`", self.slot))
                .hint(format!("add a row that provides `{}`", self.slot))
        })?;
        if entry.live.stuck.load(SeqCst) {
            let (what, hint) = entry.live.stuck_words();
            return Err(RError::new(STUCK, what).hint(hint));
        }
        Ok((slots, entry))
    }

    /// Consumers see masked results; within a chain they pass as they are, and are masked once, at its end.
    fn redactor(&self, slots: &Slots) -> Option<Arc<Redactor>> {
        self.below.is_none().then(|| Arc::clone(&slots.redactor))
    }
}

/// An error on its way to the caller: a panic names its row.
fn pass_error(error: &mut RError, live: &Live, redactor: Option<&Redactor>) {
    if error.code == PANIC && !error.message.starts_with("row `") {
        error.message = format!("row `{}`: {}", live.id, error.message).into();
    }
    redactor.into_iter().for_each(|redactor| redactor.error(error));
}

/// A stream on its way to the caller.
struct Passed {
    work: Watched<FfiStream<RResultE<RBatch>>>,
    live: Arc<Live>,
    mask: Option<StreamMask>,
    /// The work has ended; an error it ended with comes after what the mask still held.
    ended: Option<Option<RError>>,
}

impl PollNext for Passed {
    type Item = RResultE<RBatch>;
    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            if let Some(error) = &mut self.ended {
                return Poll::Ready(error.take().map(RErr));
            }
            let batch = match (ready!(self.work.poll_next(cx)), &mut self.mask) {
                (Some(ROk(batch)), None) => batch,
                (Some(ROk(batch)), Some(mask)) => mask.batch(batch),
                (end, mask) => {
                    self.ended = Some(end.and_then(|end| end.into_result().err()).map(|mut error| {
                        pass_error(&mut error, &self.live, mask.as_ref().map(StreamMask::redactor));
                        error
                    }));
                    mask.as_mut().map(StreamMask::rest).unwrap_or_default()
                }
            };
            // All of a batch may be held back, and nothing may be left to hand on at the end.
            if !batch.is_empty() {
                return Poll::Ready(Some(ROk(batch)));
            }
        }
    }
}

impl Service for Position {
    fn describe(&self) -> RString {
        self.find().map(|(_, entry)| entry.object.describe()).unwrap_or_default()
    }

    fn call(&self, method: RStr<'_>, payload: RPayload, cx: CallCx) -> FfiFuture<RResultE<RPayload>> {
        match self.target() {
            Err(error) => FfiFuture::ready(RErr(error)),
            Ok((slots, Entry { live, object, .. })) => {
                let redactor = self.redactor(&slots);
                let work = live.run(&method, || object.call(method, payload, cx));
                let work = Watched::new(work, &live, &method);
                FfiFuture::new(async move {
                    let mut result = work.await;
                    match (&mut result, redactor.as_deref()) {
                        (ROk(payload), Some(redactor)) => redactor.payload(payload),
                        (ROk(_), None) => {}
                        (RErr(error), redactor) => pass_error(error, &live, redactor),
                    }
                    result
                })
            }
        }
    }

    fn open(&self, method: RStr<'_>, payload: RPayload, cx: CallCx) -> FfiStream<RResultE<RBatch>> {
        match self.target() {
            Err(error) => FfiStream::once(RErr(error)),
            Ok((slots, Entry { live, object, .. })) => {
                let mask = self.redactor(&slots).as_ref().map(StreamMask::new);
                let work = live.run(&method, || object.open(method, payload, cx));
                let work = Watched::new(work, &live, &method);
                FfiStream::new(Passed { work, live, mask, ended: None })
            }
        }
    }
}
