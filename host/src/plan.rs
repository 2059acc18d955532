//! What is mounted, in which order, and into which slots; every need is looked at before anything is mounted.
use loader::{Library, Provided, Refusal, Role, Verdicts, Wanted};
use rows::{Problem, Row, did_you_mean, names};
use std::{collections::BTreeMap, path::PathBuf};

/// A row that is ready to be mounted.
#[derive(Debug, Clone)]
pub(crate) struct Planned {
    pub(crate) row: Row,
    /// Its place in the file, among the rows that are mounted.
    pub(crate) order: usize,
    pub(crate) library: Library,
    /// The slot of each service that the plugin has a role in.
    pub(crate) roles: Vec<(Provided, String)>,
    /// The slot behind each need that the plugin declares.
    pub(crate) needs: BTreeMap<String, String>,
}

/// Plans the rows that are not disabled: providers first, then joins, then wraps, each in row order.
pub(crate) fn plan(
    rows: Vec<Row>,
    folders: &[PathBuf],
    verdicts: &mut Verdicts,
) -> Result<Vec<Planned>, Problem> {
    let mut planned = Vec::new();
    for mut row in rows.into_iter().filter(|row| !row.disabled) {
        let wanted =
            Wanted { name: &row.name, version: row.version.as_ref(), library: row.library.as_deref() };
        let library = loader::find(&wanted, folders, verdicts);
        let library = library.map_err(|Refusal { what, hint, known }| {
            let close = did_you_mean(&row.name, known.iter().map(String::as_str));
            problem(&row, "PLUGIN_UNUSABLE", &format!("{what}{close}"), hint)
        })?;
        rows::complete(&mut row, &library.manifest.config)?;
        let (roles, needs) = (roles(&row, &library)?, needs(&row, &library)?);
        planned.push(Planned { row, order: planned.len(), library, roles, needs });
    }
    planned.sort_by_key(|p| p.roles.iter().map(|(provided, _)| provided.role).max());
    one_provider(&planned)?;
    all_needs(&planned)?;
    Ok(planned)
}

fn problem(row: &Row, code: &'static str, what: &str, hint: impl Into<String>) -> Problem {
    Problem::new(code, format!("{}: row `{}`: {what}", row.place, row.id), hint)
}

fn roles(row: &Row, library: &Library) -> Result<Vec<(Provided, String)>, Problem> {
    let services = &library.manifest.services;
    let all = || services.iter().map(|provided| provided.service.as_str());
    for service in row.slots.keys() {
        match service {
            None if services.len() > 1 => {
                let what = format!("`as` is one slot, and `{}` has roles in {}", row.name, names(all()));
                return Err(problem(row, "BAD_SLOT", &what, "give `as` a mapping from service to slot"));
            }
            Some(stray) if !all().any(|known| known == stray) => {
                let close = did_you_mean(stray, all());
                let what = format!("`as` names `{stray}`, in which `{}` has no role{close}", row.name);
                return Err(problem(row, "BAD_SLOT", &what, format!("name one of {}", names(all()))));
            }
            _ => {}
        }
    }
    let slot = |service: &str| {
        let given = row.slots.get(&Some(service.to_owned())).or_else(|| row.slots.get(&None));
        given.cloned().unwrap_or_else(|| service.to_owned())
    };
    Ok(services.iter().map(|provided| (provided.clone(), slot(&provided.service))).collect())
}

fn needs(row: &Row, library: &Library) -> Result<BTreeMap<String, String>, Problem> {
    let declared = || library.manifest.needs.iter().map(|need| need.service.as_str());
    if let Some(stray) = row.needs.keys().find(|need| !declared().any(|known| known == *need)) {
        let close = did_you_mean(stray, declared());
        let what = format!("`needs` names `{stray}`, which `{}` does not need{close}", row.name);
        return Err(problem(row, "BAD_NEED", &what, format!("it needs {}", names(declared()))));
    }
    let slot = |need: &str| row.needs.get(need).cloned().unwrap_or_else(|| need.to_owned());
    Ok(declared().map(|need| (need.to_owned(), slot(need))).collect())
}

/// The rows of a slot, in chain order.
fn chain<'a>(planned: &'a [Planned], slot: &'a str) -> impl Iterator<Item = (&'a Row, &'a Provided)> {
    planned.iter().flat_map(move |p| {
        p.roles.iter().filter(move |(_, s)| s == slot).map(move |(provided, _)| (&p.row, provided))
    })
}

fn one_provider(planned: &[Planned]) -> Result<(), Problem> {
    for (provided, slot) in planned.iter().flat_map(|p| &p.roles) {
        let mut providers = chain(planned, slot).filter(|(_, p)| p.role == Role::Provide);
        let (first, second) = (providers.next(), providers.next());
        if let (Some((first, _)), Some((second, _))) = (first, second) {
            let what = format!("it provides `{slot}`, and so does row `{}` ({})", first.id, first.place);
            return Err(problem(
                second,
                "TWO_PROVIDERS",
                &what,
                "disable one of the two, or give one another slot with `as`",
            ));
        }
        if let Some((row, other)) = chain(planned, slot).find(|(_, p)| p.service != provided.service) {
            let what = format!("slot `{slot}` would hold `{}` and `{}`", other.service, provided.service);
            return Err(problem(row, "BAD_SLOT", &what, "give one of the two another slot with `as`"));
        }
    }
    Ok(())
}

fn all_needs(planned: &[Planned]) -> Result<(), Problem> {
    for Planned { row, library, needs, roles, .. } in planned {
        for need in &library.manifest.needs {
            let slot = needs.get(&need.service).map_or("", String::as_str);
            if roles.iter().any(|(_, own)| own == slot) {
                let what =
                    format!("it needs `{slot}`, the slot it is in itself, so it would call itself for ever");
                return Err(problem(row, "BAD_NEED", &what, "point the need at another slot with `needs`"));
            }
            // What is wrapped must be there; only an optional need may find nothing but wraps.
            match chain(planned, slot).find(|(_, provided)| need.optional || provided.role != Role::Wrap) {
                None if need.optional => {}
                None if slot == need.service && !need.hint.is_empty() => {
                    let what = format!("no {slot} service: {} (row `{}` needs it)", need.hint, row.id);
                    let hint = format!("add the row to {}", row.place.file());
                    return Err(Problem::new("NEED_MISSING", what, hint));
                }
                None => {
                    let hint =
                        format!("add a row that provides `{slot}`, or point the need elsewhere with `needs`");
                    return Err(problem(
                        row,
                        "NEED_MISSING",
                        &format!("no row provides `{slot}`, which it needs"),
                        hint,
                    ));
                }
                Some((other, provided))
                    if provided.service != need.service || !need.version.matches(&provided.version) =>
                {
                    let what = format!(
                        "it needs `{}` {}, and row `{}` puts `{}` {} into slot `{slot}`",
                        need.service, need.version, other.id, provided.service, provided.version
                    );
                    return Err(problem(
                        row,
                        "NEED_UNFIT",
                        &what,
                        "swap one of the two for a version that fits",
                    ));
                }
                Some(_) => {}
            }
        }
    }
    Ok(())
}
