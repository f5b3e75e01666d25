//! Objects that swallow what is raised inside their `with`: of the library, generators that let nothing out of their
//! `yield`, classes whose `__exit__` says so. One answer for all who walk paths.

use super::Escapes;
use super::thrown::Raised;
use super::walk::MAX_HOPS;
use crate::analysis::exceptions::{self, Exception};
use crate::analysis::implicit;
use crate::analysis::interp::Caught;
use crate::catalog::Catalog;
use crate::ir::{Expr, ExprId, Lit, Op, Operator};
use crate::link::{Edge, EdgeKind, Func, Program, SharedMemo, Target};
use crate::parallel::Lazy;

/// What leaves the block of a `with` for its object.
const LEAVE: [Operator; 2] = [Operator::Exit, Operator::ExitAsync];
/// The path by which a stack of managers is told another one.
const ENTERS: &str = ".enter_context";

/// The context managers of a program, and what they take of what is raised inside their `with`.
pub struct Managers<'m, 'a> {
    program: &'m Program<'a>,
    catalog: &'m Catalog,
    taken: SharedMemo<(Func, Option<Exception>), Caught>,
    /// What leaves the generators that may take something, whatever is raised at their `yield`.
    generators: Lazy<Escapes<'static>>,
}

impl<'m, 'a> Managers<'m, 'a> {
    pub fn new(program: &'m Program<'a>, catalog: &'m Catalog) -> Self {
        Self { program, catalog, taken: SharedMemo::default(), generators: Lazy::new() }
    }

    /// What the object of a `with` swallows: types, and managers of the project, which `caught` knows.
    pub fn swallowed(&self, func: Func, context: ExprId) -> Option<Vec<ExprId>> {
        if let Some(types) = library_types(self.program, self.catalog, func, context) {
            return (!types.is_empty()).then_some(types);
        }
        if self.is_stack(func, context) {
            let entered = self.entered(func).into_iter();
            let types: Vec<ExprId> = entered.filter_map(|it| self.swallowed(func, it)).flatten().collect();
            return (!types.is_empty()).then_some(types);
        }
        let leavers = leavers(self.program, func, context);
        leavers.iter().any(|&leaver| self.may_take(leaver)).then(|| vec![context])
    }

