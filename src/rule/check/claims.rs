//! GL004: what the configuration takes for granted and the scan did not see, and what exempts everything that it saw, at the
//! token that says so.

use std::collections::BTreeMap;
use std::sync::Arc;

use camino::Utf8Path;

use super::{Context, Draft};
use crate::config::{About, Claim, Layer, LayerSet, NamePattern};
use crate::finding::{Finding, Place};
use crate::ir::Span;
use crate::link::Target;
use crate::rule::Rule;
use crate::source::{FileId, SourceFile};

pub fn run(context: &Context<'_>, rule: &Arc<Rule>, out: &mut Vec<Finding>) {
    let mut seen = Seen { context, paths: None };
    for claim in &context.config.claims {
        let Some(nothing) = seen.exempts_all(claim).or_else(|| seen.refutes(claim)) else { continue };
        let captures = BTreeMap::from([
            ("key", claim.key.to_owned()),
            ("text", claim.text.clone()),
            ("nothing", nothing.to_owned()),
        ]);
        let span = Span { lo: claim.span.start as u32, hi: claim.span.end as u32 };
        let file = FileId::of_config(context.sources.len());
        out.push(context.finding(rule, Draft::at(Place { file, span }, captures)));
    }
}

struct Seen<'s, 'c> {
    context: &'s Context<'c>,
    /// Of library functions; there are many, so they are listed only if somebody asks.
    paths: Option<Vec<&'c str>>,
}

impl<'c> Seen<'_, 'c> {
    /// What a claim matches, if that is nothing and the scan went far enough to know.
    fn refutes(&mut self, claim: &Claim) -> Option<&'static str> {
        let context = self.context;
        let (holds, nothing) = match &claim.about {
            About::Scanned(globs) => (
                context.sources.iter().any(|source| globs.is_match(&source.path))
                    || context.skipped.iter().any(|skipped| globs.is_match(&skipped.path)),
                "no file that is scanned",
            ),
            About::Excluded(range) => {
                (range.clone().any(|glob| context.matched.exclude.contains(&glob)), "no file and no folder")
            }
            About::Watched(range) => {
                (range.clone().any(|glob| context.matched.watched.contains(&glob)), "no file")
            }
            About::Function(name) => {
                return (context.extent.is_whole() && !self.knows(name)).then_some("no function");
            }
            About::Library { calls, modules } => {
                let is_used =
                    self.imports(modules) || self.library_paths().iter().any(|path| calls.matches(path));
                return (context.extent.is_whole() && !is_used).then_some("no call and no import");
            }
        };
        let was_looked_for = context.extent.holds(Utf8Path::new(fixed_part(&claim.text)));
        (!holds && was_looked_for).then_some(nothing)
    }

    /// What a claim exempts, if that is everything.
    fn exempts_all(&self, claim: &Claim) -> Option<&'static str> {
        let context = self.context;
        let is_whole = claim.text.chars().all(|c| matches!(c, '*' | '/' | '.'));
        let all = match &claim.about {
            _ if !claim.exempts => false,
            About::Scanned(globs) => {
                let sources = || context.sources.iter().zip(context.layers);
                let mut production = sources().filter(|(_, layers)| !layers.contains(Layer::Test)).peekable();
                let is_one_file = sources().any(|(source, _)| source.path == claim.text);
                let matches = |(source, _): (&SourceFile, &LayerSet)| globs.is_match(&source.path);
                is_whole
                    || context.extent.is_whole()
                        && !is_one_file
                        && production.peek().is_some()
                        && production.all(matches)
            }
            About::Excluded(range) => {
                let is_used = range.clone().any(|glob| context.matched.exclude.contains(&glob));
                is_whole || context.extent.is_whole() && is_used && context.sources.is_empty()
            }
            About::Function(_) => return is_whole.then_some("every function"),
            About::Watched(_) | About::Library { .. } => false,
        };
        all.then_some("every file that is scanned")
    }

    fn knows(&mut self, name: &NamePattern) -> bool {
        let mut functions = self.context.program.functions.iter();
        functions.any(|function| name.matches(&function.path))
            || self.context.program.other_names().iter().any(|(_, path)| name.matches(path))
            || self.library_paths().iter().any(|path| name.matches(path))
    }

    /// The library functions that the program calls or hands over.
    fn library_paths(&mut self) -> &[&'c str] {
        let program = self.context.program;
        self.paths.get_or_insert_with(|| {
            let external = program.edges.iter().filter_map(|edge| match edge.to {
                Target::External(path) => Some(path),
                Target::Project(_) => None,
            });
            let mut paths: Vec<&'c str> = external.map(|path| program.path(path)).collect();
            paths.sort_unstable();
            paths.dedup();
            paths
        })
    }

    fn imports(&self, modules: &[String]) -> bool {
        let program = self.context.program;
        let is_below = |path: &str, module: &String| {
            path.strip_prefix(module.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        (0..self.context.sources.len() as u32).map(FileId).any(|file| {
            let mut imports =
                program.facts(file).import_ids().filter_map(|id| program.library_import(file, id));
            imports.any(|(path, name)| {
                let whole = name.map(|name| format!("{path}.{name}"));
                modules.iter().any(|module| {
                    is_below(path, module) || whole.as_deref().is_some_and(|whole| is_below(whole, module))
                })
            })
        })
    }
}

/// The folder, or file, that everything a glob matches lies in.
fn fixed_part(glob: &str) -> &str {
    let glob = glob.strip_prefix("./").unwrap_or(glob);
    match glob.find(['*', '?', '[', '{']) {
        Some(star) => glob[..star].rfind('/').map_or("", |end| &glob[..end]),
        None => glob.trim_end_matches('/'),
    }
}
