//! Calls that a rule names itself, by the path of a library function, whatever effect the catalogue knows or does not know.

use rustc_hash::FxHashMap;

use super::effects::EffectSite;
use crate::catalog::pattern::PatternSet;
use crate::catalog::{BUILTINS, Catalog};
use crate::link::{EdgeKind, Program, Target};

/// Sorted by function and place; at most one per place.
pub fn named_calls(
    program: &Program<'_>,
    catalog: &Catalog,
    paths: &[String],
    except: &[String],
) -> Vec<EffectSite> {
    let (wanted, except) = (patterns(catalog, paths), patterns(catalog, except));
    let names = |path: &str| {
        let own = path.strip_prefix(BUILTINS);
        let any = |set: &PatternSet| set.matches(path) || own.is_some_and(|name| set.matches(name));
        any(&wanted) && !any(&except)
    };
    let mut known: FxHashMap<Target, bool> = FxHashMap::default();
    let mut sites = Vec::new();
    for edge in &program.edges {
        let Target::External(path) = edge.to else { continue };
        if *known.entry(edge.to).or_insert_with(|| names(&program.path(path))) {
            sites.push(EffectSite {
                from: edge.from,
                at: edge.at,
                kind: None,
                confidence: edge.confidence,
                is_author: edge.kind != EdgeKind::CallHanded,
                runs: edge.kind != EdgeKind::Stored,
                callee: program.target_name(edge.to),
            });
        }
    }
    sites.sort_unstable_by(|a, b| {
        (a.from, a.at, std::cmp::Reverse(a.confidence), &a.callee).cmp(&(
            b.from,
            b.at,
            std::cmp::Reverse(b.confidence),
            &b.callee,
        ))
    });
    sites.dedup_by(|later, first| later.at == first.at);
    sites
}

/// The paths under the names that link gives them: a thing with two names is called by one.
fn patterns(catalog: &Catalog, paths: &[String]) -> PatternSet {
    PatternSet::new(paths.iter().map(|path| canonical(catalog, path)))
}

fn canonical(catalog: &Catalog, path: &str) -> String {
    match catalog.canonical(path) {
        Some(other) if other != path => canonical(catalog, &other),
        _ => path.to_owned(),
    }
}