    /// Whether one of these takes exceptions of these classes (`None`: of one that is not known). Nothing if all are types.
    pub fn caught<'t>(
        &self,
        func: Func,
        types: &[ExprId],
        classes: impl Iterator<Item = Option<&'t Exception>> + Clone,
    ) -> Option<Caught> {
        let mut found = None;
        for &context in types {
            for leaver in leavers(self.program, func, context) {
                let each: Vec<Caught> = classes.clone().map(|class| self.takes(leaver, class)).collect();
                let one = match () {
                    () if each.iter().all(|one| *one == Caught::Yes) => Caught::Yes,
                    () if each.iter().all(|one| *one == Caught::No) => Caught::No,
                    () => Caught::Maybe,
                };
                found = Some(found.map_or(one, |known| exceptions::most(known, one)));
            }
        }
        found
    }

    /// Used as a decorator it takes everything that the function raises.
    pub fn takes_all_of_decorated(&self, scope: Func, decorator: ExprId) -> bool {
        let facts = self.program.facts(self.program.function(scope).file);
        let Expr::Call { callee, .. } = *facts.expr(decorator) else { return false };
        let class = self.program.class_named(scope, callee);
        if class
            .is_some_and(|class| implicit::methods(self.program, class, &[Operator::Call]).next().is_some())
        {
            return false;
        }
        let all = Exception::any(self.catalog);
        leavers(self.program, scope, decorator).iter().any(|&it| self.takes(it, Some(&all)) == Caught::Yes)
    }

    fn takes(&self, leaver: Func, class: Option<&Exception>) -> Caught {
        self.taken.of((leaver, class.cloned()), || match self.program.ir(leaver).is_generator {
            true => self.generator_takes(leaver, class),
            false => self.exit_takes(leaver, class),
        })
    }

    /// Cheap, because every `with` is asked: a handler around a `yield`, a result that is not false.
    fn may_take(&self, leaver: Func) -> bool {
        let facts = self.program.facts(self.program.function(leaver).file);
        match self.program.ir(leaver).is_generator {
            true => {
                let mut exprs = self.program.ir(leaver).exprs.iter();
                exprs.any(|expr| matches!(facts.expr(expr), Expr::Try(_) | Expr::With { .. }))
            }
            false => self.program.returns(leaver).any(|value| !is_false(facts.expr(value))),
        }
    }

    /// What is raised at the `yield`, or in its place, leaves the generator, or nothing does.
    fn generator_takes(&self, generator: Func, class: Option<&Exception>) -> Caught {
        if !self.may_take(generator) {
            return Caught::No;
        }
        let (program, catalog) = (self.program, self.catalog);
        let all = self.generators.of(|| {
            let functions = (0..program.functions.len() as u32).map(Func);
            let generators = functions.filter(|&func| program.ir(func).is_generator && self.may_take(func));
            Escapes::find(program, catalog, &generators.collect::<Vec<_>>())
        });
        let leaves = |found: &Escapes<'_>| {
            let mut known = found.known(generator).into_keys();
            known.any(|raised| matches!(raised, Raised::Body | Raised::Class(_)))
        };
        let leaves = match class {
            None => leaves(all),
            Some(class) => leaves(&all.raising(program, catalog, generator, class.clone())),
        };
        if leaves { Caught::No } else { Caught::Yes }
    }

    /// By what `__exit__` says, and the classes that it names in doing so.
    fn exit_takes(&self, leaver: Func, class: Option<&Exception>) -> Caught {
        let facts = self.program.facts(self.program.function(leaver).file);
        let said: Vec<Expr> = self.program.returns(leaver).map(|value| *facts.expr(value)).collect();
        let named = self.named(leaver);
        let says_yes = |said: &Expr| match *said {
            Expr::Lit(Lit::Bool(true)) => true,
            // `return kind is not None`
            Expr::Op { op: Op::IsNot | Op::Ne, args } => {
                facts.list(args).iter().any(|&arg| matches!(facts.expr(arg), Expr::Lit(Lit::None)))
            }
            _ => false,
        };
        if named.is_empty() {
            return if said.iter().any(says_yes) { Caught::Yes } else { Caught::No };
        }
        if said.iter().all(is_false) {
            return Caught::No;
        }
        let takes = |named: &Exception| exceptions::takes(self.program, self.catalog, Some(named), class);
        named.iter().map(takes).fold(Caught::No, exceptions::most)
    }

    fn named(&self, leaver: Func) -> Vec<Exception> {
        let facts = self.program.facts(self.program.function(leaver).file);
        let exprs = self.program.ir(leaver).exprs.iter();
        let names = exprs
            .filter(|&expr| matches!(facts.expr(expr), Expr::Free(_) | Expr::Field { .. } | Expr::Var(_)));
        let classes = names.filter_map(|expr| exceptions::class_of(self.program, leaver, expr));
        classes.filter(|class| self.is_exception(class)).collect()
    }

    fn is_exception(&self, class: &Exception) -> bool {
        let is = |path: &str| self.catalog.exceptions.is_exception(path);
        match class {
            Exception::Library(path) => class.is_broad(self.catalog) || is(path),
            Exception::Project(class) => {
                let mut bases = self.program.base_paths(*class).into_iter();
                bases.any(|base| is(base) || Exception::Library(base.into()).is_broad(self.catalog))
            }
        }
    }

    /// An object that enters the managers it is given.
    fn is_stack(&self, func: Func, context: ExprId) -> bool {
        let facts = self.program.facts(self.program.function(func).file);
        let Expr::Call { callee, .. } = *facts.expr(context) else { return false };
        let path = self.program.library_path(func, callee);
        path.is_some_and(|path| self.catalog.phase.enters_contexts(&format!("{path}{ENTERS}")))
    }

    /// The managers that a function gives to such an object.
    fn entered(&self, func: Func) -> Vec<ExprId> {
        let facts = self.program.facts(self.program.function(func).file);
        let enters = |edge: &Edge| match edge.to {
            Target::External(path) => self.catalog.phase.enters_contexts(self.program.path(path)),
            Target::Project(_) => false,
        };
        let given = self.program.ir(func).exprs.iter().filter_map(|expr| match *facts.expr(expr) {
            Expr::Call { args, .. } if self.program.edges_at(func, expr).iter().any(enters) => {
                facts.list(args).first().map(|arg| arg.value)
            }
            _ => None,
        });
        given.collect()
    }
}

