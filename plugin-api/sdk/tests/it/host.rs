//! A host of one instance: what it lends, what it hears, and how it waits.
use plugin_api::{
    CallCx, Create, FfiFuture, Host, Init, RCallsite, RError, RField, RHost, RInstance, RPayload, RResultE,
    RRun, RService, RTraceSink, RValue, Run, Token, TraceCx, TraceSink,
    abi_stable::std_types::{RErr, ROption, RSlice, RStr, RString},
    run::NO_ONE_TO_ASK,
};
use plugin_sdk::{Plugin, glue};
use std::{
    future::Future,
    pin::pin,
    sync::{Arc, Mutex, Once},
    task::{Context, Poll, Wake, Waker},
    thread::Thread,
    time::{Duration, Instant},
};

/// What an instance may see: handles by name.
#[derive(Default)]
pub(crate) struct Lent {
    pub(crate) needs: Vec<(&'static str, RService)>,
    pub(crate) below: Vec<(&'static str, RService)>,
}

fn find(list: &[(&'static str, RService)], name: RStr<'_>) -> ROption<RService> {
    list.iter().find(|(known, _)| *known == name.as_str()).map(|(_, service)| service.clone()).into()
}

impl Host for Lent {
    fn service(&self, need: RStr<'_>) -> ROption<RService> {
        find(&self.needs, need)
    }
    fn below(&self, service: RStr<'_>) -> ROption<RService> {
        find(&self.below, service)
    }
    fn redact(&self, payload: RPayload) -> RPayload {
        RPayload::new(payload.head.replace("hunter2", "***"), payload.parts)
    }
}

/// Makes an instance that exports one role, as `export_plugins!` does.
pub(crate) fn create<T: Plugin, R: glue::Route<T>>(
    lent: Lent,
    config: &str,
    runtime: bool,
) -> RResultE<RInstance> {
    init();
    let create = Create {
        host: RHost::new(lent),
        row_id: "row-1".into(),
        config: config.into(),
        handover: RPayload::new(r#"{"from":"before"}"#, Default::default()),
        ext: RString::new(),
    };
    wait(glue::create::<T>(create, runtime, |exporter| Ok(vec![exporter.export::<R>()?])))
}

/// The object of an instance's one role.
pub(crate) fn object(instance: &RInstance) -> RService {
    let exports = instance.exports();
    assert_eq!(exports.len(), 1);
    exports[0].object.clone()
}

struct Nobody;

impl Run for Nobody {
    fn session(&self) -> RString {
        "s1".into()
    }
    fn parent(&self) -> ROption<RString> {
        ROption::RNone
    }
    fn child(&self, _: RStr<'_>) -> RRun {
        RRun::new(Nobody)
    }
    fn emit(&self, _: RStr<'_>, _: RPayload) {}
    fn ask(&self, _: RPayload) -> FfiFuture<RResultE<RPayload>> {
        FfiFuture::ready(RErr(RError::new(NO_ONE_TO_ASK, "nobody is there")))
    }
    fn now_ns(&self) -> u64 {
        0
    }
    fn sleep(&self, _: u64) -> FfiFuture<()> {
        FfiFuture::new(std::future::pending())
    }
}

pub(crate) fn cx() -> CallCx {
    CallCx {
        cancel: Token::root(),
        deadline_ns: 0,
        trace: TraceCx::default(),
        run: RRun::new(Nobody),
        ext: RString::new(),
    }
}

/// What plugins told the log, one line an event.
static LOG: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Whether somebody told the log of this.
pub(crate) fn logged(words: &[&str]) -> bool {
    LOG.lock().unwrap().iter().any(|line| words.iter().all(|word| line.contains(word)))
}

struct Log;

impl Log {
    fn value(value: RValue<'_>) -> String {
        match value {
            RValue::Bool(v) => v.to_string(),
            RValue::I64(v) => v.to_string(),
            RValue::U64(v) => v.to_string(),
            RValue::F64(v) => v.to_string(),
            RValue::Str(v) | RValue::Debug(v) => v.as_str().to_owned(),
        }
    }
}

impl TraceSink for Log {
    fn max_level(&self) -> u8 {
        5
    }
    fn register(&self, _: RCallsite<'_>) -> u64 {
        1
    }
    fn enabled(&self, _: u64) -> bool {
        true
    }
    fn new_span(&self, _: u64, _: u64, _: RSlice<'_, RField<'_>>) -> u64 {
        1
    }
    fn record(&self, _: u64, _: u64, _: RSlice<'_, RField<'_>>) {}
    fn follows_from(&self, _: u64, _: u64) {}
    fn event(&self, _: u64, _: u64, fields: RSlice<'_, RField<'_>>) {
        let line = fields.iter().map(|field| Log::value(field.value)).collect::<Vec<_>>().join(" ");
        // The SDK's panic hook is in the place of the one that prints, so a failing test would be without words.
        eprintln!("{line}");
        LOG.lock().unwrap().push(line);
    }
    fn enter(&self, _: u64) {}
    fn exit(&self, _: u64) {}
    fn clone_span(&self, _: u64) {}
    fn try_close(&self, _: u64) -> bool {
        true
    }
    fn current_span(&self) -> u64 {
        0
    }
}

/// What a host does once per mapping.
pub(crate) fn init() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let init = Init { trace: RTraceSink::new(Log), ext: RString::new() };
        assert!(glue::init("sdk-tests", init).is_ok());
    });
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Reached only when a test fails.
const WAIT_MAX: Duration = Duration::from_secs(60);

/// Polls on this thread until the value is there, without a runtime of any kind.
#[track_caller]
pub(crate) fn wait<F: Future>(work: F) -> F::Output {
    let (mut work, waker) = (pin!(work), Waker::from(Arc::new(Unpark(std::thread::current()))));
    let begun = Instant::now();
    loop {
        match work.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(value) => return value,
            Poll::Pending => {
                std::thread::park_timeout(WAIT_MAX);
                assert!(begun.elapsed() < WAIT_MAX, "nobody wakes who waits here");
            }
        }
    }
}
