//! What a library holds. A callable, an object or a class of the project that goes into a library is held by the object of the
//! library that took it, and by what is derived from that. Here is what happens to objects of libraries once they are told
//! apart; which of them are, is found in `holding`, and what a use of them runs, in `held`.

use std::rc::Rc;

use smallvec::SmallVec;

use super::containers::Holding;
use super::domain::is_marker;
use super::hierarchy::{MethodKind, is_for_library};
use super::ids::{CallId, Cls, Func, HolderId, Slot};
use super::ports::Port;
use super::react::{Held, React, Taker};
use super::solve::Solver;
use super::types::{Type, Value};
use crate::catalog::{HolderOp, Holders, ModelOp};
use crate::ir::{Arg, ClassKind, Expr, ExprId, FnKind, Sym};

impl<'a> Solver<'_, 'a> {
    pub(super) fn holder(&mut self, what: Holding) -> HolderId {
        if let Some(&known) = self.holders.ids.get(&what) {
            return known;
        }
        let id = HolderId(self.holders.list.len() as u32);
        let held = self.new_slot();
        self.holders.list.push((held, SmallVec::new()));
        self.holders.ids.insert(what, id);
        id
    }

    /// True for what holds so much that nobody can say what it runs.
    pub(super) fn is_crowd(&self, holder: HolderId) -> bool {
        self.graph.len(self.held_in(holder)) > self.index.externals.catalog().holders.crowd
    }

    /// What an object of a library holds.
    pub(super) fn held_in(&self, holder: HolderId) -> Slot {
        self.holders.list[holder.0 as usize].0
    }

    /// Each of the values, and each of what they contain, is given to a library.
    pub(super) fn give_to(&mut self, func: Func, args: &[Arg], taker: Taker, held: Held) {
        for arg in args {
            self.give_one(func, arg.value, taker, held);
        }
    }

    pub(super) fn give_one(&mut self, func: Func, value: ExprId, taker: Taker, held: Held) {
        let facts = self.index.units[self.index.file_of(func)].facts;
        if !matches!(facts.expr(value), Expr::Lit(_) | Expr::Text(_) | Expr::Not(_)) {
            let value = self.value(func, value);
            self.give_value(value, React::Hold(taker, held));
        }
    }

    fn give_value(&mut self, value: Value, react: React) {
        if let Value::In(slot) = value
            && is_data(self.graph.types(slot))
        {
            return;
        }
        self.on(value, react);
    }

    /// A value is given to a library.
    pub(super) fn take(&mut self, taker: Taker, held: Held, ty: Type) {
        if let Type::Container(container) = ty {
            // Where many containers meet, it is data that is handed around.
            if !self.is_summary(container) && self.holders.known.insert((React::Hold(taker, held), ty)) {
                let elements = Value::In(self.elements_of(container));
                self.give_value(elements, React::Hold(taker, held));
            }
            return;
        }
        if !self.may_be_run(ty, held) {
            return;
        }
        self.give_providers(ty, taker);
        match taker {
            Taker::Holder(holder) => self.keep_in(holder, ty),
            Taker::Made(expr, slot) => {
                let holder = self.holder(Holding::Made(expr));
                self.keep_in(holder, ty);
                self.insert(slot, Type::Holder(holder));
            }
            Taker::Receiver(number) => drop(self.holders.waiting.insert(number)),
        }
    }

    /// `page=Depends(fetch)`, `page: Annotated[str, Depends(fetch)]`: who calls a function makes its arguments by what stands there.
    fn give_providers(&mut self, given: Type, taker: Taker) {
        let (Type::Function(func) | Type::Bound(func)) = given else { return };
        if !self.holders.known.insert((React::Hold(taker, Held::Overrides), given)) {
            return;
        }
        let facts = self.index.units[self.index.file_of(func)].facts;
        let scope = self.index.ir(func).parent;
        for param in facts.list(self.index.ir(func).params) {
            let parts = [param.default, param.ty].into_iter().flatten();
            let calls = parts.flat_map(|part| facts.arenas.below(part));
            for call in calls.filter(|&expr| matches!(facts.expr(expr), Expr::Call { .. })) {
                self.give_one(scope, call, taker, Held::Overrides);
            }
        }
    }

    /// True for what a library can call, or call methods of.
    pub(super) fn may_be_run(&mut self, ty: Type, held: Held) -> bool {
        match ty {
            Type::Function(_) | Type::Bound(_) | Type::Partial(_) => true,
            Type::Holder(_) => held != Held::Callables,
            Type::Instance { class, .. } => self.may_be_kept(class, held),
            // Whoever is given a class may make objects of it.
            Type::Class { class, .. } => held == Held::Objects || self.may_be_kept(class, held),
            _ => false,
        }
    }

    fn may_be_kept(&mut self, class: Cls, held: Held) -> bool {
        let is_meant = match held {
            Held::Callables => false,
            Held::Overrides => self.has_library_base(class) || self.has_special_hooks(class),
            Held::Objects => true,
        };
        is_meant && !self.hooks(class).is_empty()
    }

    fn has_special_hooks(&mut self, class: Cls) -> bool {
        let hooks = self.hooks(class);
        hooks.iter().any(|&hook| self.name_of(hook).starts_with("__"))
    }

    fn name_of(&self, func: Func) -> &'a str {
        let facts = self.index.units[self.index.file_of(func)].facts;
        facts.str(self.index.ir(func).name)
    }

    pub(super) fn keep_in(&mut self, holder: HolderId, ty: Type) {
        let held = self.held_in(holder);
        match ty {
            Type::Holder(other) => self.copy(Value::In(self.held_in(other)), held),
            _ => self.insert(held, ty),
        }
    }

    /// An object of a library is called, or a method of it.
    pub(super) fn call_holder(&mut self, id: CallId, holder: HolderId) {
        let call = self.call_of(id);
        if self.index.is_test_code(call.func)
            || !self.holders.known.insert((React::Call(id), Type::Holder(holder)))
        {
            return;
        }
        match self.operation_on(call.func, call.expr, holder) {
            HolderOp::Stores => {
                self.give_to(call.func, call.args, Taker::Holder(holder), Held::Objects);
                self.insert(call.result, Type::Holder(holder));
            }
            HolderOp::Builds => {
                let made = self.derive(call.expr, holder);
                self.keep_in(made, Type::Holder(holder));
                self.give_to(call.func, call.args, Taker::Holder(made), Held::Objects);
                self.insert(call.result, Type::Holder(made));
            }
            HolderOp::Gives => {
                self.copy(Value::In(self.held_in(holder)), call.result);
                self.insert(call.result, Type::PartOf(holder));
            }
            HolderOp::Makes => {
                let held = Value::In(self.held_in(holder));
                let objects = self.ask(held, Port::Objects);
                self.copy(objects, call.result);
            }
            HolderOp::Uses | HolderOp::Passes => {}
        }
    }

    /// What an expression makes of an object of a library.
    fn derive(&mut self, expr: ExprId, from: HolderId) -> HolderId {
        let made = self.holder(Holding::Made(expr));
        let origins = &mut self.holders.list[made.0 as usize].1;
        if made != from && !origins.contains(&from) {
            origins.push(from);
        }
        made
    }

    /// What a call does to an object of a library whose method it calls, or that it calls itself.
    pub(super) fn operation_on(&mut self, func: Func, call: ExprId, holder: HolderId) -> HolderOp {
        // What stands above a function is given it.
        if self.holders.decorators.contains(&call) {
            return HolderOp::Builds;
        }
        let facts = self.index.units[self.index.file_of(func)].facts;
        let Expr::Call { callee, args, .. } = *facts.expr(call) else { return HolderOp::Uses };
        let Expr::Field { base, name } = *facts.expr(callee) else { return HolderOp::Uses };
        let base = self.base_value(func, base);
        let is_it = |ty: &Type| matches!(*ty, Type::Holder(it) | Type::PartOf(it) if it == holder);
        let types = self.types(base);
        match types.iter().any(is_it) {
            true if self.is_method_of(&types, name, Holders::is_inert) => HolderOp::Passes,
            true if self.is_method_of(&types, name, Holders::is_giving) => HolderOp::Gives,
            true if self.is_method_of(&types, name, Holders::is_making) => HolderOp::Makes,
            true => {
                let is_alone = facts.list(args).is_empty();
                self.index.externals.catalog().holders.operation_of(facts.str(name), is_alone)
            }
            false => HolderOp::Uses,
        }
    }

    /// `queue.get()`, `container.resolve("client")`: a method of which the catalogue says something.
    fn is_method_of(&self, types: &[Type], method: Sym, does: fn(&Holders, &str) -> bool) -> bool {
        let externals = &self.index.externals;
        types.iter().any(|ty| match *ty {
            Type::Object(class) => {
                let path = externals.child(class, method, &self.index.names);
                does(&externals.catalog().holders, externals.text(path))
            }
            _ => false,
        })
    }

    /// A decorator keeps what stands below it in all that it came from.
    pub(super) fn hold_decorated(&mut self, holder: HolderId, decorated: Type) {
        let (mut work, mut seen) = (vec![holder], Vec::new());
        while let Some(next) = work.pop().filter(|next| !seen.contains(next)) {
            seen.push(next);
            self.keep_in(next, decorated);
            self.give_providers(decorated, Taker::Holder(next));
            work.extend(self.holders.list[next.0 as usize].1.iter().copied());
        }
    }

    /// The methods of a class that a library may call: those that no code of the project calls by their name. Of a class that has
    /// no base in a library, only public ones, and those that the language itself calls. Of a class of data, those that the library
    /// decorates.
    pub(super) fn hooks(&mut self, class: Cls) -> Rc<[Func]> {
        if let Some(known) = self.holders.hooks.get(&class) {
            return Rc::clone(known);
        }
        let found: Rc<[Func]> = match self.is_model(class) || self.is_told_by_itself(class) {
            true => Rc::new([]),
            false => {
                let mut names = Vec::new();
                let ancestors = &self.hierarchy.ancestors[class.0 as usize];
                let methods = ancestors.iter().flat_map(|&at| self.methods_of(at));
                let is_first = |&func: &Func| {
                    let name = self.index.ir(func).name;
                    let is_new = !names.contains(&name);
                    names.push(name);
                    is_new
                };
                methods.filter(is_first).filter(|&func| self.is_hook(class, func)).collect()
            }
        };
        self.holders.hooks.insert(class, Rc::clone(&found));
        found
    }

    /// True for members of enumerations and errors: whoever is given one calls nothing.
    fn is_told_by_itself(&self, class: Cls) -> bool {
        let bases = &self.hierarchy.external_bases[class.0 as usize];
        let is_error = |path: &str| path.ends_with("Error") || path.ends_with("Exception");
        self.hierarchy.is_enum(self.index, class)
            || bases.iter().any(|&path| is_error(self.index.externals.text(path)))
    }

    /// The methods that a library can name: those of the class, not what an interface of the project declares, and of the blocks of
    /// a class only what they implement of a library.
    fn methods_of(&self, class: Cls) -> impl Iterator<Item = Func> + use<'_, 'a> {
        let body = self.index.class_body(class);
        let facts = self.index.units[self.index.file_of(body)].facts;
        let blocks = self.index.impls.of(class).iter().filter(|&&block| is_for_library(self.index, block));
        let is_own = self.index.class_ir(class).1.kind != ClassKind::Interface;
        let parts =
            is_own.then_some(body).into_iter().chain(blocks.map(|&block| self.index.class_body(block)));
        parts.flat_map(move |body| {
            let exprs = self.index.ir(body).exprs.iter();
            exprs.filter_map(move |expr| match *facts.expr(expr) {
                Expr::Closure(func) if self.index.ir(func).kind == FnKind::Plain => Some(func),
                _ => None,
            })
        })
    }

    fn is_hook(&self, class: Cls, func: Func) -> bool {
        let function = self.index.ir(func);
        let facts = self.index.units[self.index.file_of(func)].facts;
        let name = facts.str(function.name);
        let holders = &self.index.externals.catalog().holders;
        let is_special = name.starts_with("__") && name.ends_with("__");
        let is_read = self.hierarchy.kind(func) == MethodKind::Property;
        if self.index.is_test_code(func) || is_read || holders.is_silent(name) {
            return false;
        }
        let is_open = self.has_library_base(class);
        is_special
            || self.is_marked(func)
            || (is_open || !name.starts_with('_')) && !self.holders.called.contains(&function.name)
    }

    /// The methods of a class of data that its library calls by itself when an object is made of data, or data of it.
    pub(super) fn model_methods(&mut self, class: Cls, done: ModelOp) -> Vec<Func> {
        let holders = &self.index.externals.catalog().holders;
        let ancestors = &self.hierarchy.ancestors[class.0 as usize];
        let is_decorated = |func| {
            let paths = self.index.decorator_paths(func);
            let mut paths = paths.iter().map(|&path| self.index.externals.text(path));
            paths.any(|path| holders.is_model(path) && holders.of_decorator(path) == done)
        };
        let methods = ancestors.iter().flat_map(|&at| self.methods_of(at));
        let is_made = done == ModelOp::Reads;
        methods.filter(|&func| is_made && holders.is_hook(self.name_of(func)) || is_decorated(func)).collect()
    }

    /// What a function or class of a library can do with the objects that it is given.
    pub(super) fn held_by_path(&self, path: &str) -> Held {
        // What the language comes with knows nothing of the methods of other objects.
        let first = path.split('.').next().unwrap_or(path);
        let is_standard = self.index.externals.catalog().standard_modules.contains(first);
        if is_standard { Held::Overrides } else { Held::Objects }
    }

    /// True for a class that inherits from a library what the project does not define.
    pub(super) fn has_library_base(&self, class: Cls) -> bool {
        let bases = &self.hierarchy.external_bases[class.0 as usize];
        bases.iter().any(|&path| !is_marker(self.index.externals.text(path)))
    }

    /// True for a class of data: what stands in its body makes the fields of its objects.
    pub(super) fn is_model(&mut self, class: Cls) -> bool {
        if let Some(&known) = self.holders.models.get(&class) {
            return known;
        }
        let holders = &self.index.externals.catalog().holders;
        let is_of_model = |path| holders.is_model(self.index.externals.text(path));
        let is_decorated = |&at: &Cls| {
            let (file, ir) = self.index.class_ir(at);
            let facts = self.index.units[file].facts;
            facts.list(ir.decorators).iter().any(|&decorator| {
                let called = facts.decorator(decorator);
                let statics = self.index.statics(ir.scope, called);
                statics.iter().any(|ty| matches!(*ty, Type::External(path) if is_of_model(path)))
            })
        };
        let found = self.hierarchy.external_bases[class.0 as usize].iter().any(|&path| is_of_model(path))
            || self.hierarchy.ancestors[class.0 as usize].iter().any(is_decorated);
        self.holders.models.insert(class, found);
        found
    }

    /// True if what stands in the body of a class makes fields, whatever its base in a library is: `page: str = Field(…)`.
    pub(super) fn has_fields(&mut self, class: Cls) -> bool {
        if let Some(&known) = self.holders.with_fields.get(&class) {
            return known;
        }
        let found = self.is_model(class)
            || self.hierarchy.ancestors[class.0 as usize].iter().any(|&at| self.makes_fields(at));
        self.holders.with_fields.insert(class, found);
        found
    }

    fn makes_fields(&self, class: Cls) -> bool {
        let body = self.index.class_body(class);
        self.index.ir(body).exprs.iter().any(|expr| self.makes_field(body, expr))
    }

    /// True for the call of a library of data.
    pub(super) fn makes_field(&self, body: Func, expr: ExprId) -> bool {
        let facts = self.index.units[self.index.file_of(body)].facts;
        let Expr::Call { callee, .. } = *facts.expr(expr) else { return false };
        let externals = &self.index.externals;
        let is_data = |path| externals.catalog().holders.is_model(externals.text(path));
        self.index.statics(body, callee).iter().any(|ty| matches!(*ty, Type::External(path) if is_data(path)))
    }
}

/// Where more of libraries and of the language comes along than of the project, it is data that is handed around, in which a
/// callable stands by the way.
pub(super) fn is_data(types: impl Iterator<Item = Type>) -> bool {
    let (mut own, mut others) = (0, 0);
    for ty in types.filter(|ty| !ty.is_held_by_library()) {
        match ty.sort() {
            0 | 1 => own += 1,
            _ if matches!(ty, Type::Container(_)) => {}
            _ => others += 1,
        }
    }
    others > own && own > 0
}
