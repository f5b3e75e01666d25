//! Names of modules and classes that get another meaning where somebody sets them: by assignment, by a call that sets an
//! attribute by its name, by what patches. Told of one expression at a time, by definitions and imports alone.

use super::modules::Module;
use super::program::{Cls, Func, Program};
use super::statics::Global;
use super::types::{Type, Types};
use crate::catalog::CallbackResult;
use crate::ir::{Arg, ArgKind, Expr, ExprId, Lit};

/// What a name stood for before something else was put there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Named {
    Function(Func),
    Class(Cls),
}

/// A name of a module or a class that gets another meaning.
#[derive(Clone, Debug)]
pub struct Overwritten {
    pub name: String,
    /// What it stood for.
    pub was: Vec<Named>,
    /// What it stands for now, as far as definitions and imports alone tell.
    pub is: Vec<Named>,
    /// Now it is something of a library.
    pub library: Option<String>,
}

impl Program<'_> {
    /// What an expression gives another meaning to: an assignment to an attribute of a class or a module, a call that
    /// sets one by its name.
    pub fn overwritten(&self, func: Func, expr: ExprId) -> Vec<Overwritten> {
        let facts = self.facts(self.function(func).file);
        match *facts.expr(expr) {
            Expr::Store { place, op: None, value: Some(value) } => match *facts.expr(place) {
                Expr::Field { base, name } => {
                    let owners = self.index.statics(func, base);
                    self.replaced(func, &owners, facts.str(name), Some(value), None)
                }
                Expr::Index { base, key } => match *facts.expr(key) {
                    Expr::Lit(Lit::Str(name)) => {
                        let owners = self.owners_of_names(func, base);
                        self.replaced(func, &owners, facts.str(name), Some(value), None)
                    }
                    _ => Vec::new(),
                },
                _ => Vec::new(),
            },
            Expr::Call { callee, args, .. } => self.set_by_call(func, callee, facts.list(args)),
            _ => Vec::new(),
        }
    }

    fn set_by_call(&self, func: Func, callee: ExprId, args: &[Arg]) -> Vec<Overwritten> {
        let setters = &self.index.externals.catalog().setters;
        let Some(setter) = self.library_path(func, callee).and_then(|path| setters.of_call(path)) else {
            return Vec::new();
        };
        let positional = |at: usize| {
            let arg = args.get(at).filter(|arg| arg.kind == ArgKind::Positional);
            arg.map(|arg| arg.value)
        };
        let value = positional(setter.value);
        let default = setter.default.as_deref();
        if let (Some(object), Some(name)) =
            (setter.object.and_then(positional), setter.name.and_then(positional))
        {
            let Some(name) = self.text(func, name) else { return Vec::new() };
            return self.replaced(func, &self.index.statics(func, object), &name, value, default);
        }
        let path = setter.path.and_then(positional).and_then(|path| self.text(func, path));
        let Some((owner, name)) = path.as_deref().and_then(|path| path.rsplit_once('.')) else {
            return Vec::new();
        };
        self.replaced(func, &self.owners_by_path(func, owner), name, value, default)
    }

    fn replaced(
        &self,
        func: Func,
        owners: &[Type],
        name: &str,
        value: Option<ExprId>,
        default: Option<&str>,
    ) -> Vec<Overwritten> {
        let of = |owner: &Type| {
            let was = self.meant(*owner, name);
            let now = value.map(|value| self.index.statics(func, self.unwrapped(func, value)));
            let now = now.unwrap_or_default();
            let library = now.iter().find_map(|ty| match ty {
                Type::External(path) => Some(self.path(*path).to_owned()),
                _ => None,
            });
            let library = library.or_else(|| value.is_none().then_some(default).flatten().map(str::to_owned));
            Overwritten { name: name.to_owned(), was, is: named(&now), library }
        };
        owners.iter().map(of).filter(|found| !found.was.is_empty()).collect()
    }

    /// `staticmethod(f)` is `f`.
    fn unwrapped(&self, func: Func, value: ExprId) -> ExprId {
        let facts = self.facts(self.function(func).file);
        let catalog = self.index.externals.catalog();
        let Expr::Call { callee, args, .. } = *facts.expr(value) else { return value };
        let path = self.library_path(func, callee);
        let hands_back = path.and_then(|path| catalog.callback_of(path)).is_some_and(|id| {
            catalog.callback(id).result == Some(CallbackResult::Callable) && !catalog.callback(id).forwards
        });
        match facts.list(args) {
            [only] if hands_back => only.value,
            _ => value,
        }
    }

    /// What a class or a module means by a name.
    fn meant(&self, owner: Type, name: &str) -> Vec<Named> {
        match owner {
            Type::Class { class, .. } => {
                self.method(class, name).map(|method| vec![Named::Function(method)]).unwrap_or_default()
            }
            Type::Module(module) => {
                let Some(name) = self.index.names.get(name) else { return Vec::new() };
                match self.index.module_attr(module, name) {
                    Some(Global::Slot(slot)) => named(&self.index.slot_statics(slot)),
                    Some(Global::Is(ty)) => named(&[ty]),
                    None => Vec::new(),
                }
            }
            _ => Vec::new(),
        }
    }

    /// What an expression means by definitions and imports alone.
    pub fn meanings(&self, func: Func, expr: ExprId) -> Vec<Named> {
        named(&self.index.statics(func, self.unwrapped(func, expr)))
    }

    fn owners_of_names(&self, func: Func, mapping: ExprId) -> Types {
        let file = self.index.file_of(func);
        let facts = self.index.units[file].facts;
        let setters = &self.index.externals.catalog().setters;
        match *facts.expr(mapping) {
            Expr::Field { base, name } if setters.is_namespace(facts.str(name)) => {
                self.index.statics(func, base)
            }
            Expr::Call { callee, args, .. } => match (self.library_path(func, callee), facts.list(args)) {
                (Some(path), []) if setters.is_own_namespace(path) => {
                    Types::from_slice(&[Type::Module(Module::File(file))])
                }
                (Some(path), [of]) if setters.is_namespace_of(path) => self.index.statics(func, of.value),
                _ => Types::new(),
            },
            _ => Types::new(),
        }
    }

    fn owners_by_path(&self, func: Func, dotted: &str) -> Types {
        let file = self.index.file_of(func);
        if let Some(module @ Module::File(_)) = self.index.modules.resolve(file, 0, dotted) {
            return Types::from_slice(&[Type::Module(module)]);
        }
        let Some((owner, name)) = dotted.rsplit_once('.') else { return Types::new() };
        let Some(module @ Module::File(_)) = self.index.modules.resolve(file, 0, owner) else {
            return Types::new();
        };
        let Some(name) = self.index.names.get(name) else { return Types::new() };
        match self.index.module_attr(module, name) {
            Some(Global::Slot(slot)) => self.index.slot_statics(slot),
            Some(Global::Is(ty)) => Types::from_slice(&[ty]),
            None => Types::new(),
        }
    }
}

fn named(types: &[Type]) -> Vec<Named> {
    let of = |ty: &Type| match *ty {
        Type::Function(func) | Type::Bound(func) | Type::Partial(func) => Some(Named::Function(func)),
        Type::Class { class, .. } | Type::Instance { class, .. } => Some(Named::Class(class)),
        _ => None,
    };
    types.iter().filter_map(of).collect()
}
