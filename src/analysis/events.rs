//! Events that the audit trail does not know: which functions write it, which set of events each of them tests its own
//! parameter against, and who hands it a constant that is not in that set. Functions are known by what calls resolve to;
//! whoever hands its own parameter on to such a function is one itself.

mod checks;
mod sets;

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use self::checks::{Checks, Registered};
use crate::catalog::Catalog;
use crate::finding::Confidence;
use crate::ir::{ExprId, FnKind, Pat};
use crate::link::{At, Edge, EdgeKind, Func, Passed, Program, Target};

/// A call that names an event which is not registered.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct UnregisteredEvent {
    pub from: Func,
    pub call: ExprId,
    pub event: String,
    /// The function that is called.
    pub writer: Func,
    /// Where the event is tested against the set.
    pub tested: At,
    pub confidence: Confidence,
}

/// A parameter that names an event.
type Parameter = (Func, u32);

pub fn unregistered_events(program: &Program<'_>, catalog: &Catalog) -> Vec<UnregisteredEvent> {
    let checks = Checks::new(program, catalog);
    let mut finder = Finder { program, found: BTreeSet::new(), todo: Vec::new(), known: BTreeMap::new() };
    for func in (0..program.functions.len() as u32).map(Func) {
        let is_writer = program.ir(func).kind == FnKind::Plain
            && !program.is_test_code(func)
            && catalog.audit.writes(&program.function(func).path);
        if is_writer {
            for at in event_parameters(program, catalog, func) {
                if let Some(registered) = checks.of((func, at)) {
                    finder.add((func, at), registered);
                }
            }
        }
    }
    if finder.todo.is_empty() {
        return Vec::new();
    }
    let mut callers: FxHashMap<Func, Vec<&Edge>> = FxHashMap::default();
    for edge in program.edges.iter().filter(|edge| edge.kind == EdgeKind::Call) {
        if let Target::Project(callee) = edge.to {
            callers.entry(callee).or_default().push(edge);
        }
    }
    while let Some(((writer, at), registered)) = finder.todo.pop() {
        for edge in callers.get(&writer).into_iter().flatten() {
            finder.call(edge, (writer, at), &registered);
        }
    }
    finder.found.into_iter().collect()
}

/// The parameters that are called like an event.
fn event_parameters(program: &Program<'_>, catalog: &Catalog, func: Func) -> Vec<u32> {
    let facts = program.facts(program.function(func).file);
    let params = facts.list(program.ir(func).params).iter().enumerate();
    let is_event = |param: &crate::ir::Param| {
        matches!(facts.pat(param.pat), Pat::Var(_)) && catalog.audit.is_event(facts.str(param.name))
    };
    params.filter(|(_, param)| is_event(param)).map(|(at, _)| at as u32).collect()
}

struct Finder<'f, 'a> {
    program: &'f Program<'a>,
    found: BTreeSet<UnregisteredEvent>,
    todo: Vec<(Parameter, Registered)>,
    /// A parameter may be handed on to several writers; each asks for itself.
    known: BTreeMap<Parameter, Vec<At>>,
}

impl Finder<'_, '_> {
    fn add(&mut self, parameter: Parameter, registered: Registered) {
        let known = self.known.entry(parameter).or_default();
        if !known.contains(&registered.at) {
            known.push(registered.at);
            self.todo.push((parameter, registered));
        }
    }

    fn call(&mut self, edge: &Edge, (writer, at): Parameter, registered: &Registered) {
        let program = self.program;
        let given = program.arguments(edge).into_iter().filter(|(passed, _)| *passed == Passed::Param(at));
        for (_, expr) in given {
            if let Some(own) = own_parameter(program, edge.from, expr) {
                self.add((edge.from, own), registered.clone());
            }
            let values = program.possible(edge.from, expr);
            let sure = if values.complete { Confidence::High } else { Confidence::Medium };
            let unknown = values.list.iter().filter(|value| value.whole && !registered.knows(&value.text));
            for value in unknown {
                self.found.insert(UnregisteredEvent {
                    from: edge.from,
                    call: edge.at.expr,
                    event: value.text.clone(),
                    writer,
                    tested: registered.at,
                    confidence: edge.confidence.min(sure),
                });
            }
        }
    }
}

/// The parameter of the function that an expression is.
fn own_parameter(program: &Program<'_>, func: Func, expr: ExprId) -> Option<u32> {
    let variable = program.variable(func, expr)?;
    let (owner, at) = program.parameter_of(program.slot_of(variable.func, variable.var))?;
    (owner == func).then_some(at)
}
