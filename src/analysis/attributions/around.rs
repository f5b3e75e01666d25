//! What stands around a record: how it is called and to whom it is given, which may say that its values are texts of another
//! kind.

use std::cell::OnceCell;

use rustc_hash::FxHashMap;

use crate::analysis::values::Values;
use crate::ir::walk::Child;
use crate::ir::{ArgKind, EntryKey, Expr, ExprId, Jump, Op, Pat};
use crate::link::Func;

pub struct Around<'r, 'p, 'a> {
    values: &'r Values<'p, 'a>,
    func: Func,
    /// Made for the first record that is asked about.
    parents: OnceCell<FxHashMap<ExprId, ExprId>>,
}

/// What one thing around a record says.
enum Says {
    /// It is called this.
    Name(String),
    Nothing,
    /// It is kept nowhere.
    Apart,
    /// What is further out speaks of something else.
    Ends,
}

impl<'r, 'p, 'a> Around<'r, 'p, 'a> {
    pub fn new(values: &'r Values<'p, 'a>, func: Func) -> Self {
        Self { values, func, parents: OnceCell::new() }
    }

    /// True for a record, or a call, whose values are texts of another kind, or are kept nowhere.
    pub fn sets_apart(&self, record: ExprId) -> bool {
        let parents = self.parents.get_or_init(|| self.parents());
        let mut at = record;
        while let Some(&parent) = parents.get(&at) {
            match self.says(parent, at) {
                Says::Apart => return true,
                Says::Ends => return false,
                Says::Name(name) if self.values.catalog.attribution.is_kept_apart(&name) => return true,
                Says::Name(_) | Says::Nothing => at = parent,
            }
        }
        false
    }

    fn parents(&self) -> FxHashMap<ExprId, ExprId> {
        let mut parents = FxHashMap::default();
        for expr in self.values.program.ir(self.func).exprs.iter() {
            self.values.facts(self.func).arenas.each_child(expr, |child| {
                if let Child::Expr(child) = child {
                    parents.insert(child, expr);
                }
            });
        }
        parents
    }

    fn says(&self, parent: ExprId, child: ExprId) -> Says {
        let facts = self.values.facts(self.func);
        let program = self.values.program;
        let named = |name: Option<String>| name.map_or(Says::Nothing, Says::Name);
        match *facts.expr(parent) {
            Expr::Record(entries) => {
                let entry = facts.list(entries).iter().find(|entry| entry.value == child);
                match entry.map(|entry| entry.key) {
                    Some(EntryKey::Expr(key)) => named(program.text(self.func, key)),
                    _ => Says::Nothing,
                }
            }
            Expr::Call { callee, args, .. } => {
                let name = program.receiver_name(self.func, callee).map(|name| name.name);
                if name.is_some_and(|name| self.values.catalog.attribution.is_only_given_to(name)) {
                    return Says::Apart;
                }
                let arg = facts.list(args).iter().find(|arg| arg.value == child);
                match arg.map(|arg| arg.kind) {
                    Some(ArgKind::Named(name)) => Says::Name(facts.str(name).to_owned()),
                    _ => Says::Nothing,
                }
            }
            Expr::Bind { pat, .. } => match *facts.pat(pat) {
                Pat::Var(var) => {
                    let name = facts.list(program.ir(self.func).vars).get(var.0 as usize);
                    named(name.map(|&name| facts.str(name).to_owned()))
                }
                _ => Says::Nothing,
            },
            Expr::Store { place, .. } => {
                named(program.receiver_name(self.func, place).map(|name| name.name.to_owned()))
            }
            // What is compared is not kept.
            Expr::Op { op: Op::Eq | Op::Ne | Op::In | Op::NotIn, .. }
            | Expr::Jump { kind: Jump::Assert, .. } => Says::Apart,
            Expr::Seq(_) | Expr::Any(_) | Expr::If { .. } | Expr::Ascribe { .. } => Says::Nothing,
            Expr::Await(_) | Expr::Spread(_) => Says::Nothing,
            _ => Says::Ends,
        }
    }
}
