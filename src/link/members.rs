//! What names, attributes and parameters are bound to: for analyses that follow a value instead of a call. Constants of
//! modules, classes and enumerations, the slots of variables, and which argument a parameter is given.

use std::collections::BTreeSet;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::asked::Members;
use super::edge::{Edge, Target};
use super::hierarchy::MethodKind;
use super::ids::{Cls, Func, Slot};
use super::program::Program;
use super::types::{Global, Type};
use super::variables::Variable;
use crate::catalog::TextOp;
use crate::ir::{ArgKind, Expr, ExprId, Op, Pat, Sym, VarId};
use crate::source::FileId;

/// A name of an attribute of a name; more is a cycle.
const MAX_STEPS: u32 = 8;
/// Annotations that say nothing but what stands inside them.
const WRAPPERS: [&str; 6] = ["Optional", "Union", "Annotated", "Final", "ClassVar", "Required"];

impl Program<'_> {
    /// The text that an expression is known to be, also as a constant of a module or a class, or as a member of an
    /// enumeration.
    pub fn text(&self, func: Func, expr: ExprId) -> Option<String> {
        self.constant(func, expr).filter(|known| known.whole).map(|known| known.text)
    }

    /// The texts that a set names: `("planning", "execution")`, `frozenset({…})`, a name of one.
    pub fn members(&self, func: Func, set: ExprId) -> Arc<BTreeSet<String>> {
        self.set(func, set).texts
    }

    /// The same, if the set can hold nothing else: each member is known, and nothing changes what is bound.
    pub fn all_members(&self, func: Func, set: ExprId) -> Option<Arc<BTreeSet<String>>> {
        let mut at = (func, set);
        for _ in 0..MAX_STEPS {
            if self.is_altered(at.0, at.1) {
                return None;
            }
            match self.bound_once(at.0, at.1) {
                Some(next) => at = next,
                None => break,
            }
        }
        let found = self.set(func, set);
        found.are_all.then_some(found.texts)
    }

    fn set(&self, func: Func, set: ExprId) -> Members {
        let (func, set) = self.bound(func, set);
        self.index.constants.sets.of((func, set), || {
            let facts = self.facts(self.function(func).file);
            match *facts.expr(set) {
                Expr::Seq(items) => {
                    let items = facts.list(items);
                    let texts: BTreeSet<String> =
                        items.iter().filter_map(|&item| self.text(func, item)).collect();
                    let are_all = items.iter().all(|&item| self.text(func, item).is_some());
                    Members { texts: Arc::new(texts), are_all }
                }
                // `frozenset({…})`
                Expr::Call { callee, args, .. } => match facts.list(args) {
                    [only] if only.kind == ArgKind::Positional => {
                        let copied = match facts.expr(only.value) {
                            Expr::Seq(_) => self.set(func, only.value),
                            _ => Members::default(),
                        };
                        Members { are_all: copied.are_all && self.copies(func, callee), ..copied }
                    }
                    _ => Members::default(),
                },
                _ => Members::default(),
            }
        })
    }

    /// A call that makes a container of the elements of another one.
    fn copies(&self, func: Func, callee: ExprId) -> bool {
        let ops = &self.index.externals.catalog().text_ops;
        let path = self.library_path(func, callee);
        let op = path.and_then(|path| ops.of_call(path));
        matches!(op, Some(TextOp::Elements | TextOp::Unordered | TextOp::Reversed))
    }

    /// The variable that `base.name` means: of a module, or of a class.
    fn member(&self, func: Func, base: ExprId, name: Sym) -> Option<Slot> {
        let index = &self.index;
        let text = self.facts(self.function(func).file).str(name);
        let of_class = |class| self.hierarchy.class_attr(index, class, name).map(|(_, slot)| slot);
        for ty in index.statics(func, base) {
            let found = match ty {
                Type::Module(module) => match index.module_attr(module, name) {
                    Some(Global::Slot(slot)) => Some(slot),
                    _ => None,
                },
                Type::Class { class, .. } => of_class(class),
                _ => None,
            };
            if found.is_some() {
                return found;
            }
        }
        // An object's attribute may be set anywhere; in capitals it is meant to stay.
        let is_constant = !text.chars().any(char::is_lowercase);
        self.own_class(func, base).filter(|_| is_constant).and_then(of_class)
    }

    /// What a name was bound to, if it was bound once: through names, imports and modules.
    pub fn bound(&self, func: Func, expr: ExprId) -> (Func, ExprId) {
        let mut at = (func, expr);
        for _ in 0..MAX_STEPS {
            match self.bound_once(at.0, at.1) {
                Some(next) => at = next,
                None => break,
            }
        }
        at
    }

    pub(super) fn bound_once(&self, func: Func, expr: ExprId) -> Option<(Func, ExprId)> {
        match *self.facts(self.function(func).file).expr(expr) {
            Expr::Ascribe { value: Some(value), .. } | Expr::Bind { value, .. } => Some((func, value)),
            Expr::Field { base, name } => self.sole_value(self.member(func, base, name)?),
            _ => self.sole_definition(func, expr),
        }
    }

    /// The only value of a variable, and the function that binds it.
    pub fn sole_definition(&self, func: Func, variable: ExprId) -> Option<(Func, ExprId)> {
        self.sole_value(self.named(func, variable)?)
    }

    /// What the methods of a class store in an attribute of their own object.
    pub fn stored(&self, class: Cls, name: &str) -> impl Iterator<Item = (Func, ExprId)> + '_ {
        self.index.names.get(name).into_iter().flat_map(move |name| self.index.stored(class, name))
    }

    /// What a function hands back.
    pub fn returns(&self, func: Func) -> impl Iterator<Item = ExprId> + '_ {
        self.index.returns(func)
    }

    /// The number of a string that some file holds.
    pub fn symbol_of(&self, text: &str) -> Option<Sym> {
        self.index.names.get(text)
    }

    fn sole_value(&self, slot: Slot) -> Option<(Func, ExprId)> {
        let mut definitions = self.index.definitions(slot);
        let only = definitions.next()?;
        (definitions.next().is_none() && self.parameter_of(slot).is_none()).then_some(only)
    }

    pub fn slot_of(&self, func: Func, var: VarId) -> Slot {
        self.index.var(func, var)
    }

    pub fn definitions(&self, slot: Slot) -> impl Iterator<Item = (Func, ExprId)> + '_ {
        self.index.definitions(slot)
    }

    /// The parameter that a variable is: the function and the position.
    pub fn parameter_of(&self, slot: Slot) -> Option<(Func, u32)> {
        self.index.param_of.get(&slot).copied()
    }

    pub fn parameter(&self, func: Func, at: u32) -> Option<Slot> {
        let facts = self.facts(self.function(func).file);
        let param = facts.list(self.ir(func).params).get(at as usize)?;
        match *facts.pat(param.pat) {
            Pat::Var(var) => Some(self.index.var(func, var)),
            _ => None,
        }
    }

    /// The class whose object `base` is, if it is `self` or `cls` of the method around.
    pub fn own_class(&self, func: Func, base: ExprId) -> Option<Cls> {
        match *self.facts(self.function(func).file).expr(base) {
            Expr::Var(var) => self.own_class_of(func, var),
            _ => None,
        }
    }

    /// The same for a variable.
    pub fn own_class_of(&self, func: Func, var: VarId) -> Option<Cls> {
        let (method, position) = self.parameter_of(self.index.var(func, var))?;
        let is_own = position == 0 && self.hierarchy.kind(method) != MethodKind::Static;
        self.function(method).class.filter(|_| is_own)
    }

    /// The class at the top of a hierarchy: an attribute of an object is one thing for all classes that it belongs to.
    pub fn root_class(&self, class: Cls) -> Cls {
        self.hierarchy.ancestors[class.0 as usize].last().copied().unwrap_or(class)
    }

    /// True if the call fills the first parameter with the object whose method it is.
    pub fn takes_object(&self, edge: &Edge) -> bool {
        let Target::Project(callee) = edge.to else { return false };
        let facts = self.facts(edge.at.file);
        let Expr::Call { callee: called, .. } = *facts.expr(edge.at.expr) else { return false };
        let is_method = matches!(facts.expr(called), Expr::Field { .. });
        is_method && self.given(edge.from, called, callee) > 0 && !self.name(callee).starts_with("__")
    }

    /// The functions in methods of classes, by the class at the top of their hierarchy.
    pub fn members_by_root(&self) -> FxHashMap<Cls, Vec<Func>> {
        let mut found: FxHashMap<Cls, Vec<Func>> = FxHashMap::default();
        for func in (0..self.functions.len() as u32).map(Func) {
            if let Some(class) = self.index.enclosing_class(func) {
                found.entry(self.root_class(class)).or_default().push(func);
            }
        }
        found
    }

    /// True if the function names an attribute like this.
    pub fn names_field(&self, func: Func, wanted: Sym) -> bool {
        let file = self.index.file_of(func);
        let facts = self.index.units[file].facts;
        let names = |expr| matches!(*facts.expr(expr), Expr::Field { name, .. } if name == wanted);
        self.ir(func).exprs.iter().any(names)
    }

    /// True if some file holds this very text, as a name or in a literal.
    pub fn knows_name(&self, text: &str) -> bool {
        self.index.names.get(text).is_some()
    }

    /// True if some class has a property of this name.
    pub fn is_property_name(&self, name: Sym) -> bool {
        self.hierarchy.property_names.contains(&name)
    }

    pub fn name_of(&self, variable: Variable) -> Sym {
        let file = self.index.file_of(variable.func);
        let names = self.index.units[file].facts.list(self.ir(variable.func).vars);
        names[variable.var.0 as usize]
    }

    /// The function that binds a variable.
    pub fn owner_of(&self, slot: Slot) -> Option<Variable> {
        self.index.owner(slot).map(|(func, var)| Variable { func, var })
    }

    /// The functions of the same file that use a variable of a function or of the module around.
    pub fn users_of(&self, variable: Variable, slot: Slot) -> Vec<Func> {
        let file = self.index.file_of(variable.func);
        let facts = self.index.units[file].facts;
        let name = facts.list(self.ir(variable.func).vars)[variable.var.0 as usize];
        let of_module = self.ir(variable.func).kind == crate::ir::FnKind::Module;
        let uses = |func: &Func| {
            let function = self.ir(*func);
            let captures =
                facts.list(function.captures).iter().any(|it| self.index.var(*func, it.inner) == slot);
            let names = |expr| matches!(*facts.expr(expr), Expr::Free(free) if free == name);
            captures || *func == variable.func || of_module && function.exprs.iter().any(names)
        };
        let functions = facts.function_ids();
        functions.filter(uses).collect()
    }

    /// The class of which this function is the body.
    pub fn class_of_body(&self, func: Func) -> Option<Cls> {
        match self.ir(func).kind {
            crate::ir::FnKind::ClassBody(class) => Some(class),
            _ => None,
        }
    }

    /// The variable of a class body that an attribute of its objects starts as.
    pub fn class_attribute(&self, class: Cls, name: &str) -> Option<Slot> {
        let name = self.index.names.get(name)?;
        self.hierarchy.class_attr(&self.index, class, name).map(|(_, slot)| slot)
    }

    pub fn is_enum(&self, class: Cls) -> bool {
        self.hierarchy.is_enum(&self.index, class)
    }

    /// True for the name of a generic type that stands for what it is given: `Optional`.
    pub fn wraps_type(&self, name: &str) -> bool {
        WRAPPERS.contains(&name)
    }

    /// True if an annotation leaves a known set of values: `Literal[…]`, an enumeration, an alias of these.
    pub fn is_closed_type(&self, func: Func, ty: ExprId) -> bool {
        let facts = self.facts(self.function(func).file);
        let any = |list| facts.list(list).iter().any(|&part| self.is_closed_type(func, part));
        match *facts.expr(ty) {
            Expr::Index { base, key } => match self.receiver_name(func, base).map(|base| base.name) {
                Some("Literal") => true,
                Some(name) => self.wraps_type(name) && self.is_closed_type(func, key),
                None => false,
            },
            Expr::Op { op: Op::BitOr, args } => any(args),
            Expr::Seq(parts) => any(parts),
            _ => {
                let is_enum = |ty: &Type| matches!(*ty, Type::Class { class, .. } if self.is_enum(class));
                let alias = || {
                    let (func, value) = self.bound(func, ty);
                    let facts = self.facts(self.function(func).file);
                    matches!(facts.expr(value), Expr::Index { .. }) && self.is_closed_type(func, value)
                };
                self.index.statics(func, ty).iter().any(is_enum) || alias()
            }
        }
    }

    /// True if the expression names a member of an enumeration itself.
    pub fn is_member_of_enum(&self, func: Func, expr: ExprId) -> bool {
        let facts = self.facts(self.function(func).file);
        let Expr::Field { base, .. } = *facts.expr(expr) else { return false };
        let statics = self.index.statics(func, base);
        statics.iter().any(|ty| matches!(*ty, Type::Class { class, .. } if self.is_enum(class)))
    }

    /// The edges that leave `func` at one expression.
    pub fn edges_at(&self, func: Func, expr: ExprId) -> &[Edge] {
        let edges = self.edges_from(func);
        let start = edges.partition_point(|edge| edge.at.expr < expr);
        let len = edges[start..].partition_point(|edge| edge.at.expr == expr);
        &edges[start..start + len]
    }

    pub fn is_test(&self, file: FileId) -> bool {
        self.index.units[file.0 as usize].is_test
    }

    /// True for a function that only tests run, also in a file of production code.
    pub fn is_test_code(&self, func: Func) -> bool {
        self.index.is_test_code(func)
    }

    pub(super) fn modules(&self) -> &super::modules::Modules<'_> {
        &self.index.modules
    }

    /// The same, also for tests in a file that production code imports.
    pub fn may_be_test(&self, func: Func) -> bool {
        self.is_test_code(func) || self.index.units[self.index.file_of(func)].holds_tests
    }
}
