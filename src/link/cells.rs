//! Objects of libraries that are no more than what is put into them: a variable of a context, the fields of a record, a named tuple.

use super::call::CallExpr;
use super::ids::{ContainerId, Func, Key};
use super::ports::Port;
use super::react::React;
use super::solve::Solver;
use super::types::{Type, Value};
use crate::catalog::DataOp;
use crate::ir::{ArgKind, Expr, ExprId, Lit, Operator, Sym};

impl<'a> Solver<'_, 'a> {
    /// Calls that make such an object, and calls of what looks something up in another object.
    pub(super) fn call_cell(&mut self, call: CallExpr<'a>, does: DataOp) {
        match does {
            DataOp::MakeCell => {
                let made = self.make(call);
                for arg in call.args.iter().filter(|arg| matches!(arg.kind, ArgKind::Named(_))) {
                    let value = self.value(call.func, arg.value);
                    self.store_noted(made, None, value);
                }
            }
            DataOp::MakeRecord => self.make_record(call, &[]),
            DataOp::MakeTuple => {
                let names = self.field_names(call);
                self.make_record(call, &names);
            }
            DataOp::LookUpAttribute | DataOp::CallAttribute => {
                if let (Some(object), Some(maker)) = (call.args.first(), self.maker_of(call.func, call.expr))
                {
                    let objects = self.value(call.func, object.value);
                    self.look_up_attribute(call, (does, maker), objects);
                }
            }
            DataOp::LookUpEntry => {
                if let (Some(table), Some((scope, key))) =
                    (call.args.first(), self.made_with(call.func, call.expr, 0))
                {
                    let key = self.constant_key(scope, key);
                    let table = self.value(call.func, table.value);
                    let entry = self.ask(table, Port::Item(key));
                    self.copy(entry, call.result);
                }
            }
            _ => {}
        }
    }

    /// `sorted(orders, key=attrgetter("price"))`: a function that was made by a call is run on each.
    pub(super) fn look_up_in_each(&mut self, call: CallExpr<'a>, given: ExprId, objects: Value) {
        let (scope, maker) = self.index.named_once(call.func, given);
        let facts = self.index.units[self.index.file_of(scope)].facts;
        let Expr::Call { callee, .. } = *facts.expr(maker) else { return };
        let [Type::External(path)] = self.index.statics(scope, callee)[..] else { return };
        let externals = &self.index.externals;
        let made = externals.result(path).map(|made| externals.called(made));
        let does = made.and_then(|made| externals.catalog().operations.of_call(externals.text(made)));
        if let Some(does @ (DataOp::LookUpAttribute | DataOp::CallAttribute)) = does {
            self.look_up_attribute(call, (does, (scope, maker)), objects);
        }
    }

    /// The attribute that a function was made with, of the objects that it is given: it is handed back, or called.
    fn look_up_attribute(
        &mut self,
        call: CallExpr<'a>,
        (does, (scope, maker)): (DataOp, (Func, ExprId)),
        objects: Value,
    ) {
        let facts = self.index.units[self.index.file_of(scope)].facts;
        let Expr::Call { args, .. } = *facts.expr(maker) else { return };
        let Some((name, given)) = facts.list(args).split_first() else { return };
        let is_called = does == DataOp::CallAttribute;
        if !is_called {
            self.load_named(scope, objects, name.value, call.result);
        }
        for text in self.texts(scope, name.value) {
            let Some(name) = self.index.names.get(&text) else { continue };
            match is_called {
                true => {
                    let mut given = given.iter().filter(|_| scope == call.func).map(|arg| Some(arg.value));
                    let given = [given.next().flatten(), given.next().flatten()];
                    let operation = self.operations.add(call.func, call.expr, Operator::Call, given);
                    self.operations.list[operation.0 as usize].to = Some(call.result);
                    self.on(objects, React::AskNamed { operation, name });
                }
                false => self.note_read(call, objects, name),
            }
        }
    }

    /// A record by its named arguments, and by the names of its positions.
    fn make_record(&mut self, call: CallExpr<'a>, names: &[Option<Sym>]) {
        let made = self.make(call);
        self.containers.records.insert(made);
        let mut nth = 0;
        for arg in call.args {
            let value = self.value(call.func, arg.value);
            match arg.kind {
                ArgKind::Named(name) => self.store_entry(made, Some(Key::Name(name)), value),
                ArgKind::Positional => {
                    self.store_entry(made, Some(Key::At(nth)), value);
                    if let Some(&Some(name)) = names.get(nth as usize) {
                        self.store_entry(made, Some(Key::Name(name)), value);
                    }
                    nth += 1;
                }
                _ => {}
            }
        }
    }

    /// `type("Search", (Client,), {"run": run})`: its objects have what the class has.
    pub(super) fn make_class(&mut self, call: CallExpr<'a>) {
        let [_, bases, attributes] = call.args else { return };
        let bases = self.elements(call.func, bases.value);
        self.copy(bases, call.result);
        if let Value::Is(Type::Container(made)) = self.value(call.func, attributes.value) {
            self.containers.records.insert(made);
            self.containers.classes.insert(made);
            self.insert(call.result, Type::Container(made));
        }
    }

    /// The names in `namedtuple("Step", "name call")`; what no file spells as a name has a place all the same.
    fn field_names(&self, call: CallExpr<'a>) -> Vec<Option<Sym>> {
        let Some((scope, names)) = self.made_with(call.func, call.expr, 1) else { return Vec::new() };
        let facts = self.index.units[self.index.file_of(scope)].facts;
        let text = |expr: ExprId| match *facts.expr(expr) {
            Expr::Lit(Lit::Str(text)) => Some(facts.str(text)),
            _ => None,
        };
        let words: Vec<&str> = match *facts.expr(names) {
            Expr::Seq(items) => facts.list(items).iter().filter_map(|&item| text(item)).collect(),
            _ => text(names).into_iter().flat_map(|text| text.split([' ', ','])).collect(),
        };
        let words = words.into_iter().filter(|word| !word.is_empty());
        words.map(|word| self.index.names.get(word)).collect()
    }

    /// An attribute of a record, where that is what a container is.
    pub(super) fn field_of(&mut self, record: ContainerId, name: Sym) -> Value {
        if !self.containers.records.contains(&record) {
            return Value::Nothing;
        }
        let to = self.new_slot();
        self.read_entry(record, Some(Key::Name(name)), to);
        Value::In(to)
    }

    /// An attribute of a record is an entry of it.
    pub(super) fn store_field(&mut self, record: ContainerId, name: Sym, value: Value) {
        if self.containers.records.contains(&record) {
            self.store_entry(record, Some(Key::Name(name)), value);
        }
    }
}
