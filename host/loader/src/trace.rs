//! The sink through which every library's spans and events reach the host's subscriber.
use plugin_api::{RCallsite, RField, RTraceSink, RValue, TraceSink, abi_stable::std_types::RSlice};
use std::{
    fmt,
    sync::{OnceLock, PoisonError, RwLock},
};
use tracing_core::{
    Callsite, Dispatch, Event, Field, Interest, Kind, Level, LevelFilter, Metadata,
    callsite::Identifier,
    field::{FieldSet, Value, ValueSet, debug},
    span::{Attributes, Id, Record},
};

/// How many fields of a callsite are kept: what `ValueSet` takes.
const FIELDS_MAX: usize = 32;

/// A sink that replays on a dispatcher.
pub fn sink(dispatch: Dispatch) -> RTraceSink {
    RTraceSink::new(Sink { dispatch, sites: RwLock::default() })
}

/// A callsite of a library; leaked, once each.
#[derive(Default)]
struct Site(OnceLock<Metadata<'static>>);

impl Callsite for Site {
    fn set_interest(&self, _: Interest) {}

    fn metadata(&self) -> &Metadata<'_> {
        static NONE: Site = Site(OnceLock::new());
        let name = "unset";
        self.0.get_or_init(|| {
            Metadata::new(
                name,
                name,
                Level::TRACE,
                None,
                None,
                None,
                FieldSet::new(&[], Identifier(&NONE)),
                Kind::EVENT,
            )
        })
    }
}

struct Sink {
    dispatch: Dispatch,
    sites: RwLock<Vec<&'static Site>>,
}

fn leak(text: &str) -> &'static str {
    Box::leak(text.to_owned().into_boxed_str())
}

impl Sink {
    fn site(&self, id: u64) -> Option<&'static Metadata<'static>> {
        let sites = self.sites.read().unwrap_or_else(PoisonError::into_inner);
        sites.get(usize::try_from(id).ok()?.checked_sub(1)?).map(|site| site.0.get())?
    }

    fn with<R>(
        &self,
        site: u64,
        fields: RSlice<'_, RField<'_>>,
        f: impl FnOnce(&'static Metadata<'static>, &ValueSet<'_>) -> R,
    ) -> Option<R> {
        let meta = self.site(site)?;
        let values: Vec<(Field, Box<dyn Value + '_>)> = fields
            .iter()
            .filter_map(|field| Some((meta.fields().iter().nth(field.index as usize)?, value(field.value))))
            .collect();
        let Some((first, _)) = values.first() else { return Some(f(meta, &meta.fields().value_set(&[]))) };
        // Only whole arrays make a value set: what is missing is absent, under any field.
        let mut slots: [(&Field, Option<&dyn Value>); FIELDS_MAX] = [(first, None); FIELDS_MAX];
        for (slot, (field, value)) in slots.iter_mut().zip(&values) {
            *slot = (field, Some(&**value));
        }
        Some(f(meta, &meta.fields().value_set(&slots)))
    }
}

struct Shown<'a>(&'a str);

impl fmt::Debug for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

fn value(value: RValue<'_>) -> Box<dyn Value + '_> {
    match value {
        RValue::Bool(v) => Box::new(v),
        RValue::I64(v) => Box::new(v),
        RValue::U64(v) => Box::new(v),
        RValue::F64(v) => Box::new(v),
        RValue::Str(v) => Box::new(v.as_str()),
        RValue::Debug(v) => Box::new(debug(Shown(v.as_str()))),
    }
}

impl TraceSink for Sink {
    fn max_level(&self) -> u8 {
        match LevelFilter::current() {
            LevelFilter::OFF => 0,
            LevelFilter::ERROR => 1,
            LevelFilter::WARN => 2,
            LevelFilter::INFO => 3,
            LevelFilter::DEBUG => 4,
            LevelFilter::TRACE => 5,
        }
    }

    fn register(&self, callsite: RCallsite<'_>) -> u64 {
        let site: &'static Site = Box::leak(Box::default());
        let names: Vec<&'static str> =
            callsite.fields.iter().take(FIELDS_MAX).map(|name| leak(name)).collect();
        let level = match callsite.level {
            1 => Level::ERROR,
            2 => Level::WARN,
            3 => Level::INFO,
            4 => Level::DEBUG,
            _ => Level::TRACE,
        };
        let (target, kind) =
            (leak(&callsite.target), if callsite.is_span { Kind::SPAN } else { Kind::EVENT });
        let fields = FieldSet::new(Box::leak(names.into_boxed_slice()), Identifier(site));
        let file = Some(leak(&callsite.file));
        let meta = site.0.get_or_init(|| {
            Metadata::new(
                leak(&callsite.name),
                target,
                level,
                file,
                Some(callsite.line),
                Some(target),
                fields,
                kind,
            )
        });
        if self.dispatch.register_callsite(meta).is_never() {
            return 0;
        }
        let mut sites = self.sites.write().unwrap_or_else(PoisonError::into_inner);
        sites.push(site);
        sites.len() as u64
    }

    fn enabled(&self, callsite: u64) -> bool {
        self.site(callsite).is_some_and(|meta| self.dispatch.enabled(meta))
    }

    fn new_span(&self, callsite: u64, parent: u64, fields: RSlice<'_, RField<'_>>) -> u64 {
        let open = |meta: &'static Metadata<'static>, values: &ValueSet<'_>| {
            self.dispatch.new_span(&match parent {
                0 => Attributes::new(meta, values),
                1 => Attributes::new_root(meta, values),
                parent => Attributes::child_of(Id::from_u64(parent - 2), meta, values),
            })
        };
        self.with(callsite, fields, open).map_or(0, |id| id.into_u64())
    }

    fn record(&self, span: u64, callsite: u64, fields: RSlice<'_, RField<'_>>) {
        self.with(callsite, fields, |_, values| {
            self.dispatch.record(&Id::from_u64(span.max(1)), &Record::new(values))
        });
    }

    fn follows_from(&self, span: u64, follows: u64) {
        self.dispatch.record_follows_from(&Id::from_u64(span.max(1)), &Id::from_u64(follows.max(1)));
    }

    fn event(&self, callsite: u64, parent: u64, fields: RSlice<'_, RField<'_>>) {
        self.with(callsite, fields, |meta, values| {
            self.dispatch.event(&match parent {
                0 => Event::new(meta, values),
                1 => Event::new_child_of(None, meta, values),
                parent => Event::new_child_of(Id::from_u64(parent - 2), meta, values),
            });
        });
    }

    fn enter(&self, span: u64) {
        self.dispatch.enter(&Id::from_u64(span.max(1)));
    }

    fn exit(&self, span: u64) {
        self.dispatch.exit(&Id::from_u64(span.max(1)));
    }

    fn clone_span(&self, span: u64) {
        self.dispatch.clone_span(&Id::from_u64(span.max(1)));
    }

    fn try_close(&self, span: u64) -> bool {
        self.dispatch.try_close(Id::from_u64(span.max(1)))
    }

    fn current_span(&self) -> u64 {
        self.dispatch.current_span().id().map_or(0, Id::into_u64)
    }
}
