//! The library's `tracing` subscriber: forwards every callsite, span and event to the host's.
use plugin_api::{
    RCallsite, RField, RTraceSink, RValue,
    abi_stable::std_types::{RSlice, RStr},
};
use std::{
    collections::HashMap,
    sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard},
};
use tracing_core::{
    Dispatch, Event, Interest, Level, LevelFilter, Metadata, Subscriber,
    callsite::Identifier,
    field::{Field, Visit},
    span::{Attributes, Current, Id, Record},
};

type Meta = &'static Metadata<'static>;

struct Remote {
    sink: RTraceSink,
    callsites: RwLock<HashMap<Identifier, u64>>,
    spans: RwLock<HashMap<u64, Meta>>,
}

fn read<T>(lock: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

fn write<T>(lock: &RwLock<T>) -> RwLockWriteGuard<'_, T> {
    lock.write().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn install(sink: RTraceSink) {
    let remote = Remote { sink, callsites: RwLock::default(), spans: RwLock::default() };
    // A second crate of a bundle finds the first one's in place, and shares it.
    drop(tracing::dispatcher::set_global_default(Dispatch::new(remote)));
}

/// The host changed its filter: refusals are forgotten, and `tracing` asks again.
pub(crate) fn refresh() {
    tracing::dispatcher::get_default(|dispatch| {
        if let Some(remote) = dispatch.downcast_ref::<Remote>() {
            write(&remote.callsites).retain(|_, id| *id != 0);
        }
    });
    tracing_core::callsite::rebuild_interest_cache();
}

enum Value {
    Bool(bool),
    I64(i64),
    U64(u64),
    F64(f64),
    Str(String),
    Debug(String),
}

impl Value {
    fn lend(&self) -> RValue<'_> {
        match self {
            Value::Bool(v) => RValue::Bool(*v),
            Value::I64(v) => RValue::I64(*v),
            Value::U64(v) => RValue::U64(*v),
            Value::F64(v) => RValue::F64(*v),
            Value::Str(v) => RValue::Str(RStr::from_str(v)),
            Value::Debug(v) => RValue::Debug(RStr::from_str(v)),
        }
    }
}

#[derive(Default)]
struct Fields(Vec<(u32, Value)>);

impl Fields {
    fn put(&mut self, field: &Field, value: Value) {
        self.0.push((u32::try_from(field.index()).unwrap_or(u32::MAX), value));
    }

    fn lend<R>(&self, f: impl FnOnce(RSlice<'_, RField<'_>>) -> R) -> R {
        let fields: Vec<RField<'_>> =
            self.0.iter().map(|(index, value)| RField { index: *index, value: value.lend() }).collect();
        f(RSlice::from_slice(&fields))
    }
}

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        self.put(field, Value::Debug(format!("{value:?}")));
    }
    fn record_str(&mut self, field: &Field, value: &str) {
        self.put(field, Value::Str(value.to_owned()));
    }
    fn record_bool(&mut self, field: &Field, value: bool) {
        self.put(field, Value::Bool(value));
    }
    fn record_i64(&mut self, field: &Field, value: i64) {
        self.put(field, Value::I64(value));
    }
    fn record_u64(&mut self, field: &Field, value: u64) {
        self.put(field, Value::U64(value));
    }
    fn record_f64(&mut self, field: &Field, value: f64) {
        self.put(field, Value::F64(value));
    }
}

fn parent(root: bool, contextual: bool, explicit: Option<&Id>) -> u64 {
    match explicit {
        Some(id) => id.into_u64() + 2,
        None if contextual && !root => 0,
        None => 1,
    }
}

impl Remote {
    fn callsite(&self, meta: Meta) -> u64 {
        if let Some(id) = read(&self.callsites).get(&meta.callsite()) {
            return *id;
        }
        let level = match *meta.level() {
            Level::ERROR => 1,
            Level::WARN => 2,
            Level::INFO => 3,
            Level::DEBUG => 4,
            Level::TRACE => 5,
        };
        let fields: Vec<RStr<'_>> = meta.fields().iter().map(|f| RStr::from_str(f.name())).collect();
        let id = self.sink.register(RCallsite {
            name: meta.name().into(),
            target: meta.target().into(),
            level,
            is_span: meta.is_span(),
            file: meta.file().unwrap_or_default().into(),
            line: meta.line().unwrap_or_default(),
            fields: fields.into(),
        });
        write(&self.callsites).insert(meta.callsite(), id);
        id
    }
}

impl Subscriber for Remote {
    fn register_callsite(&self, meta: Meta) -> Interest {
        // Never `always`: filters of the host's layers want to be asked just before each event.
        if self.callsite(meta) == 0 { Interest::never() } else { Interest::sometimes() }
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(match self.sink.max_level() {
            0 => LevelFilter::OFF,
            1 => LevelFilter::ERROR,
            2 => LevelFilter::WARN,
            3 => LevelFilter::INFO,
            4 => LevelFilter::DEBUG,
            _ => LevelFilter::TRACE,
        })
    }

    fn enabled(&self, meta: &Metadata<'_>) -> bool {
        match read(&self.callsites).get(&meta.callsite()) {
            Some(0) => false,
            Some(id) => self.sink.enabled(*id),
            None => true,
        }
    }

    fn new_span(&self, attributes: &Attributes<'_>) -> Id {
        let callsite = self.callsite(attributes.metadata());
        let mut fields = Fields::default();
        attributes.record(&mut fields);
        let parent = parent(attributes.is_root(), attributes.is_contextual(), attributes.parent());
        let id = fields.lend(|fields| self.sink.new_span(callsite, parent, fields)).max(1);
        write(&self.spans).insert(id, attributes.metadata());
        Id::from_u64(id)
    }

    fn record(&self, span: &Id, values: &Record<'_>) {
        let Some(meta) = read(&self.spans).get(&span.into_u64()).copied() else { return };
        let mut fields = Fields::default();
        values.record(&mut fields);
        fields.lend(|fields| self.sink.record(span.into_u64(), self.callsite(meta), fields));
    }

    fn record_follows_from(&self, span: &Id, follows: &Id) {
        self.sink.follows_from(span.into_u64(), follows.into_u64());
    }

    fn event(&self, event: &Event<'_>) {
        let callsite = self.callsite(event.metadata());
        let mut fields = Fields::default();
        event.record(&mut fields);
        let parent = parent(event.is_root(), event.is_contextual(), event.parent());
        fields.lend(|fields| self.sink.event(callsite, parent, fields));
    }

    fn enter(&self, span: &Id) {
        self.sink.enter(span.into_u64());
    }

    fn exit(&self, span: &Id) {
        self.sink.exit(span.into_u64());
    }

    fn clone_span(&self, span: &Id) -> Id {
        self.sink.clone_span(span.into_u64());
        span.clone()
    }

    fn try_close(&self, span: Id) -> bool {
        let last = self.sink.try_close(span.into_u64());
        if last {
            write(&self.spans).remove(&span.into_u64());
        }
        last
    }

    fn current_span(&self) -> Current {
        let id = self.sink.current_span();
        match read(&self.spans).get(&id) {
            Some(meta) => Current::new(Id::from_u64(id), meta),
            // No span, or one of the host's own.
            None => Current::none(),
        }
    }
}
