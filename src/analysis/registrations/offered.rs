//! What a project offers a model in its own words: members of something that keeps tools, what a function hands back as
//! tools, what a call is given as such, what a tool is made of. No framework is known to take them, so they are of medium
//! confidence.

use super::constructed::without_arguments;
use super::registrars::{Words, makes, may_be_function};
use super::{Finder, Name, Said, Way};
use crate::analysis::callables::{callables, constant_entries};
use crate::catalog::DataOp;
use crate::finding::Confidence;
use crate::ir::{Arg, ArgKind, Entry, EntryKey, Expr, ExprId, Jump, Lit, Pat};
use crate::link::{Cls, Func};

impl Finder<'_, '_> {
    pub(super) fn offered(&mut self, words: &Words) {
        let program = self.program;
        for func in (0..program.functions.len() as u32).map(Func) {
            let facts = program.facts(program.function(func).file);
            let lists = words.lists.has(program.ir(func).name);
            for expr in program.ir(func).exprs.iter() {
                match *facts.expr(expr) {
                    Expr::Bind { pat, value } => {
                        let Pat::Var(var) = *facts.pat(pat) else { continue };
                        let name = facts.list(program.ir(func).vars)[var.0 as usize];
                        if words.holders.has(name) {
                            self.members(func, value);
                        }
                    }
                    Expr::Store { place, value: Some(value), .. } => self.stored(words, func, place, value),
                    Expr::Jump { kind: Jump::Return, value: Some(value) } if lists => {
                        self.members(func, value)
                    }
                    Expr::Call { callee, .. } => self.handed(words, func, expr, callee),
                    Expr::Record(entries) => self.configured(func, facts.list(entries)),
                    _ => {}
                }
            }
        }
    }

    /// `config={"tools": [f]}`
    fn configured(&mut self, func: Func, entries: &[Entry]) {
        for entry in entries {
            let EntryKey::Expr(key) = entry.key else { continue };
            let facts = self.program.facts(self.program.function(func).file);
            if let Expr::Lit(Lit::Str(name)) = *facts.expr(key)
                && self.catalog.registrations.offers.is_given(facts.str(name), "")
            {
                self.members(func, entry.value);
            }
        }
    }

    /// `self.tools = [f]`, `TOOLS["name"] = f`.
    fn stored(&mut self, words: &Words, func: Func, place: ExprId, value: ExprId) {
        let facts = self.program.facts(self.program.function(func).file);
        match *facts.expr(place) {
            Expr::Index { base, key } if words.holds(self.program, func, base) => {
                let name = Name::of(self.program.text(func, key));
                self.member(func, value, name);
            }
            Expr::Index { .. } => {}
            _ if words.holds(self.program, func, place) => self.members(func, value),
            _ => {}
        }
    }

    /// `TOOLS.append(f)`, `Agent(tools=[f])`, `Tool(name="search", func=f)`.
    fn handed(&mut self, words: &Words, func: Func, call: ExprId, callee: ExprId) {
        let program = self.program;
        let facts = program.facts(program.function(func).file);
        let Expr::Call { args, .. } = *facts.expr(call) else { return };
        let args = facts.list(args);
        if let Expr::Field { base, name } = *facts.expr(callee)
            && words.holds(program, func, base)
        {
            let Some(last) = args.last().filter(|arg| arg.kind == ArgKind::Positional) else { return };
            match self.catalog.operations.of_name(facts.str(name)) {
                Some(DataOp::Append | DataOp::Add | DataOp::Insert) => {
                    self.member(func, last.value, Name::Own)
                }
                Some(DataOp::Extend | DataOp::Update) => self.members(func, last.value),
                _ => {}
            }
            return;
        }
        let named = without_arguments(facts, callee);
        let Some(name) = facts.last_name(program.ir(func), named) else { return };
        let offers = &self.catalog.registrations.offers;
        for arg in args {
            if let ArgKind::Named(argument) = arg.kind
                && offers.is_given(facts.str(argument), facts.str(name))
            {
                self.members(func, arg.value);
            }
        }
        if words.makers.has(name) && makes(program, func, call, callee) {
            self.made_of(func, call, args);
        }
    }

    /// The function that a tool is made of.
    fn made_of(&mut self, func: Func, call: ExprId, args: &[Arg]) {
        let program = self.program;
        let file = program.function(func).file;
        let facts = program.facts(file);
        let functions = args.iter().filter(|arg| may_be_function(self.catalog, facts, arg));
        let mut found = functions.map(|arg| self.kept(file, arg.value)).filter(|found| !found.is_empty());
        let Some(found) = found.next().filter(|found| found.len() == 1) else { return };
        let name = match self.named(func, args, None, &self.catalog.registrations.own) {
            Name::Own => {
                let first = args.first().filter(|arg| arg.kind == ArgKind::Positional);
                first.and_then(|first| program.text(func, first.value)).map_or(Name::Own, Name::Known)
            }
            name => name,
        };
        let annotation = self.annotation(func, args);
        let span = facts.span(call);
        let said =
            Said { name, file, span, within: span.lo, way: Way::Called, confidence: MEDIUM, annotation };
        self.offer(found, &said);
    }

