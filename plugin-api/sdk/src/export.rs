//! `export_plugins!`: the manifest and the entry of a library.

/// Exports the plugins of a crate. Per plugin, in this order (sections marked ? may be left out):
///
/// ```text
/// plugin "<name>": <Type> {
///     services: [<provide | join | wrap> <contract module>, …],
///     needs: [<contract module> "<semver>" "<hint for whoever lacks it>", …],      ?
///     wants: [<contract module> "<semver>", …],                                     ? used when there
///     commands: [<verb> = <contract module> "<method>" "<about>", …],               ?
///     config: "<JSON Schema of the row's config>",
///     runtime: tokio | none,                                                        none: no thread is ever made
/// }
/// ```
///
/// A contract module is one in scope that holds a type `Contract`, such as [`contracts::llm`].
#[macro_export]
macro_rules! export_plugins {
    ($(plugin $name:literal: $plugin:ty {
        services: [$($role:ident $service:ident),+ $(,)?],
        $(needs: [$($need:ident $need_version:literal $hint:literal),* $(,)?],)?
        $(wants: [$($want:ident $want_version:literal),* $(,)?],)?
        $(commands: [$($verb:ident = $command:ident $method:literal $about:literal),* $(,)?],)?
        config: $schema:expr,
        runtime: $runtime:ident $(,)?
    })+) => {
        #[doc(hidden)]
        mod __harness_plugins {
            use super::*;
            use $crate::glue::{self, manifest::{self, Piece::{Raw, Sep, Text}}};

            const ENTRY: &str = concat!("harness_plugin_", env!("CARGO_CRATE_NAME"));
            const PIECES: &[manifest::Piece] = &[
                Raw(manifest::BEGIN),
                Raw("{\"entry\":"), Text(ENTRY),
                Raw(",\"api\":"), Text(glue::API_VERSION),
                Raw(",\"target\":"), Text(glue::TARGET),
                Raw(",\"panic\":"), Text(glue::PANIC_STRATEGY),
                Raw(",\"rustc\":"), Text(glue::RUSTC),
                Raw(",\"plugins\":["),
                $(
                    Sep, Raw("{\"name\":"), Text($name),
                    Raw(",\"version\":"), Text(env!("CARGO_PKG_VERSION")),
                    Raw(",\"services\":["),
                    $(
                        Sep, Raw("{\"service\":"), Text(<$service::Contract as $crate::Contract>::NAME),
                        Raw(",\"version\":"), Text(<$service::Contract as $crate::Contract>::VERSION),
                        Raw(",\"role\":"), Text(stringify!($role)), Raw("}"),
                    )+
                    Raw("],\"needs\":["),
                    $($(
                        Sep, Raw("{\"service\":"), Text(<$need::Contract as $crate::Contract>::NAME),
                        Raw(",\"version\":"), Text($need_version),
                        Raw(",\"hint\":"), Text($hint), Raw("}"),
                    )*)?
                    $($(
                        Sep, Raw("{\"service\":"), Text(<$want::Contract as $crate::Contract>::NAME),
                        Raw(",\"version\":"), Text($want_version),
                        Raw(",\"optional\":true}"),
                    )*)?
                    Raw("],\"commands\":["),
                    $($(
                        Sep, Raw("{\"name\":"), Text(stringify!($verb)),
                        Raw(",\"service\":"), Text(<$command::Contract as $crate::Contract>::NAME),
                        Raw(",\"method\":"), Text($method),
                        Raw(",\"about\":"), Text($about), Raw("}"),
                    )*)?
                    Raw("],\"config\":"), Raw($schema), Raw("}"),
                )+
                Raw("]}"), Raw(manifest::END),
            ];

            #[used]
            #[unsafe(export_name = concat!("harness_manifest_", env!("CARGO_CRATE_NAME")))]
            static MANIFEST: [u8; manifest::joined_len(PIECES)] = manifest::join(PIECES);

            extern "C" fn init(init: glue::AbiInit) -> glue::AbiResult<()> {
                glue::init(env!("CARGO_PKG_NAME"), init)
            }

            extern "C" fn create(
                plugin: glue::AbiStr<'_>,
                create: glue::AbiCreate,
            ) -> glue::AbiFuture<glue::AbiResult<glue::AbiInstance>> {
                match plugin.as_str() {
                    $($name => glue::create::<$plugin>(
                        create,
                        $crate::export_plugins!(@runtime $runtime),
                        |exporter| Ok(vec![$(
                            exporter.export::<$crate::export_plugins!(@role $role $service)>()?
                        ),+]),
                    ),)+
                    other => glue::unknown(other),
                }
            }

            fn module() -> glue::PluginRef {
                use glue::PrefixTypeTrait as _;
                glue::PluginMod { init, refresh: glue::refresh, retire: glue::retire, create }.leak_into_prefix()
            }

            extern "C" fn load() -> glue::RootModuleResult {
                glue::__call_root_module_loader(module)
            }

            #[used]
            #[unsafe(export_name = concat!("harness_plugin_", env!("CARGO_CRATE_NAME")))]
            // SAFETY: `load` makes the module of exactly that type.
            static MODULE: glue::LibHeader = unsafe {
                glue::LibHeader::from_constructor::<glue::PluginRef>(load, glue::CheckTypeLayout::Yes)
            };
        }
    };
    (@runtime tokio) => { true };
    (@runtime none) => { false };
    (@role provide $service:ident) => { $crate::glue::Provide<$service::Contract> };
    (@role join $service:ident) => { $crate::glue::Joined<$service::Contract> };
    (@role wrap $service:ident) => { $crate::glue::Wrap<$service::Contract> };
}
