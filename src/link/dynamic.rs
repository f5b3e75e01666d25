//! Calls whose callee stands in a text or a mapping: source text that is run, and names that a library makes objects of. As far
//! as the texts are constant, what they name is called where they are run.

use super::args::argument;
use super::edge::Target;
use super::edges::{Pass, Targets};
use super::ids::{Cls, Func, Module, PathId};
use super::types::{Type, Types};
use crate::catalog::{Loader, Loads};
use crate::ir::{Arg, EntryKey, Expr, ExprId, Lit};

/// A table in a table; more is no configuration that people write.
const MAX_NESTING: u32 = 16;

impl Pass<'_, '_, '_> {
    /// The project's functions and the library paths that a loader runs by their names.
    pub(super) fn named_in_texts(&mut self, func: Func, path: PathId, args: &[Arg]) -> Vec<Target> {
        let index = self.solver.index;
        let Some(loader) = index.externals.loader(path) else { return Vec::new() };
        let facts = index.units[index.file_of(func)].facts;
        let test = loader.argument.as_ref();
        let value = test.and_then(|test| argument(facts, args, test.index, test.name.as_deref()));
        let mut found = Targets::default();
        match (loader.of, value) {
            (Loads::Code, Some(value)) => self.in_code(func, value, &mut found),
            (Loads::Names, Some(value)) => self.in_mapping(func, value, loader, MAX_NESTING, &mut found),
            _ => {}
        }
        found.list.sort_unstable();
        found.list.dedup();
        found.list
    }

    /// What the project binds and source text calls.
    fn in_code(&mut self, func: Func, value: ExprId, found: &mut Targets) {
        let module = Type::Module(Module::File(self.solver.index.file_of(func)));
        for code in self.solver.texts(func, value) {
            for name in called(&code) {
                let value = match name {
                    Named::Imported(dotted) => self.solver.named_by_path(func, &dotted),
                    Named::Own(dotted) => self.solver.attributes_of(module, dotted),
                };
                self.solver
                    .settled(value)
                    .into_iter()
                    .filter(is_own)
                    .for_each(|ty| self.target(ty, false, found));
            }
        }
    }

    fn in_mapping(&mut self, func: Func, value: ExprId, loader: &Loader, nesting: u32, found: &mut Targets) {
        let Some(nesting) = nesting.checked_sub(1) else { return };
        let (func, value) = self.solver.index.named_once(func, value);
        let facts = self.solver.index.units[self.solver.index.file_of(func)].facts;
        match *facts.expr(value) {
            Expr::Seq(items) => {
                for &item in facts.list(items) {
                    self.in_mapping(func, item, loader, nesting, found);
                }
            }
            Expr::Record(entries) => {
                for entry in facts.list(entries) {
                    let is_name = match entry.key {
                        EntryKey::Expr(key) => match *facts.expr(key) {
                            Expr::Lit(Lit::Str(key)) => {
                                loader.keys.iter().any(|known| known == facts.str(key))
                            }
                            _ => false,
                        },
                        EntryKey::Spread => false,
                    };
                    match is_name {
                        true => self.made_by_name(func, entry.value, found),
                        false => self.in_mapping(func, entry.value, loader, nesting, found),
                    }
                }
            }
            _ => {}
        }
    }

    /// A callable or its dotted name: whoever makes an object of a class runs its methods when it likes.
    fn made_by_name(&mut self, func: Func, value: ExprId, found: &mut Targets) {
        let mut types: Types = self.solver.eval(func, value);
        for dotted in self.solver.texts(func, value) {
            let own = self.solver.named_by_path(func, &dotted);
            let own = self.solver.settled(own);
            if own.is_empty() {
                found.list.push(Target::External(self.solver.index.externals.path(&dotted)));
            }
            types.extend(own);
        }
        for ty in types {
            if let Type::Class { class, .. } = ty {
                self.methods_of(class, found);
            }
            self.target(ty, false, found);
        }
    }

    fn methods_of(&self, class: Cls, found: &mut Targets) {
        let index = self.solver.index;
        for &ancestor in &self.solver.hierarchy.ancestors[class.0 as usize] {
            let file = index.file_of(index.class_body(ancestor));
            let functions = index.units[file].facts.function_ids();
            let methods = functions.filter(|func| index.method_of[func.0 as usize] == Some(ancestor));
            found.list.extend(methods.map(Target::Project));
        }
    }
}

