//! Which objects of libraries are told apart: those that are given something of the project. Where something is given to a
//! library is known once inference has come to its end; objects are then followed from the calls that make them to those
//! places, and from there to wherever they are used.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::containers::{Holding, ReceiverKind, Takes};
use super::ids::{CallId, Func, PathId, SetId, Slot};
use super::react::{Held, React, Taker};
use super::solve::Solver;
use super::types::{Type, Value};
use crate::catalog::{HolderOp, RunsWhen};
use crate::ir::{Arg, Expr, ExprId, FnKind, Op};

impl<'i, 'a> Solver<'i, 'a> {
    /// Finds what libraries hold.
    pub(super) fn hold(&mut self) {
        let functions = (0..self.index.functions.len() as u32).map(Func);
        let functions: Vec<Func> = functions.filter(|&func| !self.index.is_test_code(func)).collect();
        functions.iter().for_each(|&func| self.note_called(func));
        self.note_spelled();
        for (call, path) in std::mem::take(&mut self.holders.calls) {
            self.hold_library_call(call, path);
        }
        // All are asked before any is held: a question waits for what was held before it to arrive.
        let decorated: Vec<Func> = functions.iter().copied().filter(|&it| self.hold_decorators(it)).collect();
        self.hold_as_objects(&decorated);
        let mut operators = Vec::new();
        for &func in functions.iter().take_while(|_| !self.run.is_over()).collect::<Vec<_>>() {
            self.hold_in_body(func, &mut operators);
            self.note_operations(func);
        }
        loop {
            self.settle();
            let is_more = self.tell_apart() | self.hold_operands(&mut operators) | self.answer();
            if !is_more || self.run.is_over() {
                break;
            }
        }
    }

    fn note_called(&mut self, func: Func) {
        let facts = self.index.units[self.index.file_of(func)].facts;
        for expr in self.index.ir(func).exprs.iter() {
            if let Expr::Call { callee, .. } = *facts.expr(expr)
                && let Expr::Field { name, .. } = *facts.expr(callee)
            {
                self.holders.called.insert(name);
            }
        }
        let decorators = facts.list(self.index.ir(func).decorators);
        self.holders.decorators.extend(decorators.iter().copied());
    }

    fn hold_in_body(&mut self, func: Func, operators: &mut Vec<(Func, ExprId)>) {
        let facts = self.index.units[self.index.file_of(func)].facts;
        for expr in self.index.ir(func).exprs.iter() {
            match *facts.expr(expr) {
                Expr::Call { callee, args, .. } => self.hold_unknown(func, callee, facts.list(args)),
                Expr::Store { place, value: Some(value), .. } => self.hold_store(func, place, value),
                Expr::Class(class) => self.hold_class(class),
                Expr::Block(body) if !self.has_wrappers(func) => {
                    let is_operator = |part: &&ExprId| matches!(facts.expr(**part), Expr::Op { .. });
                    self.holders.statements.extend(facts.list(body).iter().filter(is_operator));
                }
                Expr::Op { op: Op::BitOr | Op::Add | Op::Div | Op::Other(_), .. } => {
                    operators.push((func, expr))
                }
                _ => {}
            }
        }
    }

    /// A method of something that nothing is known of may turn out to be a library's.
    fn hold_unknown(&mut self, func: Func, callee: ExprId, args: &[Arg]) {
        let file = self.index.file_of(func);
        let facts = self.index.units[file].facts;
        let Expr::Field { base, name } = *facts.expr(callee) else { return };
        let method = facts.str(name);
        let is_stored = self.index.externals.catalog().holders.operation(method) != HolderOp::Uses;
        let held = if is_stored { Held::Overrides } else { Held::Callables };
        if !args.is_empty()
            && !self.index.is_known_method(file, method)
            && self.callees(func, callee).is_empty()
        {
            self.give_to_receiver(func, base, args, held);
        }
    }

