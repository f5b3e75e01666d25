//! Functions that pass an effect through: they hand back the result of a comm operation, or of a private helper that
//! reaches the network, under a name of their own, and nobody has asked for the phase.

use std::collections::BTreeSet;

use super::{Search, operations};
use crate::analysis::{EffectSite, Handler, Path};
use crate::catalog::EffectKind;
use crate::finding::{Confidence, Step};
use crate::ir::{Arg, ArgKind, Expr, ExprId, FnKind, Lit, Pat};
use crate::link::{At, EdgeKind, Func, Target};
use crate::rule::check::Checked;

/// A function and the place of the effect: one finding, however many calls lead there.
type Reported = BTreeSet<(Func, At)>;

pub fn run(search: &Search<'_, '_>, out: &mut Checked) {
    let context = search.context;
    let is_open = |site: &&&EffectSite| site.kind == Some(EffectKind::Comm) && !search.guarded.is_held(site);
    // An operation of the project's own adapter is the business of whoever enters the comm layer.
    let comm = search.goals.iter().filter(is_open).filter(|site| operations(context, site).next().is_none());
    let of_tool = |tool: &Handler| Some((tool.func, search.reach.path(tool.func)?.effect.at));
    let mut told: Reported = context.tools.iter().filter_map(of_tool).collect();
    for site in comm {
        let says_channel = |name: &str| context.catalog.boundaries.says_channel(name);
        let is_kept = kept_in(search, site).is_some_and(|name| !says_channel(name));
        let passes = is_kept
            || (is_passed(search, site.from, site.at.expr)
                && !hands_phase_on(search, site.from, site.at.expr));
        if (passes || names_open_phase(search, site)) && told.insert((site.from, site.at)) {
            report(
                search,
                site.from,
                site.confidence,
                Path { confidence: site.confidence, hops: Vec::new(), left_out: None, effect: site },
                Vec::new(),
                out,
            );
        }
    }
    for func in (0..context.program.functions.len() as u32).map(Func) {
        private_helpers(search, func, &mut told, out);
    }
}

/// `return _fetch(url)`: what a public name passes through is a private network call.
fn private_helpers(search: &Search<'_, '_>, func: Func, told: &mut Reported, out: &mut Checked) {
    let program = search.context.program;
    if program.ir(func).is_private || program.ir(func).kind == FnKind::Module {
        return;
    }
    for edge in program.edges_from(func).iter().filter(|edge| edge.kind == EdgeKind::Call) {
        let Target::Project(helper) = edge.to else { continue };
        if !program.ir(helper).is_private || !search.guarded.is_open(edge) {
            continue;
        }
        let Some(path) = search.reach.path(helper) else { continue };
        // What a helper further down gets is taken apart on the way.
        let is_network = path.effect.kind == Some(EffectKind::Network) && path.hops.is_empty();
        if !is_network || !is_passed(search, func, edge.at.expr) || hands_phase_on(search, func, edge.at.expr)
        {
            continue;
        }
        if !told.insert((func, path.effect.at)) {
            continue;
        }
        let confidence = path.confidence.min(edge.confidence).min(Confidence::Medium);
        let mut hops = vec![edge];
        hops.extend(&path.hops);
        report(
            search,
            func,
            confidence,
            Path { confidence, hops, left_out: None, effect: path.effect },
            Vec::new(),
            out,
        );
    }
}

fn report(
    search: &Search<'_, '_>,
    func: Func,
    confidence: Confidence,
    path: Path<'_>,
    behind: Vec<Step>,
    out: &mut Checked,
) {
    let context = search.context;
    let file = context.program.function(func).file;
    let Some(applies) = context.applies(search.rule, file, func) else { return };
    if says_comm(search, func) || search.is_inside(func) || search.guarded.is_entered_held(func) {
        return;
    }
    out.findings.push(search.finding(func, confidence.min(applies), &path, behind));
}

/// A name that says that it is the channel promises nothing else.
fn says_comm(search: &Search<'_, '_>, func: Func) -> bool {
    let program = search.context.program;
    let class = program.function(func).class.map(|class| program.class_name(class));
    let says = |name: &str| search.context.catalog.boundaries.says_channel(name);
    let name = display_name(search, func);
    says(name.rsplit('.').next().unwrap_or(&name)) || class.is_some_and(says)
}

/// What a reader calls a function; a lambda goes by the variable it is kept in.
pub(super) fn display_name(search: &Search<'_, '_>, func: Func) -> String {
    let program = search.context.program;
    let info = program.function(func);
    let facts = program.facts(info.file);
    let around = facts.function(program.ir(func).parent);
    let kept_in = || {
        around.exprs.iter().find_map(|expr| match *facts.expr(expr) {
            Expr::Bind { pat, value } if *facts.expr(value) == Expr::Closure(func) => match *facts.pat(pat) {
                Pat::Var(var) => Some(facts.str(facts.list(around.vars)[var.0 as usize])),
                _ => None,
            },
            _ => None,
        })
    };
    match program.ir(func).kind {
        FnKind::Lambda => kept_in().unwrap_or("a lambda").to_owned(),
        FnKind::Module => "the module".to_owned(),
        _ => program.short_name(func),
    }
}

