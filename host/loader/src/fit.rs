//! Which of a library's plugins is wanted, and whether this host can use it.
use crate::{Manifest, Record, Refusal, rebuild, refusal, refuse};
use semver::{Version, VersionReq};

/// The plugin that is wanted, or the only one; `None` when a bundle does not hold it.
pub(crate) fn choose<'a>(
    records: &'a [Record],
    plugin: Option<&str>,
    by_path: bool,
) -> Result<Option<(&'a Record, &'a Manifest)>, Refusal> {
    let all = || records.iter().flat_map(|record| record.plugins.iter().map(move |m| (record, m)));
    let mut fitting = all().filter(|(_, m)| plugin.is_none_or(|name| m.name == name));
    let names = || all().map(|(_, m)| format!("`{}`", m.name)).collect::<Vec<_>>().join(", ");
    match (fitting.next(), fitting.next()) {
        (only @ Some(_), None) => Ok(only),
        (Some(_), Some(_)) => refuse(
            format!("it holds several plugins: {}", names()),
            "say which one behind the path: library.so#plugin",
        ),
        (None, _) if by_path => refuse(
            format!("it does not hold the plugin, only {}", names()),
            "name one of those behind the `#`",
        ),
        (None, _) => Ok(None),
    }
}

/// Whether this host can speak with it, and the row wants that version.
pub(crate) fn fits(
    record: &Record,
    manifest: &Manifest,
    version: Option<&VersionReq>,
) -> Result<(), Refusal> {
    let own = |e: semver::Error| {
        refusal(format!("this host's own version cannot be read: {e}"), "build the host anew")
    };
    let host: Version = plugin_api::API_VERSION.parse().map_err(own)?;
    if record.api.major != host.major {
        let what =
            format!("plugin `{}` speaks plugin-api {}, this host speaks {host}", manifest.name, record.api);
        return refuse(
            what,
            if record.api > host { "update the host".to_owned() } else { rebuild(&manifest.name) },
        );
    }
    if let Some(want) = version.filter(|want| !want.matches(&manifest.version)) {
        let what =
            format!("plugin `{}` is version {}, the row asks for {want}", manifest.name, manifest.version);
        return refuse(what, "install a version that fits, or change what the row asks for");
    }
    makes_sense(manifest)
}

/// What the host goes by: a role in each service at most, and in one at least.
fn makes_sense(manifest: &Manifest) -> Result<(), Refusal> {
    let services: Vec<&str> = manifest.services.iter().map(|provided| provided.service.as_str()).collect();
    let twice = (1..).zip(&services).find(|(rest, name)| services[*rest..].contains(name));
    match (services.is_empty(), twice) {
        (true, _) => {
            let what = format!("plugin `{}` has no role in any service", manifest.name);
            refuse(what, "list one under services in export_plugins!")
        }
        (_, Some((_, name))) => {
            let what = format!("plugin `{}` lists the service `{name}` twice", manifest.name);
            refuse(what, "remove one of the two from services in export_plugins!")
        }
        _ => Ok(()),
    }
}
