//! Whether a function hands back what it was given with something changed, in place of what it was given. What was read out
//! of it, a list of declarations for one, is something else.

use super::Changes;
use super::alias::Roots;
use crate::analysis::definitions::{Definition, Read};
use crate::analysis::values::Method;
use crate::catalog::DataOp;
use crate::ir::{Arg, ArgKind, Entry, EntryKey, Expr, ExprId, Lit, Op};
use crate::link::{EdgeKind, Func, Passed, Program, Target, Variable};

/// What a value is beside the response.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    Other,
    /// The response as it is, or its text.
    Same,
    Changed,
}

impl Changes<'_, '_, '_> {
    pub(super) fn hands_back_changed(&self, func: Func, value: ExprId, roots: &Roots) -> bool {
        self.kind(func, value, roots) == Kind::Changed
    }

    /// True for the response, or a text made of it.
    pub(super) fn is_response(&self, func: Func, expr: ExprId, roots: &Roots) -> bool {
        self.kind(func, expr, roots) != Kind::Other
    }

    fn kind(&self, func: Func, expr: ExprId, roots: &Roots) -> Kind {
        self.once(&self.kinds, roots.key(func, expr), Kind::Other, || self.kind_of(func, expr, roots))
    }

    fn kind_of(&self, func: Func, expr: ExprId, roots: &Roots) -> Kind {
        let facts = self.values.facts(func);
        let of = |expr| self.kind(func, expr, roots);
        let most = |parts: &[ExprId]| parts.iter().map(|&part| of(part)).max().unwrap_or(Kind::Other);
        // What is put together with anything else is not the response as it is.
        let joined = |parts: &[ExprId]| match most(parts) {
            Kind::Same if parts.len() > 1 => Kind::Changed,
            kind => kind,
        };
        match *facts.expr(expr) {
            Expr::Var(_) if self.is_root(func, expr, roots) => Kind::Same,
            Expr::Var(_) => self.variable(func, expr, roots),
            Expr::Field { base, name } => self.part(of(base), facts.str(name)),
            Expr::Index { base, key } => self.index(func, (base, key), roots),
            Expr::Text(parts) => joined(facts.list(parts)),
            Expr::Op { op, args } if Self::joins(op) => joined(facts.list(args)),
            Expr::Ascribe { value: Some(value), .. } | Expr::Bind { value, .. } => of(value),
            Expr::Await(value) => of(value),
            Expr::Any(parts) => most(facts.list(parts)),
            Expr::If { arms, otherwise } => {
                most(&facts.list(arms).iter().map(|arm| arm.body).chain(otherwise).collect::<Vec<_>>())
            }
            Expr::Block(list) => facts.list(list).last().map_or(Kind::Other, |&last| of(last)),
            // What lies beside it is no part of it.
            Expr::Seq(items) => only_changed(most(facts.list(items))),
            Expr::Record(entries) => self.record(func, facts.list(entries), roots),
            Expr::Collect { item, .. } => self.filtered(func, item, roots),
            Expr::Call { args, .. } => self.made(func, expr, facts.list(args), roots),
            _ => Kind::Other,
        }
    }

    /// The content of a response stands for it; anything else that it has does not.
    fn part(&self, base: Kind, name: &str) -> Kind {
        if self.values.catalog.capture.is_response(name) { base } else { Kind::Other }
    }

    fn index(&self, func: Func, (base, key): (ExprId, ExprId), roots: &Roots) -> Kind {
        let facts = self.values.facts(func);
        match *facts.expr(key) {
            Expr::Op { op: Op::Slice, .. } => match self.kind(func, base, roots) {
                Kind::Other => Kind::Other,
                _ => Kind::Changed,
            },
            Expr::Lit(Lit::Str(name)) => self.part(self.kind(func, base, roots), facts.str(name)),
            // `response.split(MARK)[0]`
            Expr::Lit(Lit::Int(0)) => match self.values.method(func, base) {
                Some(Method { receiver, name, .. }) if self.values.catalog.handed_on.splits(name) => {
                    changed(self.kind(func, receiver, roots))
                }
                _ => Kind::Other,
            },
            _ => Kind::Other,
        }
    }

    fn variable(&self, func: Func, expr: ExprId, roots: &Roots) -> Kind {
        let Some(bound) = self.values.bound(func, expr) else { return Kind::Other };
        let of = |definition: &Definition| self.defined(bound.func, definition, roots);
        let whole = bound.definitions().iter().filter(|definition| !definition.is_element);
        let kind = whole.map(of).max().unwrap_or(Kind::Other);
        let variable = self.values.program.variable(func, expr);
        match variable {
            // A copy that has been changed since; the response itself is told where it changes.
            Some(variable) if kind == Kind::Same && self.is_changed_copy(variable, roots) => Kind::Changed,
            _ => kind,
        }
    }

    fn defined(&self, func: Func, definition: &Definition, roots: &Roots) -> Kind {
        let facts = self.values.facts(func);
        let value = definition.value;
        match definition.reads[..] {
            [] => {
                // Told where it stands.
                if roots.is_own
                    && let Expr::Text(parts) | Expr::Op { args: parts, .. } = *facts.expr(value)
                    && let Some(&first) = facts.list(parts).first()
                    && self.is_root(func, first, roots)
                    && self.is_augmented(func, value)
                {
                    return Kind::Same;
                }
                self.kind(func, value, roots)
            }
            // `clean, declarations = split(response)`
            [Read::At(at)] => match *facts.expr(value) {
                Expr::Seq(items) => facts
                    .list(items)
                    .get(at as usize)
                    .map_or(Kind::Other, |&item| self.kind(func, item, roots)),
                Expr::Call { .. } => {
                    let method = self.values.method(func, value);
                    let is_split =
                        |method: &Method<'_, '_>| self.values.catalog.handed_on.splits(method.name);
                    if let Some(method) = method.filter(is_split).filter(|_| at == 0) {
                        return changed(self.kind(func, method.receiver, roots));
                    }
                    if self.values.operation(func, value) == Some(DataOp::SubstituteAndCount) && at == 0 {
                        let Expr::Call { args, .. } = *facts.expr(value) else { return Kind::Other };
                        return self.given(func, facts.list(args), roots);
                    }
                    self.by_helper_kind(func, value, Some(at as usize), roots)
                }
                _ => Kind::Other,
            },
            _ => Kind::Other,
        }
    }

    fn is_augmented(&self, func: Func, value: ExprId) -> bool {
        let facts = self.values.facts(func);
        let mut binds =
            self.values.program.ir(func).exprs.iter().filter(
                |&expr| matches!(*facts.expr(expr), Expr::Bind { value: bound, .. } if bound == value),
            );
        binds.any(|bind| facts.span(bind).lo == facts.span(value).lo)
    }

    /// True if something is stored into the object that a variable holds, which is no part of the response.
    fn is_changed_copy(&self, variable: Variable, roots: &Roots) -> bool {
        let values = self.values;
        let facts = values.facts(variable.func);
        let root = |mut expr: ExprId| {
            while let Expr::Field { base, .. } | Expr::Index { base, .. } = *facts.expr(expr) {
                expr = base;
            }
            match *facts.expr(expr) {
                Expr::Var(_) => values.program.variable(variable.func, expr),
                _ => None,
            }
        };
        let is_own = |expr: ExprId| root(expr) == Some(variable) && !self.is_root(variable.func, expr, roots);
        values.program.ir(variable.func).exprs.iter().any(|expr| match *facts.expr(expr) {
            Expr::Store { place, .. } => !matches!(facts.expr(place), Expr::Var(_)) && is_own(place),
            Expr::Call { args, .. } => {
                let by_method = values.method(variable.func, expr).is_some_and(|method| {
                    values.catalog.handed_on.mutates(method.name) && is_own(method.receiver)
                });
                let path = || values.path(variable.func, expr).unwrap_or_default();
                by_method
                    || facts.list(args).first().is_some_and(|arg| {
                        is_own(arg.value) && values.catalog.handed_on.mutates_argument(&path())
                    })
            }
            _ => false,
        })
    }

    /// `{**response, "captured": True}`.
    fn record(&self, func: Func, entries: &[Entry], roots: &Roots) -> Kind {
        let mut most = Kind::Other;
        for entry in entries {
            let kind = self.kind(func, entry.value, roots);
            most = most.max(match entry.key {
                EntryKey::Spread if entries.len() > 1 => changed(kind),
                EntryKey::Spread => kind,
                // Beside it, or in its place.
                EntryKey::Expr(key) => {
                    let name = self.values.program.text(func, key);
                    self.part(only_changed(kind), name.as_deref().unwrap_or_default())
                }
            });
        }
        most
    }

    /// `{key: value for key, value in response.items() if …}`.
    fn filtered(&self, func: Func, item: ExprId, roots: &Roots) -> Kind {
        let facts = self.values.facts(func);
        let Expr::Record(entries) = *facts.expr(item) else { return Kind::Other };
        let [Entry { key: EntryKey::Expr(key), .. }] = *facts.list(entries) else { return Kind::Other };
        let Some(bound) = self.values.bound(func, key) else { return Kind::Other };
        let looped = bound.definitions().iter().filter(|definition| definition.of_loop.is_some());
        let of = |definition: &Definition| match self.values.method(bound.func, definition.value) {
            Some(method) if method.does == Some(DataOp::Entries) => {
                changed(self.kind(bound.func, method.receiver, roots))
            }
            _ => Kind::Other,
        };
        looped.map(of).max().unwrap_or(Kind::Other)
    }

    fn made(&self, func: Func, call: ExprId, args: &[Arg], roots: &Roots) -> Kind {
        let values = self.values;
        let handed_on = &values.catalog.handed_on;
        if let Some(method) = values.method(func, call) {
            let of = || self.kind(func, method.receiver, roots);
            if handed_on.is_shallow_method(method.name) {
                return if args.is_empty() { of() } else { changed(of()) };
            }
            if handed_on.changes_by_method(method.name) {
                return changed(of()).max(self.given(func, args, roots));
            }
        }
        if let Some(same) = values.converted(func, call) {
            return self.kind(func, same, roots);
        }
        let path = values.path(func, call).unwrap_or_default();
        if handed_on.changes(&path) {
            return self.given(func, args, roots);
        }
        let is_text = values.catalog.operations.of_call(&path) == Some(DataOp::ToText);
        if handed_on.is_shallow(&path) || handed_on.is_deep(&path) || is_text {
            let [first, rest @ ..] = args else { return Kind::Other };
            let kind = self.kind(func, first.value, roots);
            return if rest.is_empty() { kind } else { changed(kind) };
        }
        self.by_helper_kind(func, call, None, roots)
    }

    /// What comes of arguments that are put together: changed, if the response is among them.
    fn given(&self, func: Func, args: &[Arg], roots: &Roots) -> Kind {
        let facts = self.values.facts(func);
        let elements = |expr: ExprId| -> Vec<ExprId> {
            let mut all = vec![expr];
            if let Expr::Seq(items) = *facts.expr(expr) {
                all.extend(facts.list(items));
            }
            if let Some(bound) = self.values.bound(func, expr).filter(|bound| bound.func == func) {
                for definition in bound.definitions() {
                    match (definition.is_element, *facts.expr(definition.value)) {
                        (true, _) => all.push(definition.value),
                        (false, Expr::Seq(items)) => all.extend(facts.list(items)),
                        _ => {}
                    }
                }
            }
            all
        };
        let parts =
            args.iter().filter(|arg| arg.kind != ArgKind::SpreadNamed).flat_map(|arg| elements(arg.value));
        let of = |part| match self.kind(func, part, roots) {
            Kind::Other if self.is_pieces(func, part, roots) => Kind::Same,
            kind => kind,
        };
        changed(parts.map(of).max().unwrap_or(Kind::Other))
    }

    /// What functions of the project make of it; of a tuple, one element.
    fn by_helper_kind(&self, func: Func, call: ExprId, at: Option<usize>, roots: &Roots) -> Kind {
        let program: &Program<'_> = self.values.program;
        let mut most = Kind::Other;
        for edge in program.edges_at(func, call).iter().filter(|edge| edge.kind == EdgeKind::Call) {
            let Target::Project(helper) = edge.to else { continue };
            let facts = self.values.facts(helper);
            for (passed, expr) in program.arguments(edge) {
                let Passed::Param(param) = passed else { continue };
                let given = self.kind(func, expr, roots);
                if given == Kind::Other {
                    continue;
                }
                let own = Roots { func: helper, params: vec![param], is_own: false };
                for value in program.returns(helper) {
                    let value = match (at, *facts.expr(value)) {
                        (None, _) => Some(value),
                        (Some(at), Expr::Seq(items)) => facts.list(items).get(at).copied(),
                        (Some(_), _) => None,
                    };
                    let back = value.map_or(Kind::Other, |value| self.kind(helper, value, &own));
                    most = most.max(if back == Kind::Other { back } else { back.max(given) });
                }
            }
        }
        most
    }
}

fn changed(kind: Kind) -> Kind {
    if kind == Kind::Other { kind } else { Kind::Changed }
}

fn only_changed(kind: Kind) -> Kind {
    if kind == Kind::Changed { kind } else { Kind::Other }
}
