//! What was asked of the file system and what it answered: all that a verdict depends on outside the program. The order of
//! the questions is not part of it.

use std::collections::HashMap;
use std::io::ErrorKind;

use super::ask::{self, Asked, Fingerprint, Question};
use super::stat::{Moment, Stat};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Answer {
    pub fingerprint: [u8; 32],
    /// Of a file that was read: its state just before.
    pub stat: Option<Stat>,
    /// False for an error that comes and goes.
    pub lasts: bool,
}

impl Answer {
    pub(super) fn of<T>(asked: &Asked<T>) -> Self
    where
        Asked<T>: Fingerprint,
    {
        let is_plain = |error| matches!(error, ErrorKind::NotFound | ErrorKind::NotADirectory);
        Self {
            fingerprint: asked.fingerprint().into(),
            stat: asked.stat,
            lasts: asked.error().is_none_or(is_plain),
        }
    }

    pub(super) fn found(fingerprint: blake3::Hash, stat: Option<Stat>) -> Self {
        Self { fingerprint: fingerprint.into(), stat, lasts: true }
    }
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Log {
    pub answers: HashMap<Question, Answer>,
    /// The same question had two answers, or an answer that comes and goes.
    is_doubtful: bool,
}

impl Log {
    pub fn put(&mut self, question: Question, answer: Answer) {
        self.is_doubtful |= !answer.lasts;
        let before = *self.answers.entry(question).or_insert(answer);
        self.is_doubtful |= before.fingerprint != answer.fingerprint;
    }

    /// True if what followed from the answers follows from them again.
    pub fn is_sure(&self) -> bool {
        !self.is_doubtful
    }

    /// True if every question is answered as it was by a run that began at that time. A file whose state is the same is not
    /// read again, unless it may have been changed within the same tick of the clock.
    pub fn holds(&self, begun: Moment) -> bool {
        let is_known = |question: &Question, answer: &Answer| {
            answer.stat.is_some_and(|stat| !stat.is_racy(begun) && Stat::now(&question.path) == Some(stat))
        };
        let is_same = |(question, answer): (&Question, &Answer)| {
            is_known(question, answer) || ask::answer(question).fingerprint == answer.fingerprint
        };
        self.is_sure() && self.answers.iter().all(is_same)
    }
}
