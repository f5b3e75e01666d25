//! Tools that are known because somebody wrote their class down: `@tool(sensitivity="external")` of the project's own,
//! `Tool("search", search, is_external=True)`, `Tool::new("search", search).sensitivity("external")`. Whatever registers them.

use super::registrars::Registrars;
use super::{Annotation, Finder, Name, Said, Way};
use crate::catalog::{Catalog, Registration};
use crate::finding::Confidence;
use crate::ir::{Arg, ArgKind, Expr, ExprId};
use crate::link::{CallSite, Func, Program};

/// The names of tools that calls give a class.
pub fn announced(program: &Program<'_>, catalog: &Catalog) -> Vec<(String, Annotation)> {
    let registrars = Registrars::default();
    let finder = Finder::new(program, catalog, &registrars);
    let production = program.calls.iter().filter(|call| !program.is_test_code(call.from));
    let all = production.filter_map(|call| match finder.announcement(call)? {
        (Name::Known(name), annotation, _) => Some((name, annotation)),
        _ => None,
    });
    all.collect()
}

impl<'f> Finder<'f, '_> {
    /// The functions that such a call is given.
    pub(super) fn announced(&mut self, call: &CallSite) {
        let Some((name, annotation, args)) = self.announcement(call) else { return };
        let facts = self.program.facts(call.at.file);
        let span = facts.span(call.at.expr);
        for arg in args {
            for func in self.kept(call.at.file, arg.value) {
                let said = Said {
                    name: name.clone(),
                    file: call.at.file,
                    span,
                    within: span.lo,
                    way: Way::Called,
                    confidence: Confidence::Medium,
                    annotation: Some(annotation.clone()),
                };
                self.add(&Registration::default(), func, 0, said);
            }
        }
    }

    /// The function below decorators that give it a class, if no framework registers it.
    pub(super) fn announced_by_decorator(&mut self, func: Func, scope: Func) {
        let program = self.program;
        let Some(annotation) = self.decorators_say(func, scope).filter(Annotation::is_explicit) else {
            return;
        };
        let file = program.function(func).file;
        let facts = program.facts(file);
        let decorators = facts.list(program.ir(func).decorators);
        let Some(&decorator) = decorators.iter().find(|&&it| self.says_class(it, file)) else { return };
        let Expr::Call { args, .. } = *facts.expr(decorator) else { return };
        let name = match self.named(scope, facts.list(args), Some(0), &Registration::default()) {
            Name::Unknown => Name::Own,
            name => name,
        };
        let (span, within) = (facts.span(decorator), program.ir(func).span.lo);
        let confidence = Confidence::Medium;
        let said =
            Said { name, file, span, within, way: Way::Marked, confidence, annotation: Some(annotation) };
        self.add(&Registration::default(), func, 0, said);
    }

    fn says_class(&self, decorator: ExprId, file: crate::source::FileId) -> bool {
        let facts = self.program.facts(file);
        match *facts.expr(decorator) {
            Expr::Call { args, .. } => self.has_class(facts.list(args), file),
            _ => false,
        }
    }

    fn has_class(&self, args: &[Arg], file: crate::source::FileId) -> bool {
        self.has(args, file, |name| self.catalog.classes.of(name).is_some())
    }

    /// True if an argument has such a name.
    fn has(&self, args: &[Arg], file: crate::source::FileId, is_meant: impl Fn(&str) -> bool) -> bool {
        let facts = self.program.facts(file);
        args.iter().any(|arg| matches!(arg.kind, ArgKind::Named(name) if is_meant(facts.str(name))))
    }

    /// The name, the class and the arguments of a call that gives a tool a class.
    fn announcement(&self, call: &CallSite) -> Option<(Name, Annotation, &'f [Arg])> {
        let facts = self.program.facts(call.at.file);
        let Expr::Call { callee, args, .. } = *facts.expr(call.at.expr) else { return None };
        let args = facts.list(args);
        let classes = &self.catalog.classes;
        let (made, annotation, is_said) = match *facts.expr(callee) {
            // `Tool::new("search", search).sensitivity("external")`
            Expr::Field { base, name } if classes.of(facts.str(name)).is_some() => {
                let annotation = self.built(call.from, facts.str(name), args)?;
                (self.root(call, base)?, annotation, false)
            }
            // `Tool::new("search", …).annotate(ToolAnnotations::new().open_world(true))`
            Expr::Field { base, name } if classes.is_annotations(facts.str(name)) => {
                (self.root(call, base)?, self.annotation(call.from, args)?, true)
            }
            _ => {
                let is_held = self.has(args, call.at.file, |name| classes.is_annotations(name));
                let is_meant = is_held || self.has_class(args, call.at.file);
                (args, is_meant.then(|| self.annotation(call.from, args)).flatten()?, is_held)
            }
        };
        let is_meant = annotation.is_explicit() || (is_said && annotation.class.is_some());
        let name = self.named(call.from, made, Some(0), &Registration::default());
        is_meant.then_some((name, annotation, made))
    }

    /// The arguments of the call that a chain of methods begins with.
    fn root(&self, call: &CallSite, mut base: ExprId) -> Option<&'f [Arg]> {
        let facts = self.program.facts(call.at.file);
        loop {
            let Expr::Call { callee, args, .. } = *facts.expr(base) else { return None };
            match *facts.expr(callee) {
                Expr::Field { base: next, .. } if matches!(facts.expr(next), Expr::Call { .. }) => {
                    base = next
                }
                _ => return Some(facts.list(args)),
            }
        }
    }
}
