//! What calls of tools do that cannot be taken back, as the tables of a project say it: from names to classes, from classes to
//! names, in records of tools, and in lists whose names have a class in them.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use crate::catalog::{Catalog, ClassWord, words_of_name};
use crate::config::Irreversibility;
use crate::ir::{Arg, ArgKind, Entry, EntryKey, Expr, ExprId, Facts, Jump, ListOf, Pat, PatId};
use crate::link::{Func, Program};

/// What the tables of a project say of its tools.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SaidClasses {
    /// By the words of the name, so that `email.send` and `email_send` are one; with the name as it is written.
    by_name: BTreeMap<Vec<String>, Said>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Said {
    by: By,
    name: String,
    class: Irreversibility,
}

/// How a table says it, from the surest to the least: one that classes each tool says more than a list of those that are skipped.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum By {
    Tool,
    Class,
    List,
}

impl Said {
    fn is_of_table(&self) -> bool {
        self.by != By::List
    }
}

impl SaidClasses {
    pub fn of(&self, name: &str) -> Option<Irreversibility> {
        self.by_name.get(&words_of_name(name)).map(|said| said.class)
    }

    /// What a table says that classes tools. A list of what is read-only may be one of commands, or of errors.
    pub fn in_table(&self, name: &str) -> bool {
        self.by_name.get(&words_of_name(name)).is_some_and(Said::is_of_table)
    }

    /// The names of such tables as they are written, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.by_name.values().filter(|said| said.is_of_table()).map(|said| said.name.as_str())
    }

    fn say(&mut self, by: By, name: String, class: Irreversibility) {
        let words = words_of_name(&name);
        if !words.is_empty() && self.by_name.get(&words).is_none_or(|known| by < known.by) {
            self.by_name.insert(words, Said { by, name, class });
        }
    }
}

/// Everything that production code says.
pub fn said_classes(program: &Program<'_>, catalog: &Catalog) -> SaidClasses {
    let words = &catalog.irreversibility;
    let files = program.files_with(|text| Irreversibility::of_name(words, text).is_some());
    let functions = (0..program.functions.len() as u32).map(Func);
    let mut said = SaidClasses::default();
    for func in functions {
        let file = program.function(func).file;
        if files[file.0 as usize] && !program.is_test_code(func) {
            View { program, catalog, func, facts: program.facts(file) }.tables(&mut said);
        }
    }
    said
}

struct View<'v, 'a> {
    program: &'v Program<'a>,
    catalog: &'v Catalog,
    func: Func,
    facts: &'v Facts,
}

impl View<'_, '_> {
    fn tables(&self, said: &mut SaidClasses) {
        let exprs = || self.program.ir(self.func).exprs.iter();
        // `{"email": {"send": "irreversible"}}` speaks of no tool that is called `send`.
        let inner: FxHashSet<ExprId> =
            exprs().filter_map(|expr| self.record(expr)).flatten().map(|(_, value)| value).collect();
        for expr in exprs() {
            match *self.facts.expr(expr) {
                Expr::Bind { pat, value } => self.list(pat, value, said),
                Expr::Call { args, .. } => self.made(self.facts.list(args), said),
                _ => {}
            }
            if !inner.contains(&expr) {
                self.table(&self.pairs(expr), said);
            }
            self.tool(expr, said);
        }
    }

    /// The entries of a record whose keys are known.
    fn record(&self, expr: ExprId) -> Option<Vec<(ExprId, ExprId)>> {
        let Expr::Record(entries) = *self.facts.expr(expr) else { return None };
        Some(self.entries(entries))
    }

    fn entries(&self, entries: ListOf<Entry>) -> Vec<(ExprId, ExprId)> {
        let keyed = self.facts.list(entries).iter().filter_map(|entry| match entry.key {
            EntryKey::Expr(key) => Some((key, entry.value)),
            EntryKey::Spread => None,
        });
        keyed.collect()
    }

    /// What stands beside what: the entries of a record, the pairs of a list, the arms of a `match`.
    fn pairs(&self, expr: ExprId) -> Vec<(ExprId, ExprId)> {
        match *self.facts.expr(expr) {
            Expr::Record(entries) => self.entries(entries),
            Expr::Seq(items) => {
                let pairs = self.facts.list(items).iter().map(|&item| match *self.facts.expr(item) {
                    Expr::Seq(pair) => match *self.facts.list(pair) {
                        [key, value] => Some((key, value)),
                        _ => None,
                    },
                    _ => None,
                });
                pairs.collect::<Option<_>>().unwrap_or_default()
            }
            Expr::Match { arms, .. } => {
                let arms = self.facts.list(arms).iter();
                arms.flat_map(|arm| self.words(arm.pat).into_iter().map(|word| (word, self.result(arm.body))))
                    .collect()
            }
            _ => Vec::new(),
        }
    }

