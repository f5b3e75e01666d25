//! Prints facts as text, for `gatelint debug ir` and for tests: one function at a time, complete, stable, no decisions.

use std::fmt::{self, Write};

use super::{
    ArgKind, Capture, EntryKey, Expr, ExprId, Facts, FnId, FnKind, Function, Import, Imported, Jump, ListOf,
    Lit, Op, Param, ParamKind, Pat, PatId, Span, Sym, VarId, When,
};

/// Facts nest less; a printer must end even where they are broken.
const DEEPEST: usize = 1000;

/// Writes all of `facts`; `text` is the file that they were made from.
pub fn print(facts: &Facts, text: &str, out: &mut impl Write) -> fmt::Result {
    let mut printer = Printer { facts, text, out, here: super::MODULE, indent: 0, depth: 0 };
    facts.imports.iter().enumerate().try_for_each(|(id, import)| printer.import(id, import))?;
    for id in 0..facts.functions.len() {
        printer.function(FnId(id as u32))?;
    }
    facts.notes.iter().try_for_each(|&span| printer.place("note", span))?;
    facts
        .problems
        .iter()
        .try_for_each(|problem| printer.place(&format!("problem {:?}", problem.kind), problem.span))
}

struct Printer<'f, W> {
    facts: &'f Facts,
    text: &'f str,
    out: &'f mut W,
    here: FnId,
    indent: usize,
    depth: usize,
}

