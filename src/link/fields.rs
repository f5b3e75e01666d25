//! What the fields of data classes run when an object is made: `field(default_factory=make)`.

use std::sync::Arc;

use super::args::argument;
use super::call::INIT;
use super::edge::{Edge, EdgeKind, Receiver, Rung, Target};
use super::edges::{Pass, Targets};
use super::ids::{Cls, Func};
use super::types::Type;
use crate::catalog::CallbackResult;
use crate::finding::Confidence;
use crate::ir::{Expr, ExprId};

impl Pass<'_, '_, '_> {
    /// Who makes an object runs the factories of its fields, unless the class has a constructor of its own. The edges stand at the
    /// callee: what is made is still what the call is given.
    pub(super) fn run_factories(&mut self, from: Func, callee: ExprId, types: &[Type]) {
        let [Type::Class { class, .. }] = *types else { return };
        let index = self.solver.index;
        let constructor = index.names.get(INIT);
        let attr = |name| self.solver.hierarchy.class_attr(index, class, name);
        if constructor.and_then(attr).is_some() {
            return;
        }
        let at = self.at(from, callee);
        for &to in self.factories(class).iter() {
            let (kind, rung) = (EdgeKind::Passed, Rung::Type);
            let (confidence, receiver) = (Confidence::High, Receiver::Unknown);
            self.found.edges.push(Edge { from, at, to, kind, rung, confidence, receiver });
        }
    }

    /// The factories of a class and its ancestors.
    pub(super) fn factories(&mut self, class: Cls) -> Arc<[Target]> {
        if let Some(known) = self.factories_of.get(&class) {
            return Arc::clone(known);
        }
        let mut found = Targets::default();
        let hierarchy = self.solver.hierarchy;
        for &ancestor in &hierarchy.ancestors[class.0 as usize] {
            self.own_factories(ancestor, &mut found);
        }
        let own = found.list.into_iter().filter(|to| matches!(to, Target::Project(_)));
        let found: Arc<[Target]> = own.collect();
        self.factories_of.insert(class, Arc::clone(&found));
        found
    }

    fn own_factories(&mut self, class: Cls, found: &mut Targets) {
        let index = self.solver.index;
        let body = index.class_body(class);
        let facts = index.units[index.file_of(body)].facts;
        for expr in index.ir(body).exprs.iter() {
            let Expr::Bind { value, .. } = *facts.expr(expr) else { continue };
            let value = match *facts.expr(value) {
                Expr::Ascribe { value: Some(value), .. } => value,
                _ => value,
            };
            self.factory(class, value, found);
        }
    }

    fn factory(&mut self, class: Cls, value: ExprId, found: &mut Targets) {
        let index = self.solver.index;
        let body = index.class_body(class);
        let facts = index.units[index.file_of(body)].facts;
        let Expr::Call { callee, args, .. } = *facts.expr(value) else { return };
        let externals = &index.externals;
        let callback = index.statics(body, callee).into_iter().find_map(|ty| match ty {
            Type::External(path) => Some(externals.catalog().callback(externals.callback(path)?)),
            _ => None,
        });
        let Some(callback) = callback.filter(|known| known.result == Some(CallbackResult::Called)) else {
            return;
        };
        for runs in &callback.runs {
            let given = argument(facts, facts.list(args), runs.index, runs.name.as_deref());
            let types = given.map(|given| self.solver.eval(body, given)).unwrap_or_default();
            types.into_iter().for_each(|ty| self.target(ty, false, found));
        }
    }
}
