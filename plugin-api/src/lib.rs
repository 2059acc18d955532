//! The ABI: everything that crosses between the host and a plugin library, and nothing else.
//!
//! The surface is frozen. A new capability is a new service name, a new method or a new JSON field, never a
//! new type in here. What may still grow, and how:
//!
//! * structs passed by value ([`RError`], [`RChunk`], [`RPayload`], [`CallCx`], [`Create`], …) and enums never
//!   change; their `data` and `ext` strings hold JSON objects in which unknown fields are ignored;
//! * trait objects ([`Service`], [`Cancel`], [`Run`], [`Host`], [`Instance`], [`TraceSink`]) grow by methods with
//!   a default body, behind the one marked `last_prefix_field`;
//! * [`PluginMod`] grows by function pointers at its end, which an older library does not have.
//!
//! Such growth is a minor version of this package; anything else is a major one, and the loader refuses it.
//! `abi.txt` lists the surface, and a test fails when the listing and the types disagree.
//!
//! Times are nanoseconds on the host's monotonic clock ([`Run::now_ns`]); text is UTF-8; JSON is RFC 8259.
pub use abi_stable;

mod poll;
mod future;
mod stream;
mod part;
mod data;
mod cancel;
mod cx;
mod service;
mod trace;
mod module;
pub mod manifest;
pub mod run;

pub use cancel::{Cancel, RCancel, Token};
pub use cx::{CallCx, RRun, Run, TraceCx};
pub use data::{RBatch, RChunk, RError, RPayload, RResultE};
pub use future::FfiFuture;
pub use module::{Create, Host, Init, Instance, PluginMod, PluginRef, RExport, RHost, RInstance};
pub use part::{PartId, RPart, RParts};
pub use poll::{FfiCx, RPoll};
pub use service::{RService, Service};
pub use stream::{FfiStream, PollNext};
pub use trace::{RCallsite, RField, RTraceSink, RValue, TraceSink};

/// The version of this ABI: what a library is built against and a host speaks (semver).
pub const API_VERSION: &str = env!("CARGO_PKG_VERSION");

/// Declares a cheaply cloned handle (a reference-counted object and its vtable) on a trait object.
macro_rules! handle {
    ($(#[$doc:meta])* $name:ident, $object:ident, $tr:ident) => {
        $(#[$doc])*
        #[repr(transparent)]
        #[derive(abi_stable::StableAbi)]
        pub struct $name($object<'static, abi_stable::std_types::RArc<()>>);
        impl $name {
            /// Puts a value behind the handle.
            pub fn new<T: $tr + 'static>(value: T) -> Self {
                $name($object::from_ptr(
                    abi_stable::std_types::RArc::new(value),
                    abi_stable::sabi_trait::TD_Opaque,
                ))
            }
        }
        impl Clone for $name {
            fn clone(&self) -> Self {
                $name($object::from_sabi(self.0.obj.shallow_clone()))
            }
        }
        impl std::ops::Deref for $name {
            type Target = $object<'static, abi_stable::std_types::RArc<()>>;
            fn deref(&self) -> &Self::Target {
                &self.0
            }
        }
        // A handle is two pointers, whatever it points to.
        impl Unpin for $name {}
        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(stringify!($name))
            }
        }
    };
}
pub(crate) use handle;
