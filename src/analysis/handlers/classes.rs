//! Command classes: an attribute says the namespace, and one method is what runs a command. One that says another namespace
//! is a command as well, and none of the sanctioned channel.

use super::Finder;
use crate::analysis::implicit;
use crate::analysis::registrations::constant;
use crate::finding::Confidence;
use crate::ir::{ArgKind, Expr, ExprId, Operator};
use crate::link::{Cls, Func, Passed, Program, Target, argument};

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
        let namespace = attribute(self, class, &self.words.namespace, |_| true);
        let name = attribute(self, class, &self.words.name, |_| true);
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
        let name = attribute(finder, class, &words.name, |name| words.is_command(name))?;
        name.split_once('.').map(|(namespace, _)| namespace.to_owned())
    };
    attribute(finder, class, &words.namespace, |text| words.is_namespace(text)).or_else(of_name)
}

fn command(finder: &Finder<'_, '_>, class: Cls, namespace: &str) -> Option<String> {
    let name = attribute(finder, class, &finder.words.name, |name| !name.is_empty())?;
    Some(finder.in_namespace(namespace, name))
}

/// A text that an attribute of a class's objects is, if it is meant: what the methods store, what the constructor hands to
/// that of a base class, what the class body says.
fn attribute(
    finder: &Finder<'_, '_>,
    class: Cls,
    names: &[String],
    is_meant: impl Fn(&str) -> bool,
) -> Option<String> {
    let program = finder.program;
    let text = |(func, value)| constant(program, func, value);
    let lineage = program.lineage(class);
    for name in names {
        // The nearest class that says something is believed.
        for &ancestor in lineage {
            let handed = handed_up(program, ancestor, name).into_iter();
            let stored = program.stored(ancestor, name).chain(handed).filter_map(text);
            let own = program.declared(ancestor, name).filter_map(text);
            let texts: Vec<String> = stored.chain(own).collect();
            if let Some(found) = texts.iter().find(|text| is_meant(text)) {
                return Some(found.clone());
            }
            if !texts.is_empty() {
                return None;
            }
        }
    }
    None
}

/// `super().__init__(namespace="comm")`, also by the position of the parameter.
fn handed_up(program: &Program<'_>, class: Cls, name: &str) -> Vec<(Func, ExprId)> {
    let profile = implicit::profile(program, program.class_body(class));
    let mut constructors = profile.methods(Operator::Construct).iter();
    let constructor = constructors.find_map(|name| program.own_method(class, name));
    let Some(constructor) = constructor else { return Vec::new() };
    let facts = program.facts(program.function(constructor).file);
    let mut found = Vec::new();
    for expr in program.ir(constructor).exprs.iter() {
        let Expr::Call { callee, args, .. } = *facts.expr(expr) else { continue };
        let Expr::Field { name: called, .. } = *facts.expr(callee) else { continue };
        if !profile.runs(Operator::Construct, facts.str(called)) {
            continue;
        }
        let by_name = argument(facts, facts.list(args), None, Some(name));
        let named = facts
            .list(args)
            .iter()
            .any(|arg| matches!(arg.kind, ArgKind::Named(_)) && Some(arg.value) == by_name);
        found.extend(by_name.filter(|_| named).map(|value| (constructor, value)));
        for edge in program.edges_at(constructor, expr) {
            let Target::Project(base) = edge.to else { continue };
            let params = program.facts(program.function(base).file).list(program.ir(base).params);
            let is_meant = |at: u32| {
                let facts = program.facts(program.function(base).file);
                params.get(at as usize).is_some_and(|param| facts.str(param.name) == name)
            };
            let passed = program.arguments(edge).into_iter();
            found.extend(passed.filter_map(|(passed, value)| match passed {
                Passed::Param(at) if is_meant(at) => Some((constructor, value)),
                _ => None,
            }));
        }
    }
    found
}
