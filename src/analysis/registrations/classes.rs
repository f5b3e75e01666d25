//! Classes whose objects are registered by what they inherit from: `class Search(BaseTool)` with the method that the
//! framework calls.

use super::{Candidate, Finder, Name, Said, Way};
use crate::analysis::class_texts::class_text;
use crate::catalog::Registration;
use crate::finding::Confidence;
use crate::ir::{Expr, FnKind};
use crate::link::{Cls, Func};

impl<'f> Finder<'f, '_> {
    /// The class whose body this is, if it is one.
    pub(super) fn class(&mut self, body: Func) {
        let program = self.program;
        let FnKind::ClassBody(class) = program.ir(body).kind else { return };
        let Some((entry, confidence)) = self.inherits(class) else { return };
        let (file, span, _) = program.class_head(class);
        let words = entry.named.iter().chain(&self.catalog.registrations.names);
        let name = self.class_constant(class, words).or_else(|| self.name_in_metadata(class));
        let annotation = self.class_annotation(class);
        for (nth, method) in entry.methods.iter().enumerate() {
            let func = self.method(class, method, entry);
            let Some(func) = func.filter(|&func| name.is_some() || !self.is_generic(func)) else { continue };
            let (within, annotation) = (span.lo, annotation.clone());
            let name = Name::of(name.clone());
            self.add(
                entry,
                func,
                nth,
                Said { name, file, span, within, way: Way::Marked, confidence, annotation },
            );
            if let Some(Candidate { registered, .. }) = self.found.last_mut() {
                registered.class = Some(class);
                self.classes.insert(class);
            }
        }
    }

    /// The surest entry for a class with such ancestors.
    fn inherits(&self, class: Cls) -> Option<(&'f Registration, Confidence)> {
        let (program, known) = (self.program, &self.catalog.registrations);
        let lang = program.facts(program.class_head(class).0).lang;
        let mut best: Option<(&Registration, Confidence)> = None;
        let own = program.lineage(class).iter().filter(|&&ancestor| ancestor != class);
        let own = own.map(|&ancestor| program.class_path(ancestor));
        let library = program.library_bases(class).map(str::to_owned);
        for path in own.chain(library) {
            for (entry, confidence) in known.bases(lang, &path) {
                if best.is_none_or(|(_, known)| known < confidence) {
                    best = Some((entry, confidence));
                }
            }
        }
        // The base itself is what a framework offers, and no tool.
        best.filter(|_| !self.is_base(class))
    }

    /// True for the class that tools of a framework inherit from.
    pub(super) fn is_base(&self, class: Cls) -> bool {
        let lang = self.program.facts(self.program.class_head(class).0).lang;
        let bases = self.catalog.registrations.bases(lang, &self.program.class_path(class));
        bases.iter().any(|(_, confidence)| *confidence == Confidence::High)
    }

    /// The method of the class, or of one between it and the base.
    fn method(&self, class: Cls, name: &str, entry: &Registration) -> Option<Func> {
        let program = self.program;
        let lang = program.facts(program.class_head(class).0).lang;
        let is_base = |class: Cls| {
            let path = program.class_path(class);
            self.catalog.registrations.bases(lang, &path).iter().any(|(known, _)| std::ptr::eq(*known, entry))
        };
        let own =
            program.lineage(class).iter().take_while(|&&ancestor| ancestor == class || !is_base(ancestor));
        own.copied().find_map(|ancestor| program.own_method(ancestor, name))
    }

    /// The name in what a property of the class describes the tool by: `ToolMetadata(name="search")`.
    fn name_in_metadata(&self, class: Cls) -> Option<String> {
        let program = self.program;
        let own = &self.catalog.registrations.own;
        let holders = self.catalog.classes.annotations.iter();
        let declared =
            holders.flat_map(|name| program.lineage(class).iter().flat_map(|&at| program.declared(at, name)));
        let returned = declared.flat_map(|(owner, value)| {
            match *program.facts(program.function(owner).file).expr(value) {
                Expr::Closure(getter) => program.returns(getter).map(|value| (getter, value)).collect(),
                _ => vec![(owner, value)],
            }
        });
        let mut names = returned.filter_map(|(func, value)| {
            let facts = program.facts(program.function(func).file);
            let Expr::Call { args, .. } = *facts.expr(value) else { return None };
            match self.named(func, facts.list(args), None, own) {
                Name::Known(name) => Some(name),
                _ => None,
            }
        });
        names.next()
    }

    /// The constant under one of these names, as the class or one that it inherits from says it.
    pub(super) fn class_constant<'w>(
        &self,
        class: Cls,
        words: impl Iterator<Item = &'w String>,
    ) -> Option<String> {
        class_text(self.program, class, words, |_| true)
    }
}
