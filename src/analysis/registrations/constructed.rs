//! Objects of the project's own classes that register what they are given, where no method says so: data classes, and
//! classes that inherit from one (`super().__init__(name="shell", on_invoke_tool=self.run)`).

use super::Finder;
use crate::catalog::Registration;
use crate::finding::Confidence;
use crate::ir::{Expr, ExprId, Facts, Operator};
use crate::link::{CallSite, Cls, Func};

impl<'f> Finder<'f, '_> {
    pub(super) fn constructed(&mut self, call: &CallSite) {
        let facts = self.program.facts(call.at.file);
        let Expr::Call { callee, .. } = *facts.expr(call.at.expr) else { return };
        for entry in self.constructors(call.from, callee) {
            self.called(call.from, call.at, entry, Confidence::High);
        }
    }

    /// The entries for the class that a call makes an object of, or makes its own object as.
    fn constructors(&self, func: Func, callee: ExprId) -> Vec<&'f Registration> {
        let (program, known) = (self.program, &self.catalog.registrations);
        let facts = program.facts(program.function(func).file);
        let of = |class: Cls| known.calls(&program.class_path(class));
        if let Expr::Field { base, name } = *facts.expr(callee)
            && facts.profile().runs(Operator::Construct, facts.str(name))
            && matches!(facts.expr(base), Expr::Call { .. })
        {
            let Some(class) = program.function(func).class else { return Vec::new() };
            let own = program.lineage(class).iter().filter(|&&ancestor| ancestor != class);
            let library = program.library_bases(class).map(str::to_owned);
            let paths = own.map(|&ancestor| program.class_path(ancestor)).chain(library);
            // A class in between may hand on what it is given (`**kwargs`).
            let both = |path: String| [format!("{path}.{}", facts.str(name)), path];
            return paths.flat_map(both).flat_map(|path| known.calls(&path)).collect();
        }
        let callee = without_arguments(facts, callee);
        let is_known = program.receiver_name(func, callee).is_some_and(|name| known.may_call(name.name));
        let class = program.class_named(func, callee).filter(|_| is_known);
        class.map(of).unwrap_or_default()
    }
}

/// `Tool` of `Tool[str]`.
pub(super) fn without_arguments(facts: &Facts, mut named: ExprId) -> ExprId {
    while let Expr::Index { base, .. } = *facts.expr(named) {
        named = base;
    }
    named
}
