//! Values as text: `(word child child)`.

use std::fmt::{self, Write};

use super::{DEEPEST, Printer};
use crate::ir::{ArgKind, Entry, EntryKey, Expr, ExprId, ListOf, Lit, Op};

impl<W: Write> Printer<'_, W> {
    pub(super) fn expr(&mut self, id: ExprId) -> fmt::Result {
        if self.depth >= DEEPEST {
            return write!(self.out, "...");
        }
        self.depth += 1;
        let result = self.value(id);
        self.depth -= 1;
        result
    }

    fn value(&mut self, id: ExprId) -> fmt::Result {
        let facts = self.facts;
        match *facts.expr(id) {
            Expr::Lit(lit) => self.lit(lit),
            Expr::Var(var) => self.var(var),
            Expr::Free(name) => {
                write!(self.out, "@")?;
                self.sym(name)
            }
            Expr::Field { base, name } => {
                write!(self.out, "(. ")?;
                self.expr(base)?;
                write!(self.out, " {})", facts.str(name))
            }
            Expr::Index { base, key } => self.node("index", &[base, key]),
            Expr::Call { .. } => self.call(id),
            Expr::Record(entries) => self.record(entries),
            Expr::Seq(list) => self.node("seq", facts.list(list)),
            Expr::Text(list) => self.node("text", facts.list(list)),
            Expr::Op { op, args } => self.node(op_name(op), facts.list(args)),
            Expr::Not(inner) => self.node("not", &[inner]),
            Expr::All(list) => self.node("and", facts.list(list)),
            Expr::Any(list) => self.node("or", facts.list(list)),
            Expr::Closure(function) => write!(self.out, "(fn {})", self.number(function)),
            Expr::Class(class) => write!(self.out, "(class {})", self.class_number(class)),
            Expr::Import(import) => {
                let first = self.facts.import_ids().next().unwrap_or(import);
                write!(self.out, "(import {})", import.0 - first.0)
            }
            Expr::Await(inner) => self.node("await", &[inner]),
            Expr::Yield { value, delegate } => {
                self.node(if delegate { "yield-from" } else { "yield" }, value.as_slice())
            }
            Expr::Spread(inner) => self.node("spread", &[inner]),
            Expr::Collect { body, item } => self.node("collect", &[item, body]),
            Expr::Ascribe { value: Some(value), ty, .. } => self.node("ascribe", &[value, ty]),
            Expr::Ascribe { value: None, ty, .. } => self.node("declare", &[ty]),
            _ => self.control(id),
        }
    }

    fn record(&mut self, entries: ListOf<Entry>) -> fmt::Result {
        write!(self.out, "(record")?;
        for entry in self.facts.list(entries) {
            match entry.key {
                EntryKey::Expr(key) => self.pair(" (", key, entry.value)?,
                EntryKey::Spread => {
                    write!(self.out, " (** ")?;
                    self.expr(entry.value)?;
                }
            }
            write!(self.out, ")")?;
        }
        write!(self.out, ")")
    }

    pub(super) fn pair(&mut self, open: &str, first: ExprId, second: ExprId) -> fmt::Result {
        write!(self.out, "{open}")?;
        self.expr(first)?;
        write!(self.out, " ")?;
        self.expr(second)
    }

    fn lit(&mut self, lit: Lit) -> fmt::Result {
        match lit {
            Lit::None => write!(self.out, "none"),
            Lit::Bool(value) => write!(self.out, "{value}"),
            Lit::Int(value) => write!(self.out, "{value}"),
            Lit::Str(text) => write!(self.out, "{:?}", self.facts.str(text)),
            Lit::Bytes(text) => write!(self.out, "b{:?}", self.facts.str(text)),
            Lit::Other => write!(self.out, "..."),
        }
    }

    fn call(&mut self, id: ExprId) -> fmt::Result {
        let Expr::Call { callee, args, .. } = *self.facts.expr(id) else { return Ok(()) };
        write!(self.out, "(call ")?;
        self.expr(callee)?;
        for arg in self.facts.list(args) {
            match arg.kind {
                ArgKind::Positional => write!(self.out, " ")?,
                ArgKind::Named(name) => write!(self.out, " {}=", self.facts.str(name))?,
                ArgKind::Spread => write!(self.out, " *")?,
                ArgKind::SpreadNamed => write!(self.out, " **")?,
            }
            self.expr(arg.value)?;
        }
        write!(self.out, ")")
    }
}

pub(super) fn op_name(op: Op) -> &'static str {
    match op {
        Op::Add => "+",
        Op::Sub => "-",
        Op::Mul => "*",
        Op::Div => "/",
        Op::Mod => "%",
        Op::BitOr => "|",
        Op::Eq => "==",
        Op::Ne => "!=",
        Op::Lt => "<",
        Op::Le => "<=",
        Op::Gt => ">",
        Op::Ge => ">=",
        Op::In => "in",
        Op::NotIn => "not-in",
        Op::Is => "is",
        Op::IsNot => "is-not",
        Op::Slice => "slice",
        Op::Other(_) => "op",
    }
}