impl<W: Write> Printer<'_, W> {
    fn import(&mut self, id: usize, import: &Import) -> fmt::Result {
        let dots = ".".repeat(import.level.into());
        write!(self.out, "import {id} {dots}{}", self.facts.str(import.path))?;
        match import.what {
            Imported::Root => write!(self.out, " root")?,
            Imported::Module => write!(self.out, " module")?,
            Imported::Name(name) => write!(self.out, " name {}", self.facts.str(name))?,
            Imported::Star => write!(self.out, " star")?,
        }
        match import.when {
            When::Always => {}
            When::InTry => write!(self.out, " in-try")?,
            When::TypeOnly => write!(self.out, " type-only")?,
        }
        writeln!(self.out, " in {}", import.scope.0)
    }

    fn place(&mut self, what: &str, span: Span) -> fmt::Result {
        let found = self.text.get(span.lo as usize..span.hi as usize).unwrap_or_default();
        let found: String = found.chars().take(60).collect();
        writeln!(self.out, "{what} {}..{} {found:?}", span.lo, span.hi)
    }

    fn function(&mut self, id: FnId) -> fmt::Result {
        let facts = self.facts;
        let function = facts.function(id);
        self.here = function.parent;
        self.class_head(function)?;
        write!(self.out, "fn {} {} {:?}", id.0, kind_name(function.kind), facts.str(function.name))?;
        write!(
            self.out,
            "{}{}",
            flag(function.is_async, " async"),
            flag(function.is_generator, " generator")
        )?;
        write!(self.out, " in {}", function.parent.0)?;
        self.named_list(" decorators", function.decorators)?;
        self.params(id, function)?;
        if let Some(ty) = function.returns {
            write!(self.out, " -> ")?;
            self.expr(ty)?;
        }
        self.here = id;
        for &Capture { outer, inner } in facts.list(function.captures) {
            write!(self.out, " capture ")?;
            self.var(inner)?;
            write!(self.out, "={}", outer.0)?;
        }
        for export in facts.list(function.exports) {
            write!(self.out, " export {}=", facts.str(export.name))?;
            self.var(export.var)?;
        }
        writeln!(self.out)?;
        self.indent = 1;
        self.newline_indent()?;
        self.expr(function.body)?;
        writeln!(self.out)
    }

    fn class_head(&mut self, function: &Function) -> fmt::Result {
        let FnKind::ClassBody(id) = function.kind else { return Ok(()) };
        write!(self.out, "class {}", id.0)?;
        self.named_list(" bases", self.facts.class(id).bases)?;
        writeln!(self.out)
    }

    fn named_list(&mut self, name: &str, list: ListOf<ExprId>) -> fmt::Result {
        if list.is_empty() {
            return Ok(());
        }
        write!(self.out, "{name} (")?;
        self.exprs_inside(list)?;
        write!(self.out, ")")
    }

    fn params(&mut self, id: FnId, function: &Function) -> fmt::Result {
        write!(self.out, " (")?;
        for (index, param) in self.facts.list(function.params).iter().enumerate() {
            write!(self.out, "{}", flag(index > 0, ", "))?;
            self.param(id, param)?;
        }
        write!(self.out, ")")
    }

    fn param(&mut self, id: FnId, param: &Param) -> fmt::Result {
        let mark = match param.kind {
            ParamKind::Normal => "",
            ParamKind::PositionalOnly => "positional ",
            ParamKind::KeywordOnly => "keyword ",
            ParamKind::Rest => "*",
            ParamKind::KeywordRest => "**",
        };
        write!(self.out, "{mark}")?;
        let around = std::mem::replace(&mut self.here, id);
        self.pat(param.pat)?;
        self.here = around;
        if let Some(ty) = param.ty {
            write!(self.out, ": ")?;
            self.expr(ty)?;
        }
        if let Some(default) = param.default {
            write!(self.out, " = ")?;
            self.expr(default)?;
        }
        Ok(())
    }

    fn var(&mut self, var: VarId) -> fmt::Result {
        let vars = self.facts.list(self.facts.function(self.here).vars);
        let name = vars.get(var.0 as usize).map_or("?", |&name| self.facts.str(name));
        write!(self.out, "{name}.{}", var.0)
    }

    fn sym(&mut self, name: Sym) -> fmt::Result {
        write!(self.out, "{}", self.facts.str(name))
    }

    fn newline_indent(&mut self) -> fmt::Result {
        (0..self.indent).try_for_each(|_| write!(self.out, "  "))
    }

    fn exprs_inside(&mut self, list: ListOf<ExprId>) -> fmt::Result {
        for (index, &id) in self.facts.list(list).iter().enumerate() {
            write!(self.out, "{}", flag(index > 0, " "))?;
            self.expr(id)?;
        }
        Ok(())
    }

    /// `(word child child)`.
    fn node(&mut self, word: &str, children: &[ExprId]) -> fmt::Result {
        write!(self.out, "({word}")?;
        for &child in children {
            write!(self.out, " ")?;
            self.expr(child)?;
        }
        write!(self.out, ")")
    }

    fn expr(&mut self, id: ExprId) -> fmt::Result {
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
            Expr::Record(entries) => {
                write!(self.out, "(record")?;
                for entry in facts.list(entries) {
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
            Expr::Seq(list) => self.node("seq", facts.list(list)),
            Expr::Text(list) => self.node("text", facts.list(list)),
            Expr::Op { op, args } => self.node(op_name(op), facts.list(args)),
            Expr::Not(inner) => self.node("not", &[inner]),
            Expr::All(list) => self.node("and", facts.list(list)),
            Expr::Any(list) => self.node("or", facts.list(list)),
            Expr::Closure(function) => write!(self.out, "(fn {})", function.0),
            Expr::Class(class) => write!(self.out, "(class {})", class.0),
            Expr::Import(import) => write!(self.out, "(import {})", import.0),
            Expr::Await(inner) => self.node("await", &[inner]),
            Expr::Yield { value, delegate } => {
                self.node(if delegate { "yield-from" } else { "yield" }, value.as_slice())
            }
            Expr::Spread(inner) => self.node("spread", &[inner]),
            Expr::Collect { body, item } => self.node("collect", &[item, body]),
            Expr::Ascribe { value: Some(value), ty } => self.node("ascribe", &[value, ty]),
            Expr::Ascribe { value: None, ty } => self.node("declare", &[ty]),
            _ => self.control(id),
        }
    }

    fn pair(&mut self, open: &str, first: ExprId, second: ExprId) -> fmt::Result {
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

    fn control(&mut self, id: ExprId) -> fmt::Result {
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
            Expr::If { arms, otherwise } => {
                write!(self.out, "(if")?;
                for arm in facts.list(arms) {
                    self.pair(" (", arm.test, arm.body)?;
                    write!(self.out, ")")?;
                }
                self.clause("else", otherwise)?;
                write!(self.out, ")")
            }
            Expr::Match { subject, arms } => {
                write!(self.out, "(match ")?;
                self.expr(subject)?;
                for arm in facts.list(arms) {
                    write!(self.out, " (case ")?;
                    self.pat(arm.pat)?;
                    self.clause("when", arm.guard)?;
                    write!(self.out, " ")?;
                    self.expr(arm.body)?;
                    write!(self.out, ")")?;
                }
                write!(self.out, ")")
            }
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
            Jump::Break(label) => write!(self.out, "(break L{})", label.0),
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

    fn pat(&mut self, id: PatId) -> fmt::Result {
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
            Pat::Seq { items, rest } => {
                write!(self.out, "[")?;
                for (index, &item) in facts.list(items).iter().enumerate() {
                    let is_rest = rest.is_some_and(|rest| rest.0 as usize == index);
                    write!(self.out, "{}{}", flag(index > 0, " "), flag(is_rest, "*"))?;
                    self.pat(item)?;
                }
                write!(self.out, "]")
            }
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

    fn fields(&mut self, fields: ListOf<super::PatField>) -> fmt::Result {
        for field in self.facts.list(fields) {
            write!(self.out, " {}: ", self.facts.str(field.name))?;
            self.pat(field.pat)?;
        }
        Ok(())
    }
}

fn flag(is_set: bool, word: &str) -> &str {
    if is_set { word } else { "" }
}

fn kind_name(kind: FnKind) -> &'static str {
    match kind {
        FnKind::Module => "module",
        FnKind::ClassBody(_) => "class-body",
        FnKind::Plain => "plain",
        FnKind::Lambda => "lambda",
    }
}

fn op_name(op: Op) -> &'static str {
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
        Op::Other => "op",
    }
}
