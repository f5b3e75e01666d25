//! Items that are not written where they stand: what macros make of their tokens takes the place of the call, and lies there.

use std::rc::Rc;

use syn::{Item, ItemMacro, Stmt, StmtMacro};

use super::bodies::Around;
use super::{Lowerer, attributes, hull};

impl Lowerer<'_> {
    /// What macros make stands in their place.
    pub(super) fn expanded(&self, items: Vec<Item>) -> Vec<(Item, Option<Rc<Around>>)> {
        let mut open: Vec<(Item, Option<Rc<Around>>)> =
            items.into_iter().rev().map(|item| (item, None)).collect();
        let mut found = Vec::with_capacity(open.len());
        while let Some((item, made)) = open.pop() {
            let inner = match &item {
                Item::Macro(item) if item.ident.is_none() => {
                    self.macros.expand(&item.mac).map(|items| (items, item))
                }
                _ => None,
            };
            match inner {
                Some((items, by)) => {
                    let around = made.unwrap_or_else(|| self.around_made(by));
                    open.extend(items.into_iter().rev().map(|item| (item, Some(Rc::clone(&around)))));
                }
                None => found.push((item, made)),
            }
        }
        found
    }

    /// The statements of a block without the macros that make items of it, and these items.
    pub(super) fn apart(&self, stmts: Vec<Stmt>) -> (Vec<Stmt>, Vec<(Item, Rc<Around>)>) {
        let (mut kept, mut made) = (Vec::with_capacity(stmts.len()), Vec::new());
        for stmt in stmts {
            let items = match &stmt {
                Stmt::Macro(found) => self.items_made(found),
                _ => None,
            };
            match items {
                Some(items) => made.extend(items),
                None => kept.push(stmt),
            }
        }
        (kept, made)
    }

    /// None also for what calls another macro, which may be a statement.
    fn items_made(&self, found: &StmtMacro) -> Option<Vec<(Item, Rc<Around>)>> {
        self.macros.expand(&found.mac)?;
        let StmtMacro { attrs, mac, semi_token } = found.clone();
        let items = self.expanded(vec![Item::Macro(ItemMacro { attrs, ident: None, mac, semi_token })]);
        let each = items.into_iter().map(|(item, around)| match item {
            Item::Macro(_) => None,
            item => Some((item, around?)),
        });
        each.collect()
    }

    fn around_made(&self, by: &ItemMacro) -> Rc<Around> {
        let close = self.span(by.mac.delimiter.span().close());
        let first = by.mac.path.segments.first().map_or(close, |first| self.span(first.ident.span()));
        let is_test = self.around.is_test || attributes::is_test(&by.attrs);
        Rc::new(Around { made_at: Some(hull(first, close)), is_test, ..Around::clone(&self.around) })
    }

    pub(super) fn made_item(&mut self, item: Item, around: Rc<Around>) {
        let fixed = std::mem::replace(&mut self.fixed, around.made_at);
        let outside = std::mem::replace(&mut self.around, around);
        self.item(item);
        self.around = outside;
        self.fixed = fixed;
    }
}
