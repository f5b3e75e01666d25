//! Calls of guards: what they do to what they are given.

use super::calls::Call;
use super::data::{Data, Key, Marks};
use super::labels::Aspect;
use super::records::changed;
use super::state::{Proof, Proven, State, Value};
use super::walk::Walk;
use crate::analysis::inflows::Guard;
use crate::catalog::Guarding;
use crate::ir::ArgKind;

impl Walk<'_, '_, '_> {
    pub(super) fn guarded(&mut self, state: &mut State, call: &Call<'_, '_>, guard: Guard) -> Value {
        let (aspect, mark, guarding) = match guard {
            Guard::Attribution(guarding) => (Aspect::Unattributed, Marks::ATTRIBUTED, guarding),
            Guard::Fence(guarding) => (Aspect::Unfenced, Marks::FENCED, guarding),
        };
        let first = call.values.first().cloned().unwrap_or_default();
        match guarding {
            Guarding::Credits => Value::of(Data::marked(Marks::CREDIT)),
            Guarding::Checks => {
                // What the fence has checked is as the fence has made it.
                let (also, mark) = match mark == Marks::FENCED {
                    true => (Aspect::Unwarned, mark.or(Marks::WARNED)),
                    false => (aspect, mark),
                };
                if let Some(path) = first.path {
                    state.change(path, &mut |data, keys| {
                        changed(data, keys, &|part| part.without(aspect).without(also).with_marks(mark))
                    });
                }
                Value::of(first.data.without(aspect).without(also))
            }
            Guarding::Asks => {
                let of = if mark == Marks::FENCED { Proven::Fenced } else { Proven::Attributed };
                let proof = first.path.map(|path| Proof { path, of, holds: true });
                Value { proof, ..Value::default() }
            }
            Guarding::Displays => Value::of(call.taken().with_rest(&self.bare(call.expr))),
            Guarding::Guards if mark == Marks::FENCED => Value::of(self.wrapped(call)),
            Guarding::Guards => Value::of(guarded_by(call).without(aspect).with_marks(mark)),
        }
    }

    /// The record of the fence, which keeps the content as it was.
    fn wrapped(&self, call: &Call<'_, '_>) -> Data {
        let (fenced, bare) = (self.model.fenced(self.at(call.expr)), self.bare(call.expr));
        let content = call.values.first().map(|value| value.data.flat()).unwrap_or_default();
        let marks = if self.warns(call) { Marks::FENCED.or(Marks::WARNED) } else { Marks::FENCED };
        let mut out = Data::new(guarded_by(call).total(), marks).with_rest(&fenced);
        for key in &self.model.catalog.fence.content {
            if let Some(name) = self.model.program.symbol_of(key) {
                out = out.with_field(Key::Name(name), &content.with_rest(&bare));
            }
        }
        out
    }
}

/// The content that a guard is given: what comes first. What it says of it (a source, a session) is no content.
fn guarded_by(call: &Call<'_, '_>) -> Data {
    match (call.args.first(), call.values.first()) {
        (Some(arg), Some(first)) if arg.kind == ArgKind::Positional => first.data.clone(),
        _ => call.taken(),
    }
}
