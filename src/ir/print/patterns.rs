//! Patterns as text.

use std::fmt::{self, Write};

use super::{DEEPEST, Printer, flag};
use crate::ir::{ListOf, Pat, PatField, PatId, RestAt};

impl<W: Write> Printer<'_, W> {
    pub(super) fn pat(&mut self, id: PatId) -> fmt::Result {
        if self.depth >= DEEPEST {
            return write!(self.out, "...");
        }
        self.depth += 1;
        let result = self.pattern(id);
        self.depth -= 1;
        result
    }

    fn pattern(&mut self, id: PatId) -> fmt::Result {
        let facts = self.facts;
        match *facts.pat(id) {
            Pat::Wild => write!(self.out, "_"),
            Pat::Var(var) => self.var(var),
            Pat::Place(place) => self.node("place", &[place]),
            Pat::Value(value) => self.node("value", &[value]),
            Pat::Seq { items, rest } => self.items(items, rest),
            Pat::Record { items, rest } => {
                write!(self.out, "{{")?;
                self.fields(items)?;
                if let Some(rest) = rest {
                    write!(self.out, " **")?;
                    self.pat(rest)?;
                }
                write!(self.out, "}}")
            }
            Pat::Ctor { path, items, named } => {
                write!(self.out, "(ctor ")?;
                self.expr(path)?;
                for &item in facts.list(items) {
                    write!(self.out, " ")?;
                    self.pat(item)?;
                }
                self.fields(named)?;
                write!(self.out, ")")
            }
            Pat::Or(items) => {
                write!(self.out, "(|")?;
                for &item in facts.list(items) {
                    write!(self.out, " ")?;
                    self.pat(item)?;
                }
                write!(self.out, ")")
            }
            Pat::As { pat, var } => {
                write!(self.out, "(as ")?;
                self.pat(pat)?;
                write!(self.out, " ")?;
                self.var(var)?;
                write!(self.out, ")")
            }
        }
    }

    fn items(&mut self, items: ListOf<PatId>, rest: Option<RestAt>) -> fmt::Result {
        write!(self.out, "[")?;
        for (index, &item) in self.facts.list(items).iter().enumerate() {
            let is_rest = rest.is_some_and(|rest| rest.0 as usize == index);
            write!(self.out, "{}{}", flag(index > 0, " "), flag(is_rest, "*"))?;
            self.pat(item)?;
        }
        write!(self.out, "]")
    }

    fn fields(&mut self, fields: ListOf<PatField>) -> fmt::Result {
        for field in self.facts.list(fields) {
            write!(self.out, " {}: ", self.facts.str(field.name))?;
            self.pat(field.pat)?;
        }
        Ok(())
    }
}
