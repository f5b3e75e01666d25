//! What a registration calls something, and the calls and decorators that register.

use super::Finder;
use crate::finding::Confidence;
use crate::ir::{Arg, ArgKind, Expr, ExprId, ListOf};
use crate::link::Func;

/// What a constant text says of what is registered under it.
pub(super) enum Called {
    /// `comm`: a command whose sub-commands are the operations.
    Namespace(String),
    /// `comm.search`; no name where only its beginning is known, or where it is one of several.
    Command { name: Option<String>, confidence: Confidence },
}

impl Called {
    fn command(name: String) -> Self {
        Called::Command { name: Some(name), confidence: Confidence::High }
    }
}

impl Finder<'_, '_> {
    pub(super) fn called(&self, func: Func, text: ExprId) -> Option<Called> {
        let texts = self.program.possible(func, text).list;
        if let [only] = &texts[..]
            && only.whole
        {
            return match &only.text {
                text if self.words.is_namespace(text) => Some(Called::Namespace(text.clone())),
                text if self.words.is_command(text) => Some(Called::command(text.clone())),
                _ => None,
            };
        }
        let of_command =
            |text: &str| self.words.is_command(text) || self.words.is_command(&format!("{text}_"));
        let all = !texts.is_empty() && texts.iter().all(|known| of_command(&known.text));
        all.then_some(Called::Command { name: None, confidence: Confidence::Medium })
    }

    /// A name, in the namespace that stands beside it.
    pub(super) fn composed(
        &self,
        func: Func,
        namespace: Option<ExprId>,
        name: Option<ExprId>,
    ) -> Option<Called> {
        let namespace = namespace.and_then(|namespace| self.called(func, namespace));
        let Some(Called::Namespace(namespace)) = namespace else { return self.called(func, name?) };
        Some(match name.and_then(|name| self.program.text(func, name)) {
            Some(name) => Called::command(self.in_namespace(&namespace, name)),
            None => Called::Command { name: None, confidence: Confidence::High },
        })
    }

    pub(super) fn in_namespace(&self, namespace: &str, name: String) -> String {
        if self.words.is_command(&name) { name } else { format!("{namespace}.{name}") }
    }

    /// `register("comm.search", f)`, `Command(name="comm.search", handler=f)`.
    pub(super) fn call(&mut self, func: Func, callee: ExprId, args: ListOf<Arg>) {
        let program = self.program;
        let Some(callee) = program.receiver_name(func, callee) else { return };
        let registers = self.words.registers(callee.name);
        if !registers && !callee.name.starts_with(char::is_uppercase) {
            return;
        }
        let Some((called, rest)) = self.named(func, args, registers) else { return };
        let facts = program.facts(program.function(func).file);
        let is_function = |arg: &&Arg| match arg.kind {
            ArgKind::Named(name) => self.words.function.iter().any(|known| known == facts.str(name)),
            _ => false,
        };
        let named = facts.list(args).iter().filter(is_function).map(|arg| arg.value);
        // The first that is a function; what follows is about it.
        let by_position = rest.into_iter().find(|&value| !self.callables(func, value).is_empty());
        let values: Vec<ExprId> = by_position.into_iter().chain(named).collect();
        values.into_iter().for_each(|value| self.register(func, value, &called));
    }

    /// What an argument list calls what it registers, and the positional arguments after that.
    fn named(&self, func: Func, args: ListOf<Arg>, by_position: bool) -> Option<(Called, Vec<ExprId>)> {
        let facts = self.program.facts(self.program.function(func).file);
        let args = facts.list(args);
        let keyword = |words: &[String]| {
            let is_meant = |arg: &&Arg| matches!(arg.kind, ArgKind::Named(name) if words.iter().any(|word| word == facts.str(name)));
            args.iter().find(is_meant).map(|arg| arg.value)
        };
        let positional: Vec<ExprId> = match by_position {
            true => {
                let plain = args.iter().take_while(|arg| arg.kind == ArgKind::Positional);
                plain.map(|arg| arg.value).collect()
            }
            false => Vec::new(),
        };
        let (namespace, name) = (keyword(&self.words.namespace), keyword(&self.words.name));
        if name.is_some() || namespace.is_some() {
            let at_first = if name.is_none() { positional.first().copied() } else { None };
            let rest = positional.get(usize::from(at_first.is_some())..).unwrap_or_default().to_vec();
            return Some((self.composed(func, namespace, name.or(at_first))?, rest));
        }
        let (&first, rest) = positional.split_first()?;
        match (self.called(func, first)?, rest.split_first()) {
            (Called::Namespace(namespace), Some((&second, rest))) => {
                // `register("comm", "search", f)`
                Some(match self.program.text(func, second) {
                    Some(name) => (Called::command(self.in_namespace(&namespace, name)), rest.to_vec()),
                    None => (Called::Namespace(namespace), positional[1..].to_vec()),
                })
            }
            (called, _) => Some((called, rest.to_vec())),
        }
    }

    /// `@command("comm.search")` in front of a function, or of a class whose objects are run.
    pub(super) fn decorated(&mut self, scope: Func, decorators: &[ExprId], functions: &[Func]) {
        let facts = self.program.facts(self.program.function(scope).file);
        for &decorator in decorators {
            let Expr::Call { callee, args, .. } = *facts.expr(decorator) else { continue };
            let name = self.program.receiver_name(scope, callee).map_or("", |callee| callee.name);
            if !self.words.marks(name) {
                continue;
            }
            self.stands_at(scope, decorator);
            match self.named(scope, args, true) {
                Some((Called::Command { name, confidence }, _)) => {
                    functions.iter().for_each(|&func| self.add(func, name.clone(), confidence));
                }
                Some((Called::Namespace(namespace), _)) => {
                    for &func in functions {
                        self.parents.entry((func, namespace.clone())).or_insert(self.place);
                    }
                }
                None => {}
            }
        }
    }
}