    /// What an arm comes to.
    fn result(&self, mut body: ExprId) -> ExprId {
        loop {
            body = match *self.facts.expr(body) {
                Expr::Block(list) => match self.facts.list(list).last() {
                    Some(&last) => last,
                    None => return body,
                },
                Expr::Jump { kind: Jump::Return, value: Some(value) } => value,
                _ => return body,
            }
        }
    }

    /// What a pattern compares with.
    fn words(&self, pat: PatId) -> Vec<ExprId> {
        let mut todo = vec![pat];
        let mut found = Vec::new();
        while let Some(pat) = todo.pop() {
            match *self.facts.pat(pat) {
                Pat::Value(value) => found.push(value),
                Pat::Or(pats) => todo.extend(self.facts.list(pats)),
                _ => {}
            }
        }
        found
    }

    fn table(&self, pairs: &[(ExprId, ExprId)], said: &mut SaidClasses) {
        for &(key, value) in pairs {
            if let Some(class) = self.class(key) {
                let names = self.program.members(self.func, value);
                names.iter().for_each(|name| said.say(By::Class, name.clone(), class));
            }
            let Some(name) = self.program.text(self.func, key) else { continue };
            if let Some(class) = self.class(value) {
                said.say(By::Tool, name, class);
                continue;
            }
            for (key, value) in self.record(value).unwrap_or_default() {
                let Some(part) = self.program.text(self.func, key) else { continue };
                let Some(class) = self.class(value) else { continue };
                let is_key = self.catalog.classes.of(&part) == Some(ClassWord::Irreversibility);
                let name = if is_key { name.clone() } else { format!("{name}.{part}") };
                said.say(By::Tool, name, class);
            }
        }
    }

    /// `{"name": "email.send", "irreversibility": "irreversible"}`
    fn tool(&self, expr: ExprId, said: &mut SaidClasses) {
        let entries = self.record(expr).unwrap_or_default().into_iter();
        let texts = entries.filter_map(|(key, value)| Some((self.program.text(self.func, key)?, value)));
        self.parts(&texts.collect::<Vec<_>>(), said);
    }

    /// `Skill("email.send", irreversibility=Irreversibility.IRREVERSIBLE)`
    fn made(&self, args: &[Arg], said: &mut SaidClasses) {
        let own_name = args.first().filter(|arg| arg.kind == ArgKind::Positional);
        let own_name = own_name.map(|arg| ("name".to_owned(), arg.value));
        let named = args.iter().filter_map(|arg| match arg.kind {
            ArgKind::Named(name) => Some((self.facts.str(name).to_owned(), arg.value)),
            _ => None,
        });
        self.parts(&named.chain(own_name).collect::<Vec<_>>(), said);
    }

    fn parts(&self, parts: &[(String, ExprId)], said: &mut SaidClasses) {
        let is_class = |key: &str| self.catalog.classes.of(key) == Some(ClassWord::Irreversibility);
        let class = parts.iter().filter(|(key, _)| is_class(key)).find_map(|&(_, value)| self.class(value));
        let is_name = |key: &str| self.catalog.classes.names.iter().any(|known| known == key);
        let mut names = parts.iter().filter(|(key, _)| is_name(key));
        let name = names.find_map(|&(_, value)| self.program.text(self.func, value));
        if let (Some(class), Some(name)) = (class, name) {
            said.say(By::Tool, name, class);
        }
    }

    /// `READ_ONLY_SKILLS = {"email.list", "email.search"}`
    fn list(&self, pat: PatId, value: ExprId, said: &mut SaidClasses) {
        let Pat::Var(var) = *self.facts.pat(pat) else { return };
        let name = self.facts.list(self.program.ir(self.func).vars)[var.0 as usize];
        let class = Irreversibility::of_name(&self.catalog.irreversibility, self.facts.str(name));
        let Some(class) = class else { return };
        let names = self.program.members(self.func, value);
        names.iter().for_each(|name| said.say(By::List, name.clone(), class));
    }

    /// A word of a class, or a member of an enumeration that is called so.
    fn class(&self, expr: ExprId) -> Option<Irreversibility> {
        let words = &self.catalog.irreversibility;
        let expr = self.unwrapped(expr);
        let text = self.program.text(self.func, expr);
        let by_text = text.and_then(|text| Irreversibility::read(words, &text));
        by_text.or_else(|| match self.facts.expr(expr) {
            Expr::Field { .. } | Expr::Free(_) => {
                let name = self.program.receiver_name(self.func, expr)?.name;
                Irreversibility::read(words, name)
            }
            _ => None,
        })
    }

    /// `Some(…)`, `Irreversibility("read_only")`
    fn unwrapped(&self, mut expr: ExprId) -> ExprId {
        while let Expr::Call { args, .. } = *self.facts.expr(expr)
            && let [only] = self.facts.list(args)
        {
            expr = only.value;
        }
        expr
    }
}
