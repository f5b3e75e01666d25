//! Bindings and control flow as text; only blocks break the line.

use std::fmt::{self, Write};

use super::expressions::op_name;
use super::{Printer, flag};
use crate::ir::{Arm, Expr, ExprId, IfArm, Jump, ListOf};

impl<W: Write> Printer<'_, W> {
    pub(super) fn control(&mut self, id: ExprId) -> fmt::Result {
        let facts = self.facts;
        match *facts.expr(id) {
            Expr::Bind { pat, value } => {
                write!(self.out, "(bind ")?;
                self.pat(pat)?;
                write!(self.out, " ")?;
                self.expr(value)?;
                write!(self.out, ")")
            }
            Expr::Store { place, value: None, .. } => self.node("delete", &[place]),
            Expr::Store { place, op: None, value: Some(value) } => self.node("store", &[place, value]),
            Expr::Store { place, op: Some(op), value: Some(value) } => {
                self.node(&format!("store{}", op_name(op)), &[place, value])
            }
            Expr::Block(list) => self.block(list),
            Expr::Opaque(list) => self.node("opaque", facts.list(list)),
            Expr::If { arms, otherwise } => self.branches(arms, otherwise),
            Expr::Match { subject, arms } => self.cases(subject, arms),
            Expr::Jump { kind, value } => self.jump(kind, value),
            Expr::Loop(index) => self.repeat(index),
            Expr::Try(index) => self.attempt(index),
            Expr::With { context, pat, body, is_async } => {
                write!(self.out, "(with{} ", flag(is_async, "-async"))?;
                self.expr(context)?;
                if let Some(pat) = pat {
                    write!(self.out, " as ")?;
                    self.pat(pat)?;
                }
                write!(self.out, " ")?;
                self.expr(body)?;
                write!(self.out, ")")
            }
            _ => Ok(()),
        }
    }

    fn branches(&mut self, arms: ListOf<IfArm>, otherwise: Option<ExprId>) -> fmt::Result {
        write!(self.out, "(if")?;
        for arm in self.facts.list(arms) {
            self.pair(" (", arm.test, arm.body)?;
            write!(self.out, ")")?;
        }
        self.clause("else", otherwise)?;
        write!(self.out, ")")
    }

    fn cases(&mut self, subject: ExprId, arms: ListOf<Arm>) -> fmt::Result {
        write!(self.out, "(match ")?;
        self.expr(subject)?;
        for arm in self.facts.list(arms) {
            write!(self.out, " (case ")?;
            self.pat(arm.pat)?;
            self.clause("when", arm.guard)?;
            write!(self.out, " ")?;
            self.expr(arm.body)?;
            write!(self.out, ")")?;
        }
        write!(self.out, ")")
    }

    fn clause(&mut self, word: &str, body: Option<ExprId>) -> fmt::Result {
        let Some(body) = body else { return Ok(()) };
        write!(self.out, " ({word} ")?;
        self.expr(body)?;
        write!(self.out, ")")
    }

    fn block(&mut self, list: ListOf<ExprId>) -> fmt::Result {
        write!(self.out, "(block")?;
        self.indent += 1;
        for &id in self.facts.list(list) {
            writeln!(self.out)?;
            self.newline_indent()?;
            self.expr(id)?;
        }
        self.indent -= 1;
        write!(self.out, ")")
    }

    fn jump(&mut self, kind: Jump, value: Option<ExprId>) -> fmt::Result {
        match kind {
            Jump::Return => self.node("return", value.as_slice()),
            Jump::Break(label) => self.node(&format!("break L{}", label.0), value.as_slice()),
            Jump::Continue(label) => write!(self.out, "(continue L{})", label.0),
            Jump::Raise => self.node("raise", value.as_slice()),
            Jump::Assert => self.node("assert", value.as_slice()),
        }
    }

    fn repeat(&mut self, index: u32) -> fmt::Result {
        let found = self.facts.arenas.loop_at(index);
        write!(self.out, "(loop L{}", found.label.0)?;
        self.clause("while", found.test)?;
        if let Some((pat, iterable)) = found.each {
            write!(self.out, " (each ")?;
            self.pat(pat)?;
            write!(self.out, " ")?;
            self.expr(iterable)?;
            write!(self.out, ")")?;
        }
        write!(self.out, " ")?;
        self.expr(found.body)?;
        self.clause("else", found.otherwise)?;
        write!(self.out, ")")
    }

    fn attempt(&mut self, index: u32) -> fmt::Result {
        let found = self.facts.arenas.try_at(index);
        write!(self.out, "(try ")?;
        self.expr(found.body)?;
        for handler in self.facts.list(found.handlers) {
            write!(self.out, " (except (")?;
            self.exprs_inside(handler.types)?;
            write!(self.out, ") ")?;
            if let Some(pat) = handler.pat {
                self.pat(pat)?;
                write!(self.out, " ")?;
            }
            self.expr(handler.body)?;
            write!(self.out, ")")?;
        }
        self.clause("else", found.otherwise)?;
        self.clause("finally", found.finally)?;
        write!(self.out, ")")
    }
}
