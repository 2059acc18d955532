//! How a host and a library meet: the library's root module, and what each lends the other.
use crate::{FfiFuture, RPayload, RResultE, RService, RTraceSink, handle};
use abi_stable::{
    StableAbi, declare_root_module_statics,
    library::RootModule,
    package_version_strings, sabi_trait,
    sabi_types::VersionStrings,
    std_types::{RBox, ROption, RStr, RString, RVec},
};

/// What the host lends to one instance. It holds the host weakly, so that no circle keeps a plugin alive.
#[sabi_trait]
pub trait Host: Send + Sync {
    /// A handle on the slot of a declared need: `None` for one the plugin's manifest does not list. The handle
    /// looks up what is mounted at each call, so it stays good over swaps. Calls from `create` are `NOT_MOUNTED`.
    fn service(&self, need: RStr<'_>) -> ROption<RService>;
    /// A handle on what lies below this instance in the chain of a service it joins or wraps.
    fn below(&self, service: RStr<'_>) -> ROption<RService>;
    /// The payload with every secret value masked: for whatever leaves the process by another way than a result.
    #[sabi(last_prefix_field)]
    fn redact(&self, payload: RPayload) -> RPayload;
}

handle!(
    /// The shared host handle of an instance.
    RHost,
    Host_TO,
    Host
);

/// One service object of an instance; the manifest says in which role.
#[repr(C)]
#[derive(StableAbi, Debug)]
pub struct RExport {
    /// The service's contract name, such as `llm`.
    pub service: RString,
    /// The object.
    pub object: RService,
}

/// A mounted plugin.
#[sabi_trait]
pub trait Instance: Send + Sync {
    /// Its service objects, in the order of the manifest.
    fn exports(&self) -> RVec<RExport>;
    /// A session ended: forget what was kept for it.
    fn session_closed(&self, session: RStr<'_>);
    /// State for the instance that replaces this one; an empty payload for none.
    fn handover(&self) -> RPayload;
    /// Stops; called once, after the last call has ended or been dropped.
    #[sabi(last_prefix_field)]
    fn shutdown(&self) -> FfiFuture<()>;
}

/// An owned instance. Dropping it drops the plugin's value.
pub type RInstance = Instance_TO<'static, RBox<()>>;

/// What a library is told once, when it is mapped.
#[repr(C)]
#[derive(StableAbi)]
pub struct Init {
    /// Where its spans and events go.
    pub trace: RTraceSink,
    /// A JSON object, `""` when empty: how this struct grows.
    pub ext: RString,
}

/// What an instance is made from.
#[repr(C)]
#[derive(StableAbi)]
pub struct Create {
    /// The host, as far as this instance may see it.
    pub host: RHost,
    /// The row's id.
    pub row_id: RString,
    /// The row's config as JSON, already checked against the manifest's schema.
    pub config: RString,
    /// What the instance this one replaces handed over; an empty payload for none.
    pub handover: RPayload,
    /// A JSON object, `""` when empty: how this struct grows.
    pub ext: RString,
}

/// The root module of a library.
#[repr(C)]
#[derive(StableAbi)]
#[sabi(kind(Prefix(prefix_ref = PluginRef, prefix_fields = PluginPrefix)))]
#[sabi(missing_field(option))]
pub struct PluginMod {
    /// Once per mapping, before any `create`.
    pub init: extern "C" fn(init: Init) -> RResultE<()>,
    /// The host's log filter changed: every callsite asks again.
    pub refresh: extern "C" fn(),
    /// A newer mapping took over: threads stop once nothing of this one is in use.
    pub retire: extern "C" fn(),
    /// Makes an instance of one of the library's plugins, by its manifest name.
    #[sabi(last_prefix_field)]
    pub create: extern "C" fn(plugin: RStr<'_>, create: Create) -> FfiFuture<RResultE<RInstance>>,
}

impl RootModule for PluginRef {
    declare_root_module_statics! {PluginRef}
    const BASE_NAME: &'static str = "harness_plugin";
    const NAME: &'static str = "harness_plugin";
    const VERSION_STRINGS: VersionStrings = package_version_strings!();
}
