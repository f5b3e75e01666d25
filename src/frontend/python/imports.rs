//! Imports: one per bound name.

use super::kind::Kind;
use super::{Lowerer, Node};
use crate::ir::{Expr, Import, ImportId, Imported, Span, Takes};

impl Lowerer<'_> {
    pub(super) fn import(&mut self, node: Node<'_>) {
        if node.kind() == Kind::Import {
            for name in node.children().filter(|n| n.kind() != Kind::Comma) {
                self.import_module(node, name);
            }
            return;
        }
        let mut parts = node.children().filter(|n| !n.kind().is_token());
        let Some(module) = parts.next() else { return };
        let (level, path) = module_path(module);
        for name in parts {
            self.import_name(node, name, level, path);
        }
    }

    /// `import a.b.c` binds `a`, `import a.b.c as d` binds what it names.
    fn import_module(&mut self, node: Node<'_>, name: Node<'_>) {
        let (path, alias) = aliased(name);
        let (what, bound) = match alias {
            Some(alias) => (Imported::Module, alias.text()),
            None => (Imported::Root, path.split('.').next().unwrap_or_default().trim()),
        };
        let value = self.add_import(node, 0, path, what, self.span(name));
        self.bind_import(bound, value, self.span(alias.unwrap_or(name)));
    }

    fn import_name(&mut self, node: Node<'_>, name: Node<'_>, level: u8, path: &str) {
        let span = self.span(name);
        if name.kind() == Kind::WildcardImport {
            let star = self.add_import(node, level, path, Imported::Star, span);
            self.exprs.push(star);
            return;
        }
        let (imported, alias) = aliased(name);
        let what = Imported::Name(self.ident(imported));
        let value = self.add_import(node, level, path, what, span);
        let bound = alias.map_or(imported, |alias| alias.text());
        self.bind_import(bound, value, self.span(alias.unwrap_or(name)));
    }

    fn add_import(
        &mut self,
        node: Node<'_>,
        level: u8,
        path: &str,
        what: Imported,
        span: Span,
    ) -> crate::ir::ExprId {
        let path = self.dotted_path(path);
        let id = ImportId(self.imports.len() as u32);
        let (scope, when) = (self.here, self.when);
        self.imports.push(Import {
            span: self.span(node),
            scope,
            level,
            path,
            what,
            when,
            takes: Takes::Names,
        });
        self.add(Expr::Import(id), span)
    }

    fn bind_import(&mut self, name: &str, value: crate::ir::ExprId, span: Span) {
        let pat = self.name_pattern(name, span);
        let made = self.bind(pat, value, span);
        self.exprs.push(made);
    }

    /// Python allows spaces and line continuations around the dots.
    fn dotted_path(&mut self, path: &str) -> crate::ir::Sym {
        if path.contains(|c: char| c.is_whitespace() || c == '\\') {
            let path: String = path.chars().filter(|c| !c.is_whitespace() && *c != '\\').collect();
            return self.ident(&path);
        }
        self.ident(path)
    }
}

/// Leading dots and the rest.
fn module_path(module: Node<'_>) -> (u8, &str) {
    if module.kind() != Kind::RelativeImport {
        return (0, module.text());
    }
    let dots = module.child_of(Kind::ImportPrefix).map_or(0, |prefix| prefix.text().matches('.').count());
    let path = module.child_of(Kind::DottedName).map_or("", |name| name.text());
    (u8::try_from(dots).unwrap_or(u8::MAX), path)
}

fn aliased(name: Node<'_>) -> (&str, Option<Node<'_>>) {
    if name.kind() != Kind::AliasedImport {
        return (name.text(), None);
    }
    let mut parts = name.children().filter(|n| n.kind() != Kind::As);
    (parts.next().map_or("", |n| n.text()), parts.next())
}

#[cfg(test)]
mod tests {
    use crate::frontend::python::testing::{check_all, dump, facts};
    use crate::ir::When::{self, Always, InTry, TypeOnly};

    #[test]
    fn names_and_modules() {
        check_all(
            "import a.b.c, d as e\nfrom ..f import (g as h, i)\nfrom . import j\nfrom k import *\n\
             from __future__ import l",
            "import 0 a.b.c root in 0
             import 1 d module in 0
             import 2 ..f name g in 0
             import 3 ..f name i in 0
             import 4 . name j in 0
             import 5 k star in 0
             fn 0 module \"\" in 0 () export a=a.0 export e=e.1 export h=h.2 export i=i.3 export j=j.4 line 1
             (block
             (bind a.0 (import 0))
             (bind e.1 (import 1))
             (bind h.2 (import 2))
             (bind i.3 (import 3))
             (bind j.4 (import 4))
             (import 5))",
        );
    }

    #[test]
    fn when_they_happen() {
        assert_eq!(whens("if TYPE_CHECKING:\n  import a\nelse:\n  import b"), [TypeOnly, Always]);
        let other = "if t.TYPE_CHECKING: import a\nif typing.TYPE_CHECKING: import b";
        assert_eq!(whens(other), [TypeOnly, TypeOnly], "`typing` under any name");
        let negated = "if not t.TYPE_CHECKING: import a\nif x or t.TYPE_CHECKING: import b";
        assert_eq!(whens(negated), [Always, Always], "these are run");
        let attempt = "try: import a\nexcept E: import b\nelse: import c\nfinally: import d";
        assert_eq!(whens(attempt), [InTry, InTry, Always, Always]);
        assert_eq!(whens("try:\n  def f():\n    import a\nexcept E: pass"), [Always]);
        assert_eq!(whens("if TYPE_CHECKING:\n  class A:\n    import a"), [TypeOnly]);
    }

    fn whens(source: &str) -> Vec<When> {
        facts(source).imports().iter().map(|import| import.when).collect()
    }

    #[test]
    fn odd_places() {
        assert_eq!(dump("import a . b").lines().next(), Some("import 0 a.b root in 0"));
        assert!(dump("def f():\n  global g\n  import g").contains("(store @g (import 0))"));
    }
}
