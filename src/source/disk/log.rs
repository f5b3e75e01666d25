//! What was asked of the file system and what it answered: all that a verdict depends on outside the program. The order of
//! the questions is not part of it.

use std::collections::HashMap;

use super::ask::{self, Answer, Question};
use super::stat::{Moment, Stat};

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

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::super::ask::What;
    use super::*;

    /// The log of a run that read this file.
    fn log(path: &Path) -> Log {
        let question = Question { path: path.to_owned(), what: What::Whole { limit: 99 } };
        let mut log = Log::default();
        log.put(question.clone(), ask::answer(&question));
        log
    }

    #[cfg(unix)]
    #[test]
    fn what_changes_while_a_run_reads_it_is_not_believed_by_its_state() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.py");
        fs::write(&path, "one").unwrap();
        let mut log = log(&path);
        let begun = Moment::now().unwrap();
        assert!(log.holds(begun));
        fs::write(&path, "two").unwrap();
        // As if all of it had happened within one tick of the clock.
        log.answers.values_mut().for_each(|answer| answer.stat = Stat::now(&path));
        assert!(!log.holds(begun), "it is read again");
        let later = Moment { seconds: begun.seconds + 60, ..begun };
        assert!(log.holds(later), "it was old when the run began, so its state is enough");
    }

    #[test]
    fn two_answers_to_one_question_are_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.py");
        let question = Question { path: path.clone(), what: What::Kind };
        let mut log = Log::default();
        log.put(question.clone(), ask::answer(&question));
        log.put(question.clone(), ask::answer(&question));
        assert!(log.is_sure() && log.holds(Moment::now().unwrap()));
        fs::write(&path, "one").unwrap();
        assert!(!log.holds(Moment::now().unwrap()));
        log.put(question.clone(), ask::answer(&question));
        assert!(!log.is_sure());
    }
}
