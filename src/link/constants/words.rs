//! Calls that build text or paths by the words of the catalogue: conversions, segments that are added, defaults, and closures
//! that do so.

use super::Folder;
use super::calls::environment;
use crate::catalog::globs::snake_case;
use crate::catalog::{Built, Makes};
use crate::ir::{Arg, Arm, Expr, ExprId, Jump, ListOf, Pat, Sym, VarId};
use crate::link::ids::Func;
use crate::link::types::Type;
use crate::link::values::Values;

impl Folder<'_, '_> {
    /// The result of a library function.
    pub(super) fn built(&self, func: Func, path: &str, args: &[Arg], hops: u32) -> Option<Values> {
        let built = self.index.externals.catalog().built_texts.built_by(path)?;
        let first = || args.first().map(|arg| self.value(func, arg.value, hops));
        match built {
            Built::Same => first(),
            Built::Home => Some(Values::text("~")),
            Built::InHome => Some(Values::text("~").cut()),
            Built::Variable => {
                let name = first()?.only();
                Some(environment(name.as_ref().map_or("", |name| &name.text), Values::unknown()))
            }
        }
    }

    /// The result of a method, in a language whose methods the catalogue lists.
    pub(super) fn made(&self, func: Func, callee: ExprId, args: &[Arg], hops: u32) -> Option<Values> {
        let facts = self.index.units[self.index.file_of(func)].facts;
        let Expr::Field { base, name } = *facts.expr(callee) else { return None };
        if !facts.profile().converts_texts {
            return None;
        }
        let makes = self.index.externals.catalog().built_texts.made_by(facts.str(name))?;
        let receiver = self.value(func, base, hops);
        Some(match (makes, args) {
            (Makes::Same, _) => receiver,
            (Makes::Changed, _) => receiver.cut(),
            (Makes::Home, []) => Values::text("~"),
            (Makes::Below, [segment]) => {
                Values::joined([receiver, self.value(func, segment.value, hops)].into_iter(), "/")
            }
            (Makes::Otherwise, [other]) => {
                Values::any([receiver, self.without_parameters(func, other.value, hops)])
            }
            (Makes::Mapped, [closure]) => self.mapped(func, receiver, closure.value, hops),
            _ => Values::unknown(),
        })
    }

    /// The value of `|| value`, or the value itself.
    fn without_parameters(&self, func: Func, value: ExprId, hops: u32) -> Values {
        let file = self.index.file_of(func);
        match *self.index.units[file].facts.expr(value) {
            Expr::Closure(id) => self.returned(id, hops),
            _ => self.value(func, value, hops),
        }
    }

    /// `home.map(|home| home.join(".ssh"))`.
    fn mapped(&self, func: Func, receiver: Values, closure: ExprId, hops: u32) -> Values {
        let file = self.index.file_of(func);
        let facts = self.index.units[file].facts;
        let Expr::Closure(id) = *facts.expr(closure) else {
            let externals = &self.index.externals;
            let is_same = |&ty: &Type| match ty {
                Type::External(path) => {
                    externals.catalog().built_texts.built_by(externals.text(path)) == Some(Built::Same)
                }
                _ => false,
            };
            let is_known = self.index.statics(func, closure).first().is_some_and(is_same);
            return if is_known { receiver } else { Values::unknown() };
        };
        let [result] = self.returns(id)[..] else { return Values::unknown() };
        self.below(id, result, &receiver, hops)
    }

    /// What is made of the first parameter of a closure.
    fn below(&self, closure: Func, expr: ExprId, given: &Values, hops: u32) -> Values {
        let Some(hops) = hops.checked_sub(1) else { return Values::unknown() };
        let facts = self.index.units[self.index.file_of(closure)].facts;
        match *facts.expr(expr) {
            Expr::Var(VarId(0)) => given.clone(),
            Expr::Call { callee, args, .. } => {
                let Expr::Field { base, name } = *facts.expr(callee) else { return Values::unknown() };
                let base = self.below(closure, base, given, hops);
                match (self.index.externals.catalog().built_texts.made_by(facts.str(name)), facts.list(args))
                {
                    (Some(Makes::Same), _) => base,
                    (Some(Makes::Changed), _) => base.cut(),
                    (Some(Makes::Below), [segment]) => {
                        Values::joined([base, self.value(closure, segment.value, hops)].into_iter(), "/")
                    }
                    _ => Values::unknown(),
                }
            }
            _ => Values::unknown(),
        }
    }

    /// `Phase::Execution`: a variant is its name, as configuration and messages spell it.
    pub(super) fn variant(&self, func: Func, base: ExprId, name: Sym) -> Option<Values> {
        let facts = self.index.units[self.index.file_of(func)].facts;
        if !facts.profile().has_variants {
            return None;
        }
        let is_type =
            |text: &str| text.starts_with(char::is_uppercase) && text.contains(|c: char| c.is_lowercase());
        let owner = match *facts.expr(base) {
            Expr::Free(owner) | Expr::Field { name: owner, .. } => facts.str(owner),
            Expr::Var(var) => facts.str(*facts.list(self.index.ir(func).vars).get(var.0 as usize)?),
            _ => return None,
        };
        let text = self.index.names.text(name);
        (is_type(owner) && is_type(text)).then(|| Values::text(&snake_case(text)))
    }

    /// A match as a value: arms that leave have none, and one that only takes the subject out of its wrapper is the subject.
    pub(super) fn matched(&self, func: Func, subject: ExprId, arms: ListOf<Arm>, hops: u32) -> Values {
        let facts = self.index.units[self.index.file_of(func)].facts;
        let mut seen = false;
        let values = facts.list(arms).iter().filter_map(|arm| {
            let taken = matches!((*facts.pat(arm.pat), *facts.expr(arm.body)), (Pat::Ctor { items, .. }, Expr::Var(var))
                if matches!(facts.list(items), [only] if *facts.pat(*only) == Pat::Var(var)));
            match *facts.expr(arm.body) {
                Expr::Jump { kind: Jump::Return | Jump::Raise, .. } => None,
                // `Ok` and `Some` of `?`.
                _ if taken && std::mem::replace(&mut seen, true) => None,
                _ if taken => Some(self.value(func, subject, hops)),
                _ => Some(self.value(func, arm.body, hops)),
            }
        });
        let values: Vec<Values> = values.collect();
        self.any(values.into_iter())
    }
}
