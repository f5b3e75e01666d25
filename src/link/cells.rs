//! Objects of libraries that are no more than what is put into them: a variable of a context, the fields of a record, a named tuple.

use super::call::CallExpr;
use super::ids::{ContainerId, Key};
use super::ports::Port;
use super::solve::Solver;
use super::types::Value;
use crate::catalog::DataOp;
use crate::ir::{ArgKind, Expr, ExprId, Lit, Sym};

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
            DataOp::LookUpAttribute => {
                if let (Some(object), Some((scope, name))) =
                    (call.args.first(), self.made_with(call.func, call.expr, 0))
                {
                    let object = self.value(call.func, object.value);
                    self.load_named(scope, object, name, call.result);
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

    /// A record by its named arguments, and by the names of its positions.
    fn make_record(&mut self, call: CallExpr<'a>, names: &[Sym]) {
        let made = self.make(call);
        self.containers.records.insert(made);
        let mut nth = 0;
        for arg in call.args {
            let value = self.value(call.func, arg.value);
            match arg.kind {
                ArgKind::Named(name) => self.store_entry(made, Some(Key::Name(name)), value),
                ArgKind::Positional => {
                    self.store_entry(made, Some(Key::At(nth)), value);
                    if let Some(&name) = names.get(nth as usize) {
                        self.store_entry(made, Some(Key::Name(name)), value);
                    }
                    nth += 1;
                }
                _ => {}
            }
        }
    }

    /// The names in `namedtuple("Step", "name call")`.
    fn field_names(&self, call: CallExpr<'a>) -> Vec<Sym> {
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
        words.filter_map(|word| self.index.names.get(word)).collect()
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
