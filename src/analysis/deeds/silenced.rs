//! Writers of events that write nothing: switched off, with a level above every event, with no handler but one that drops all.
//! What is set back anywhere, or only on some way, silences nothing.

use std::collections::BTreeSet;

use crate::catalog::Catalog;
use crate::ir::{Expr, ExprId, FnKind, Lit, Op};
use crate::link::{Func, Program, Variable};

/// Which object writes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Writer {
    /// What a library keeps under a name: `logging.getLogger("audit")`.
    Named(String, String),
    Variable(Variable),
}

/// The writers of a program that write nothing.
#[derive(Debug, Default)]
pub(super) struct Silenced {
    /// Those of the levels, all of them.
    all: bool,
    off: BTreeSet<Writer>,
    on: BTreeSet<Writer>,
    alone: BTreeSet<Writer>,
    deaf: BTreeSet<Writer>,
    heard: BTreeSet<Writer>,
}

impl Silenced {
    pub fn find(program: &Program<'_>, catalog: &Catalog) -> Self {
        let mut found = Self::default();
        let functions = (0..program.functions.len() as u32).map(Func);
        for func in functions.filter(|&func| !program.is_test_code(func)) {
            for expr in program.ir(func).exprs.iter() {
                Look { program, catalog, func }.at(expr, &mut found);
            }
        }
        found
    }

    /// True if what is written by a call of this path on this object is gone.
    pub fn takes(
        &self,
        program: &Program<'_>,
        catalog: &Catalog,
        func: Func,
        (writer, path): (ExprId, Option<&str>),
    ) -> bool {
        if self.all && path.is_some_and(|path| catalog.audit.silence.is_levelled(path)) {
            return true;
        }
        let look = Look { program, catalog, func };
        let is_off = |writer: &Writer| {
            self.off.contains(writer) && !self.on.contains(writer)
                || self.alone.contains(writer) && self.deaf.contains(writer) && !self.heard.contains(writer)
        };
        look.drops_all(writer) || look.writer(writer).is_some_and(|writer| is_off(&writer))
    }
}

struct Look<'l, 'a> {
    program: &'l Program<'a>,
    catalog: &'l Catalog,
    func: Func,
}

impl Look<'_, '_> {
    fn at(&self, expr: ExprId, found: &mut Silenced) {
        let facts = self.program.facts(self.program.function(self.func).file);
        let silence = &self.catalog.audit.silence;
        match *facts.expr(expr) {
            Expr::Store { place, value: Some(value), .. } => {
                let Expr::Field { base, name } = *facts.expr(place) else { return };
                let name = facts.str(name);
                let is = |wanted| *facts.expr(value) == Expr::Lit(Lit::Bool(wanted)) && self.is_sure(expr);
                let (wanted, into) = match (silence.off(name), silence.alone(name)) {
                    (Some(wanted), _) => (wanted, &mut found.off),
                    (None, Some(wanted)) => (wanted, &mut found.alone),
                    (None, None) => return,
                };
                let into = if is(wanted) { into } else { &mut found.on };
                into.extend(self.writer(base));
            }
            Expr::Call { callee, args, .. } => {
                let first = facts.list(args).first().map(|arg| arg.value);
                let path = self.program.library_path(self.func, callee);
                if path.is_some_and(|path| silence.disables(path)) {
                    let level = first.map_or(Some(silence.top()), |level| self.number(level));
                    found.all |= level.is_some_and(|level| level >= silence.top()) && self.is_sure(expr);
                }
                if let (Expr::Field { base, name }, Some(first)) = (*facts.expr(callee), first) {
                    self.told((base, facts.str(name)), first, self.is_sure(expr), found);
                }
            }
            _ => {}
        }
    }

    /// `trail.setLevel(100)`, `trail.addHandler(NullHandler())`.
    fn told(&self, (base, method): (ExprId, &str), given: ExprId, is_sure: bool, found: &mut Silenced) {
        let silence = &self.catalog.audit.silence;
        let into = match () {
            () if silence.sets_level(method) => {
                let is_above = self.number(given).is_some_and(|level| level > silence.top());
                if is_above && is_sure { &mut found.off } else { &mut found.on }
            }
            () if silence.adds_handler(method) => {
                if self.drops_all(given) {
                    &mut found.deaf
                } else {
                    &mut found.heard
                }
            }
            () => return,
        };
        into.extend(self.writer(base));
    }

    /// It happens when the module is loaded, or whenever the function around is called.
    fn is_sure(&self, expr: ExprId) -> bool {
        let facts = self.program.facts(self.program.function(self.func).file);
        let function = self.program.ir(self.func);
        let is_first =
            matches!(*facts.expr(function.body), Expr::Block(body) if facts.list(body).contains(&expr));
        let keeps = |kind| matches!(kind, FnKind::Module | FnKind::Plain);
        is_first
            && keeps(function.kind)
            && (function.kind == FnKind::Module
                || self.catalog.audit.matches(&self.program.function(self.func).path))
    }

    fn writer(&self, object: ExprId) -> Option<Writer> {
        let (owner, bound) = self.program.bound(self.func, object);
        let facts = self.program.facts(self.program.function(owner).file);
        if let Expr::Call { callee, args, .. } = *facts.expr(bound)
            && let Some(path) = self.program.library_path(owner, callee)
            && let [only] = facts.list(args)
            && let Some(name) = self.program.text(owner, only.value)
        {
            return Some(Writer::Named(path.to_owned(), name));
        }
        self.program.variable(self.func, object).map(Writer::Variable)
    }

    /// It drops whatever it is told.
    fn drops_all(&self, object: ExprId) -> bool {
        let (owner, bound) = self.program.bound(self.func, object);
        let facts = self.program.facts(self.program.function(owner).file);
        let Expr::Call { callee, .. } = *facts.expr(bound) else { return false };
        self.program.library_path(owner, callee).is_some_and(|path| self.catalog.audit.is_void(path))
    }

    /// `100`, `logging.CRITICAL + 1`.
    fn number(&self, expr: ExprId) -> Option<i64> {
        let facts = self.program.facts(self.program.function(self.func).file);
        match *facts.expr(expr) {
            Expr::Lit(Lit::Int(number)) => Some(number),
            Expr::Op { op, args } => {
                let [left, right] = *facts.list(args) else { return None };
                let (left, right) = (self.number(left)?, self.number(right)?);
                match op {
                    Op::Add => left.checked_add(right),
                    Op::Sub => left.checked_sub(right),
                    Op::Mul => left.checked_mul(right),
                    _ => None,
                }
            }
            _ => self.catalog.audit.silence.level(self.program.library_path(self.func, expr)?),
        }
    }
}
