//! Attributions written by hand: a text put together from literals that is stored under the key of the attribution, as an
//! entry, an attribute, a field or a keyword of a constructor. What comes out of the guard, or was read from another
//! attribution, is none.

mod around;
mod made;
mod stored;

use self::around::Around;
use self::made::Made;
use super::values::{Method, Values};
use crate::catalog::DataOp::{CopyWith, GetOrInsert, MakeMapping, SetAttribute, SetEntry, Update};
use crate::catalog::{Attribution, NameSet};
use crate::ir::{Arg, ArgKind, EntryKey, Expr, ExprId, Facts, FnKind, Lit, Op, Pat, PatId, Span};
use crate::link::Func;

/// An attribution written by hand.
#[derive(Clone, Debug)]
pub struct Forged {
    /// The key and the value.
    pub span: Span,
    /// As it is written, where that is constant.
    pub text: Option<String>,
    pub key: String,
}

/// What a function stores, in the order of its text.
pub fn forged(values: &Values<'_, '_>, func: Func) -> Vec<Forged> {
    let words = &values.catalog.attribution;
    if is_of_guard(values, func) {
        return Vec::new();
    }
    let facts = values.facts(func);
    let mut finder = Finder {
        values,
        words,
        func,
        facts,
        made: Made::new(values),
        around: Around::new(values, func),
        out: Vec::new(),
    };
    for expr in values.program.ir(func).exprs.iter() {
        finder.expr(expr);
    }
    let mut out = finder.out;
    out.sort_by_key(|forged| forged.span);
    out.dedup_by_key(|forged| forged.span.hi);
    out
}

/// True for the guard's own code, and for what is defined inside it.
fn is_of_guard(values: &Values<'_, '_>, func: Func) -> bool {
    values.catalog.attribution.is_guard(&format!("{}.", values.program.function(func).path))
        || values.catalog.attribution.is_guard(&values.program.function(func).path)
}

struct Finder<'f, 'p, 'a> {
    values: &'f Values<'p, 'a>,
    words: &'f Attribution,
    func: Func,
    facts: &'a Facts,
    made: Made<'f, 'p, 'a>,
    around: Around<'f, 'p, 'a>,
    out: Vec<Forged>,
}

impl<'a> Finder<'_, '_, 'a> {
    fn expr(&mut self, expr: ExprId) {
        let facts = self.facts;
        match *facts.expr(expr) {
            Expr::Record(entries) => {
                for entry in facts.list(entries) {
                    let EntryKey::Expr(key) = entry.key else { continue };
                    let lo = facts.span(key).lo;
                    if let Some(key) = self.key(key)
                        && !self.around.sets_apart(expr)
                    {
                        self.stored(key, entry.value, lo);
                    }
                }
            }
            Expr::Store { place, op: None | Some(Op::Add), value: Some(value) } => self.place(place, value),
            Expr::Bind { pat, value } => self.bound(pat, value),
            Expr::Call { callee, args, .. } => self.call(expr, callee, facts.list(args)),
            _ => {}
        }
    }

    fn key(&self, mut key: ExprId) -> Option<String> {
        while let Some(text) = self.values.converted(self.func, key) {
            key = text;
        }
        if !matches!(
            self.facts.expr(key),
            Expr::Lit(Lit::Str(_)) | Expr::Var(_) | Expr::Free(_) | Expr::Field { .. } | Expr::Import(_)
        ) {
            return None;
        }
        self.values.program.text(self.func, key).filter(|key| self.words.is_key(key))
    }

    /// `lo` is where the statement, or the entry, begins.
    fn stored(&mut self, key: String, value: ExprId, lo: u32) {
        if let Some(text) = self.made.by_hand(self.func, value) {
            let span = Span { lo, hi: self.facts.span(value).hi };
            self.out.push(Forged { span, text, key });
        }
    }

    fn place(&mut self, place: ExprId, value: ExprId) {
        let key = match *self.facts.expr(place) {
            Expr::Index { key, .. } => self.key(key),
            Expr::Field { name, .. } => {
                Some(self.facts.str(name)).filter(|name| self.words.is_key(name)).map(str::to_owned)
            }
            _ => None,
        };
        if let Some(key) = key {
            self.stored(key, value, self.facts.span(place).lo);
        }
    }

