//! Command classes: an attribute says the namespace, and one method is what runs a command. One that says another namespace
//! is a command as well, and none of the sanctioned channel.

use super::Finder;
use crate::analysis::class_texts::class_text;
use crate::finding::Confidence;
use crate::link::{Cls, Func};

/// Adds the methods that run objects of the namespace: of the class that says so, of one that inherits it, or, less
/// surely, of one whose subclass says so.
pub(super) fn find(finder: &mut Finder<'_, '_>) {
    let program = finder.program;
    for func in (0..program.functions.len() as u32).map(Func) {
        let Some(class) = program.function(func).class else { continue };
        if !finder.words.methods.iter().any(|method| method == program.name(func)) {
            continue;
        }
        if let Some(namespace) = namespace(finder, class) {
            let name = command(finder, class, &namespace);
            let before = finder.found.len();
            finder.heirs(func, class);
            // A base without a name is no command besides those that inherit it.
            if name.is_some() || finder.found.len() == before {
                finder.stands_at_class(class);
                finder.add_to(Some(class), func, name, Confidence::High);
            }
            continue;
        }
        for &class in
            program.subclasses(class).iter().chain([&class]).filter(|&&it| program.is_method_of(func, it))
        {
            finder.foreign(func, class);
        }
        let inherits = |&&heir: &&Cls| program.is_method_of(func, heir);
        let heirs = program.subclasses(class).iter().filter(inherits);
        let named: Vec<_> = heirs.filter_map(|&heir| Some((heir, namespace(finder, heir)?))).collect();
        if let [(heir, namespace), rest @ ..] = &named[..] {
            let name = command(finder, *heir, namespace).filter(|_| rest.is_empty());
            finder.stands_at_class(*heir);
            finder.add_to(Some(*heir), func, name, Confidence::Medium);
        }
    }
}

impl Finder<'_, '_> {
    /// Commands that a base class runs, each with a name of its own.
    fn heirs(&mut self, func: Func, class: Cls) {
        let program = self.program;
        let named = |finder: &Self, class| command(finder, class, &namespace(finder, class)?);
        let of_base = named(self, class);
        for &heir in program.subclasses(class) {
            if heir == class || !program.is_method_of(func, heir) {
                continue;
            }
            match namespace(self, heir) {
                Some(_) => {
                    if let Some(name) = named(self, heir).filter(|name| Some(name) != of_base.as_ref()) {
                        self.stands_at_class(heir);
                        self.add_to(Some(heir), func, Some(name), Confidence::High);
                    }
                }
                None => self.foreign(func, heir),
            }
        }
    }

    /// A command of another namespace: the class says both words itself, so that nothing else is taken for one.
    fn foreign(&mut self, func: Func, class: Cls) {
        let namespace = class_text(self.program, class, &self.words.namespace, |_| true);
        let name = class_text(self.program, class, &self.words.name, |_| true);
        if let (Some(namespace), Some(name)) = (namespace, name)
            && !self.words.is_namespace(&namespace)
        {
            self.stands_at_class(class);
            self.add_to(Some(class), func, Some(format!("{namespace}.{name}")), Confidence::Medium);
            self.is_foreign();
        }
    }

    fn stands_at_class(&mut self, class: Cls) {
        let (file, span, _) = self.program.class_head(class);
        self.place = (file, span);
    }
}

/// The namespace that a class says, by itself or as a part of its name.
fn namespace(finder: &Finder<'_, '_>, class: Cls) -> Option<String> {
    let words = finder.words;
    let of_name = || {
        let name = class_text(finder.program, class, &words.name, |name| words.is_command(name))?;
        name.split_once('.').map(|(namespace, _)| namespace.to_owned())
    };
    class_text(finder.program, class, &words.namespace, |text| words.is_namespace(text)).or_else(of_name)
}

fn command(finder: &Finder<'_, '_>, class: Cls, namespace: &str) -> Option<String> {
    let name = class_text(finder.program, class, &finder.words.name, |name| !name.is_empty())?;
    Some(finder.in_namespace(namespace, name))
}
