//! What is told to a model: the values of a call that get to it.

use super::calls::Call;
use super::labels::{Aspect, Labels};
use super::tables::{Taker, UseKind};
use super::walk::Walk;
use crate::finding::Confidence;
use crate::ir::{Expr, ExprId};

impl Walk<'_, '_, '_> {
    pub(super) fn prompts(&mut self, call: &Call<'_, '_>) {
        if let Some(confidence) = self.model.prompt(self.at(call.expr)) {
            self.told(call, 0, call.expr, confidence);
        }
        // One that is handed over gets the arguments behind it; a call among them was told of when it was made.
        for (nth, arg) in call.args.iter().enumerate() {
            let is_call = matches!(self.facts.expr(arg.value), Expr::Call { .. });
            if let Some(confidence) = self.model.prompt(self.at(arg.value)).filter(|_| !is_call) {
                self.told(call, nth + 1, arg.value, confidence);
            }
        }
    }

    fn told(&mut self, call: &Call<'_, '_>, first: usize, at: ExprId, confidence: Confidence) {
        let mut labels = Labels::default();
        for value in &call.values[first..] {
            labels.join(&value.data.total());
        }
        let labels = labels.only(Aspect::Unfenced).weakened(confidence);
        self.event(at, labels, Taker::Use(UseKind::Prompt));
    }
}
