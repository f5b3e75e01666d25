//! The `guard` matcher: an effect that can run although nobody has asked for the phase. It stands at the boundary: the
//! handler of a comm command, a call that enters the comm layer from outside, a tool, a function that passes an effect
//! through. Helpers are fine if everybody who calls them has passed the gate.

mod correlated;
pub mod missing;
mod passing;
mod vain;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use self::missing::Missing;
use super::reach::{hops, last_step};
use super::shared::Shared;
use super::{Checked, Context, Draft};
use crate::analysis::{EffectSite, Guarded, Handler, Path, Reach, Standing};
use crate::catalog::EffectKind;
use crate::config::Layer;
use crate::finding::{Confidence, Finding, Step};
use crate::ir::FnKind;
use crate::link::{At, Edge, Func, Target};
use crate::rule::Rule;
use crate::rule::matcher::{Boundary, Guard};
use crate::source::LineIndex;

pub fn run<'c>(
    context: &Context<'c>,
    shared: &Shared<'c>,
    rule: &Arc<Rule>,
    wanted: &Guard,
    out: &mut Checked,
) {
    let guarded = shared.guarded(context);
    let search = Search::new(context, shared, &guarded, rule, wanted);
    match wanted.boundary {
        Boundary::Handler => search.handlers(context.handlers, out),
        Boundary::Entry => search.entries(out),
        Boundary::Tool => search.tools(out),
        Boundary::PassThrough => passing::run(&search, out),
    }
}

/// The ungated paths of one rule.
struct Search<'s, 'c> {
    context: &'s Context<'c>,
    guarded: &'s Guarded<'s, 'c, 'c>,
    /// What stands where a guard is called.
    standing: &'s Standing,
    rule: &'s Arc<Rule>,
    /// The effects that run ungated in the functions they stand in.
    goals: Vec<&'s EffectSite>,
    /// Who reaches them without a gate.
    reach: Reach<'s>,
    /// The same, but not by way of a handler.
    behind: Reach<'s>,
}

impl<'s, 'c> Search<'s, 'c> {
    fn new(
        context: &'s Context<'c>,
        shared: &'s Shared<'c>,
        guarded: &'s Guarded<'s, 'c, 'c>,
        rule: &'s Arc<Rule>,
        wanted: &Guard,
    ) -> Self {
        let (graph, standing) = (shared.calls(context), shared.standing(context));
        let kinds = |comm: bool| {
            wanted.effects.iter().copied().filter(move |&kind| (kind == EffectKind::Comm) == comm)
        };
        let of_kind = |kind| context.effects.sites.iter().filter(move |site| site.kind == Some(kind));
        let mut goals: Vec<&EffectSite> = kinds(false).flat_map(of_kind).collect();
        let mut operating: Vec<&EffectSite> = kinds(true).flat_map(of_kind).collect();
        // A handler is judged for itself, whoever dispatches to it.
        let goes_on = |edge: &Edge| {
            guarded.is_open(edge) && !matches!(edge.to, Target::Project(func) if is_handler(context, func))
        };
        // An operation that asks for the phase itself may be called by anybody; those of an adapter call one another.
        let behind = loop {
            let open = goals.iter().copied().filter(|site| !guarded.is_held(site));
            let behind = graph.search(open, goes_on);
            let asks_nobody = |site: &&EffectSite| {
                let mut targets = operations(context, site).peekable();
                targets.peek().is_none() || targets.any(|target| behind.path(target).is_some())
            };
            let (found, rest): (Vec<_>, Vec<_>) = operating.into_iter().partition(asks_nobody);
            operating = rest;
            if found.is_empty() {
                break behind;
            }
            goals.extend(found);
        };
        goals.sort_unstable_by_key(|site| (site.from, site.at, site.kind));
        let reach = guarded.search(graph, goals.iter().copied());
        Self { context, guarded, standing, rule, goals, reach, behind }
    }

    /// Handlers in which an effect can run although neither they nor their callers have asked for the phase.
    fn handlers(&self, handlers: &[Handler], out: &mut Checked) {
        for handler in handlers {
            self.boundary(handler, out);
        }
    }

    /// Tools that are no comm commands, outside the comm layer.
    fn tools(&self, out: &mut Checked) {
        for tool in self.context.tools.iter().filter(|tool| !is_handler(self.context, tool.func)) {
            self.boundary(tool, out);
        }
    }

    fn boundary(&self, start: &Handler, out: &mut Checked) {
        let file = self.context.program.function(start.func).file;
        let Some(applies) = self.context.applies(self.rule, file, start.func) else { return };
        // What stands around a decorated function runs before its gate, and is looked at with it.
        if self.guarded.is_called_held(start.func) {
            return;
        }
        if let Some(path) = self.reach.path(start.func) {
            let confidence = start.confidence.min(applies);
            out.findings.push(self.finding(start.func, confidence, &path, Vec::new()));
        }
    }

