//! Classes whose objects are registered by what they inherit from: `class Search(BaseTool)` with the method that the
//! framework calls.

use super::{Candidate, Finder, Name, Said, Way, constant};
use crate::catalog::Registration;
use crate::finding::Confidence;
use crate::ir::FnKind;
use crate::link::{Cls, Func};

impl<'f> Finder<'f, '_> {
    /// The class whose body this is, if it is one.
    pub(super) fn class(&mut self, body: Func) {
        let program = self.program;
        let FnKind::ClassBody(class) = program.ir(body).kind else { return };
        let Some((entry, confidence)) = self.inherits(class) else { return };
        let (file, span, _) = program.class_head(class);
        let name = self.class_constant(class, entry.named.iter().chain(&self.catalog.registrations.names));
        let annotation = self.class_annotation(class);
        for (nth, method) in entry.methods.iter().enumerate() {
            let Some(func) = self.method(class, method, entry) else { continue };
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
        let path = program.class_path(class);
        let is_base = known.bases(lang, &path).iter().any(|(_, confidence)| *confidence == Confidence::High);
        best.filter(|_| !is_base)
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

    /// The constant under one of these names in the body of the class, or of one that it inherits from.
    fn class_constant<'w>(
        &self,
        class: Cls,
        words: impl Iterator<Item = &'w String> + Clone,
    ) -> Option<String> {
        let program = self.program;
        let declared = program.lineage(class).iter().flat_map(|&ancestor| {
            let words = words.clone();
            words.flat_map(move |word| program.declared(ancestor, word))
        });
        let mut texts = declared.filter_map(|(owner, value)| constant(program, owner, value));
        texts.next()
    }
}
