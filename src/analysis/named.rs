//! Calls that a rule names itself, by the path of a function of a library or of the project, whatever the catalogue says
//! of it.

use rustc_hash::FxHashMap;

use super::effects::EffectSite;
use crate::catalog::pattern::PatternSet;
use crate::catalog::{BUILTINS, Catalog};
use crate::ir::FnKind;
use crate::link::{Edge, EdgeKind, Program, Target};

const CONSTRUCTOR: &str = ".__init__";

/// Sorted by function and place; at most one per place.
pub fn named_calls(
    program: &Program<'_>,
    catalog: &Catalog,
    paths: &[String],
    except: &[String],
) -> Vec<EffectSite> {
    if paths.is_empty() {
        return Vec::new();
    }
    let (wanted, except) = (patterns(catalog, paths), patterns(catalog, except));
    let names = |target: Target| {
        let spellings = spellings(program, catalog, target);
        let any = |set: &PatternSet| spellings.iter().any(|path| set.matches(path));
        any(&wanted) && !any(&except)
    };
    let mut known: FxHashMap<Target, bool> = FxHashMap::default();
    let mut sites = Vec::new();
    for edge in &program.edges {
        if is_use(edge) && *known.entry(edge.to).or_insert_with(|| names(edge.to)) {
            sites.push(EffectSite {
                from: edge.from,
                at: edge.at,
                kind: None,
                confidence: edge.confidence,
                access: None,
                place: None,
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

/// A function of the project that is only kept is not used yet; a library's is reached for all the same.
fn is_use(edge: &Edge) -> bool {
    edge.kind != EdgeKind::Stored || matches!(edge.to, Target::External(_))
}

/// How a rule may spell a function. One of the project in a module that is called like a library is not meant by the
/// library's name.
fn spellings(program: &Program<'_>, catalog: &Catalog, target: Target) -> Vec<String> {
    match target {
        Target::External(path) => {
            let path = program.path(path).to_string();
            let bare = path.strip_prefix(BUILTINS).map(str::to_owned);
            bare.into_iter().chain([path]).collect()
        }
        Target::Project(func) => {
            let path = &program.function(func).path;
            let first = path.split('.').next().unwrap_or_default();
            if program.ir(func).kind != FnKind::Plain || catalog.is_library(first) {
                return Vec::new();
            }
            let class = path.strip_suffix(CONSTRUCTOR).map(str::to_owned);
            class.into_iter().chain([path.to_string()]).collect()
        }
    }
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