    /// Calls from outside the comm layer of operations that ask nobody.
    fn entries(&self, out: &mut Checked) {
        let mut told = BTreeSet::new();
        for site in self.goals.iter().filter(|site| site.kind == Some(EffectKind::Comm)) {
            if self.is_inside(site.from)
                || self.guarded.is_held(site)
                || self.guarded.is_entered_held(site.from)
            {
                continue;
            }
            let Some(applies) = self.context.applies(self.rule, site.at.file, site.from) else { continue };
            let behind = operations(self.context, site).find_map(|target| self.behind.path(target));
            if let Some(behind) = behind.filter(|_| told.insert(site.at)) {
                let entry =
                    Path { confidence: site.confidence, hops: Vec::new(), left_out: None, effect: site };
                let confidence = applies.min(behind.confidence);
                out.findings.push(self.finding(site.from, confidence, &entry, self.steps(&behind)));
            }
        }
    }

    /// In the comm layer, or in a function that is a handler: whoever calls from there is judged as a whole.
    fn is_inside(&self, func: Func) -> bool {
        let file = self.context.program.function(func).file;
        self.context.layers[file.0 as usize].contains(Layer::Comm) || is_handler(self.context, func)
    }

    /// What is said of the gate (where it is missing, or what stands in its place, if there is one), how sure that is, and
    /// what is shown of it.
    fn missing(&self, path: &Path<'_>) -> (String, Confidence, Option<Step>) {
        match missing::on_path(self.context, self.guarded.gating, path) {
            Some(Missing { said, unless: None }) => {
                (format!("and the phase gate is {said}"), Confidence::High, None)
            }
            Some(Missing { said, unless: Some(line) }) => {
                let doubt = format!("unless the same test at line {line} always comes out alike");
                (format!("and the phase gate is {said}, {doubt}"), Confidence::Medium, None)
            }
            None => match vain::on_path(self.context, self.standing, path) {
                Some(vain) => (format!("and {}", vain.said), Confidence::High, Some(vain.step)),
                None => ("and nobody has asked for the phase before".to_owned(), Confidence::High, None),
            },
        }
    }

    /// Who goes past a gate, as a sentence begins.
    fn caller(&self, func: Func) -> String {
        let (context, tools) = (self.context, self.context.tools);
        let tool = tools.binary_search_by_key(&func, |tool| tool.func).ok().map(|at| &tools[at]);
        let info = context.program.function(func);
        match (tool.and_then(|tool| tool.name.as_ref()), context.program.ir(func).kind) {
            (Some(name), _) => format!("the tool `{name}`"),
            (None, FnKind::Lambda) => {
                let index = LineIndex::new(&context.source(info.file).text);
                let at = index.line_col(context.program.ir(func).span.lo);
                format!("whoever calls the lambda at line {}", at.line)
            }
            (None, _) => format!("whoever calls `{}`", passing::display_name(self, func)),
        }
    }

    fn steps(&self, path: &Path<'_>) -> Vec<Step> {
        let hops = hops(self.context, path).into_iter();
        hops.chain([last_step(self.context, path.effect)]).collect()
    }

    fn finding(&self, func: Func, confidence: Confidence, path: &Path<'_>, behind: Vec<Step>) -> Finding {
        let program = self.context.program;
        let effect = path.effect;
        let chain = path.hops.iter().filter_map(|edge| match edge.to {
            Target::Project(func) => Some(&*program.function(func).path),
            Target::External(_) => None,
        });
        let names = [&*program.function(func).path].into_iter().chain(chain).chain([effect.callee.as_str()]);
        let (missing, sure, gate) = self.missing(path);
        let steps = gate.into_iter().chain(self.steps(path)).chain(behind).collect();
        self.context.finding(
            self.rule,
            Draft {
                confidence: path.confidence.min(confidence).min(sure),
                primary: self.context.place(path.first()),
                captures: BTreeMap::from([
                    ("function", passing::display_name(self, func)),
                    ("caller", self.caller(func)),
                    ("callee", effect.callee.clone()),
                    ("missing", missing),
                    ("effect", effect.kind.map_or("an effect", EffectKind::noun).to_owned()),
                ]),
                names: names.collect(),
                steps,
                inside: Some(func),
            },
        )
    }
}

fn is_handler(context: &Context<'_>, func: Func) -> bool {
    context.handlers.binary_search_by_key(&func, |handler| handler.func).is_ok()
}

/// The project's own functions that a comm operation is.
fn operations<'c>(context: &Context<'c>, site: &EffectSite) -> impl Iterator<Item = Func> + use<'c> {
    let At { expr, .. } = site.at;
    context.program.edges_at(site.from, expr).iter().filter_map(|edge| match edge.to {
        Target::Project(func) => Some(func),
        Target::External(_) => None,
    })
}
