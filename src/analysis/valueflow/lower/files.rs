//! Files, by the paths that name them: what is written into one is there for whoever reads it or runs it.

use super::Lower;
use crate::analysis::valueflow::graph::Step;
use crate::analysis::valueflow::paths::Key;
use crate::catalog::PathOp;
use crate::ir::{Arg, Expr, ExprId, Pat, PatId};
use crate::link::argument;

impl Lower<'_, '_> {
    /// What a call does with the file that a path names.
    pub(super) fn file(&mut self, expr: ExprId, callee: ExprId, args: &[Arg]) {
        if let Some((path, PathOp::Read)) = self.file_operation(callee, args) {
            return self.pass(path, self.expr(expr), Step::OutOf(Key::File));
        }
        if let Some(path) = self.same_file(callee, args) {
            let (from, to) = (self.expr(path), self.expr(expr));
            self.moved(from, Key::File, to, Key::File);
        }
        if let Some((path, content)) = self.written_file(callee, args) {
            let from = self.expr(content);
            self.put(from, path, Step::Into(Key::File));
        }
    }

    /// The argument, or the receiver, that names the same file as the result of a call.
    pub(super) fn same_file(&self, callee: ExprId, args: &[Arg]) -> Option<ExprId> {
        match self.file_operation(callee, args) {
            Some((path, PathOp::Same | PathOp::Open)) => return Some(path),
            // Without anything that is below.
            Some((path, PathOp::Below)) if args.len() == 1 && args[0].value == path => return Some(path),
            _ => {}
        }
        let library = self.program.library_path(self.func, callee)?;
        let loader = self.catalog.loader(library).filter(|loader| loader.prepares)?;
        let test = loader.argument.as_ref()?;
        argument(self.facts, args, test.index, test.name.as_deref())
    }

    /// What is written into a file that is open is in the file that was opened.
    pub(super) fn bind_file(&mut self, pat: PatId, value: ExprId) {
        let (Pat::Var(var), Expr::Call { callee, args, .. }) = (*self.facts.pat(pat), *self.facts.expr(value))
        else {
            return;
        };
        if self.same_file(callee, self.facts.list(args)).is_some() {
            let (from, to) = (self.var(var), self.expr(value));
            self.moved(from, Key::File, to, Key::File);
            self.write(value);
        }
    }

    /// The path that an operation is about.
    fn file_operation(&self, callee: ExprId, args: &[Arg]) -> Option<(ExprId, PathOp)> {
        let ops = &self.catalog.path_ops;
        if let Some(op) = self.library(callee, &[]).and_then(|path| ops.of_call(&path)) {
            return Some((args.first()?.value, op));
        }
        match *self.facts.expr(callee) {
            Expr::Field { base, name } => {
                Some((base, ops.of_method(self.facts.lang, self.facts.str(name))?))
            }
            _ => None,
        }
    }

    /// The path of a file, and what is written into it.
    fn written_file(&self, callee: ExprId, args: &[Arg]) -> Option<(ExprId, ExprId)> {
        if let Some((path, PathOp::Write)) = self.file_operation(callee, args) {
            let content = args.iter().map(|arg| arg.value).find(|&value| value != path)?;
            return Some((path, content));
        }
        let Expr::Field { base, name } = *self.facts.expr(callee) else { return None };
        let is_buffer =
            self.program.library_path(self.func, callee).is_some_and(|path| self.catalog.tells.is_buffer(path));
        let writes = self.catalog.tells.writes_file(self.facts.str(name)) && !is_buffer;
        writes.then(|| Some((base, args.first()?.value)))?
    }
}
