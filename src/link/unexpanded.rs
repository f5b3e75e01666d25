//! Functions that macros among the items make and that nobody has read: where the program calls a name that it does not define
//! and that a macro of its own was given, the macro may have made it.

use std::collections::{BTreeMap, BTreeSet};

use super::absent::{Absence, Absent};
use super::edge::Resolution;
use super::program::Program;
use crate::ir::{Expr, ExprId, Facts, FnKind, Func, Function, Span};
use crate::source::FileId;

/// Where a macro was given a name, and the macro.
type Made<'p> = BTreeMap<&'p str, (FileId, Span, &'p str)>;

impl<'a> Program<'a> {
    /// The names that production code calls and that only a macro of the project can have defined.
    pub fn unexpanded(&self) -> Vec<Absent> {
        let made = self.made_names();
        let mut found = BTreeMap::new();
        if made.is_empty() {
            return Vec::new();
        }
        for call in self.calls.iter().filter(|call| call.resolution == Resolution::Unresolved) {
            let facts = self.facts(call.at.file);
            let Expr::Call { callee, .. } = *facts.expr(call.at.expr) else { continue };
            if !facts.profile().has_macros || self.is_test_code(call.from) {
                continue;
            }
            let called = name_of(facts, None, callee);
            if let Some((name, &(file, span, by))) = called.and_then(|name| made.get_key_value(name)) {
                let why = Absence::Made(by.to_owned());
                found.insert(*name, Absent { file, span, module: (*name).to_owned(), why });
            }
        }
        found.into_values().collect()
    }

    /// What macros of the project are given where items stand.
    fn made_names(&self) -> Made<'a> {
        let mut made = Made::new();
        let files = self
            .index
            .units
            .iter()
            .enumerate()
            .filter(|(_, unit)| unit.facts.profile().has_macros && !unit.is_test);
        let mut defined = None;
        for (file, unit) in files {
            let facts = unit.facts;
            for site in facts.calls().iter().filter(|site| is_body(facts, site.function)) {
                let Expr::Call { callee, args, .. } = *facts.expr(site.expr) else { continue };
                let Some(by) = name_of(facts, Some(site.function), callee) else { continue };
                let defined: &BTreeSet<&str> = defined.get_or_insert_with(|| self.own_macros());
                if !defined.contains(by) {
                    continue;
                }
                for arg in facts.list(args) {
                    if let Expr::Free(name) = *facts.expr(arg.value) {
                        let place = (FileId(file as u32), facts.span(site.expr), by);
                        made.entry(facts.str(name)).or_insert(place);
                    }
                }
            }
        }
        made
    }

    /// What modules call their macros: what a function takes has a type, what a macro takes has none.
    fn own_macros(&self) -> BTreeSet<&'a str> {
        let units = self.index.units.iter().filter(|unit| unit.facts.profile().has_macros);
        let names = units.flat_map(|unit| {
            let facts = unit.facts;
            let is_macro =
                |function: &&Function| is_body(facts, function.parent) && takes_no_type(facts, function);
            let functions = facts.functions().iter().filter(is_macro);
            functions.map(|function| unit.facts.str(function.name))
        });
        names.collect()
    }
}

fn takes_no_type(facts: &Facts, function: &Function) -> bool {
    facts.list(function.params).iter().all(|param| param.ty.is_none())
}

/// The body of a module, in which a call is that of a macro.
fn is_body(facts: &Facts, function: Func) -> bool {
    function == facts.module() || matches!(facts.function(function).kind, FnKind::ClassBody(_))
}

/// The last name of what is called; one that is bound in `body` counts.
fn name_of(facts: &Facts, body: Option<Func>, callee: ExprId) -> Option<&str> {
    match *facts.expr(callee) {
        Expr::Var(var) => {
            let vars = facts.list(facts.function(body?).vars);
            vars.get(var.0 as usize).map(|&name| facts.str(name))
        }
        Expr::Free(name) | Expr::Field { name, .. } => Some(facts.str(name)),
        _ => None,
    }
}
