//! What counts as the event that a trail looks for: a record of the audit trail, a validation of the declaration, a call
//! that a rule names. By the path of what is called, or else as it is written; a body that is there has the last word.

use crate::analysis::gates::spelled;
use crate::analysis::guards::{Bodies, Kept, Promise};
use crate::analysis::implicit;
use crate::catalog::globs::wildcard;
use crate::catalog::pattern::PatternSet;
use crate::catalog::{BUILTINS, Catalog, DataOp, DataOps};
use crate::ir::{Expr, ExprId, Facts, Jump, Lit, Op, Operator};
use crate::link::{EdgeKind, Func, Program, Target};

/// A validator that only calls another one that only calls another one.
const MAX_HOPS: u32 = 3;

/// Which events are meant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// A record of the audit trail.
    Audit,
    /// A check of the declaration that can refuse it.
    Declaration,
    /// A call of one of these paths, or spelled like one of these names: `limiter.acquire`.
    Named { path: Vec<String>, name: Vec<String> },
}

/// How a call brings the event about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Happens {
    /// When it comes back.
    Now,
    /// Its result tells: true, or false.
    If(bool),
}

pub struct Events<'e, 'a> {
    pub(super) program: &'e Program<'a>,
    pub(super) catalog: &'e Catalog,
    pub(super) event: &'e Event,
    paths: PatternSet,
    bodies: &'e Bodies<'e, 'a>,
}

impl<'e, 'a> Events<'e, 'a> {
    pub fn new(bodies: &'e Bodies<'e, 'a>, event: &'e Event) -> Self {
        let paths = match event {
            Event::Named { path, .. } => PatternSet::new(path),
            Event::Audit | Event::Declaration => PatternSet::default(),
        };
        Self { program: bodies.program(), catalog: bodies.catalog(), event, paths, bodies }
    }