    fn hold_library_call(&mut self, id: CallId, path: PathId) {
        let Some(Takes { operation, held, is_over, is_deaf, .. }) = self.takes(path) else { return };
        let call = self.call_of(id);
        if is_deaf || is_over && !matches!(operation, None | Some(HolderOp::Stores)) {
            return;
        }
        // What stands for the default of a field is no object that anybody has in hand; the class holds what it is given.
        if let FnKind::ClassBody(class) = self.index.ir(call.func).kind
            && self.has_fields(class)
        {
            return;
        }
        let made = Taker::Made(call.expr, call.result);
        let Some(operation) = operation else {
            self.holders.results.push((call.result, call.expr));
            return self.give_to(call.func, call.args, made, held);
        };
        self.share_made(call.expr, path);
        let base = call.receiver.map(|base| self.base_value(call.func, base));
        let ReceiverKind { own, is_object } = self.receiver_kind(base.unwrap_or(Value::Nothing));
        // What a class of the project inherits from a library makes objects of the project.
        if own.is_none() {
            self.holders.results.push((call.result, call.expr));
        }
        match (operation, own, call.receiver) {
            // The fields of a class of data are data.
            (HolderOp::Stores, Some(class), _) if self.is_model(class) => {}
            (HolderOp::Passes | HolderOp::Gives | HolderOp::Makes, ..) => {}
            (HolderOp::Stores, Some(class), _) => {
                let objects = self.holder(Holding::Objects(class));
                self.give_to(call.func, call.args, Taker::Holder(objects), held);
            }
            // What running something gives is data.
            (_, Some(_), _) => {}
            (HolderOp::Uses, ..) if is_object || call.args.len() > 1 => {}
            (HolderOp::Uses, ..) => self.give_to(call.func, call.args, made, Held::Callables),
            (HolderOp::Stores, _, Some(base)) if is_object => {
                self.give_to_receiver(call.func, base, call.args, held);
            }
            (HolderOp::Builds, _, Some(base)) if is_object => {
                self.give_to_receiver(call.func, base, call.args, Held::Callables);
            }
            (HolderOp::Builds, ..) => self.give_to(call.func, call.args, made, Held::Overrides),
            (HolderOp::Stores, ..) => {
                let Some((owner, _)) = self.index.externals.text(path).rsplit_once('.') else { return };
                let named = self.holder(Holding::Named(self.index.externals.path(owner)));
                self.give_to(call.func, call.args, Taker::Holder(named), held);
            }
        }
    }

    /// What the receiver of a library's method is. Many calls have the same receivers, so each set of them is looked at once.
    fn receiver_kind(&mut self, receiver: Value) -> ReceiverKind {
        let Value::In(slot) = receiver else { return self.kind_of(self.types(receiver).iter().copied()) };
        let held = self.graph.held(slot);
        if let Some(&known) = self.holders.receiver_kinds.get(&held) {
            return known;
        }
        let found = self.kind_of(self.graph.types(slot));
        self.holders.receiver_kinds.insert(held, found);
        found
    }

    fn kind_of(&self, types: impl Iterator<Item = Type> + Clone) -> ReceiverKind {
        let own = types.clone().find_map(|ty| match ty {
            Type::Instance { class, .. } | Type::Class { class, .. } | Type::Super(class) => Some(class),
            _ => None,
        });
        let is_object = types.into_iter().any(|ty| self.object_of(ty).is_some());
        ReceiverKind { own, is_object }
    }

    /// `schedule.every()`: what such an object holds, its module runs.
    fn share_made(&mut self, made: ExprId, path: PathId) {
        let externals = &self.index.externals;
        let text = externals.text(path);
        if let Some((owner, _)) =
            text.rsplit_once('.').filter(|_| externals.catalog().holders.is_shared(text))
        {
            let module = self.holder(Holding::Named(externals.path(owner)));
            let made = self.holder(Holding::Made(made));
            self.keep_in(module, Type::Holder(made));
        }
    }

    /// What a function or class of a library does with what it is given; nothing for what runs nothing, now or later.
    pub(super) fn takes(&mut self, path: PathId) -> Option<Takes> {
        if let Some(&known) = self.holders.takers.get(&path) {
            return known;
        }
        let externals = &self.index.externals;
        let text = externals.text(path);
        let is_nothing = externals.is_of_language(path)
            || externals.catalog().holders.is_inert(text)
            || self.is_placeholder(text);
        let callback = externals.callback(path).map(|id| externals.catalog().callback(id));
        let found = (!is_nothing).then(|| Takes {
            operation: self.library_operation(text),
            held: self.held_by_path(text),
            is_known: callback.is_some(),
            is_deaf: externals.catalog().holders.is_deaf(text),
            is_over: callback.is_some_and(|callback| {
                callback.result.is_some() || callback.runs.iter().any(|runs| runs.when == RunsWhen::Now)
            }),
        });
        self.holders.takers.insert(path, found);
        found
    }

