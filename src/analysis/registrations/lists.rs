//! Lists of functions that something is given: the elements one by one, as far as the function shows how the list comes
//! about. `tools.append(self.search)` says more than the list does, and no list is too long to be read.

use super::{Finder, Name, Said, Way};
use crate::catalog::{DataOp, DataOps, Registration};
use crate::finding::Confidence;
use crate::ir::{ArgKind, Expr, ExprId, Pat, VarId};
use crate::link::{Func, Program};

/// Lists in lists, and names of names.
pub(super) const MAX_DEPTH: u32 = 4;

/// What lists are read by.
struct From<'l, 'a> {
    program: &'l Program<'a>,
    operations: &'l DataOps,
}

impl Finder<'_, '_> {
    pub(super) fn elements(&self, func: Func, list: ExprId) -> Vec<ExprId> {
        let (program, operations) = (self.program, &self.catalog.operations);
        let mut items = Vec::new();
        elements(&From { program, operations }, func, list, MAX_DEPTH, &mut items);
        items
    }

    /// Takes down the elements of a list, each where it stands.
    pub(super) fn listed(&mut self, func: Func, list: ExprId, entry: &Registration, nth: usize, said: &Said) {
        let program = self.program;
        let file = program.function(func).file;
        let facts = program.facts(file);
        let items = self.elements(func, list);
        let mut known = Vec::new();
        for item in items {
            let (value, name) = match *facts.expr(item) {
                // `(self.afetch, "fetch")`
                Expr::Seq(parts) => match facts.list(parts) {
                    [value, name, ..] => (*value, program.text(func, *name).map_or(Name::Own, Name::Known)),
                    _ => continue,
                },
                _ => (item, Name::Own),
            };
            let span = facts.span(item);
            let mut found = self.kept(file, value);
            found.retain(|&function| self.is_meant(func, value, function));
            if found.is_empty() {
                // Whatever decorates a method, it is the one that the list means.
                let method = self.own_attribute(func, value);
                found.extend(method.and_then(|(class, name)| program.method(class, name)));
            }
            for function in found {
                known.push(function);
                self.add(entry, function, nth, Said { name: name.clone(), span, ..said.clone() });
            }
        }
        // What only the types tell.
        for function in self.kept(file, list) {
            if !known.contains(&function) && self.is_meant(func, list, function) {
                let confidence = said.confidence.min(Confidence::Medium);
                self.add(entry, function, nth, Said { way: Way::Inferred, confidence, ..said.clone() });
            }
        }
    }
}

/// The expressions that become elements of a list.
fn elements(from: &From<'_, '_>, func: Func, list: ExprId, depth: u32, out: &mut Vec<ExprId>) {
    let program = from.program;
    let Some(depth) = depth.checked_sub(1) else { return };
    let facts = program.facts(program.function(func).file);
    let mut each = |inner: ExprId| elements(from, func, inner, depth, out);
    match *facts.expr(list) {
        Expr::Seq(items) => {
            for &item in facts.list(items) {
                match *facts.expr(item) {
                    Expr::Spread(inner) => elements(from, func, inner, depth, out),
                    _ => out.push(item),
                }
            }
        }
        Expr::Op { args, .. } | Expr::Any(args) => facts.list(args).iter().for_each(|&inner| each(inner)),
        Expr::If { arms, otherwise } => {
            facts.list(arms).iter().for_each(|arm| each(arm.body));
            otherwise.into_iter().for_each(each);
        }
        Expr::Bind { value, .. } | Expr::Ascribe { value: Some(value), .. } => each(value),
        Expr::Var(var) => collected(from, func, var, depth, out),
        _ => {}
    }
}

/// What a function puts into the list that a variable holds.
fn collected(from: &From<'_, '_>, func: Func, list: VarId, depth: u32, out: &mut Vec<ExprId>) {
    let program = from.program;
    let facts = program.facts(program.function(func).file);
    let is_list = |expr: ExprId| matches!(*facts.expr(expr), Expr::Var(var) if var == list);
    for expr in program.ir(func).exprs.iter() {
        match *facts.expr(expr) {
            Expr::Bind { pat, value } if matches!(*facts.pat(pat), Pat::Var(var) if var == list) => {
                elements(from, func, value, depth, out);
            }
            Expr::Store { place, op: Some(_), value: Some(value) } if is_list(place) => {
                elements(from, func, value, depth, out);
            }
            Expr::Call { callee, args, .. } => {
                let Expr::Field { base, name } = *facts.expr(callee) else { continue };
                let last = facts.list(args).last().filter(|arg| arg.kind == ArgKind::Positional);
                let Some(last) = last.filter(|_| is_list(base)) else { continue };
                match from.operations.of_name(facts.str(name)) {
                    Some(DataOp::Append | DataOp::Insert) => out.push(last.value),
                    Some(DataOp::Extend) => elements(from, func, last.value, depth, out),
                    _ => {}
                }
            }
            _ => {}
        }
    }
}
