//! Decorators that do not stand in front of the function that they register: in front of a class whose methods are tools, and
//! those that are called with it (`server.tool(name="search")(search)`).

use super::{Finder, Name, Said, Way, path};
use crate::catalog::Registration;
use crate::finding::Confidence;
use crate::ir::{ArgKind, Expr, ExprId};
use crate::link::{CallSite, Cls, EdgeKind, Func, argument};

impl<'f> Finder<'f, '_> {
    /// The methods of the classes that a decorator registers.
    pub(super) fn class_decorators(&mut self, func: Func) {
        let program = self.program;
        let facts = program.facts(program.function(func).file);
        for expr in program.ir(func).exprs.iter() {
            let Expr::Class(class) = *facts.expr(expr) else { continue };
            for &decorator in facts.list(facts.class(class).decorators) {
                let named = facts.decorator(decorator);
                let entry = self.entry_of(func, decorator, named).filter(|entry| !entry.listed.is_empty());
                let Some(entry) = entry else { continue };
                self.methods_of(class, func, decorator, entry);
            }
        }
    }

    fn methods_of(&mut self, class: Cls, func: Func, decorator: ExprId, entry: &'f Registration) {
        let program = self.program;
        let file = program.function(func).file;
        let facts = program.facts(file);
        let args = match *facts.expr(decorator) {
            Expr::Call { args, .. } => facts.list(args),
            _ => &[],
        };
        let mut words = entry.listed.iter();
        let listed = words.find_map(|word| argument(facts, args, None, Some(word)));
        let methods: Vec<Func> = match listed {
            Some(list) => {
                let names = self.elements(func, list).into_iter().filter_map(|item| program.text(func, item));
                names.filter_map(|name| program.method(class, &name)).collect()
            }
            None => self.public_methods(class),
        };
        let span = facts.span(decorator);
        let said = Said {
            name: Name::Own,
            file,
            span,
            within: span.lo,
            way: Way::Listed,
            confidence: Confidence::High,
            annotation: None,
        };
        methods.into_iter().for_each(|method| self.add(entry, method, 0, said.clone()));
    }

    fn public_methods(&self, class: Cls) -> Vec<Func> {
        let program = self.program;
        let body = program.class_body(class);
        program
            .nested(body)
            .filter(|&method| !program.ir(method).is_private && !program.name(method).starts_with('_'))
            .collect()
    }

    /// `server.tool(name="search")(search)`
    pub(super) fn called_decorator(&mut self, call: &CallSite) {
        let program = self.program;
        let facts = program.facts(call.at.file);
        let Expr::Call { callee, args, .. } = *facts.expr(call.at.expr) else { return };
        let Expr::Call { args: own, .. } = *facts.expr(callee) else { return };
        let [function] = facts.list(args) else { return };
        if function.kind != ArgKind::Positional {
            return;
        }
        let Some(entry) = self.entry_of(call.from, callee, facts.decorator(callee)) else { return };
        let own = facts.list(own);
        let name = match self.named(call.from, own, None, entry) {
            Name::Own if !entry.describes => {
                let first =
                    argument(facts, own, Some(0), None).and_then(|first| program.text(call.from, first));
                first.map_or(Name::Own, Name::Known)
            }
            name => name,
        };
        let span = facts.span(call.at.expr);
        let (file, within, annotation) = (call.at.file, span.lo, self.annotation(call.from, own));
        let said =
            Said { name, file, span, within, way: Way::Called, confidence: Confidence::High, annotation };
        for func in self.kept(file, function.value) {
            self.add(entry, func, 0, said.clone());
        }
    }

    /// The entry for a decorator, by what it resolves to where it stands: a call, or a name alone.
    fn entry_of(&self, func: Func, decorator: ExprId, named: ExprId) -> Option<&'f Registration> {
        let program = self.program;
        let file = program.function(func).file;
        let lang = program.facts(file).lang;
        let calls = program.edges_at(func, decorator).iter().filter(|edge| edge.kind == EdgeKind::Call);
        let mut paths: Vec<&str> = calls.map(|edge| path(program, edge.to)).collect();
        paths.extend(program.library_path(func, named));
        let known = &self.catalog.registrations;
        paths.into_iter().find_map(|path| known.decorators(lang, path).into_iter().next_back())
    }
}
