//! From an author's value to the ABI's objects. Authors do not see this; [`crate::export_plugins!`] names it.
use crate::{
    Ctx, Plugin,
    guard::{self, Guard},
    rt::{self, Live},
    trace,
};
use contracts::{
    Contract, Cx, Error, Join, Payload, Raw, Result, Serve, Shape,
    error::into_abi,
    wire::{Batch, BoxFuture, BoxStream},
};
use plugin_api::{
    CallCx, Create, FfiFuture, FfiStream, Init, Instance, PollNext, RBatch, RExport, RInstance, RPayload,
    RResultE, RService, Service,
    abi_stable::{
        erased_types::TD_Opaque,
        std_types::{RErr, ROk, RStr, RString, RVec},
    },
    run::NO_METHOD,
};
use std::{
    marker::PhantomData,
    mem::ManuallyDrop,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    task::{Context, Poll},
};

fn to_abi<T>(result: Result<T>) -> RResultE<T> {
    match result {
        Ok(value) => ROk(value),
        Err(error) => RErr(into_abi(error)),
    }
}

/// How a role answers a method; `None` goes to what is below, or is `NO_METHOD`.
pub trait Route<T>: Send + Sync + 'static {
    /// The service.
    type Contract: Contract;
    /// Whether there is something below.
    const BELOW: bool;
    #[doc(hidden)]
    fn call(
        plugin: &Arc<T>,
        below: Option<&Raw>,
        method: &str,
        payload: Payload,
        cx: Cx,
    ) -> Option<BoxFuture<Result<Payload>>>;
    #[doc(hidden)]
    fn open(
        plugin: &Arc<T>,
        below: Option<&Raw>,
        method: &str,
        payload: Payload,
        cx: Cx,
    ) -> Option<BoxStream<Result<Batch>>>;
}

macro_rules! route {
    ($(#[$doc:meta])* $role:ident, $bound:ident, $below:expr, $call:ident, $open:ident $(, $arg:ident)?) => {
        $(#[$doc])*
        pub struct $role<C>(PhantomData<fn() -> C>);
        impl<T: 'static, C: $bound<T>> Route<T> for $role<C> {
            type Contract = C;
            const BELOW: bool = $below;
            fn call(
                plugin: &Arc<T>,
                _below: Option<&Raw>,
                method: &str,
                payload: Payload,
                cx: Cx,
            ) -> Option<BoxFuture<Result<Payload>>> {
                $(let $arg = _below?;)?
                C::$call(plugin, $($arg,)? method, payload, cx)
            }
            fn open(
                plugin: &Arc<T>,
                _below: Option<&Raw>,
                method: &str,
                payload: Payload,
                cx: Cx,
            ) -> Option<BoxStream<Result<Batch>>> {
                $(let $arg = _below?;)?
                C::$open(plugin, $($arg,)? method, payload, cx)
            }
        }
    };
}
route!(
    /// Is the service.
    Provide, Serve, false, call, open
);
route!(
    /// Stands before what is below.
    Wrap, Serve, true, call, open
);
route!(
    /// Adds to what is below.
    Joined, Join, true, join_call, join_open, below
);

/// An author's value, dropped under guard wherever the last handle on it goes.
struct Held<T> {
    value: ManuallyDrop<Arc<T>>,
    runtime: bool,
    _live: Live,
}

impl<T> Held<T> {
    fn new(value: &Arc<T>, runtime: bool) -> Self {
        Held { value: ManuallyDrop::new(Arc::clone(value)), runtime, _live: Live::new() }
    }
}

impl<T> Drop for Held<T> {
    fn drop(&mut self) {
        // SAFETY: `value` is not touched again.
        #[expect(unsafe_code, reason = "the value must be dropped inside the guard")]
        let value = unsafe { ManuallyDrop::take(&mut self.value) };
        guard::discard(self.runtime, value);
    }
}

struct Exported<T, R> {
    plugin: Held<T>,
    below: Option<Raw>,
    role: PhantomData<fn() -> R>,
}

impl<T: Send + Sync + 'static, R: Route<T>> Exported<T, R> {
    fn no_method(method: &str) -> Error {
        Error::new(NO_METHOD, format!("`{}` has no method `{method}`", R::Contract::NAME))
    }
}