    /// An attribute of what stands for the default of a field, which may be anything.
    fn is_placeholder(&self, path: &str) -> bool {
        let (owner, _) = path.rsplit_once('.').unwrap_or_default();
        owner.split('.').any(|name| self.index.externals.catalog().fields.contains(name))
    }

    /// An object of a library, and not what stands for the default of a field, which may be anything.
    fn is_object(&self, ty: Type) -> bool {
        matches!(ty, Type::Object(_)) && self.graph.sets.is_certain(ty)
    }

    /// What a function or method of a library does with what it is given; nothing for what makes an object, which keeps it.
    fn library_operation(&self, path: &str) -> Option<HolderOp> {
        let (owner, last) = path.rsplit_once('.').unwrap_or(("", path));
        let catalog = self.index.externals.catalog();
        let is_class = |name: &str| name.starts_with(char::is_uppercase);
        let is_method = is_class(owner.rsplit('.').next().unwrap_or(owner));
        let makes = is_class(last) || is_method && catalog.wrappers.constructors.contains(last);
        (!makes).then(|| match is_method {
            true if catalog.holders.is_giving(path) => HolderOp::Gives,
            true if catalog.holders.is_making(path) => HolderOp::Makes,
            true => catalog.holders.operation(last),
            false => catalog.holders.operation_of_function(last),
        })
    }

    fn give_to_receiver(&mut self, func: Func, base: ExprId, args: &[Arg], held: Held) {
        let receiver = self.base_value(func, base);
        let number = self.add_receiver(receiver);
        self.give_to(func, args, Taker::Receiver(number), held);
    }

    pub(super) fn add_receiver(&mut self, receiver: Value) -> u32 {
        self.holders.receivers.push(receiver);
        self.holders.receivers.len() as u32 - 1
    }

    /// `env.filters["fetch"] = fetch`, `client.on_message = show`.
    fn hold_store(&mut self, func: Func, place: ExprId, value: ExprId) {
        let facts = self.index.units[self.index.file_of(func)].facts;
        let (Expr::Field { base, .. } | Expr::Index { base, .. }) = *facts.expr(place) else { return };
        if matches!(facts.expr(value), Expr::Lit(_) | Expr::Text(_)) {
            return;
        }
        let receiver = self.base_value(func, base);
        let types = self.types(receiver);
        let is_library =
            |&ty: &Type| matches!(ty, Type::External(_) | Type::Handed(_)) || self.object_of(ty).is_some();
        if !types.is_empty() && !types.iter().any(is_library) {
            return;
        }
        let held = if types.is_empty() { Held::Callables } else { Held::Overrides };
        let given = self.value(func, value);
        for ty in types {
            let Type::External(path) = ty else { continue };
            let set = match *facts.expr(place) {
                Expr::Field { name, .. } => self.index.externals.child(path, name, &self.index.names),
                _ => path,
            };
            // An attribute of an object is the object's, not a module's.
            if self.object_of(ty).is_none() && self.takes(set).is_some() {
                let named = self.holder(Holding::Named(path));
                self.on(given, React::Hold(Taker::Holder(named), Held::Overrides));
            }
        }
        self.on(receiver, React::Stores(given));
        let number = self.add_receiver(receiver);
        self.on(given, React::Hold(Taker::Receiver(number), held));
    }

    /// A function below a decorator of a library is held by what the decorator came from, and by what the library makes of it:
    /// then it is true.
    fn hold_decorators(&mut self, func: Func) -> bool {
        let function = self.index.ir(func);
        let facts = self.index.units[self.index.file_of(func)].facts;
        if function.kind != FnKind::Plain || self.run.is_over() {
            return false;
        }
        let mut is_object = false;
        let scope = function.parent;
        for &decorator in facts.list(function.decorators) {
            let callee = facts.decorator(decorator);
            let types = self.eval(scope, callee);
            let holders = &self.index.externals.catalog().holders;
            let is_library = |ty: &Type| match *ty {
                Type::External(path) => {
                    !self.index.externals.is_of_language(path)
                        && !holders.is_inert(self.index.externals.text(path))
                }
                _ => false,
            };
            if !types.is_empty() && !types.iter().any(is_library) {
                continue;
            }
            let (from, named) = self.index.named_once(scope, callee);
            let of = self.index.units[self.index.file_of(from)].facts;
            if let Expr::Field { base, .. } = *of.expr(named) {
                let receiver = self.base_value(from, base);
                let number = self.add_receiver(receiver);
                self.holders.waiting.insert(number);
            }
            is_object |= !types.is_empty();
        }
        is_object
    }

