//! How deep a file may nest, found from its tokens before it is parsed: a tree that is too deep cannot even be dropped.

use ruff_python_ast::token::TokenKind;
use ruff_python_parser::{Mode, lexer};

/// More than the levels that a tree can have: one for each bracket, each block and, between two separators, each sign or
/// keyword (`not not x`, `a = b = c`, `a.b().c()`).
pub(super) fn deepest(text: &str) -> usize {
    let mut lexer = lexer::lex(text, Mode::Module);
    let mut levels = Levels { open: vec![0], total: 0, deepest: 0 };
    loop {
        match lexer.next_token() {
            TokenKind::EndOfFile => return levels.deepest,
            kind => levels.token(kind),
        }
    }
}

struct Levels {
    /// By open bracket, what was counted since the last separator.
    open: Vec<usize>,
    /// The sum of these and of the blocks.
    total: usize,
    deepest: usize,
}

impl Levels {
    fn token(&mut self, kind: TokenKind) {
        match kind {
            TokenKind::Name
            | TokenKind::Int
            | TokenKind::Float
            | TokenKind::Complex
            | TokenKind::String
            | TokenKind::FStringMiddle
            | TokenKind::TStringMiddle
            | TokenKind::Comment
            | TokenKind::NonLogicalNewline
            | TokenKind::Colon => {}
            TokenKind::Comma | TokenKind::Newline | TokenKind::Semi => self.separate(),
            TokenKind::Lpar
            | TokenKind::Lsqb
            | TokenKind::Lbrace
            | TokenKind::FStringStart
            | TokenKind::TStringStart => {
                self.count();
                self.open.push(0);
            }
            TokenKind::Rpar
            | TokenKind::Rsqb
            | TokenKind::Rbrace
            | TokenKind::FStringEnd
            | TokenKind::TStringEnd => self.close(),
            TokenKind::Indent => {
                self.total += 1;
                self.deepest = self.deepest.max(self.total);
            }
            TokenKind::Dedent => self.total = self.total.saturating_sub(1),
            _ => self.count(),
        }
    }

    fn count(&mut self) {
        self.total += 1;
        self.deepest = self.deepest.max(self.total);
        if let Some(last) = self.open.last_mut() {
            *last += 1;
        }
    }

    /// A new expression or statement begins.
    fn separate(&mut self) {
        if let Some(last) = self.open.last_mut() {
            self.total = self.total.saturating_sub(std::mem::take(last));
        }
    }

    fn close(&mut self) {
        if self.open.len() > 1 {
            self.separate();
            self.open.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::deepest;

    #[test]
    fn what_nests_is_counted() {
        for unit in [
            "(",
            "[",
            "{",
            "not ",
            "- ",
            "lambda: ",
            "x if y else ",
            "x ** ",
            "x = ",
            "f(",
            ".a()",
            "[0]",
            "+ 1",
            "await ",
        ] {
            assert!(deepest(&unit.repeat(1_000)) >= 1_000, "{unit}");
        }
        let blocks: String = (0..100).map(|level| format!("{}if a:\n", " ".repeat(level))).collect();
        assert!(deepest(&blocks) >= 99);
    }

    #[test]
    fn separators_end_what_was_counted() {
        assert!(deepest(&"f(a.b, [c], d)\nx = not y; z\n".repeat(1_000)) < 8);
        assert!(deepest("x = '((((((((((((('  # ((((((((((((\n") < 3);
    }
}
