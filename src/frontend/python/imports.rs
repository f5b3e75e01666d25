//! Imports: one per bound name.

use ruff_python_ast::{Alias, StmtImport, StmtImportFrom};

use super::Lowerer;
use crate::ir::{Expr, ExprId, Import, ImportId, Imported, Span, Takes};

/// Where an import looks.
#[derive(Clone, Copy)]
pub(super) struct Source<'p> {
    /// The whole statement.
    pub span: Span,
    pub level: u8,
    pub path: &'p str,
}

impl<'t> Lowerer<'t> {
    /// `import a.b.c` binds `a`, `import a.b.c as d` binds what it names.
    pub(super) fn import(&mut self, node: &'t StmtImport) {
        for name in &node.names {
            let path = name.name.as_str();
            let what = if name.asname.is_some() { Imported::Module } else { Imported::Root };
            let source = Source { span: self.span(node), level: 0, path };
            let value = self.add_import(source, what, self.span(name));
            self.bind_alias(name, path.split('.').next().unwrap_or_default(), value);
        }
    }

    pub(super) fn import_from(&mut self, node: &'t StmtImportFrom) {
        let path = node.module.as_ref().map_or("", |module| module.as_str());
        if path == "__future__" && node.level == 0 {
            return;
        }
        let level = u8::try_from(node.level).unwrap_or(u8::MAX);
        let source = Source { span: self.span(node), level, path };
        for name in &node.names {
            self.import_name(source, name);
        }
    }

    fn import_name(&mut self, source: Source<'t>, name: &'t Alias) {
        let span = self.span(name);
        if name.name.as_str() == "*" {
            let star = self.add_import(source, Imported::Star, span);
            return self.exprs.push(star);
        }
        let what = Imported::Name(self.ident(&name.name));
        let value = self.add_import(source, what, span);
        self.bind_alias(name, &name.name, value);
    }

    pub(super) fn add_import(&mut self, source: Source<'_>, what: Imported, span: Span) -> ExprId {
        let path = self.ident(source.path);
        let id = ImportId(self.imports.len() as u32);
        let (scope, when) = (self.here, self.when);
        let Source { span: statement, level, .. } = source;
        self.imports.push(Import { span: statement, scope, level, path, what, when, takes: Takes::Names });
        self.add(Expr::Import(id), span)
    }

    fn bind_alias(&mut self, name: &'t Alias, plain: &str, value: ExprId) {
        match &name.asname {
            Some(alias) => self.bind_import(alias, value, self.span(alias)),
            None => self.bind_import(plain, value, self.span(name)),
        }
    }

    pub(super) fn bind_import(&mut self, bound: &str, value: ExprId, span: Span) {
        let pat = self.name_pattern(bound, span);
        let made = self.bind(pat, value, span);
        self.exprs.push(made);
    }
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
