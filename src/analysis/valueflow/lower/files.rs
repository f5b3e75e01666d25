//! Files, by the paths that name them: what is written into one is there for whoever reads it or runs it.

use super::Lower;
use crate::analysis::valueflow::graph::Step;
use crate::analysis::valueflow::paths::Key;
use crate::catalog::{PathOp, Purpose, Sink};
use crate::ir::{Arg, Expr, ExprId, Pat, PatId, Sym};
use crate::link::argument;

impl Lower<'_, '_> {
    /// What a call does with the file that a path names.
    pub(super) fn file(&mut self, expr: ExprId, callee: ExprId, args: &[Arg]) {
        let other = |path: ExprId| args.iter().map(|arg| arg.value).find(|&value| value != path);
        let does = self.file_operation(callee, args);
        match does {
            Some((path, PathOp::Read)) => self.pass(path, self.expr(expr), Step::OutOf(Key::File)),
            Some((path, PathOp::Copy)) => {
                other(path).into_iter().for_each(|to| self.same_content(path, to));
            }
            Some((source, PathOp::Pour)) => {
                if let Some(to) = other(source) {
                    self.same_content(source, to);
                    self.written(source, to);
                }
            }
            Some((path, PathOp::Write)) => {
                other(path).into_iter().for_each(|content| self.written(content, path));
            }
            _ => {
                if let Some(path) = self.named_file(does, callee, args) {
                    let (from, to) = (self.expr(path), self.expr(expr));
                    self.moved(from, Key::File, to, Key::File);
                }
                if let (Some(path), [content, ..]) = (self.written_by_method(callee), args) {
                    self.written(content.value, path);
                }
            }
        }
    }

    /// True if the result is what is in the file that the receiver names: nothing of the name itself.
    pub(super) fn is_content(&self, callee: ExprId, args: &[Arg], path: Option<&str>) -> bool {
        let reads = matches!(self.file_operation(callee, args), Some((_, PathOp::Read)));
        let names =
            |sink: &Sink| sink.of == Purpose::Path && sink.argument.as_ref().is_some_and(|it| it.receiver);
        reads && path.is_some_and(|path| self.catalog.sinks.of(path).any(|(_, sink)| names(sink)))
    }

    /// The argument, or the receiver, that names the same file as the result of a call.
    pub(super) fn same_file(&self, callee: ExprId, args: &[Arg]) -> Option<ExprId> {
        self.named_file(self.file_operation(callee, args), callee, args)
    }

    fn named_file(&self, does: Option<(ExprId, PathOp)>, callee: ExprId, args: &[Arg]) -> Option<ExprId> {
        match does {
            Some((path, PathOp::Same | PathOp::Open | PathOp::PathOf)) => return Some(path),
            // Without anything that is below.
            Some((path, PathOp::Below)) if args.len() == 1 && args[0].value == path => return Some(path),
            _ => {}
        }
        let library = self.program.library_path(self.func, callee)?;
        let loader = self.catalog.loader(library).filter(|loader| loader.prepares)?;
        let test = loader.argument.as_ref()?;
        argument(self.facts, args, test.index, test.name.as_deref())
    }

    fn written(&mut self, content: ExprId, path: ExprId) {
        let from = self.expr(content);
        self.put(from, path, Step::Into(Key::File));
    }

    /// The file at one path gets what is in that at another one.
    fn same_content(&mut self, from: ExprId, to: ExprId) {
        let (source, file) = (self.expr(from), self.expr(to));
        self.moved(source, Key::File, file, Key::File);
        self.write(to);
    }

    /// The path of a file that is open, where an attribute says it.
    pub(super) fn path_of(&mut self, expr: ExprId, base: ExprId, name: Sym) {
        let does = self.catalog.path_ops.of_method(self.facts.lang, self.facts.str(name));
        if does == Some(PathOp::PathOf) {
            let (from, to) = (self.expr(base), self.expr(expr));
            self.moved(from, Key::File, to, Key::File);
        }
    }

    /// What is written into a file that is open is in the file that was opened.
    pub(super) fn bind_file(&mut self, pat: PatId, value: ExprId) {
        let mut value = value;
        while let Expr::Match { subject: inner, .. }
        | Expr::Await(inner)
        | Expr::Ascribe { value: Some(inner), .. } = *self.facts.expr(value)
        {
            value = inner;
        }
        let (Pat::Var(var), Expr::Call { callee, args, .. }) =
            (*self.facts.pat(pat), *self.facts.expr(value))
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
            Expr::Field { base, name } => Some((base, ops.of_method(self.facts.lang, self.facts.str(name))?)),
            _ => None,
        }
    }

    /// The path, or the open file, into which a method writes its first argument.
    fn written_by_method(&self, callee: ExprId) -> Option<ExprId> {
        let Expr::Field { base, name } = *self.facts.expr(callee) else { return None };
        let tells = &self.catalog.tells;
        let path = self.program.library_path(self.func, callee);
        let writes = tells.writes_file(self.facts.str(name)) && !path.is_some_and(|it| tells.is_buffer(it));
        writes.then_some(base)
    }
}
