//! Imports: one per bound name.

use ruff_python_ast::{Alias, StmtImport, StmtImportFrom};

use super::Lowerer;
use crate::ir::{Expr, ExprId, Import, ImportId, Imported, Span, Takes};

/// Where an import looks.
#[derive(Clone, Copy)]
struct Source<'t> {
    /// The whole statement.
    span: Span,
    level: u8,
    path: &'t str,
}

impl<'t> Lowerer<'t> {
    /// `import a.b.c` binds `a`, `import a.b.c as d` binds what it names.
    pub(super) fn import(&mut self, node: &'t StmtImport) {
        for name in &node.names {
            let path = name.name.as_str();
            let what = if name.asname.is_some() { Imported::Module } else { Imported::Root };
            let source = Source { span: self.span(node), level: 0, path };
            let value = self.add_import(source, what, self.span(name));
            self.bind_import(name, path.split('.').next().unwrap_or_default(), value);
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
        self.bind_import(name, &name.name, value);
    }

    fn add_import(&mut self, source: Source<'t>, what: Imported, span: Span) -> ExprId {
        let path = self.ident(source.path);
        let id = ImportId(self.imports.len() as u32);
        let (scope, when) = (self.here, self.when);
        let Source { span: statement, level, .. } = source;
        self.imports.push(Import { span: statement, scope, level, path, what, when, takes: Takes::Names });
        self.add(Expr::Import(id), span)
    }

    fn bind_import(&mut self, name: &'t Alias, plain: &str, value: ExprId) {
        let (bound, span) = match &name.asname {
            Some(alias) => (alias.as_str(), self.span(alias)),
            None => (plain, self.span(name)),
        };
        let pat = self.name_pattern(bound, span);
        let made = self.bind(pat, value, span);
        self.exprs.push(made);
    }
}
