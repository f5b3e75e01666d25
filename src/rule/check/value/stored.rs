//! Constants that are assigned to a variable or an attribute, or recorded under a key.

use super::{Scan, Site};
use crate::ir::{EntryKey, Expr, ExprId, Pat};

impl Scan<'_, '_> {
    pub(super) fn assignments(&self, out: &mut Vec<Site>) {
        let vars = self.facts.list(self.program().ir(self.func).vars);
        for expr in self.program().ir(self.func).exprs.iter() {
            match *self.facts.expr(expr) {
                Expr::Bind { pat, value } => {
                    if let Pat::Var(var) = *self.facts.pat(pat) {
                        let value = match *self.facts.expr(value) {
                            Expr::Ascribe { value: Some(value), .. } => value,
                            _ => value,
                        };
                        self.set(self.facts.str(vars[var.0 as usize]), value, out);
                    }
                }
                Expr::Store { place, op: None, value: Some(value) } => {
                    if matches!(self.facts.expr(place), Expr::Field { .. })
                        && let Some(name) = self.name_of(place)
                    {
                        self.set(&name, value, out);
                    }
                }
                _ => {}
            }
        }
    }

    pub(super) fn keys(&self, out: &mut Vec<Site>) {
        for expr in self.program().ir(self.func).exprs.iter() {
            match *self.facts.expr(expr) {
                Expr::Record(entries) => {
                    let entries = self.facts.list(entries);
                    let key_of = |key| self.program().text(self.func, key);
                    let keys = entries.iter().filter_map(|entry| match entry.key {
                        EntryKey::Expr(key) => Some((key_of(key)?, entry.value)),
                        EntryKey::Spread => None,
                    });
                    let keys: Vec<(String, ExprId)> = keys.collect();
                    if !keys.iter().any(|(key, _)| self.words.declares(key)) {
                        keys.iter().for_each(|(key, value)| self.set(key, *value, out));
                    }
                }
                Expr::Store { place, op: None, value: Some(value) } => {
                    if let Expr::Index { key, .. } = *self.facts.expr(place)
                        && let Some(key) = self.program().text(self.func, key)
                    {
                        self.set(&key, value, out);
                    }
                }
                _ => {}
            }
        }
    }

    fn set(&self, name: &str, constant: ExprId, out: &mut Vec<Site>) {
        let Some(confidence) = self.trust(name, || self.decides(constant)) else { return };
        if let Some(value) = self.constant(self.func, constant) {
            let problem = format!("`{name}` is set to \"{value}\"");
            out.push(Site { constant, value, name: name.to_owned(), problem, confidence });
        }
    }
}
