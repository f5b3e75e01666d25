//! Names of modules and classes that get another meaning where somebody sets them: by assignment, by a call that sets an
//! attribute by its name, by what patches, through the mapping that a namespace is. Told of one expression at a time, by
//! definitions and imports alone.

use super::args::argument;
use super::ids::{Cls, Func, Module};
use super::names::OWN_NAME;
use super::program::Program;
use super::types::{Global, Type, Types};
use crate::catalog::{CallbackResult, Loads, Setter};
use crate::ir::{Arg, ArgKind, EntryKey, Expr, ExprId};

/// An attribute of a module that a call names; more is a cycle.
pub(super) const MAX_HOPS: u32 = 4;

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
    /// What is put there, as it is written.
    pub value: Option<ExprId>,
}

/// An attribute of a class or a module that is set.
#[derive(Clone, Debug)]
pub struct SetAttribute {
    pub(super) owner: Type,
    pub name: String,
    /// What is put there; without it, what the setter puts there itself.
    pub value: Option<ExprId>,
}

impl SetAttribute {
    pub fn class(&self) -> Option<Cls> {
        match self.owner {
            Type::Class { class, .. } => Some(class),
            _ => None,
        }
    }
}

impl Program<'_> {
    /// What an expression gives another meaning to: an assignment to an attribute of a class or a module, a call that
    /// sets one by its name.
    pub fn overwritten(&self, func: Func, expr: ExprId) -> Vec<Overwritten> {
        let setter = self.setter(func, expr);
        let default = setter.and_then(|setter| setter.default.as_deref());
        let set = self.set_attributes(func, expr).into_iter();
        let replaced = set.filter_map(|set| self.replaced(func, set, default));
        replaced.chain(self.displaced(func, expr)).collect()
    }

    /// The attributes of classes and modules that an expression sets.
    pub fn set_attributes(&self, func: Func, expr: ExprId) -> Vec<SetAttribute> {
        let facts = self.facts(self.function(func).file);
        match *facts.expr(expr) {
            Expr::Store { place, op: None, value: Some(value) } => match *facts.expr(place) {
                Expr::Field { base, name } => {
                    set_all(&self.owners(func, base, MAX_HOPS), facts.str(name), Some(value))
                }
                Expr::Index { base, key } => self.put(func, base, key, value),
                _ => Vec::new(),
            },
            Expr::Call { callee, args, .. } => {
                let (callee, args) = self.prepared(func, callee, facts.list(args));
                match self.setter_of(func, callee) {
                    Some(setter) => self.set_by_call(func, setter, &args),
                    None => self.set_by_method(func, callee, &args),
                }
            }
            _ => Vec::new(),
        }
    }

    fn setter(&self, func: Func, expr: ExprId) -> Option<&Setter> {
        let Expr::Call { callee, .. } = *self.facts(self.function(func).file).expr(expr) else { return None };
        self.setter_of(func, self.prepared(func, callee, &[]).0)
    }

    fn setter_of(&self, func: Func, callee: ExprId) -> Option<&Setter> {
        self.index.externals.catalog().setters.of_call(self.library_path(func, callee)?)
    }

    fn set_by_call(&self, func: Func, setter: &Setter, args: &[Arg]) -> Vec<SetAttribute> {
        let positional = |at: usize| {
            let arg = args.get(at).filter(|arg| arg.kind == ArgKind::Positional);
            arg.map(|arg| arg.value)
        };
        if let (Some(mapping), None) = (setter.mapping.and_then(positional), setter.name) {
            return self.updated(func, mapping, &args[1..]);
        }
        if let Some(owner) = setter.owner.and_then(positional) {
            return self.set_by_names(func, owner, args);
        }
        let value = positional(setter.value);
        if let (Some(mapping), Some(name), Some(value)) =
            (setter.mapping.and_then(positional), setter.name.and_then(positional), value)
        {
            return self.put(func, mapping, name, value);
        }
        if let (Some(object), Some(name)) =
            (setter.object.and_then(positional), setter.name.and_then(positional))
        {
            let named = |(owners, name): (Types, String)| set_all(&owners, &name, value);
            return self.named_owners(func, object, name).into_iter().flat_map(named).collect();
        }
        let path = setter.path.and_then(positional).and_then(|path| self.text(func, path));
        let Some((owner, name)) = path.as_deref().and_then(|path| path.rsplit_once('.')) else {
            return Vec::new();
        };
        set_all(&self.owners_by_path(func, owner), name, value)
    }

    /// `patch.multiple("app.guards.PhaseGate", check=f)`: the object, or the path of it, and attributes by their names.
    fn set_by_names(&self, func: Func, owner: ExprId, args: &[Arg]) -> Vec<SetAttribute> {
        let facts = self.facts(self.function(func).file);
        let owners = match self.text(func, owner) {
            Some(path) => self.owners_by_path(func, &path),
            None => self.owners(func, owner, MAX_HOPS),
        };
        let named = args.iter().filter_map(|arg| match arg.kind {
            ArgKind::Named(name) => Some(set_all(&owners, facts.str(name), Some(arg.value))),
            _ => None,
        });
        named.flatten().collect()
    }

    /// `vars(guards).update(check=f)`, `globals().__setitem__("check", f)`.
    fn set_by_method(&self, func: Func, callee: ExprId, args: &[Arg]) -> Vec<SetAttribute> {
        let facts = self.facts(self.function(func).file);
        let setters = &self.index.externals.catalog().setters;
        let Expr::Field { base, name } = *facts.expr(callee) else { return Vec::new() };
        let name = facts.str(name);
        if setters.puts(name) {
            let [key, value] = args else { return Vec::new() };
            return self.put(func, base, key.value, value.value);
        }
        if setters.updates(name) { self.updated(func, base, args) } else { Vec::new() }
    }

    /// Names with their values, named or in a mapping.
    fn updated(&self, func: Func, mapping: ExprId, args: &[Arg]) -> Vec<SetAttribute> {
        let facts = self.facts(self.function(func).file);
        let owners = self.owners_of_names(func, mapping);
        let mut found = Vec::new();
        for arg in args.iter().filter(|_| !owners.is_empty()) {
            match (arg.kind, *facts.expr(arg.value)) {
                (ArgKind::Named(name), _) => {
                    found.extend(set_all(&owners, facts.str(name), Some(arg.value)));
                }
                (ArgKind::Positional | ArgKind::SpreadNamed, Expr::Record(entries)) => {
                    for entry in facts.list(entries) {
                        let EntryKey::Expr(key) = entry.key else { continue };
                        let name = self.text(func, key).unwrap_or_default();
                        found.extend(set_all(&owners, &name, Some(entry.value)));
                    }
                }
                _ => {}
            }
        }
        found
    }

    fn put(&self, func: Func, mapping: ExprId, key: ExprId, value: ExprId) -> Vec<SetAttribute> {
        let owners = self.owners_of_names(func, mapping);
        let name = (!owners.is_empty()).then(|| self.text(func, key)).flatten();
        name.map_or_else(Vec::new, |name| set_all(&owners, &name, Some(value)))
    }

    fn replaced(&self, func: Func, set: SetAttribute, default: Option<&str>) -> Option<Overwritten> {
        let SetAttribute { owner, name, value } = set;
        let was = self.named_at(owner, &name);
        let now = value.map(|value| self.index.statics(func, self.unwrapped(func, value)));
        let now = now.unwrap_or_default();
        let library = now.iter().find_map(|ty| match ty {
            Type::External(path) => Some(self.path(*path).to_owned()),
            _ => None,
        });
        let library = library.or_else(|| value.is_none().then_some(default).flatten().map(str::to_owned));
        (!was.is_empty()).then(|| Overwritten { name, was, is: named(&now), library, value })
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
    pub(super) fn named_at(&self, owner: Type, name: &str) -> Vec<Named> {
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

    /// What an expression means by definitions and imports, or as an attribute of what is set elsewhere in the function.
    pub fn meanings(&self, func: Func, expr: ExprId) -> Vec<Named> {
        let expr = self.unwrapped(func, expr);
        let known = named(&self.index.statics(func, expr));
        match *self.facts(self.function(func).file).expr(expr) {
            Expr::Field { base, name } if known.is_empty() => {
                let name = self.facts(self.function(func).file).str(name);
                let owners = self.inferred_owners(func, base);
                owners.iter().flat_map(|&owner| self.named_at(owner, name)).collect()
            }
            _ => known,
        }
    }

    /// The classes and modules that an expression means: by their names, by that of the module in a call or in the table of all
    /// modules, as attributes of these.
    pub(super) fn owners(&self, func: Func, expr: ExprId, hops: u32) -> Types {
        let mut known = self.index.statics(func, expr);
        known.retain(|ty| matches!(ty, Type::Module(Module::File(_)) | Type::Class { .. }));
        if known.is_empty() {
            known = self.inferred_owners(func, expr);
        }
        let Some(hops) = hops.checked_sub(1).filter(|_| known.is_empty()) else { return known };
        let (func, expr) = self.bound(func, expr);
        let facts = self.facts(self.function(func).file);
        match *facts.expr(expr) {
            Expr::Field { base, name } => {
                let bases = self.owners(func, base, hops);
                bases.iter().flat_map(|&base| self.attribute_of(base, facts.str(name))).collect()
            }
            Expr::Index { base, key } => self.module_in(func, base, key, hops),
            Expr::Call { callee, args, .. } => {
                if let Expr::Field { base, .. } = *facts.expr(callee)
                    && let [key, ..] = facts.list(args)
                    && self.is_module_table(func, base)
                {
                    return self.module_in(func, base, key.value, hops);
                }
                self.loaded_module(func, callee, facts.list(args))
            }
            _ => Types::new(),
        }
    }

    /// `import_module("guards")`.
    fn loaded_module(&self, func: Func, callee: ExprId, args: &[Arg]) -> Types {
        let facts = self.facts(self.function(func).file);
        let catalog = self.index.externals.catalog();
        let loader = self.library_path(func, callee).and_then(|path| catalog.loader(path));
        let Some(loader) = loader.filter(|loader| loader.of == Loads::Module) else { return Types::new() };
        let Some(test) = &loader.argument else { return Types::new() };
        let value = argument(facts, args, test.index, test.name.as_deref());
        let name = value.and_then(|value| self.text(func, value));
        name.map_or_else(Types::new, |name| self.module_called(func, &name))
    }

    pub(super) fn is_module_table(&self, func: Func, table: ExprId) -> bool {
        let setters = &self.index.externals.catalog().setters;
        self.library_path(func, table).is_some_and(|path| setters.is_module_table(path))
    }

    /// `sys.modules["guards"]`, `sys.modules[guards.__name__]`.
    pub(super) fn module_in(&self, func: Func, table: ExprId, key: ExprId, hops: u32) -> Types {
        if !self.is_module_table(func, table) {
            return Types::new();
        }
        if let Some(name) = self.text(func, key) {
            return self.module_called(func, &name);
        }
        let facts = self.facts(self.function(func).file);
        match *facts.expr(key) {
            Expr::Field { base, name } if facts.str(name) == OWN_NAME => self.owners(func, base, hops),
            Expr::Free(name) if facts.str(name) == OWN_NAME => {
                Types::from_slice(&[Type::Module(Module::File(self.index.file_of(func)))])
            }
            _ => Types::new(),
        }
    }

    fn module_called(&self, func: Func, name: &str) -> Types {
        match self.index.modules.resolve(self.index.file_of(func), 0, name) {
            Some(module @ Module::File(_)) => Types::from_slice(&[Type::Module(module)]),
            _ => Types::new(),
        }
    }

    /// What a module or a class means by a name.
    fn attribute_of(&self, owner: Type, name: &str) -> Types {
        let Type::Module(module) = owner else { return Types::new() };
        let Some(name) = self.index.names.get(name) else { return Types::new() };
        match self.index.module_attr(module, name) {
            Some(Global::Slot(slot)) => self.index.slot_statics(slot),
            Some(Global::Is(ty)) => Types::from_slice(&[ty]),
            None => Types::new(),
        }
    }

    fn owners_of_names(&self, func: Func, mapping: ExprId) -> Types {
        let (func, mapping) = self.bound(func, mapping);
        let file = self.index.file_of(func);
        let facts = self.index.units[file].facts;
        let setters = &self.index.externals.catalog().setters;
        match *facts.expr(mapping) {
            Expr::Field { base, name } if setters.is_namespace(facts.str(name)) => {
                self.owners(func, base, MAX_HOPS)
            }
            Expr::Field { base, name } if setters.is_namespace_of_function(facts.str(name)) => {
                self.modules_around(func, base)
            }
            Expr::Call { callee, args, .. } => match (self.library_path(func, callee), facts.list(args)) {
                (Some(path), []) if setters.is_own_namespace(path) => {
                    Types::from_slice(&[Type::Module(Module::File(file))])
                }
                (Some(path), [of]) if setters.is_namespace_of(path) => self.owners(func, of.value, MAX_HOPS),
                _ => Types::new(),
            },
            _ => Types::new(),
        }
    }

    /// The modules that the functions which an expression means stand in; of a function that is not known, all.
    fn modules_around(&self, func: Func, function: ExprId) -> Types {
        let module = |file| Type::Module(Module::File(file));
        let known: Types = self
            .meanings(func, function)
            .into_iter()
            .filter_map(|named| match named {
                Named::Function(known) => Some(module(self.index.file_of(known))),
                Named::Class(_) => None,
            })
            .collect();
        match known.is_empty() {
            true => (0..self.index.units.len()).map(module).collect(),
            false => known,
        }
    }

    fn owners_by_path(&self, func: Func, dotted: &str) -> Types {
        let module = self.module_called(func, dotted);
        if !module.is_empty() {
            return module;
        }
        let Some((owner, name)) = dotted.rsplit_once('.') else { return Types::new() };
        let owners = self.module_called(func, owner);
        owners.iter().flat_map(|&owner| self.attribute_of(owner, name)).collect()
    }
}

fn set_all(owners: &[Type], name: &str, value: Option<ExprId>) -> Vec<SetAttribute> {
    owners.iter().map(|&owner| SetAttribute { owner, name: name.to_owned(), value }).collect()
}

fn named(types: &[Type]) -> Vec<Named> {
    let of = |ty: &Type| match *ty {
        Type::Function(func) | Type::Bound(func) | Type::Partial(func) => Some(Named::Function(func)),
        Type::Class { class, .. } | Type::Instance { class, .. } => Some(Named::Class(class)),
        _ => None,
    };
    types.iter().filter_map(of).collect()
}