/// Whether an object swallows what is raised inside its `with`, as far as summaries are made; the types, or all if there are
/// none. What nothing is known of swallows: what it lets out is not known either.
pub(super) fn swallowed(
    program: &Program<'_>,
    catalog: &Catalog,
    known: &Escapes<'_>,
    func: Func,
    context: ExprId,
) -> Option<Vec<ExprId>> {
    if let Some(types) = library_types(program, catalog, func, context) {
        return (!types.is_empty()).then_some(types);
    }
    let swallows = |leaver: Func| match program.ir(leaver).is_generator {
        true => known.summary(leaver).is_some() && !known.known(leaver).contains_key(&Raised::Body),
        false => {
            let facts = program.facts(program.function(leaver).file);
            program.returns(leaver).any(|value| !is_false(facts.expr(value)))
        }
    };
    leavers(program, func, context).into_iter().any(swallows).then(Vec::new)
}

/// `contextlib.suppress(...)`.
fn library_types(
    program: &Program<'_>,
    catalog: &Catalog,
    func: Func,
    context: ExprId,
) -> Option<Vec<ExprId>> {
    let facts = program.facts(program.function(func).file);
    let Expr::Call { callee, args, .. } = *facts.expr(context) else { return None };
    let path = program.library_path(func, callee)?;
    let types = || facts.list(args).iter().map(|arg| arg.value).collect();
    catalog.phase.swallows(path).then(types)
}

/// The generators and `__exit__` methods of the project that are told of what is raised inside a `with`.
fn leavers(program: &Program<'_>, func: Func, context: ExprId) -> Vec<Func> {
    let facts = program.facts(program.function(func).file);
    let leave = |class| implicit::methods(program, class, &LEAVE);
    if let Expr::Call { callee, .. } = *facts.expr(context)
        && let Some(class) = program.class_named(func, callee)
    {
        return leave(class).collect();
    }
    let edges = program.edges_at(func, context).iter();
    let mut found = Vec::new();
    for edge in edges.filter(|edge| edge.kind == EdgeKind::Call) {
        if let Target::Project(target) = edge.to {
            found.extend(made(program, target, MAX_HOPS));
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// What a call that makes a manager makes: a generator, an object, or what another one made.
fn made(program: &Program<'_>, func: Func, hops: u32) -> Vec<Func> {
    let Some(hops) = hops.checked_sub(1) else { return Vec::new() };
    if program.ir(func).is_generator || implicit::runs(program, func, &LEAVE) {
        return vec![func];
    }
    if let Some(class) = program.function(func).class.filter(|_| implicit::is_implicit(program, func)) {
        return implicit::methods(program, class, &LEAVE).collect();
    }
    let values = program.returns(func).flat_map(|value| {
        let facts = program.facts(program.function(func).file);
        let class = match *facts.expr(value) {
            Expr::Call { callee, .. } => program.class_named(func, callee),
            _ => None,
        };
        let own = class.into_iter().flat_map(|class| implicit::methods(program, class, &LEAVE));
        let makers = program.edges_at(func, value).iter().filter(|edge| edge.kind == EdgeKind::Call);
        let makers = makers.filter_map(|edge| match edge.to {
            Target::Project(maker) => Some(maker),
            Target::External(_) => None,
        });
        own.chain(makers.flat_map(move |maker| made(program, maker, hops))).collect::<Vec<_>>()
    });
    values.collect()
}

/// Nothing, or no.
fn is_false(value: &Expr) -> bool {
    matches!(value, Expr::Lit(Lit::None | Lit::Bool(false)))
}