impl<T: Send + Sync + 'static, R: Route<T>> Service for Exported<T, R> {
    fn describe(&self) -> RString {
        let methods: serde_json::Map<String, serde_json::Value> = R::Contract::METHODS
            .iter()
            .map(|(name, shape)| {
                ((*name).to_owned(), if *shape == Shape::Stream { "stream" } else { "call" }.into())
            })
            .collect();
        let (service, version) = (R::Contract::NAME, R::Contract::VERSION);
        serde_json::json!({ "service": service, "version": version, "methods": methods }).to_string().into()
    }

    fn call(&self, method: RStr<'_>, payload: RPayload, cx: CallCx) -> FfiFuture<RResultE<RPayload>> {
        let (cx, method, runtime) = (Cx::from(cx), method.as_str(), self.plugin.runtime);
        let work = guard::sync(runtime, || {
            let (own, under) = (payload.clone(), self.below.as_ref());
            if let Some(work) = R::call(&self.plugin.value, under, method, own, cx.clone()) {
                return Ok(work);
            }
            let (below, method) =
                (self.below.clone().ok_or_else(|| Self::no_method(method))?, method.to_owned());
            Ok(Box::pin(async move { below.call(&method, payload, &cx).await }) as BoxFuture<_>)
        });
        match work {
            Ok(work) => {
                let work = Guard::new(runtime, work);
                FfiFuture::new(async move { to_abi(work.await) })
            }
            Err(error) => FfiFuture::ready(to_abi(Err(error))),
        }
    }

    fn open(&self, method: RStr<'_>, payload: RPayload, cx: CallCx) -> FfiStream<RResultE<RBatch>> {
        let (cx, method, runtime) = (Cx::from(cx), method.as_str(), self.plugin.runtime);
        let work = guard::sync(runtime, || {
            let (own, under) = (payload.clone(), self.below.as_ref());
            if let Some(work) = R::open(&self.plugin.value, under, method, own, cx.clone()) {
                return Ok(work);
            }
            let below = self.below.as_ref().ok_or_else(|| Self::no_method(method))?;
            Ok(Box::pin(below.open(method, payload, &cx)) as BoxStream<_>)
        });
        match work {
            Ok(work) => FfiStream::new(Wire(Guard::new(runtime, work))),
            Err(error) => FfiStream::once(to_abi(Err(error))),
        }
    }
}

struct Wire(Guard<BoxStream<Result<Batch>>>);

impl PollNext for Wire {
    type Item = RResultE<RBatch>;
    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_next(cx).map(|item| item.map(to_abi))
    }
}

/// One service of a plugin under construction.
pub struct Exporter<'a, T> {
    plugin: &'a Arc<T>,
    ctx: &'a Ctx,
    runtime: bool,
}

impl<T: Send + Sync + 'static> Exporter<'_, T> {
    /// Makes the object of a role.
    ///
    /// # Errors
    /// `UNDECLARED_NEED` when the host does not know of the role.
    pub fn export<R: Route<T>>(&self) -> Result<RExport> {
        let below = if R::BELOW { Some(self.ctx.below_raw(R::Contract::NAME)?) } else { None };
        let plugin = Held::new(self.plugin, self.runtime);
        let object = RService::new(Exported::<T, R> { plugin, below, role: PhantomData });
        Ok(RExport { service: R::Contract::NAME.into(), object })
    }
}

struct Mounted<T> {
    plugin: Held<T>,
    exports: Vec<(RString, RService)>,
}

impl<T: Plugin> Instance for Mounted<T> {
    fn exports(&self) -> RVec<RExport> {
        let one = |(service, object): &(RString, RService)| RExport {
            service: service.clone(),
            object: object.clone(),
        };
        self.exports.iter().map(one).collect()
    }

