//! Where things stand. The typed tree has no parentheses; the tokens have.

use ruff_python_ast::token::{Token, TokenKind};
use ruff_text_size::{Ranged, TextSize};

use super::{Lowerer, SpanSource};
use crate::ir::Span;

pub(super) fn span_of(node: &impl Ranged) -> Span {
    Span { lo: node.start().to_u32(), hi: node.end().to_u32() }
}

impl Lowerer<'_> {
    /// Where the parentheses around a node begin; none begins before `floor`.
    pub(super) fn outer_start(&self, node: &impl Ranged, floor: u32) -> u32 {
        let opening = self
            .code_before(node.start())
            .take_while(|token| token.kind() == TokenKind::Lpar && token.start().to_u32() >= floor);
        opening.last().map_or(node.start(), |token| token.start()).to_u32()
    }

    /// Where the parentheses around a node end, of which none begins before `floor`.
    pub(super) fn outer_end(&self, node: &impl Ranged, floor: u32) -> u32 {
        let opening = self
            .code_before(node.start())
            .take_while(|token| token.kind() == TokenKind::Lpar && token.start().to_u32() >= floor);
        let closing = self.code_after(node.end()).take_while(|token| token.kind() == TokenKind::Rpar);
        closing.zip(opening).last().map_or(node.end(), |(token, _)| token.end()).to_u32()
    }

    /// Where the keyword before a node in its parentheses begins, and where what stands before it ends.
    pub(super) fn keyword_before(&self, node: &impl Ranged) -> (u32, u32) {
        let mut before = self.code_before(node.start()).skip_while(|token| token.kind() == TokenKind::Lpar);
        let keyword = before.next().map_or(node.start(), |token| token.start());
        (keyword.to_u32(), before.next().map_or(keyword, |token| token.end()).to_u32())
    }

    /// Where the next token that is code begins.
    pub(super) fn next_code(&self, at: TextSize) -> u32 {
        self.code_after(at).next().map_or(at, |token| token.start()).to_u32()
    }

    /// The tokens before a place, nearest first. Code in a string has none: all of it lies where the string lies.
    pub(super) fn code_before(&self, at: TextSize) -> impl Iterator<Item = &Token> {
        let end = self.tokens_of_file().partition_point(|token| token.end() <= at);
        self.tokens_of_file()[..end].iter().rev().filter(is_code)
    }

    pub(super) fn code_after(&self, at: TextSize) -> impl Iterator<Item = &Token> {
        let start = self.tokens_of_file().partition_point(|token| token.start() < at);
        self.tokens_of_file()[start..].iter().filter(is_code)
    }

    fn tokens_of_file(&self) -> &[Token] {
        match self.spans {
            SpanSource::Nodes => self.tokens,
            SpanSource::Fixed(_) => &[],
        }
    }
}

fn is_code(token: &&Token) -> bool {
    !matches!(
        token.kind(),
        TokenKind::Comment
            | TokenKind::NonLogicalNewline
            | TokenKind::Newline
            | TokenKind::Indent
            | TokenKind::Dedent
    )
}
