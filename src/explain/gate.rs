//! Why a function is a phase gate, or is none: what it guarantees when it comes back, and the return that breaks it.

use crate::analysis::{Bodies, Fault, Gating, Kept, Left, Standing, is_open_stub, redefined};
use crate::ir::{Expr, FnKind};
use crate::link::Func;
use crate::rule::missing_gate;
use crate::source::{LineIndex, SourceFile};

/// What a question about a function's gate needs.
pub struct Asked<'g> {
    pub bodies: &'g Bodies<'g, 'g>,
    pub gating: &'g Gating,
    pub files: &'g [SourceFile],
}

/// Explains every function whose dotted path is, or ends in, `name`; nothing if there is none.
pub fn gate(asked: &Asked<'_>, name: &str) -> Option<String> {
    let program = asked.bodies.program();
    let is_meant = |func: &Func| {
        let path = &*program.function(*func).path;
        let ends = path.strip_suffix(name).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
        ends && program.ir(*func).kind == FnKind::Plain
    };
    let found: Vec<Func> = (0..program.functions.len() as u32).map(Func).filter(is_meant).collect();
    let standing = Standing::find(asked.bodies, asked.gating, asked.files, true);
    let pages: Vec<String> = found.iter().map(|&func| page(asked, &standing, func)).collect();
    (!pages.is_empty()).then(|| pages.join("\n"))
}

fn page(asked: &Asked<'_>, standing: &Standing, func: Func) -> String {
    let program = asked.bodies.program();
    let place = place(asked, func, program.ir(func).name_span.lo);
    let said = instead(asked, standing, func).unwrap_or_else(|| verdict(asked, func));
    format!("`{}` ({place}){said}", program.function(func).path)
}

/// What stands in the function's place whatever its body does.
fn instead(asked: &Asked<'_>, standing: &Standing, func: Func) -> Option<String> {
    let program = asked.bodies.program();
    if let Some(later) = redefined(program, func) {
        let place = place(asked, func, later.lo);
        return Some(format!(" is never called: the definition at {place} takes its place.\n"));
    }
    let replaced = standing.replaced_gate(func)?;
    let facts = program.facts(program.function(replaced.func).file);
    let place = place(asked, replaced.func, facts.span(replaced.at).lo);
    let said = replaced.fault.map(Fault::said)?;
    Some(format!(" is no phase gate: it is replaced at {place} by something that {said}.\n"))
}

fn verdict(asked: &Asked<'_>, func: Func) -> String {
    let (program, catalog, gating) = (asked.bodies.program(), asked.bodies.catalog(), asked.gating);
    let about = gating.asked_about(program, func);
    let about = if about.is_empty() { "the phase".to_owned() } else { listed(&about) };
    let open = listed(&catalog.phase.open);
    if let Some(said) = by_body(asked, func) {
        return said;
    }
    match gating.summary(func) {
        _ if gating.is_vouched(func) => {
            " is a phase gate: the configuration vouches for it (`[gates.phase] check`).\n".to_owned()
        }
        Some(summary) if summary.is_never() => {
            " never comes back: what follows it does not run.\n".to_owned()
        }
        Some(summary) if summary.guarantees() => {
            format!(" is a phase gate: it comes back only where {about} is {open}.\n")
        }
        Some(summary) if summary.tells() => format!(
            " is a phase gate that answers: some of its results mean that {about} is {open}. Whoever calls it has to \
             look at the result.\n{}",
            returns(asked, func)
        ),
        Some(summary) if summary.guards_its_block() => {
            format!(" is a context manager that gates its block: it yields only where {about} is {open}.\n")
        }
        _ if gating.runs_some_behind_gate(program, func) => {
            format!(" is a phase gate: it runs what it is given only where {about} is {open}.\n")
        }
        Some(summary) if summary.asks() => format!(
            " asks for the phase on some ways only, so a call of it is a gate where its arguments lead there.\n{}",
            returns(asked, func)
        ),
        Some(_) => format!(
            " is no phase gate: it also comes back where nobody has asked for the phase.\n{}",
            returns(asked, func)
        ),
        None => format!(" is no phase gate: neither it nor what it calls compares anything with {open}.\n"),
    }
}

/// What the body says against a name or a configuration that calls it a gate, and what it leaves open.
fn by_body(asked: &Asked<'_>, func: Func) -> Option<String> {
    let bodies = asked.bodies;
    match asked.gating.kept(bodies, func) {
        Kept::Broken(fault @ Fault::CutOff) => Some(format!(" is no phase gate: it {}.\n", fault.said())),
        Kept::Broken(fault @ Fault::LetsPass) if asked.gating.is_vouched_for(func) => Some(format!(
            " is no phase gate, although the configuration vouches for it: it {}.\n",
            fault.said()
        )),
        Kept::Open if is_open_stub(bodies.program(), bodies.catalog(), func) => Some(
            " is an open question: its body is left to others. Calls of it count as gates by its name alone.\n"
                .to_owned(),
        ),
        _ => None,
    }
}

/// The ways back that break the guarantee.
fn returns(asked: &Asked<'_>, func: Func) -> String {
    let breaking = asked.gating.exits(func).iter().filter(|left| !left.ungated.is_empty());
    breaking.map(|left| way_back(asked, func, left)).collect()
}

fn way_back(asked: &Asked<'_>, func: Func, left: &Left) -> String {
    let program = asked.bodies.program();
    let facts = program.facts(program.function(func).file);
    let at = line(asked, func, facts.span(left.at).lo);
    let what = match *facts.expr(left.at) {
        Expr::Jump { .. } => format!("line {at}: returns"),
        _ => "its end is reached".to_owned(),
    };
    let way = asked.gating.breaking_way(asked.bodies, func, left.at);
    let said = way.map(|way| missing_gate(program, asked.files, func, way));
    match said {
        Some(said) => format!("  {what} without the gate, {said}\n"),
        None => format!("  {what} without the gate\n"),
    }
}

/// A place in the file of a function.
fn place(asked: &Asked<'_>, func: Func, offset: u32) -> String {
    let file = asked.bodies.program().function(func).file;
    format!("{}:{}", asked.files[file.0 as usize].path, line(asked, func, offset))
}

fn line(asked: &Asked<'_>, func: Func, offset: u32) -> u32 {
    let file = asked.bodies.program().function(func).file;
    LineIndex::new(&asked.files[file.0 as usize].text).line_col(offset).line
}

fn listed(words: &[String]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(" or ")
}
