//! What a key is, as far as the function says that uses it: a constant, a class, a part of what the function is given.

use super::super::args::{Passed, pair};
use super::super::call::INIT;
use super::super::constants::Folder;
use super::super::edge::{Edge, EdgeKind};
use super::super::edges::Pass;
use super::super::ids::{Cls, Func, Key};
use super::super::receivers::MAX_STEPS;
use super::super::types::{Type, Types};
use crate::catalog::DataOp;
use crate::ir::{Arg, ArgKind, EntryKey, Expr, ExprId, FnKind, Sym};

/// What of a value is the key.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Part {
    Itself,
    Class,
    /// The name of a class or function that the value is.
    Name,
    ClassName,
    Attribute(Sym),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum KeyOf {
    /// One of these.
    Known(Vec<Key>),
    /// A part of a parameter.
    Given { parameter: (Func, u32), part: Part },
    /// Not understood.
    Open,
}

impl Pass<'_, '_, '_> {
    /// What a part of an expression is as a key.
    pub(super) fn key_of(&mut self, func: Func, expr: ExprId, part: Part) -> KeyOf {
        let index = self.solver.index;
        let (mut func, mut expr, mut part) = (func, expr, part);
        for _ in 0..MAX_STEPS {
            let facts = index.units[index.file_of(func)].facts;
            (func, expr, part) = match (*facts.expr(expr), part) {
                (Expr::Var(var), _) => {
                    let slot = index.var(func, var);
                    let is_bound = index.definitions(slot).next().is_some() || index.iterated(slot).is_some();
                    match (index.param_of.get(&slot), index.iterated(slot)) {
                        (Some(&parameter), _) if !is_bound => return KeyOf::Given { parameter, part },
                        (None, None) => match index.sole_definition(slot) {
                            Some((scope, value)) if self.is_name_of(scope, value) => (scope, value, part),
                            _ => return self.constant_part(func, expr, part),
                        },
                        _ => return KeyOf::Open,
                    }
                }
                (Expr::Ascribe { value: Some(inner), .. }, _) => (func, inner, part),
                (_, Part::Itself) if let Some(inner) = self.copied(func, expr) => (func, inner, part),
                (Expr::Call { callee, args, .. }, Part::Itself | Part::Name)
                    if self.is_type(func, callee) =>
                {
                    let [only] = facts.list(args) else { return KeyOf::Open };
                    (func, only.value, if part == Part::Itself { Part::Class } else { Part::ClassName })
                }
                (Expr::Field { base, name }, Part::Itself | Part::Name) => {
                    let constant = self.constant_part(func, expr, part);
                    let operations = &index.externals.catalog().operations;
                    match (operations.own_method(facts.lang, facts.str(name)), part) {
                        _ if constant != KeyOf::Open => return constant,
                        (Some(DataOp::Class), Part::Itself) => (func, base, Part::Class),
                        (Some(DataOp::Class), _) => (func, base, Part::ClassName),
                        (Some(DataOp::Name), Part::Itself) => (func, base, Part::Name),
                        (_, Part::Itself) => (func, base, Part::Attribute(name)),
                        _ => return KeyOf::Open,
                    }
                }
                _ => return self.constant_part(func, expr, part),
            };
        }
        KeyOf::Open
    }

    /// A local name for something else, not for a value of its own.
    fn is_name_of(&self, func: Func, value: ExprId) -> bool {
        let facts = self.solver.index.units[self.solver.index.file_of(func)].facts;
        matches!(
            facts.expr(value),
            Expr::Var(_) | Expr::Field { .. } | Expr::Call { .. } | Expr::Ascribe { .. }
        ) || self.copied(func, value).is_some()
    }

    /// What a mapping has all its entries from: `dict(table)`, `{**table}`, `table.copy()`, `table or {}`.
    fn copied(&self, func: Func, expr: ExprId) -> Option<ExprId> {
        let facts = self.solver.index.units[self.solver.index.file_of(func)].facts;
        let is_empty = |expr: ExprId| matches!(facts.expr(expr), Expr::Record(entries) if entries.is_empty());
        match *facts.expr(expr) {
            Expr::Any(parts) => match facts.list(parts) {
                &[table, other] if is_empty(other) => Some(table),
                _ => None,
            },
            Expr::Record(entries) => match facts.list(entries) {
                [only] if only.key == EntryKey::Spread => Some(only.value),
                _ => None,
            },
            Expr::Call { callee, args, .. } => match (*facts.expr(callee), facts.list(args)) {
                (Expr::Field { base, name }, []) if self.does(func, name, &[DataOp::Copy]) => Some(base),
                (Expr::Free(name), [only]) if self.builtin_does(func, name, &[DataOp::MakeMapping]) => {
                    (only.kind == ArgKind::Positional).then_some(only.value)
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Through all copies.
    pub(in super::super) fn uncopied(&self, func: Func, expr: ExprId) -> ExprId {
        let next = |expr: &ExprId| self.copied(func, *expr);
        std::iter::successors(Some(expr), next).last().unwrap_or(expr)
    }

    fn is_type(&self, func: Func, callee: ExprId) -> bool {
        let index = self.solver.index;
        let [Type::External(path)] = index.statics(func, callee)[..] else { return false };
        index.externals.catalog().operations.of_call(index.externals.text(path)) == Some(DataOp::Class)
    }

    /// True if a method of this name does one of these.
    pub(super) fn does(&self, func: Func, name: Sym, operations: &[DataOp]) -> bool {
        let facts = self.solver.index.units[self.solver.index.file_of(func)].facts;
        let known = &self.solver.index.externals.catalog().operations;
        known.own_method(facts.lang, facts.str(name)).is_some_and(|does| operations.contains(&does))
    }

    /// True if a function of the language does one of these.
    pub(super) fn builtin_does(&self, func: Func, name: Sym, operations: &[DataOp]) -> bool {
        let facts = self.solver.index.units[self.solver.index.file_of(func)].facts;
        let known = &self.solver.index.externals.catalog().operations;
        known.of_builtin(facts.str(name)).is_some_and(|does| operations.contains(&does))
    }

    fn constant_part(&mut self, func: Func, expr: ExprId, part: Part) -> KeyOf {
        let key = match part {
            Part::Itself => return self.constant_keys(func, expr),
            Part::Class => self.made(func, expr).map(|(class, _)| Key::Class(class)),
            Part::ClassName => self.made(func, expr).and_then(|(class, _)| self.key_named(class)),
            Part::Name => return self.names_of(func, expr),
            Part::Attribute(name) => return self.attribute_of_made(func, expr, name),
        };
        key.map_or(KeyOf::Open, |key| KeyOf::Known(vec![key]))
    }

    fn constant_keys(&mut self, func: Func, expr: ExprId) -> KeyOf {
        let index = self.solver.index;
        let facts = index.units[index.file_of(func)].facts;
        // What an object has under a name may be set by whoever made it.
        if matches!(*facts.expr(expr), Expr::Field { base, .. } if self.parameter(func, base).is_some()) {
            return KeyOf::Open;
        }
        if let Some(key) = self.solver.constant_key(func, expr) {
            return KeyOf::Known(vec![key]);
        }
        let values = Folder::new(index, self.solver.hierarchy).fold(func, expr);
        if !values.complete || values.list.iter().any(|known| !known.whole) || values.list.is_empty() {
            return KeyOf::Open;
        }
        // A text that no file spells is nobody's key.
        let names = values.list.iter().filter_map(|known| index.names.get(&known.text));
        KeyOf::Known(names.map(Key::Name).collect())
    }

    /// The names of the functions and classes that an expression is.
    fn names_of(&mut self, func: Func, expr: ExprId) -> KeyOf {
        let mut keys = Vec::new();
        for ty in self.solver.eval(func, expr) {
            keys.push(match ty {
                Type::Function(func) | Type::Bound(func) => Key::Name(self.solver.index.ir(func).name),
                Type::Class { class, exact: true } => match self.key_named(class) {
                    Some(key) => key,
                    None => return KeyOf::Open,
                },
                _ => return KeyOf::Open,
            });
        }
        if keys.is_empty() { KeyOf::Open } else { KeyOf::Known(keys) }
    }

    fn key_named(&self, class: Cls) -> Option<Key> {
        Some(Key::Name(self.solver.index.class_ir(class).1.name))
    }

    /// The class of an object that is made here, with what its constructor is given.
    fn made(&mut self, func: Func, expr: ExprId) -> Option<(Cls, Vec<Arg>)> {
        let facts = self.solver.index.units[self.solver.index.file_of(func)].facts;
        let Expr::Call { callee, args, .. } = *facts.expr(expr) else { return None };
        match self.solver.callees(func, callee)[..] {
            [Type::Class { class, .. }] => Some((class, facts.list(args).to_vec())),
            _ => None,
        }
    }

    /// An attribute of an object that is made here: what the constructor is given for it, or what the class says.
    fn attribute_of_made(&mut self, func: Func, expr: ExprId, name: Sym) -> KeyOf {
        let Some((class, args)) = self.made(func, expr) else { return KeyOf::Open };
        if self.solver.set_elsewhere.contains(&name) {
            return KeyOf::Open;
        }
        let index = self.solver.index;
        let ancestors = &self.solver.hierarchy.ancestors[class.0 as usize];
        let stored = ancestors.iter().flat_map(|&ancestor| index.stored(ancestor, name));
        let given = args.iter().find(|arg| arg.kind == ArgKind::Named(name));
        let attribute = self.solver.hierarchy.class_attr(index, class, name);
        let defined = attribute.map(|(_, slot)| index.definitions(slot).collect::<Vec<_>>());
        match (&stored.collect::<Vec<_>>()[..], given, defined.as_deref()) {
            // `self.kind = kind`
            (&[(init, value)], ..) => self.given_to_constructor(func, (class, &args), (init, value)),
            ([], Some(given), _) => self.constant_keys(func, given.value),
            ([], None, Some(&[(scope, value)]))
                if args.iter().all(|arg| matches!(arg.kind, ArgKind::Named(_))) =>
            {
                self.constant_keys(scope, value)
            }
            _ => KeyOf::Open,
        }
    }

    /// What the constructor of an object is given for the parameter that it stores.
    fn given_to_constructor(
        &mut self,
        func: Func,
        (class, args): (Cls, &[Arg]),
        (init, value): (Func, ExprId),
    ) -> KeyOf {
        let index = self.solver.index;
        let parameter = self.sole_parameter(init, value).filter(|&(owner, _)| owner == init);
        let is_constructor = index.names.text(index.ir(init).name) == INIT;
        let (Some((_, position)), Some(name), true) = (parameter, index.names.get(INIT), is_constructor)
        else {
            return KeyOf::Open;
        };
        // The constructor of the class itself, not one that another one calls.
        if self.solver.hierarchy.class_attr(index, class, name).map(|(owner, _)| owner)
            != index.method_of[init.0 as usize]
        {
            return KeyOf::Open;
        }
        let facts = index.units[index.file_of(func)].facts;
        let pairs = pair(index, facts, args, init, 1);
        let given = pairs.iter().find(|&&(passed, _)| passed == Passed::Param(position));
        given.map_or(KeyOf::Open, |&(_, value)| self.constant_keys(func, value))
    }

    /// The class of the object whose method a call runs: as a key, or what of the caller's own object it is.
    pub(super) fn object_of_call(&mut self, edge: &Edge, method: Func, part: Part) -> KeyOf {
        let index = self.solver.index;
        let facts = index.units[index.file_of(edge.from)].facts;
        let Expr::Call { callee, .. } = *facts.expr(edge.at.expr) else { return KeyOf::Open };
        if edge.kind != EdgeKind::Call || part != Part::Class || self.is_crowded(edge) {
            return KeyOf::Open;
        }
        let types = self.solver.callees(edge.from, callee);
        if let Some(keys) = self.classes_of(&types, false) {
            return KeyOf::Known(keys);
        }
        let Expr::Field { base, .. } = *facts.expr(callee) else { return KeyOf::Open };
        if !types.contains(&Type::Bound(method)) {
            return KeyOf::Open;
        }
        let own = self.own_object(edge.from, base);
        let objects = self.solver.eval(edge.from, base);
        let own =
            own.or_else(|| self.own_of_super(edge.from).filter(|_| matches!(objects[..], [Type::Super(_)])));
        if let Some(parameter) = own {
            return KeyOf::Given { parameter, part };
        }
        self.classes_of(&objects, true).map_or(KeyOf::Open, KeyOf::Known)
    }

    /// The classes, or those of the objects, that a value is, if it is nothing else.
    fn classes_of(&self, types: &Types, are_objects: bool) -> Option<Vec<Key>> {
        let mut keys = Vec::new();
        for ty in types {
            let (class, exact) = match *ty {
                Type::Class { class, .. } if !are_objects => (class, true),
                Type::Instance { class, exact } if are_objects => (class, exact),
                _ => return None,
            };
            keys.push(Key::Class(class));
            let descendants = self.solver.hierarchy.descendants[class.0 as usize].iter();
            keys.extend(descendants.filter(|_| !exact).map(|&class| Key::Class(class)));
        }
        (!keys.is_empty()).then_some(keys)
    }

    /// `self`, as the parameter that it is.
    pub(super) fn own_object(&self, func: Func, base: ExprId) -> Option<(Func, u32)> {
        self.parameter(func, base).filter(|&(owner, position)| position == 0 && self.has_object(owner))
    }

    /// The object that `super()` stands for: that of the method around.
    fn own_of_super(&self, func: Func) -> Option<(Func, u32)> {
        let index = self.solver.index;
        let mut func = func;
        while !self.has_object(func) {
            let function = index.ir(func);
            if !matches!(function.kind, FnKind::Plain | FnKind::Lambda) {
                return None;
            }
            func = function.parent;
        }
        Some((func, 0))
    }

    /// What a call gives for a parameter of its callee, and where that stands.
    pub(super) fn given_at(&mut self, edge: &Edge, callee: Func, position: u32) -> Option<(Func, ExprId)> {
        if edge.kind != EdgeKind::Call || self.is_crowded(edge) {
            return None;
        }
        let index = self.solver.index;
        let facts = index.units[index.file_of(edge.from)].facts;
        let Expr::Call { callee: called, args, .. } = *facts.expr(edge.at.expr) else { return None };
        let skip = self.given_already(edge.from, called, callee)?;
        let pairs = pair(index, facts, facts.list(args), callee, skip);
        let spreads = |passed| matches!(passed, Passed::SpreadFrom(_) | Passed::SpreadNamed);
        if pairs.iter().any(|&(passed, _)| spreads(passed)) {
            return None;
        }
        let given = pairs.iter().find(|&&(passed, _)| passed == Passed::Param(position));
        let default = || {
            let facts = index.units[index.file_of(callee)].facts;
            let param = facts.list(index.ir(callee).params).get(position as usize)?;
            Some((index.ir(callee).parent, param.default?))
        };
        given.map(|&(_, value)| (edge.from, value)).or_else(default)
    }

    /// How many leading parameters the call does not write; `None` if nobody knows.
    fn given_already(&mut self, from: Func, called: ExprId, callee: Func) -> Option<u32> {
        let types = self.solver.callees(from, called);
        let is_any = |is_meant: fn(&Type) -> bool| types.iter().any(is_meant);
        if is_any(|ty| matches!(ty, Type::Partial(_) | Type::Anything)) {
            return None;
        }
        if types.contains(&Type::Function(callee)) {
            return (!types.contains(&Type::Bound(callee))).then_some(0);
        }
        Some(u32::from(self.has_object(callee)))
    }
}
