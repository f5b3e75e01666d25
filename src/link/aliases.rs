//! Names that stand for types: aliases, also of other modules, bounds of type parameters, types that calls make of others, names in
//! texts; and what generic types say of what is called or tested.

use super::annotations::Annotation;
use super::ids::{Cls, Func};
use super::index::Index;
use super::kinds::Kinds;
use super::statics::MAX_HOPS;
use super::types::{Global, Type, Types};
use crate::ir::{Arg, ArgKind, Expr, ExprId, Lit, Op};

/// Calls that make a type of another one, each with the name of the argument that says which.
const MAKERS: [(&str, &str); 2] = [("typing.NewType", "tp"), ("typing.TypeVar", "bound")];
/// What a function hands back that tests for a type.
const GUARDS: [&str; 2] = ["TypeGuard", "TypeIs"];

impl Index<'_> {
    /// What the name of an annotation stands for, if it is an annotation itself: `Http = Annotated[Client, …]`.
    pub(super) fn type_alias(
        &self,
        func: Func,
        expr: ExprId,
        out: &mut Annotation,
    ) -> Option<(Func, ExprId)> {
        let (owner, value) = self.alias_definition(func, expr)?;
        out.hops = out.hops.checked_sub(1)?;
        let facts = self.units[self.file_of(owner)].facts;
        let is_alias = |value: &ExprId| {
            matches!(facts.expr(*value), Expr::Index { .. } | Expr::Op { op: Op::BitOr, .. })
        };
        let meant = match *facts.expr(value) {
            // The bound of a parameter of types.
            Expr::Ascribe { value: None, ty, .. } => Some(ty),
            Expr::Ascribe { value: Some(value), .. } => Some(value)
                .filter(|value| is_alias(value) || matches!(facts.expr(*value), Expr::Lit(Lit::Str(_)))),
            Expr::Call { callee, args, .. } => self.made_type(owner, callee, facts.list(args)),
            _ => Some(value).filter(is_alias),
        };
        meant.map(|meant| (owner, meant))
    }

    /// Where the name of a type is bound, in whatever module.
    fn alias_definition(&self, func: Func, expr: ExprId) -> Option<(Func, ExprId)> {
        let file = self.file_of(func);
        let mut global = match *self.units[file].facts.expr(expr) {
            Expr::Var(var) => Global::Slot(self.var(func, var)),
            Expr::Free(name) => self.global(file, name),
            Expr::Field { base, name } => match self.statics(func, base)[..] {
                [Type::Module(module)] => self.module_attr(module, name)?,
                _ => return None,
            },
            _ => return None,
        };
        for _ in 0..MAX_HOPS {
            let Global::Slot(slot) = global else { return None };
            let (owner, value) = self.definitions(slot).next()?;
            match *self.units[self.file_of(owner)].facts.expr(value) {
                Expr::Import(import) => global = self.imported(self.file_of(owner), import)?,
                _ => return Some((owner, value)),
            }
        }
        None
    }

    /// A type that a call makes of another one: `NewType("Id", Client)`, `TypeVar("C", bound=Client)`.
    fn made_type(&self, func: Func, callee: ExprId, args: &[Arg]) -> Option<ExprId> {
        let statics = self.statics(func, callee);
        let [Type::External(path)] = statics[..] else { return None };
        let maker = MAKERS.iter().find(|(maker, _)| self.externals.text(path).ends_with(maker))?;
        let facts = self.units[self.file_of(func)].facts;
        args.iter().skip(1).map(|arg| (arg.kind, arg.value)).find_map(|(kind, value)| match kind {
            ArgKind::Positional => Some(value),
            ArgKind::Named(name) => (facts.str(name) == maker.1).then_some(value),
            _ => None,
        })
    }

    /// What names of a text stand for: `"Client | None"`.
    pub(super) fn annotate_text(&self, func: Func, text: &str, class: Option<Cls>, out: &mut Annotation) {
        for part in text.split('|').map(str::trim).filter(|&part| part != "None") {
            match self.names.get(part) {
                Some(name) => {
                    let named = self.statics_of(self.global(self.file_of(func), name));
                    named.into_iter().for_each(|ty| self.annotate_named(ty, class, out));
                }
                None => out.accepts = Kinds::ANY,
            }
        }
    }

    /// What an annotation says of a value for which a function has tested: `TypeGuard[Client]`.
    pub(super) fn guarded_by(&self, func: Func, returns: ExprId) -> Types {
        let scope = self.ir(func).parent;
        match self.generic(scope, returns) {
            Some((name, keys)) if GUARDS.contains(&name) => self.annotation(scope, keys[0], None).types,
            _ => Types::new(),
        }
    }

    /// What calling a value gives that is declared to be `Callable[…, Client]`.
    pub(super) fn result_declared(&self, func: Func, ty: ExprId) -> Types {
        match self.generic(func, ty) {
            Some(("Callable", keys)) if keys.len() == 2 => self.annotation(func, keys[1], None).types,
            _ => Types::new(),
        }
    }

    /// The last name of a generic type with its arguments.
    fn generic(&self, func: Func, ty: ExprId) -> Option<(&str, Vec<ExprId>)> {
        let facts = self.units[self.file_of(func)].facts;
        let Expr::Index { base, key } = *facts.expr(ty) else { return None };
        let statics = self.statics(func, base);
        let [Type::External(path)] = statics[..] else { return None };
        let keys = match *facts.expr(key) {
            Expr::Seq(items) => facts.list(items).to_vec(),
            _ => vec![key],
        };
        let name = self.externals.text(path).rsplit('.').next()?;
        Some((name, keys))
    }
}