    /// `meta["attribution"], x = "…", 1`; the default of a field in a class body.
    fn bound(&mut self, pat: PatId, value: ExprId) {
        let facts = self.facts;
        match *facts.pat(pat) {
            Pat::Place(place) => self.place(place, value),
            Pat::Seq { items, rest: None } => {
                if let Expr::Seq(parts) = *facts.expr(value) {
                    for (&item, &part) in facts.list(items).iter().zip(facts.list(parts)) {
                        self.bound(item, part);
                    }
                }
            }
            Pat::Var(var) if matches!(self.values.program.ir(self.func).kind, FnKind::ClassBody(_)) => {
                let vars = facts.list(self.values.program.ir(self.func).vars);
                let name = vars.get(var.0 as usize).map(|&name| facts.str(name));
                if let Some(name) = name.filter(|name| self.words.is_key(name)) {
                    let default = self.default_of(value);
                    self.stored(name.to_owned(), default, facts.span(value).lo);
                }
            }
            _ => {}
        }
    }

    /// `field(default="…")`.
    fn default_of(&self, value: ExprId) -> ExprId {
        let facts = self.facts;
        let inner = match *facts.expr(value) {
            Expr::Ascribe { value: Some(inner), .. } => inner,
            _ => value,
        };
        let Expr::Call { callee, args, .. } = *facts.expr(inner) else { return inner };
        let name = self.values.program.receiver_name(self.func, callee);
        if !name.is_some_and(|name| self.values.catalog.fields.contains(name.name)) {
            return inner;
        }
        let args = facts.list(args);
        let names = &self.values.catalog.sets;
        let is_default = |name: &str| names.has(NameSet::DefaultArgument, name);
        let named =
            args.iter().find(|arg| matches!(arg.kind, ArgKind::Named(name) if is_default(facts.str(name))));
        named.or(args.first().filter(|arg| arg.kind == ArgKind::Positional)).map_or(inner, |arg| arg.value)
    }

    fn call(&mut self, call: ExprId, callee: ExprId, args: &'a [Arg]) {
        if let Some(Method { does: Some(GetOrInsert | SetEntry), args: [key, value, ..], .. }) =
            self.values.method(self.func, call)
            && let Some(key) = self.key(key.value)
        {
            return self.stored(key, value.value, self.facts.span(call).lo);
        }
        let path = self.values.path(self.func, call).unwrap_or_default();
        if let (Some(SetAttribute | SetEntry), [_, key, value]) =
            (self.values.catalog.operations.of_call(&path), args)
            && let Some(key) = self.key(key.value)
        {
            return self.stored(key, value.value, self.facts.span(call).lo);
        }
        for (key, value) in self.handed_over(call) {
            self.stored(key, value, self.facts.span(value).lo);
        }
        if !self.keeps_keywords(callee, &path) || self.around.sets_apart(call) {
            return;
        }
        for arg in args {
            let ArgKind::Named(name) = arg.kind else { continue };
            let name = self.facts.str(name);
            if self.words.is_key(name) {
                self.stored(name.to_owned(), arg.value, self.facts.span(arg.value).lo);
            }
        }
    }

    /// What is given by name becomes a part of the object: a constructor, `dict`, `update`, a copy with changes.
    fn keeps_keywords(&self, callee: ExprId, path: &str) -> bool {
        let is_class = self.values.program.class_named(self.func, callee).is_some();
        let name = self.values.program.receiver_name(self.func, callee).map_or("", |name| name.name);
        let operations = &self.values.catalog.operations;
        is_class
            || self.values.catalog.handed_on.changes(path)
            || operations.may_be(name, &[MakeMapping])
            || matches!(operations.of_name(name), Some(Update | CopyWith))
            || name.trim_start_matches('_').starts_with(char::is_uppercase)
                && !self.words.is_key(&name.to_lowercase())
    }
}