/// `read_note = partial(comm.fetch, timeout=5)`: the variable that an operation is kept in, ready to be called.
fn kept_in<'c>(search: &Search<'_, 'c>, site: &EffectSite) -> Option<&'c str> {
    let program = search.context.program;
    let facts = program.facts(site.at.file);
    let function = program.ir(site.from);
    function.exprs.iter().find_map(|expr| {
        let Expr::Bind { pat, value } = *facts.expr(expr) else { return None };
        let Pat::Var(var) = *facts.pat(pat) else { return None };
        let value = match *facts.expr(value) {
            Expr::Ascribe { value: Some(inner), .. } => inner,
            _ => value,
        };
        let Expr::Call { args, .. } = *facts.expr(value) else { return None };
        let holds = facts.list(args).iter().any(|arg| arg.value == site.at.expr);
        let prepares = program.edges_at(site.from, value).iter().any(|edge| match edge.to {
            Target::External(path) => search.context.catalog.boundaries.prepares(program.path(path)),
            Target::Project(_) => false,
        });
        (holds && prepares).then(|| facts.str(facts.list(function.vars)[var.0 as usize]))
    })
}

/// True if what the expression comes out as is what the function hands back.
fn is_passed(search: &Search<'_, '_>, func: Func, call: ExprId) -> bool {
    let program = search.context.program;
    program.returns(func).any(|value| comes_from(search, func, value, call, 4))
}

fn comes_from(search: &Search<'_, '_>, func: Func, value: ExprId, call: ExprId, hops: u32) -> bool {
    if value == call {
        return true;
    }
    let Some(hops) = hops.checked_sub(1) else { return false };
    let program = search.context.program;
    let facts = program.facts(program.function(func).file);
    let from = |value: ExprId| comes_from(search, func, value, call, hops);
    match *facts.expr(value) {
        Expr::Await(inner) | Expr::Bind { value: inner, .. } | Expr::Ascribe { value: Some(inner), .. } => {
            from(inner)
        }
        Expr::Any(parts) | Expr::All(parts) => facts.list(parts).iter().any(|&part| from(part)),
        Expr::Block(parts) => facts.list(parts).last().is_some_and(|&part| from(part)),
        Expr::If { arms, otherwise } => {
            facts.list(arms).iter().map(|arm| arm.body).chain(otherwise).any(from)
        }
        Expr::Var(var) => {
            let definitions = program.definitions(program.slot_of(func, var));
            definitions.into_iter().any(|(owner, value)| owner == func && from(value))
        }
        // `asyncio.run(adapter.search(query))`, `partial(comm.search, limit=3)`
        Expr::Call { args, .. } => {
            let hands_on = program.edges_at(func, value).iter().any(|edge| match edge.to {
                Target::External(path) => {
                    search.context.catalog.boundaries.hands_result_on(program.path(path))
                }
                Target::Project(_) => false,
            });
            hands_on && facts.list(args).iter().any(|arg| from(arg.value))
        }
        _ => false,
    }
}

/// The caller's phase goes along: whoever is called can ask for it.
fn hands_phase_on(search: &Search<'_, '_>, func: Func, call: ExprId) -> bool {
    let (context, program) = (search.context, search.context.program);
    arguments(search, func, call).iter().any(|arg| {
        let named = program
            .receiver_name(func, arg.value)
            .is_some_and(|name| context.catalog.phase.naming(name.name).is_some());
        let is_constant = program.text(func, arg.value).is_some();
        named && !is_constant
    })
}

/// `execute_command("comm.search", execution_phase="execution")`
fn names_open_phase(search: &Search<'_, '_>, site: &EffectSite) -> bool {
    let (context, program) = (search.context, search.context.program);
    let facts = program.facts(site.at.file);
    let args = arguments(search, site.from, site.at.expr);
    let first = args.first().map(|arg| facts.expr(arg.value));
    let is_dispatch = matches!(first, Some(Expr::Lit(Lit::Str(_))));
    is_dispatch
        && args.iter().any(|arg| {
            let names = matches!(arg.kind, ArgKind::Named(name) if context.catalog.phase.naming(facts.str(name)).is_some());
            let is_open = || program.text(site.from, arg.value).is_some_and(|text| context.catalog.phase.is_open(&text));
            names && is_open()
        })
}

fn arguments<'c>(search: &Search<'_, 'c>, func: Func, call: ExprId) -> &'c [Arg] {
    let program = search.context.program;
    let facts = program.facts(program.function(func).file);
    match *facts.expr(call) {
        Expr::Call { args, .. } => facts.list(args),
        _ => &[],
    }
}
