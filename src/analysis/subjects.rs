//! Whose value a test speaks of: a parameter, a variable, an attribute or key of one. A gate holds for its subject only:
//! fed a constant, it establishes nothing, and a caller's argument takes the place of a parameter.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::outcomes::Gates;
use crate::ir::{ExprId, Sym, VarId};

/// A subject of one function.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SubjectId(u16);

impl SubjectId {
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Subject {
    /// A parameter, by position.
    Param(u32),
    /// A variable of the function or of one around it.
    Var(VarId),
    /// A name of the module, or an import.
    Global(Sym),
    /// An attribute or a key with a constant name.
    Part(SubjectId, Arc<str>),
    /// What this expression came out as.
    Result(ExprId),
    /// What a computation made of another one, or of a word that closes the gate: it may turn one word into another.
    Made(Option<SubjectId>),
}

/// The subjects of one function, and the atoms made of them.
#[derive(Clone, Debug, Default)]
pub struct Subjects {
    all: Vec<Subject>,
    known: FxHashMap<Subject, SubjectId>,
    /// Subjects that have been asked for the phase, by bit.
    atoms: Vec<SubjectId>,
}

/// Longer chains of attributes are one unknown thing.
const MAX_SUBJECTS: usize = 4096;
const MAX_ATOMS: usize = 63;

impl Subjects {
    pub fn id(&mut self, subject: Subject) -> Option<SubjectId> {
        if let Some(&id) = self.known.get(&subject) {
            return Some(id);
        }
        let id = SubjectId(u16::try_from(self.all.len()).ok().filter(|&id| usize::from(id) < MAX_SUBJECTS)?);
        self.all.push(subject.clone());
        self.known.insert(subject, id);
        Some(id)
    }

    pub fn part(&mut self, of: SubjectId, name: &str) -> Option<SubjectId> {
        self.id(Subject::Part(of, name.into()))
    }

    pub fn get(&self, id: SubjectId) -> &Subject {
        &self.all[id.index()]
    }

    /// The gate "this subject was tested"; nothing if there are too many.
    pub fn atom(&mut self, subject: SubjectId) -> Gates {
        let bit = self.atoms.iter().position(|&known| known == subject).unwrap_or_else(|| {
            self.atoms.push(subject);
            self.atoms.len() - 1
        });
        if bit < MAX_ATOMS { Gates(1 << bit) } else { Gates::NONE }
    }

    pub fn all(&self) -> &[Subject] {
        &self.all
    }

    /// The subject of each atom.
    pub fn atoms(&self) -> &[SubjectId] {
        &self.atoms
    }

    /// The subjects that these gates speak of.
    pub fn of(&self, gates: Gates) -> impl Iterator<Item = SubjectId> + '_ {
        gates.atoms().filter_map(|bit| self.atoms.get(bit).copied())
    }

    /// What an attribute or key is of, at last.
    pub fn root(&self, mut id: SubjectId) -> SubjectId {
        while let Subject::Part(of, _) = self.get(id) {
            id = *of;
        }
        id
    }

    /// True if `id` is `of` or a part of it.
    pub fn is_part(&self, mut id: SubjectId, of: SubjectId) -> bool {
        loop {
            if id == of {
                return true;
            }
            match self.get(id) {
                Subject::Part(whole, _) => id = *whole,
                _ => return false,
            }
        }
    }
}
