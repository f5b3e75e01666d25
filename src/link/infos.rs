//! What is said of each function: where it stands, whose it is, how the project spells it.

use super::hierarchy::{Hierarchy, MethodKind};
use super::ids::Func;
use super::index::Index;
use super::program::FunctionInfo;
use crate::source::FileId;

/// By `Func`.
pub(super) fn function_infos(index: &Index<'_>, hierarchy: &Hierarchy) -> Vec<FunctionInfo> {
    (0..index.functions.len() as u32).map(|func| function_info(index, hierarchy, Func(func))).collect()
}

fn function_info(index: &Index<'_>, hierarchy: &Hierarchy, func: Func) -> FunctionInfo {
    FunctionInfo {
        file: FileId(index.functions[func.0 as usize]),
        class: index.method_of[func.0 as usize],
        path: path_of(index, func).into(),
        is_property: hierarchy.kind(func) == MethodKind::Property,
    }
}

/// The module's dotted name, then the names of the scopes around the function, then its own.
fn path_of(index: &Index<'_>, func: Func) -> String {
    let file = index.file_of(func);
    let facts = index.units[file].facts;
    let mut names = Vec::new();
    let mut at = func;
    while at != facts.module() {
        names.push(facts.str(facts.function(at).name));
        at = facts.function(at).parent;
    }
    names.push("");
    names.reverse();
    index.modules.dotted(file) + &names.join(".")
}
