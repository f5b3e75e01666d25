//! What is known of a value: the marks it carries on every way, and what it may be.

use crate::ir::VarId;

/// The marks of guards, as a set.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Marks(u8);

impl Marks {
    pub const ATTRIBUTED: Self = Self(1);
    pub const FENCED: Self = Self(2);
    pub const ALL: Self = Self(3);

    pub fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub fn common(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    pub fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

/// What is known of a value.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Worth {
    /// Whether a test finds it true, if that is known.
    pub truth: Option<bool>,
    /// On every way.
    pub marks: Marks,
    /// Nothing at all: `None`, an empty text.
    pub is_blank: bool,
    /// The same on some way.
    pub may_be_blank: bool,
    /// It may hold something that a parameter held, ...
    pub is_given: bool,
    /// ... and it may be that parameter, or a copy of it.
    pub is_itself: bool,
    /// It is made of something that was said of the content: where it is from, which session, which operation.
    pub is_told: bool,
    /// It may be what somebody made of it who cannot be looked into.
    pub is_open: bool,
    /// What is written there is gone.
    pub is_void: bool,
    /// It may be an error in place of a value.
    pub fails: bool,
    /// It may be `False`.
    pub says_no: bool,
    /// The variable whose value, or part of it, this is.
    pub root: Option<VarId>,
}

impl Worth {
    /// Of a parameter.
    pub fn given(var: VarId) -> Self {
        Self { is_given: true, is_itself: true, root: Some(var), ..Self::default() }
    }

    /// Of a parameter that says something of another one.
    pub fn told(var: VarId) -> Self {
        Self { is_told: true, ..Self::given(var) }
    }

    pub fn constant(truth: bool) -> Self {
        Self { truth: Some(truth), ..Self::default() }
    }

    pub fn nothing() -> Self {
        Self { truth: Some(false), is_blank: true, may_be_blank: true, ..Self::default() }
    }

    /// One or the other.
    pub fn or(self, other: Self) -> Self {
        Self {
            truth: self.truth.filter(|truth| other.truth == Some(*truth)),
            marks: self.marks.common(other.marks),
            is_blank: self.is_blank && other.is_blank,
            may_be_blank: self.may_be_blank || other.may_be_blank,
            is_given: self.is_given || other.is_given,
            is_itself: self.is_itself || other.is_itself,
            is_told: self.is_told && other.is_told,
            is_open: self.is_open || other.is_open,
            is_void: self.is_void && other.is_void,
            fails: self.fails || other.fails,
            says_no: self.says_no || other.says_no,
            root: self.root.filter(|root| other.root == Some(*root)),
        }
    }

    /// A new value that both are in.
    pub fn and(self, other: Self) -> Self {
        Self {
            truth: None,
            marks: self.marks.with(other.marks),
            is_blank: self.is_blank && other.is_blank,
            may_be_blank: self.may_be_blank && other.may_be_blank,
            is_given: self.is_given || other.is_given,
            is_itself: self.is_itself || other.is_itself,
            is_told: self.is_told || other.is_told,
            is_open: self.is_open || other.is_open,
            is_void: false,
            fails: false,
            says_no: false,
            root: None,
        }
    }

    /// A part of it.
    pub fn part(self) -> Self {
        Self {
            is_given: self.is_given,
            is_told: self.is_told,
            is_open: self.is_open,
            is_void: self.is_void,
            fails: self.fails,
            root: self.root,
            ..Self::default()
        }
    }

    /// The same where it may be nothing.
    pub fn or_nothing(self) -> Self {
        Self { may_be_blank: true, ..self }
    }

    pub fn marked(self, marks: Marks) -> Self {
        Self { marks: self.marks.with(marks), ..self }
    }

    /// Several put one after the other; what stands beside what was given says something of it.
    pub fn joined(parts: &[Worth]) -> Self {
        let whole = parts.iter().copied().reduce(Worth::and).unwrap_or_default();
        let says = |part: &&Worth| !part.is_given && !part.may_be_blank;
        let marks = whole.is_given && parts.iter().any(|part| says(&part));
        let (truth, root) = (None, None);
        let whole = Self { truth, root, ..whole };
        if marks { whole.marked(Marks::ALL) } else { whole }
    }
}

/// True for a text in which a reader sees nothing.
pub fn is_blank_text(text: &str) -> bool {
    text.chars().all(|c| c.is_whitespace() || c.is_control() || is_invisible(c))
}

/// Characters that are not drawn, and those that are drawn as nothing.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}
