//! Defaults of parameters, and of fields in the body of a class.

use super::{Scan, Site};
use crate::catalog::NameSet;
use crate::finding::Confidence;
use crate::ir::{ArgKind, Expr, ExprId, FnKind, Jump, Operator, Pat};
use crate::link::{Cls, argument};

impl Scan<'_, '_> {
    pub(super) fn defaults(&self, out: &mut Vec<Site>) {
        self.parameter_defaults(out);
        self.made_by_default(out);
        if let Some(class) = self.program().class_of_body(self.func) {
            self.fields(class, out);
        }
    }

    fn parameter_defaults(&self, out: &mut Vec<Site>) {
        let program = self.program();
        let function = program.ir(self.func);
        // A recorder's default says nothing of what may run.
        if function.kind == FnKind::Plain && self.words.is_exempt_call(program.name(self.func)) {
            return;
        }
        let around = function.parent;
        for (at, param) in self.facts.list(function.params).iter().enumerate() {
            let Some(default) = param.default else { continue };
            let name = self.facts.str(param.name);
            let slot = program.parameter(self.func, at as u32);
            let decides = || slot.is_some_and(|slot| self.decisions.variable_decides(slot));
            let Some(confidence) = self.trust(name, decides) else { continue };
            if let Some(value) = self.constant(around, default) {
                out.push(default_site(default, name, value, confidence));
            }
        }
    }

    /// `impl Default for Session`: what the fields of an object start as.
    fn made_by_default(&self, out: &mut Vec<Site>) {
        let program = self.program();
        let Some(class) = program.function(self.func).class else { return };
        let is_default = self.facts.profile().runs(Operator::Default, program.name(self.func));
        if !is_default || self.words.is_record_class(program.class_name(class)) {
            return;
        }
        for expr in program.ir(self.func).exprs.iter() {
            let Expr::Call { callee, args, .. } = *self.facts.expr(expr) else { continue };
            if program.class_named(self.func, callee) != Some(class) {
                continue;
            }
            for arg in self.facts.list(args) {
                let ArgKind::Named(name) = arg.kind else { continue };
                let name = self.facts.str(name);
                let decides = || self.decisions.field_decides(class, name);
                if let Some(confidence) = self.trust(name, decides)
                    && let Some(value) = self.constant(self.func, arg.value)
                {
                    out.push(default_site(arg.value, name, value, confidence));
                }
            }
        }
    }

    fn fields(&self, class: Cls, out: &mut Vec<Site>) {
        let program = self.program();
        let is_record = self.words.is_record_class(program.class_name(class));
        if is_record || program.is_enum(class) {
            return;
        }
        let vars = self.facts.list(program.ir(self.func).vars);
        for expr in program.ir(self.func).exprs.iter() {
            let Expr::Bind { pat, value } = *self.facts.expr(expr) else { continue };
            let Pat::Var(var) = *self.facts.pat(pat) else { continue };
            let name = self.facts.str(vars[var.0 as usize]);
            // Capitals are a constant; who uses it is asked there.
            if !name.chars().any(char::is_lowercase) {
                continue;
            }
            let (value, is_declared) = match *self.facts.expr(value) {
                Expr::Ascribe { value: Some(value), .. } => (value, true),
                _ => (value, false),
            };
            let decides = || is_declared || self.decisions.field_decides(class, name);
            let Some(confidence) = self.trust(name, decides) else { continue };
            let default = self.default_of_field(value);
            if let Some(value) = self.constant(self.func, default).or_else(|| self.made(default)) {
                out.push(default_site(default, name, value, confidence));
            }
        }
    }

    /// `field(default="…")`, `Field("…")`, `field(default_factory=…)`: what the field starts as.
    fn default_of_field(&self, value: ExprId) -> ExprId {
        let Expr::Call { callee, args, .. } = *self.facts.expr(value) else { return value };
        let name = self.program().receiver_name(self.func, callee).map_or("", |receiver| receiver.name);
        if !self.context.catalog.fields.contains(name) {
            return value;
        }
        let args = self.facts.list(args);
        let named = |name| argument(self.facts, args, None, Some(name));
        let first = || argument(self.facts, args, Some(0), None);
        let names = self.context.catalog.sets.of(NameSet::FieldDefault);
        names.iter().find_map(|name| named(name)).or_else(first).unwrap_or(value)
    }

    /// `lambda: "…"`.
    pub(super) fn made(&self, factory: ExprId) -> Option<String> {
        let Expr::Closure(func) = *self.facts.expr(factory) else { return None };
        let mut exprs = self.program().ir(func).exprs.iter();
        exprs.find_map(|expr| match *self.facts.expr(expr) {
            Expr::Jump { kind: Jump::Return, value: Some(value) } => self.constant(func, value),
            _ => None,
        })
    }
}

fn default_site(constant: ExprId, name: &str, value: String, confidence: Confidence) -> Site {
    let problem = format!("`{name}` defaults to \"{value}\"");
    Site { constant, problem, value, name: name.to_owned(), confidence }
}
