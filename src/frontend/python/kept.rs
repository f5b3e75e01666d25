//! Keeps the trees of strings of code for as long as the tree of their file: a list that grows while its parts are borrowed.

use std::cell::OnceCell;

use ruff_python_ast::Expr;

/// The tree of one string, and what follows it.
pub(super) struct Link {
    expr: Expr,
    next: OnceCell<Box<Link>>,
}

/// Puts a tree at the end of the list and moves the end on.
pub(super) fn keep<'t>(end: &mut &'t OnceCell<Box<Link>>, expr: Expr) -> &'t Expr {
    let link = end.get_or_init(|| Box::new(Link { expr, next: OnceCell::new() }));
    *end = &link.next;
    &link.expr
}

impl Drop for Link {
    /// One after another: a long list must not be dropped by recursion.
    fn drop(&mut self) {
        let mut next = self.next.take();
        while let Some(mut link) = next {
            next = link.next.take();
        }
    }
}
