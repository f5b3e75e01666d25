//! What a configuration may look like, as data: its keys, what each takes and what it is for. The check of a file, the
//! JSON schema and the documentation all read this, so they cannot say different things.

/// One key of a table.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    pub name: &'static str,
    pub shape: Shape,
    pub is_required: bool,
    /// One sentence for whoever writes it.
    pub about: &'static str,
}

/// What a key takes.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    Text(Text),
    /// A list of strings.
    Texts(Text),
    Flag,
    /// A position, from 0.
    Index,
    Table(Fields),
    /// `[[key]]`.
    Tables(Fields),
    /// A table whose keys are names, each with a table: `[tools.search]`.
    Named(Fields),
    /// A table from one kind of text to another: `{ GL104 = "off" }`.
    Map(Text, Text),
}

/// The keys of a table, and what must stand together.
#[derive(Clone, Copy, Debug)]
pub struct Fields {
    pub keys: &'static [Key],
    /// At least one of these; none is asked for if this is empty.
    pub one_of: &'static [&'static str],
    /// The first is nothing without the second.
    pub implies: &'static [(&'static str, &'static str)],
}

/// What a string means, which says how it is checked (`text`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Text {
    /// A glob relative to the project root.
    Glob,
    /// A function of the project: a dotted path or a part of its end.
    Name,
    /// A pattern for dotted paths of library functions: `requests.*`.
    Pattern,
    /// A dotted path without stars.
    Path,
    /// A folder of the workspace, also absolute or in the home directory.
    Folder,
    /// A folder or file below the project root.
    Inside,
    /// Words for people; not empty.
    Words,
    /// An exact text; empty only where that means something.
    Exact,
    /// A preset by its name.
    Preset,
    /// A rule by its id or name.
    Rule,
    OneOf(&'static [&'static str]),
}

impl Key {
    pub const fn new(name: &'static str, shape: Shape, about: &'static str) -> Self {
        Self { name, shape, is_required: false, about }
    }

    pub const fn required(self) -> Self {
        Self { is_required: true, ..self }
    }
}

impl Fields {
    pub const fn new(keys: &'static [Key]) -> Self {
        Self { keys, one_of: &[], implies: &[] }
    }

    pub fn names(&self) -> Vec<&'static str> {
        self.keys.iter().map(|key| key.name).collect()
    }
}
