//! Tables that a function is given: what it looks up there, under a key that nobody knows, is what its caller put in.

use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::edge::{At, Edge};
use super::super::edges::Pass;
use super::super::ids::Func;
use super::super::picks::Keyed;
use super::super::types::{Type, Types, Value};
use super::keys::{KeyOf, Part};
use super::lookups::Entry;
use super::{Asked, Callers, Said};
use crate::catalog::DataOp;
use crate::ir::{Expr, ExprId, Lit, Sym};

/// What puts something into a table or list.
const PUTS: [DataOp; 8] = [
    DataOp::Append,
    DataOp::Prepend,
    DataOp::Add,
    DataOp::Insert,
    DataOp::Extend,
    DataOp::Update,
    DataOp::SetEntry,
    DataOp::GetOrInsert,
];

impl Pass<'_, '_, '_> {
    /// Says of each call which entries the table holds that it gives to a function which runs them.
    pub(super) fn resolve_given(&mut self, choices: &[(Func, At, ExprId)], callers: &Callers) {
        let mut put: FxHashMap<Option<Sym>, FxHashSet<Func>> = FxHashMap::default();
        for &(from, at, value) in choices {
            let Some(Entry { scope, table, key, attribute }) = self.entry_of_table(from, value) else {
                continue;
            };
            let KeyOf::Given { parameter, part: Part::Itself } = self.key_of(scope, table, Part::Itself)
            else {
                continue;
            };
            if self.key_of(scope, key, Part::Itself) != KeyOf::Open {
                continue;
            }
            // Whoever has the table at hand may put something into it, whatever the caller put in.
            let put = put.entry(attribute).or_insert_with(|| self.put_later(attribute));
            let entries: Vec<(usize, Func)> =
                self.edges_of(from, at).filter(|(_, func)| !put.contains(func)).collect();
            let keyed: FxHashMap<_, _> =
                entries.iter().map(|&(_, func)| (func, FxHashSet::default())).collect();
            let keyed: Keyed = Arc::new(keyed);
            self.pick_edges(entries.into_iter().map(|(id, _)| id));
            let asked = Asked { func: from, parameter, part: Part::Itself };
            self.ask_callers(asked, &keyed, callers, |pass, edge, asked| {
                pass.held_at(edge, asked, attribute)
            });
        }
    }

    /// The same of what is called as it is, found once.
    pub(in super::super) fn put_anywhere(&mut self) -> Rc<FxHashSet<Func>> {
        if let Some(known) = &self.put {
            return Rc::clone(known);
        }
        let found = Rc::new(self.put_later(None));
        self.put = Some(Rc::clone(&found));
        found
    }

    /// What runs of all that is stored anywhere, or put into a table or list by a call.
    fn put_later(&mut self, attribute: Option<Sym>) -> FxHashSet<Func> {
        let index = self.solver.index;
        let mut values: Vec<(Func, ExprId)> = Vec::new();
        for func in (0..index.functions.len() as u32).map(Func) {
            let facts = index.units[index.file_of(func)].facts;
            for expr in index.ir(func).exprs.iter() {
                match *facts.expr(expr) {
                    Expr::Store { value: Some(value), .. } => values.push((func, value)),
                    Expr::Call { callee, args, .. } if self.puts_something(func, callee) => {
                        values.extend(facts.list(args).iter().map(|arg| (func, arg.value)));
                    }
                    _ => {}
                }
            }
        }
        let values: Vec<Value> =
            values.into_iter().map(|(func, value)| self.solver.value(func, value)).collect();
        self.solver.settle();
        let (mut run, mut known) = (FxHashSet::default(), FxHashSet::default());
        for value in values {
            let is_new = match value {
                Value::In(slot) => known.insert(self.solver.graph.held(slot)),
                _ => true,
            };
            if is_new {
                run.extend(self.run_of(value, attribute).iter().copied());
            }
        }
        run
    }

    fn puts_something(&self, func: Func, callee: ExprId) -> bool {
        let index = self.solver.index;
        let facts = index.units[index.file_of(func)].facts;
        let operations = &index.externals.catalog().operations;
        let by_path = match index.statics(func, callee)[..] {
            [Type::External(path)] => operations.of_call(index.externals.text(path)),
            _ => None,
        };
        let by_name = match *facts.expr(callee) {
            Expr::Field { name, .. } => operations.own_method(facts.lang, facts.str(name)),
            _ => None,
        };
        by_path.or(by_name).is_some_and(|does| PUTS.contains(&does))
    }

    /// What the table holds that the caller gives, on the way of `edge`.
    fn held_at(&mut self, edge: &Edge, asked: Asked, attribute: Option<Sym>) -> Said {
        let Asked { func, parameter, .. } = asked;
        if func != parameter.0 {
            return match self.key_at(edge, asked) {
                KeyOf::Given { parameter, part } => Said::Given { parameter, part },
                KeyOf::Known(_) | KeyOf::Open => Said::Open,
            };
        }
        let Some((func, expr)) = self.given_at(edge, func, parameter.1) else { return Said::Open };
        if let KeyOf::Given { parameter, part: Part::Itself } = self.key_of(func, expr, Part::Itself) {
            return Said::Given { parameter, part: Part::Itself };
        }
        let facts = self.solver.index.units[self.solver.index.file_of(func)].facts;
        if matches!(facts.expr(expr), Expr::Lit(Lit::None)) {
            return Said::Exactly(FxHashSet::default());
        }
        if let Some(written) = self.written_entries(func, expr) {
            return Said::Exactly(self.run_of_types(&written, attribute).iter().copied().collect());
        }
        let tables = self.tables_at(func, expr);
        if tables.is_empty() || tables.iter().any(|&table| self.solver.containers.is_blurred(table)) {
            return Said::Open;
        }
        let held: Types = tables.into_iter().flat_map(|table| self.solver.held_by(table)).collect();
        Said::Exactly(self.run_of_types(&held, attribute).iter().copied().collect())
    }
}