/// True for what the project defines; what the language has is nobody's business here.
fn is_own(ty: &Type) -> bool {
    matches!(ty, Type::Function(_) | Type::Bound(_) | Type::Partial(_) | Type::Class { .. })
}

/// What source text calls.
#[derive(PartialEq, Eq, Debug)]
enum Named<'t> {
    /// By a name that the text itself imports, as a path from the top.
    Imported(String),
    /// By a name of the module that runs the text.
    Own(&'t str),
}

/// The names that source text calls, and the one that all of it is.
fn called(code: &str) -> Vec<Named<'_>> {
    let mut imports: Vec<(&str, String)> = Vec::new();
    let mut found = Vec::new();
    for statement in code.split(['\n', ';']) {
        let words = words(statement);
        match *words {
            [("from", _), (module, _), ("import", _), ref names @ ..] => {
                imports
                    .extend(bound(names).into_iter().map(|(name, path)| (name, format!("{module}.{path}"))));
            }
            [("import", _), ref names @ ..] => {
                imports.extend(bound(names).into_iter().map(|(name, path)| (name, path.to_owned())));
            }
            _ => {
                let is_whole = |word: &str| statement.trim() == word;
                let names = words.iter().filter(|(word, is_called)| *is_called || is_whole(word));
                found.extend(names.map(|&(word, _)| meant(word, &imports)));
            }
        }
    }
    found
}

/// `a, b as c`: names with what they stand for.
fn bound<'t>(names: &[(&'t str, bool)]) -> Vec<(&'t str, &'t str)> {
    let all = names.iter().enumerate().filter_map(|(at, &(word, _))| {
        let is_other_name = |at: usize| names.get(at).is_some_and(|name| name.0 == "as");
        let is_new = word == "as" || at > 0 && is_other_name(at - 1);
        let name = if is_other_name(at + 1) { names.get(at + 2)?.0 } else { word };
        (!is_new).then_some((name, word))
    });
    all.collect()
}

fn meant<'t>(word: &'t str, imports: &[(&str, String)]) -> Named<'t> {
    let imported = imports.iter().rev().find_map(|(name, path)| match word.strip_prefix(name)? {
        "" => Some(path.clone()),
        rest => rest.starts_with('.').then(|| format!("{path}{rest}")),
    });
    imported.map_or(Named::Own(word), Named::Imported)
}

/// The dotted names of a line, each true if an argument list stands behind it.
fn words(line: &str) -> Vec<(&str, bool)> {
    let mut found = Vec::new();
    let mut rest = line;
    while let Some(start) = rest.find(|c: char| c.is_alphabetic() || c == '_') {
        let text = &rest[start..];
        let end = text.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '.').unwrap_or(text.len());
        let word = text[..end].trim_end_matches('.');
        found.push((word, text[end..].trim_start().starts_with('(')));
        rest = &text[end.max(word.len())..];
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_in_text_are_read_with_their_imports() {
        let own = |name| Named::Own(name);
        let imported = |path: &str| Named::Imported(path.to_owned());
        assert_eq!(called("send"), [own("send")]);
        assert_eq!(called("x = send(1) + 2"), [own("send")]);
        assert_eq!(
            called("from comm.net import post as p, get; p(1)\nget(2)"),
            [imported("comm.net.post"), imported("comm.net.get")]
        );
        assert_eq!(called("import comm.net as net; net.post(1)"), [imported("comm.net.post")]);
        assert_eq!(called("import comm; comm.net.post(1)"), [imported("comm.net.post")]);
        assert_eq!(called("1 + 1"), []);
    }
}
