//! Texts that are put together: where a value stands in one says what it can decide. Behind `https://host/` nothing chooses the
//! host any more.

use super::Lower;
use crate::analysis::valueflow::graph::{Node, Step};
use crate::catalog::{Purpose, Purposes};
use crate::ir::{Expr, ExprId, Lit, Op};

/// Stands for what is not known of a text.
pub(super) const HOLE: char = '\0';

impl Lower<'_, '_> {
    /// The parts of a text, in their order.
    pub(super) fn text(&mut self, parts: &[ExprId], to: Node, step: Step) {
        let mut before = String::new();
        for &part in parts {
            let from = self.expr(part);
            self.cleaned(from, to, step, behind(&before));
            before += &self.known(part);
        }
    }

    /// `folder / name`: below a folder no name is an option.
    fn below(&mut self, parts: &[ExprId], to: Node) {
        let mut before = String::new();
        for &part in parts {
            let from = self.expr(part);
            let is_below = !matches!(before.as_str(), "" | ".");
            let option = is_below.then_some(Purpose::Option).into_iter().collect();
            self.cleaned(from, to, Step::Made, behind(&before).with(option));
            before += &self.known(part);
        }
    }

    /// `"https://host/%s" % query`
    pub(super) fn filled(&mut self, pattern: ExprId, values: &[ExprId], to: Node) {
        let before = self.known(pattern);
        let before = before.split(['%', '{']).next().unwrap_or_default();
        self.pass(pattern, to, Step::Made);
        for &value in values {
            let from = self.expr(value);
            self.cleaned(from, to, Step::Made, behind(before));
        }
    }

    /// A part of a text as far as it is constant.
    pub(super) fn known(&self, part: ExprId) -> String {
        if let Expr::Lit(Lit::Str(text)) = *self.facts.expr(part) {
            return self.facts.str(text).to_owned();
        }
        match self.program.constant(self.func, part) {
            Some(known) if known.whole => known.text.to_string(),
            Some(known) => format!("{}{HOLE}", known.text),
            None => HOLE.to_string(),
        }
    }

    /// Numbers and answers hold nothing of what they are made of.
    pub(super) fn operation(&mut self, node: Node, op: Op, args: &[ExprId]) {
        let is_list = |&arg: &ExprId| matches!(self.facts.expr(arg), Expr::Seq(_));
        match (op, args) {
            // Behind a list that is written down stand the elements of the others.
            (Op::Add, _) if args.iter().any(is_list) => self.sequences(node, args),
            (Op::Add, _) => self.text(args, node, Step::Same),
            (Op::Mod, &[pattern, ref values @ ..]) => self.filled(pattern, values, node),
            (Op::Div, _) => self.below(args, node),
            (Op::BitOr, _) => args.iter().for_each(|&arg| self.pass(arg, node, Step::Same)),
            (Op::Mul | Op::Other(_), _) => args.iter().for_each(|&arg| self.pass(arg, node, Step::Made)),
            _ => {}
        }
    }
}

/// For what a value is harmless behind this part of a text.
fn behind(before: &str) -> Purposes {
    let is_begun = !before.is_empty() && !before.starts_with(HOLE);
    let address = names_host(before).then_some(Purpose::Address);
    address.into_iter().chain(is_begun.then_some(Purpose::Option)).collect()
}

/// True if an address that begins like this has its host: what follows is part of the path.
fn names_host(before: &str) -> bool {
    let ends = |text: &str| text.char_indices().skip(1).any(|(_, letter)| matches!(letter, '/' | '?' | '#'));
    match before.split_once("://") {
        Some((_, rest)) => ends(rest),
        // Behind a base that is not known, or in a client that has one.
        None => before.starts_with('/') || before.starts_with(HOLE) && ends(before),
    }
}

#[cfg(test)]
mod tests {
    use super::names_host;

    #[test]
    fn an_address_has_its_host_behind_the_first_stroke() {
        for (before, has) in [
            ("https://api.example.com/v1/", true),
            ("https://api.example.com?q=", true),
            ("https://api.example.com", false),
            ("https://", false),
            ("https:///", false),
            ("\0/items/", true),
            ("\0", false),
            ("\0://", false),
            ("https://\0.example.com/", true),
            ("/items/", true),
            ("", false),
        ] {
            assert_eq!(names_host(before), has, "{before:?}");
        }
    }
}