    /// The name of a decorated function stands for an object of the library: `fetch.delay(…)`.
    fn hold_as_objects(&mut self, decorated: &[Func]) {
        let scopes: FxHashSet<Func> = decorated.iter().map(|&func| self.index.ir(func).parent).collect();
        let mut closures: FxHashMap<Func, ExprId> = FxHashMap::default();
        for scope in scopes {
            let facts = self.index.units[self.index.file_of(scope)].facts;
            for expr in self.index.ir(scope).exprs.iter() {
                if let Expr::Closure(func) = *facts.expr(expr) {
                    closures.entry(func).or_insert(expr);
                }
            }
        }
        for &func in decorated {
            let Some(&closure) = closures.get(&func) else { continue };
            if let Value::In(slot) = self.value(self.index.ir(func).parent, closure) {
                let holder = self.holder(Holding::Made(closure));
                self.keep_in(holder, Type::Function(func));
                self.insert(slot, Type::Holder(holder));
            }
        }
    }

    /// Objects of libraries that something was given to are told apart by the calls that made them. True if there are new ones.
    fn tell_apart(&mut self) -> bool {
        let waiting = std::mem::take(&mut self.holders.waiting);
        if waiting.is_empty() {
            return false;
        }
        let mut objects = FxHashMap::default();
        let receivers = waiting.iter().filter_map(|&number| match self.holders.receivers[number as usize] {
            Value::In(slot) => Some((slot, self.objects_in(slot, &mut objects))),
            _ => None,
        });
        let (known, unknown): (Vec<_>, Vec<_>) = receivers.partition(|(_, objects)| !objects.is_empty());
        let paths: FxHashSet<Type> = known.iter().flat_map(|(_, objects)| objects.iter().copied()).collect();
        let sources = self.graph.sources();
        let of_known = sources.of(known.into_iter().map(|(slot, _)| self.graph.find(slot)), true);
        let of_unknown = sources.of(unknown.into_iter().map(|(slot, _)| self.graph.find(slot)), false);
        let results = std::mem::take(&mut self.holders.results);
        let is_source = |&(result, _): &(Slot, ExprId)| {
            let objects = self.objects_in(result, &mut objects);
            let result = self.graph.find(result);
            match objects.is_empty() {
                true => of_unknown.contains(&result),
                false => of_known.contains(&result) && objects.iter().any(|object| paths.contains(object)),
            }
        };
        let (made, left): (Vec<_>, Vec<_>) = results.into_iter().partition(is_source);
        self.holders.results = left;
        for &(result, expr) in &made {
            let holder = self.holder(Holding::Made(expr));
            self.insert(result, Type::Holder(holder));
        }
        !made.is_empty()
    }

    /// The classes of a library whose objects a slot holds, or attributes of them.
    fn objects_in(&self, slot: Slot, known: &mut FxHashMap<SetId, Rc<[Type]>>) -> Rc<[Type]> {
        let find = || self.graph.types(slot).filter_map(|ty| self.object_of(ty)).collect();
        Rc::clone(known.entry(self.graph.held(slot)).or_insert_with(find))
    }

    fn object_of(&self, ty: Type) -> Option<Type> {
        match ty {
            Type::Object(_) if self.is_object(ty) => Some(ty),
            Type::External(path) => {
                let externals = &self.index.externals;
                let text = externals.text(path);
                let mut ends = text.match_indices('.').map(|(at, _)| at);
                let is_class = |end: &usize| {
                    text[..*end].rsplit('.').next().is_some_and(|name| name.starts_with(char::is_uppercase))
                };
                let class = ends.find(is_class).filter(|_| !self.is_placeholder(text))?;
                Some(Type::Object(externals.path(&text[..class])))
            }
            _ => None,
        }
    }
}