    fn session_closed(&self, session: RStr<'_>) {
        let result = guard::sync(self.plugin.runtime, || {
            self.plugin.value.session_closed(session.as_str());
            Ok(())
        });
        if let Err(error) = result {
            tracing::error!(target: "harness::panic", "in session_closed: {}", error.message);
        }
    }

    fn handover(&self) -> RPayload {
        guard::sync(self.plugin.runtime, || Ok(self.plugin.value.handover())).unwrap_or_default()
    }

    fn shutdown(&self) -> FfiFuture<()> {
        let plugin = Arc::clone(&self.plugin.value);
        let work: BoxFuture<Result<()>> = Box::pin(async move {
            plugin.shutdown().await;
            Ok(())
        });
        let work = Guard::new(self.plugin.runtime, work);
        FfiFuture::new(async move {
            if let Err(error) = work.await {
                tracing::error!(target: "harness::panic", "in shutdown: {}", error.message);
            }
        })
    }
}

/// Makes an instance of a plugin.
pub fn create<T: Plugin>(
    create: Create,
    runtime: bool,
    exports: fn(&Exporter<'_, T>) -> Result<Vec<RExport>>,
) -> FfiFuture<RResultE<RInstance>> {
    let ctx = Ctx { host: create.host, row: create.row_id.into(), handover: create.handover };
    let config = create.config;
    let work: BoxFuture<Result<RInstance>> = Box::pin(async move {
        let config =
            serde_json::from_str(&config).map_err(|e| Error::new("BAD_CONFIG", format!("config: {e}")))?;
        let plugin = Arc::new(T::create(ctx.clone(), config).await?);
        let exports = exports(&Exporter { plugin: &plugin, ctx: &ctx, runtime })?;
        let exports = exports.into_iter().map(|e| (e.service, e.object)).collect();
        let mounted = Mounted { plugin: Held::new(&plugin, runtime), exports };
        Ok(RInstance::from_value(mounted, TD_Opaque))
    });
    let work = Guard::new(runtime, work);
    FfiFuture::new(async move { to_abi(work.await) })
}

/// The answer to a name that the library does not hold.
pub fn unknown(plugin: &str) -> FfiFuture<RResultE<RInstance>> {
    FfiFuture::ready(to_abi(Err(Error::new(
        "UNKNOWN_PLUGIN",
        format!("the library holds no plugin `{plugin}`"),
    ))))
}

/// Once per mapping; a bundle calls it once per crate in it.
pub fn init(name: &str, init: Init) -> RResultE<()> {
    let result = catch_unwind(AssertUnwindSafe(|| {
        rt::set_name(name);
        trace::install(init.trace);
        guard::install_panic_hook();
    }));
    to_abi(result.map_err(|payload| {
        std::mem::forget(payload);
        Error::new("INTERNAL", "the library could not set itself up")
    }))
}

/// The host's log filter changed.
pub extern "C" fn refresh() {
    drop(catch_unwind(trace::refresh));
}

/// A newer mapping took over.
pub extern "C" fn retire() {
    drop(catch_unwind(rt::retire));
}

/// The compiler that built this library.
pub const RUSTC: &str = env!("HARNESS_RUSTC");
/// The target it was built for.
pub const TARGET: &str = env!("HARNESS_TARGET");
/// How it was told to panic.
pub const PANIC_STRATEGY: &str = if cfg!(panic = "unwind") { "unwind" } else { "abort" };

pub use plugin_api::abi_stable::std_types::RStr as AbiStr;
pub use plugin_api::{
    API_VERSION, PluginMod, PluginRef,
    abi_stable::{
        library::{__call_root_module_loader, CheckTypeLayout, LibHeader, RootModuleResult},
        prefix_type::PrefixTypeTrait,
    },
    manifest,
};
pub use plugin_api::{
    Create as AbiCreate, FfiFuture as AbiFuture, Init as AbiInit, RInstance as AbiInstance,
    RResultE as AbiResult,
};