    pub fn bodies(&self) -> &'e Bodies<'e, 'a> {
        self.bodies
    }

    pub fn event(&self) -> &'e Event {
        self.event
    }

    /// How a call of `func` brings the event about; `None` if it does not by itself.
    pub fn at(&self, func: Func, call: ExprId) -> Option<Happens> {
        match self.event {
            Event::Audit => self.records(func, call).then_some(Happens::Now),
            Event::Declaration => self.validates(func, call),
            Event::Named { name, .. } => self.is_named(func, call, name).then_some(Happens::Now),
        }
    }

    /// True if the event is known by the name of the call alone: no body shows what it does.
    pub fn is_by_name(&self, func: Func, call: ExprId) -> bool {
        self.targets(func, call).is_empty()
            && self.externals(func, call).is_empty()
            && *self.event == Event::Declaration
    }

    // ---- the audit trail

    fn records(&self, func: Func, call: ExprId) -> bool {
        let audit = &self.catalog.audit;
        let targets = self.targets(func, call);
        if !targets.is_empty() {
            let keeps =
                |&target: &Func| !matches!(self.bodies.kept(target, Promise::Records), Kept::Broken(_));
            return targets.iter().all(keeps)
                && targets.iter().any(|&target| {
                    audit.writes(&self.program.function(target).path)
                        && audit.records(self.program.name(target))
                        && self.is_plain(target)
                });
        }
        let external = self.externals(func, call);
        let name = spelled(self.program, func, call).unwrap_or_default();
        let last = name.rsplit('.').next().unwrap_or_default();
        let is_class = last.starts_with(char::is_uppercase);
        let by_path = external.iter().any(|path| audit.matches(path));
        by_path || (!is_class && audit.writes(&name) && audit.records(last))
    }

    /// Neither a constructor, nor something that a `with` enters or leaves, nor what runs what it is given: their bodies
    /// say when they record.
    fn is_plain(&self, target: Func) -> bool {
        let function = self.program.ir(target);
        let runs_parameter = || {
            let facts = self.program.facts(self.program.function(target).file);
            function.exprs.iter().any(|expr| match *facts.expr(expr) {
                Expr::Call { callee, .. } => matches!(*facts.expr(callee), Expr::Var(var)
                    if self.program.parameter_of(self.program.slot_of(target, var)).is_some()),
                _ => false,
            })
        };
        let makes = self.program.nested(target).next().is_some();
        !implicit::is_implicit(self.program, target) && !function.is_generator && !makes && !runs_parameter()
    }

    // ---- the declaration

    fn validates(&self, func: Func, call: ExprId) -> Option<Happens> {
        let words = &self.catalog.checklist;
        let targets = self.targets(func, call);
        let externals = self.externals(func, call);
        if externals.iter().any(|path| words.is_model(path)) {
            return Some(Happens::Now);
        }
        if self.makes_declaration(func, call) {
            return Some(Happens::Now);
        }
        let name = spelled(self.program, func, call).unwrap_or_default();
        let by_name = words.validates(&name)
            || targets.iter().any(|&target| words.validates(&self.program.short_name(target)));
        if targets.is_empty() {
            return by_name.then_some(Happens::Now);
        }
        if !by_name {
            return None;
        }
        let refuse = |&target: &Func| self.refuses(target, MAX_HOPS);
        let found: Vec<Happens> = targets.iter().filter_map(refuse).collect();
        (found.len() == targets.len()).then(|| found.first().copied()).flatten()
    }

    /// `SearchDeclaration(**args)`: an object of a class that says so, and that refuses to be made of anything else.
    fn makes_declaration(&self, func: Func, call: ExprId) -> bool {
        let words = &self.catalog.checklist;
        let facts = self.program.facts(self.program.function(func).file);
        let Expr::Call { callee, .. } = *facts.expr(call) else { return false };
        let made = match *facts.expr(callee) {
            // `SearchDeclaration.model_construct(args)` takes whatever it is given.
            Expr::Field { name, .. } if words.is_unchecked(facts.str(name)) => return false,
            // `SearchDeclaration.model_validate(args)`, `SearchDeclaration.from_args(args)`
            Expr::Field { base, .. } => {
                self.program.class_named(func, callee).or(self.program.class_named(func, base))
            }
            _ => self.program.class_named(func, callee),
        };
        let Some(class) = made.filter(|&class| words.says_declaration(self.program.class_name(class))) else {
            return false;
        };
        let is_model = self.program.base_paths(class).iter().any(|base| words.is_model_base(base));
        is_model
            || implicit::methods(self.program, class, &[Operator::Construct, Operator::Initialise])
                .any(|maker| self.refuses(maker, MAX_HOPS) == Some(Happens::Now))
    }

    /// How a function refuses what it is given; `None` if it never does. What stands where no path leads refuses nothing.
    fn refuses(&self, func: Func, hops: u32) -> Option<Happens> {
        let facts = self.program.facts(self.program.function(func).file);
        let deed = self.bodies.deed(func);
        if !deed.raises.is_empty() {
            return Some(Happens::Now);
        }
        deed.returns.iter().find_map(|(at, _)| match *facts.expr(*at) {
            Expr::Jump { kind: Jump::Return, value: Some(value) } => {
                verdict(facts, &self.catalog.operations, value).or_else(|| self.handed(func, value, hops))
            }
            _ => None,
        })
    }

    /// The answer of another function, handed back as it is.
    fn handed(&self, func: Func, value: ExprId, hops: u32) -> Option<Happens> {
        let hops = hops.checked_sub(1)?;
        let mut targets = self.targets(func, value).into_iter().filter(|&target| target != func);
        targets.find_map(|target| self.refuses(target, hops))
    }

    // ---- what a rule names

    fn is_named(&self, func: Func, call: ExprId, names: &[String]) -> bool {
        let spelled = spelled(self.program, func, call).unwrap_or_default();
        let last = spelled.rsplit('.').next().unwrap_or_default();
        let by_name = names.iter().any(|name| {
            let written = if name.contains('.') { &*spelled } else { last };
            wildcard(name, written)
        });
        let of_project = |&target: &Func| {
            let path = &self.program.function(target).path;
            self.paths.matches(path)
        };
        by_name
            || self.targets(func, call).iter().any(of_project)
            || self.externals(func, call).iter().any(|path| {
                self.paths.matches(path)
                    || path.strip_prefix(BUILTINS).is_some_and(|bare| self.paths.matches(bare))
            })
    }

    // ---- calls

    pub(super) fn targets(&self, func: Func, call: ExprId) -> Vec<Func> {
        let edges = self.program.edges_at(func, call).iter();
        let called = edges.filter(|edge| matches!(edge.kind, EdgeKind::Call | EdgeKind::CallHanded));
        called
            .filter_map(|edge| match edge.to {
                Target::Project(target) => Some(target),
                Target::External(_) => None,
            })
            .collect()
    }

    fn externals(&self, func: Func, call: ExprId) -> Vec<&str> {
        let edges = self.program.edges_at(func, call).iter();
        edges
            .filter_map(|edge| match edge.to {
                Target::External(path) => Some(self.program.path(path)),
                Target::Project(_) => None,
            })
            .collect()
    }
}

/// What a returned value says of what was validated: that it is fine (`True`, a comparison, `(True, "")`), or what is wrong
/// with it (`errors`).
fn verdict(facts: &Facts, operations: &DataOps, value: ExprId) -> Option<Happens> {
    match *facts.expr(value) {
        Expr::Lit(Lit::Bool(false)) | Expr::Not(_) | Expr::All(_) | Expr::Any(_) => Some(Happens::If(true)),
        Expr::Op { op: Op::Eq | Op::Ne | Op::In | Op::NotIn | Op::Lt | Op::Le | Op::Gt | Op::Ge, .. } => {
            Some(Happens::If(true))
        }
        Expr::Op { op: Op::Is | Op::IsNot, .. } => Some(Happens::If(true)),
        Expr::Call { callee, .. } => match *facts.expr(callee) {
            Expr::Free(name)
                if matches!(
                    operations.of_builtin(facts.str(name)),
                    Some(DataOp::Ask | DataOp::IsInstance)
                ) =>
            {
                Some(Happens::If(true))
            }
            _ => None,
        },
        Expr::Seq(items) => match facts.list(items) {
            [first, _] => verdict(facts, operations, *first),
            _ => None,
        },
        // `return "no justification"`, `return f"{field} is missing"`
        Expr::Lit(Lit::Str(text)) if !facts.str(text).is_empty() => Some(Happens::If(false)),
        Expr::Var(_) | Expr::Collect { .. } | Expr::Text(_) => Some(Happens::If(false)),
        _ => None,
    }
}
