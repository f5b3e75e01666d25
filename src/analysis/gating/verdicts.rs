//! What a result says of an action by itself: a truth, a word, a variant, a record with one of them.

use std::sync::Arc;

use crate::analysis::outcomes::Shape;
use crate::catalog::Actions;
use crate::ir::{Expr, ExprId, Facts, Lit};

impl Actions {
    /// Something in an expression says yes: a truth, a word, a variant.
    pub fn is_said_in(&self, facts: &Facts, value: ExprId) -> bool {
        facts.arenas.below(value).into_iter().any(|part| match *facts.expr(part) {
            Expr::Lit(Lit::Bool(truth)) => truth,
            Expr::Lit(Lit::Str(text)) => self.says(facts.str(text)) == Some(true),
            Expr::Field { name, .. } => self.says(facts.str(name)) == Some(true),
            _ => false,
        })
    }

    /// What a result says of the action: a truth, a word, a variant, a record with one of them.
    pub fn verdict_of(&self, shape: &Shape) -> Option<bool> {
        match shape {
            Shape::Bool(truth) => Some(*truth),
            Shape::Text(text) => self.says(text),
            Shape::Seq(items) => match items.first() {
                Some(first) if first.is_unknown() => None,
                _ => items.iter().find_map(|item| self.verdict_of(item)),
            },
            Shape::Record { class, fields } => {
                let of_class = class.as_deref().and_then(|class| self.says(class));
                if shape.is_bad() || of_class == Some(false) {
                    return Some(false);
                }
                let of_field = |(name, field): &(Arc<str>, Shape)| match (self.says_if_true(name), field) {
                    (Some(said), Shape::Bool(truth)) => Some(said == *truth),
                    (_, Shape::Text(text)) if self.holds_word(name) => self.says(text),
                    _ if &**name == "0" => self.verdict_of(field),
                    _ => None,
                };
                of_class.or_else(|| fields.iter().find_map(of_field)).or(shape
                    .is_good()
                    .then_some(true)
                    .filter(|_| {
                        // `Ok(answer)` says what the answer says.
                        !fields.iter().any(|(_, field)| field.is_unknown())
                    }))
            }
            _ => None,
        }
    }
}