    /// What stands in a list or a table of tools.
    pub(super) fn members(&mut self, func: Func, value: ExprId) {
        let program = self.program;
        let (owner, bound) = program.bound(func, value);
        let entries = constant_entries(program, owner, bound);
        if !entries.is_empty() {
            for (_, key, value) in entries {
                if !self.lazy(owner, value, &key) {
                    self.member(owner, value, Name::Known(key));
                }
            }
            return;
        }
        for item in self.elements(func, value) {
            let facts = program.facts(program.function(func).file);
            match *facts.expr(item) {
                Expr::Lit(Lit::Str(name)) => self.method_named(func, item, facts.str(name)),
                Expr::Seq(parts) => match facts.list(parts) {
                    // `("fetch", "afetch")`: two methods of one name.
                    [first, others @ ..] if matches!(facts.expr(*first), Expr::Lit(Lit::Str(_))) => {
                        let name = program.text(func, *first).unwrap_or_default();
                        let named = [first].into_iter().chain(others);
                        let methods = named.filter_map(|&part| program.text(func, part));
                        methods.for_each(|method| {
                            self.method_called(func, item, &method, Name::Known(name.clone()))
                        });
                    }
                    [value, name, ..] => {
                        let name = program.text(func, *name).map_or(Name::Own, Name::Known);
                        self.member(func, *value, name);
                    }
                    _ => {}
                },
                _ => self.member(func, item, Name::Own),
            }
        }
    }

    /// `"search": (".search_tools", None)`: the module that is imported once the name is asked for, and what it has of that name,
    /// or of another one.
    fn lazy(&mut self, func: Func, value: ExprId, key: &str) -> bool {
        let program = self.program;
        let facts = program.facts(program.function(func).file);
        let Expr::Seq(parts) = *facts.expr(value) else { return false };
        let texts = facts.list(parts).iter().map(|&part| program.text(func, part));
        let texts: Vec<Option<String>> = texts.collect();
        let [Some(module), rest @ ..] = &texts[..] else { return false };
        let file = program.function(func).file;
        let member = rest.iter().flatten().next().map_or(key, String::as_str);
        let found = [member, key].iter().find_map(|name| program.function_of_module(file, module, name));
        let Some(found) = found else { return false };
        let said = self.in_list(func, value, Name::Known(key.to_owned()));
        self.offer(vec![found], &said);
        true
    }

    fn member(&mut self, func: Func, value: ExprId, name: Name) {
        let said = self.in_list(func, value, name);
        let mut found = callables(self.program, &self.catalog.handlers, func, value);
        found.retain(|&function| self.is_meant(func, value, function));
        if found.is_empty() {
            found.extend(
                self.own_attribute(func, value).and_then(|(class, name)| self.program.method(class, name)),
            );
        }
        if !found.is_empty() {
            return self.offer(found, &said);
        }
        let object = self.object(func, value).filter(|(class, _)| !self.is_registered(*class));
        if let Some((class, method)) = object {
            let name = match said.name {
                Name::Own => self.class_name(class),
                ref name => name.clone(),
            };
            self.offer(vec![method], &Said { name, ..said });
        }
    }

    /// A list of names of methods, in the body of their class.
    fn method_named(&mut self, func: Func, item: ExprId, method: &str) {
        self.method_called(func, item, method, Name::Own);
    }

    fn method_called(&mut self, func: Func, item: ExprId, method: &str, name: Name) {
        let program = self.program;
        let crate::ir::FnKind::ClassBody(class) = program.ir(func).kind else { return };
        let found: Vec<Func> = program.method(class, method).into_iter().collect();
        let said = self.in_list(func, item, name);
        self.offer(found, &said);
    }

    fn in_list(&self, func: Func, item: ExprId, name: Name) -> Said {
        let file = self.program.function(func).file;
        let span = self.program.facts(file).span(item);
        Said { name, file, span, within: span.lo, way: Way::Listed, confidence: MEDIUM, annotation: None }
    }

    fn offer(&mut self, found: Vec<Func>, said: &Said) {
        let catalog = self.catalog;
        for func in found {
            if !self.is_of_framework(func, &said.name) {
                self.add(&catalog.registrations.own, func, 0, said.clone());
            }
        }
    }

    /// The class of an object that is made here or under a name, and what runs of it.
    pub(super) fn object(&self, func: Func, value: ExprId) -> Option<(Cls, Func)> {
        let program = self.program;
        let (owner, value) = program.bound(func, value);
        let facts = program.facts(program.function(owner).file);
        let class = match *facts.expr(value) {
            Expr::Call { callee, .. } => program.class_named(owner, callee)?,
            _ => return None,
        };
        let offers = &self.catalog.registrations.offers;
        Some((class, offers.methods.iter().find_map(|name| program.method(class, name))?))
    }

    /// True if the objects of a class are tools, or hold some, as something else says.
    fn is_registered(&self, class: Cls) -> bool {
        self.program.lineage(class).iter().any(|ancestor| self.classes.contains(ancestor))
    }

    pub(super) fn class_name(&self, class: Cls) -> Name {
        let words = self.catalog.registrations.names.iter();
        Name::of(self.class_constant(class, words))
    }
}

const MEDIUM: Confidence = Confidence::Medium;
