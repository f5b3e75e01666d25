//! Which operations are external: the registered comm commands, and every other command of the project that reaches an
//! external effect. Tools of frameworks, base classes, internal commands and test code are none; tools have a matrix of their own.

use std::collections::BTreeSet;

use super::{KEEPS, REACHES_OUT};
use crate::analysis::{Graph, Reach, Registered};
use crate::catalog::RegistrationKind;
use crate::finding::{Confidence, Place};
use crate::ir::Expr;
use crate::link::{Cls, Edge, Func, Program, Target};
use crate::rule::check::Context;
use crate::rule::check::registered::{is_adapter, place};

/// One row of the checklist.
#[derive(Clone, Debug)]
pub struct Operation {
    /// As it is registered, where that is constant.
    pub name: Option<String>,
    pub handler: Func,
    /// The class of the object that is registered.
    pub class: Option<Cls>,
    pub registered: Place,
    pub confidence: Confidence,
    /// It is registered in the namespace of external operations.
    pub is_comm: bool,
    /// The number of what is registered.
    pub nth: usize,
}

impl Operation {
    pub(super) fn of(program: &Program<'_>, (nth, registered): (usize, &Registered)) -> Self {
        let Registered { name, handler, file, span, confidence, is_comm, .. } = registered;
        Self {
            name: name.clone().filter(|name| is_whole(name)),
            handler: *handler,
            class: class_of(program, registered),
            registered: Place { file: *file, span: *span },
            confidence: *confidence,
            is_comm: *is_comm,
            nth,
        }
    }

    fn is_at_class(&self, program: &Program<'_>) -> bool {
        self.class.is_some_and(|class| {
            let (file, span, _) = program.class_head(class);
            self.registered == Place { file, span }
        })
    }

    pub fn label(&self, context: &Context<'_>) -> String {
        self.name.clone().unwrap_or_else(|| context.program.short_name(self.handler))
    }
}

/// Sorted by name and place.
pub fn operations<'c>(context: &Context<'c>, calls: &Graph<'c, 'c>) -> Vec<Operation> {
    let program = context.program;
    let is_own = |(_, known): &(usize, &Registered)| {
        known.kind == RegistrationKind::Command && known.framework.is_none() && known.is_production(program)
    };
    let (comm, others): (Vec<_>, Vec<_>) =
        context.registered.iter().enumerate().filter(is_own).partition(|(_, known)| known.is_comm);
    let mut operations: Vec<Operation> =
        comm.into_iter().map(|known| Operation::of(program, known)).collect();
    if !others.is_empty() {
        // Whoever only hands commands of the namespace on is no operation besides them.
        let handlers: BTreeSet<Func> = operations.iter().map(|known| known.handler).collect();
        let goes_on = |edge: &Edge| !matches!(edge.to, Target::Project(func) if handlers.contains(&func));
        let reach = calls.search(context.effects.of_kinds(&REACHES_OUT), goes_on);
        let reaches = |(_, known): &(usize, &Registered)| {
            reach.path(known.handler).is_some_and(|path| path.confidence > Confidence::Low)
        };
        let is_namespace = |known: &Registered| {
            known.name.as_ref().is_some_and(|name| context.catalog.handlers.is_namespace(name))
        };
        let others = others.into_iter().filter(|(_, known)| !is_namespace(known)).filter(reaches);
        operations.extend(others.map(|known| Operation::of(program, known)));
    }
    // A class that only says how commands of its kind run, or whose objects are registered by their names elsewhere.
    let named: BTreeSet<Func> =
        operations.iter().filter(|known| known.name.is_some()).map(|known| known.handler).collect();
    operations
        .retain(|known| known.name.is_some() || !(named.contains(&known.handler) || is_base(program, known)));
    // Of two places that register the same, the class is the one to look at.
    operations.sort_by_key(|known| {
        (known.name.clone(), known.handler, !known.is_at_class(program), known.registered)
    });
    operations.dedup_by(|later, first| (&later.name, later.handler) == (&first.name, first.handler));
    operations
}

/// The tools of a project.
#[derive(Debug, Default)]
pub struct Tools {
    /// Sorted by name and place.
    pub rows: Vec<Operation>,
    /// How many others there are.
    pub without_effect: usize,
}

/// Tools that a model may call and that reach an effect outside their own process: what only computes needs no gate. Of what is
/// called and of what is kept `graphs` say who leads there.
pub fn tools<'c>(context: &Context<'c>, operations: &[Operation], graphs: [&Graph<'c, 'c>; 2]) -> Tools {
    let program = context.program;
    let operations: BTreeSet<Func> = operations.iter().map(|known| known.handler).collect();
    let is_tool = |known: &Registered| {
        known.kind == RegistrationKind::Tool
            && !known.is_comm
            && known.is_production(program)
            && !is_adapter(context, known)
            && !operations.contains(&known.handler)
    };
    let reaches = [
        graphs[0].search(context.effects.of_kinds(&REACHES_OUT), |_| true),
        graphs[1].search(context.effects.of_kinds(&KEEPS), |_| true),
    ];
    let mut tools = Tools::default();
    for (nth, known) in context.registered.iter().enumerate().filter(|(_, known)| is_tool(known)) {
        match acting(&reaches, known) {
            Some(handler) => tools.rows.push(Operation {
                handler,
                registered: place(context, known),
                ..Operation::of(program, (nth, known))
            }),
            None => tools.without_effect += 1,
        }
    }
    tools.rows.sort_by_key(|tool| (tool.label(context), tool.registered, tool.handler));
    tools
}

/// What runs for a tool and reaches an effect: the first, or what stands beside it for callers of another kind.
fn acting(reaches: &[Reach<'_>], known: &Registered) -> Option<Func> {
    let runs = || [known.handler].into_iter().chain(known.others.iter().copied());
    reaches.iter().find_map(|reach| {
        runs().find(|&func| reach.path(func).is_some_and(|path| path.confidence > Confidence::Low))
    })
}

/// `comm.` is the namespace, and no operation.
fn is_whole(name: &str) -> bool {
    !name.is_empty() && !name.ends_with('.')
}

fn is_base(program: &Program<'_>, operation: &Operation) -> bool {
    operation.class.is_some_and(|class| program.subclasses(class).iter().any(|&heir| heir != class))
}

/// The class of the object that is registered. Where its base class runs it, the registration names it: `Lookup()`.
fn class_of(program: &Program<'_>, registered: &Registered) -> Option<Cls> {
    let own = program.function(registered.handler).class?;
    if registered.class.is_some_and(|class| class != own) {
        return registered.class;
    }
    let heirs: Vec<Cls> = program.subclasses(own).iter().copied().filter(|&heir| heir != own).collect();
    if heirs.is_empty() {
        return Some(own);
    }
    let named = named_inside(program, registered);
    named.into_iter().find(|class| heirs.contains(class) || *class == own)
}

/// The classes that a registration names.
fn named_inside(program: &Program<'_>, registered: &Registered) -> Vec<Cls> {
    let facts = program.facts(registered.file);
    let functions = facts.function_ids();
    let mut named = Vec::new();
    for func in functions {
        for expr in program.ir(func).exprs.iter() {
            let span = facts.span(expr);
            if registered.span.lo <= span.lo && span.hi <= registered.span.hi {
                let (owner, value) = program.bound(func, expr);
                let made = match *program.facts(program.function(owner).file).expr(value) {
                    Expr::Call { callee, .. } => program.class_named(owner, callee),
                    _ => None,
                };
                named.extend(program.class_named(func, expr).or(made));
            }
        }
    }
    named
}
