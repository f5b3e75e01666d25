//! What is true of a language, as a value: everything above the front ends asks the profile and names no language. A fact
//! stands here because somebody asks for it. What libraries do is not here but in the catalogue.

use super::operators::{Derived, Implicit, Operator, PYTHON_OPERATORS, RUST_DERIVED, RUST_OPERATORS};

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Lang {
    Python,
    Rust,
}

impl Lang {
    pub const ALL: [Lang; 2] = [Lang::Python, Lang::Rust];

    /// As rules name it.
    pub fn name(self) -> &'static str {
        self.profile().name
    }

    pub fn profile(self) -> &'static LanguageProfile {
        match self {
            Lang::Python => &PYTHON,
            Lang::Rust => &RUST,
        }
    }
}

/// The semantics of one language, as far as analyses and rules depend on it.
#[derive(Debug)]
pub struct LanguageProfile {
    /// As rules and folders of the catalogue name it.
    pub name: &'static str,
    /// As people write it.
    pub title: &'static str,
    /// What opens a comment that goes to the end of its line.
    pub comment: &'static str,
    /// Some arm of a `match` fits: the compiler sees to it.
    pub match_is_exhaustive: bool,
    /// A failure is a value that is handed back (`Err(e)`, `None`), and patterns and methods ask which it is.
    pub has_results: bool,
    /// Values stand inside others that only hold them: a box, a lock, an option.
    pub has_wrappers: bool,
    /// An object is told what to do by a chain of methods, each of which hands it back: `Command::new("sh").arg("-c")`.
    pub has_builders: bool,
    /// Modules are declared by the files above them, and names are paths from the root of a crate.
    pub has_crates: bool,
    /// Macros make code.
    pub has_macros: bool,
    /// A value is what it is declared to be: the compiler sees to it.
    pub checks_types: bool,
    /// Members of an enumeration are types of their own.
    pub has_variants: bool,
    /// A function of a type is a method if it names the object as its first parameter.
    pub names_object: bool,
    /// A method hands back a part of what it is called on that is still in its place: `map.get_mut("key")`.
    pub has_views: bool,
    /// A constant text is made what a function takes by a call: `"text".to_string()`.
    pub converts_texts: bool,
    /// An empty value is made by a call or named by a path, not written: `String::new()`, `None`.
    pub makes_empty: bool,
    /// A mapping is written as a list of pairs: `HashMap::from([("a", 1)])`.
    pub maps_are_pairs: bool,
    /// A member of an enumeration may be a text.
    pub members_are_texts: bool,
    /// An attribute may run a method that reads it.
    pub has_getters: bool,
    /// The path of a function in a module is told from a method of an object by its form: `fs::write`.
    pub tells_functions: bool,
    /// A text that names a module loads and runs it.
    pub loads_by_name: bool,
    /// What the first parameter of a method is called: its own object, or its own class.
    pub own_parameters: &'static [&'static str],
    /// What a false and a true value are as texts.
    pub truths: [&'static str; 2],
    /// How a name begins that the language, or what it makes, calls by itself.
    pub implicit_prefix: &'static str,
    /// The option of a class that names the class of the class.
    pub metaclass: &'static str,
    operators: &'static [Implicit],
    derived: &'static [Derived],
}

const PYTHON: LanguageProfile = LanguageProfile {
    name: "python",
    title: "Python",
    comment: "#",
    match_is_exhaustive: false,
    has_results: false,
    has_wrappers: false,
    has_builders: false,
    has_crates: false,
    has_macros: false,
    checks_types: false,
    has_variants: false,
    names_object: false,
    has_views: false,
    converts_texts: false,
    makes_empty: false,
    maps_are_pairs: false,
    members_are_texts: true,
    has_getters: true,
    tells_functions: false,
    loads_by_name: true,
    own_parameters: &["self", "cls"],
    truths: ["False", "True"],
    implicit_prefix: "__",
    metaclass: "metaclass",
    operators: PYTHON_OPERATORS,
    derived: &[],
};

const RUST: LanguageProfile = LanguageProfile {
    name: "rust",
    title: "Rust",
    comment: "//",
    match_is_exhaustive: true,
    has_results: true,
    has_wrappers: true,
    has_builders: true,
    has_crates: true,
    has_macros: true,
    checks_types: true,
    has_variants: true,
    names_object: true,
    has_views: true,
    converts_texts: true,
    makes_empty: true,
    maps_are_pairs: true,
    members_are_texts: false,
    has_getters: false,
    tells_functions: true,
    loads_by_name: false,
    own_parameters: &["self"],
    truths: ["false", "true"],
    implicit_prefix: "__",
    metaclass: "",
    operators: RUST_OPERATORS,
    derived: RUST_DERIVED,
};

impl LanguageProfile {
    /// True for the name of a function that the language calls by itself.
    pub fn is_implicit(&self, name: &str) -> bool {
        name.starts_with(self.implicit_prefix)
    }

    /// The methods that an operation may run, in the order in which they are tried on the class of its first operand: the
    /// first that the class has runs. Empty if the language has no such operation, or runs no method for it.
    pub fn methods(&self, operator: Operator) -> &'static [&'static str] {
        self.implicit(operator).map_or(&[], |row| row.methods)
    }

    /// The same for the class of the second operand, which is asked when the first one has no answer.
    pub fn reflected(&self, operator: Operator) -> &'static [&'static str] {
        self.implicit(operator).map_or(&[], |row| row.reflected)
    }

    /// The attributes by which a type has this operation without writing it: its parts are asked. None where none does.
    pub fn derived(&self, operator: Operator) -> Option<&'static [&'static str]> {
        self.derived.iter().find(|(known, _)| *known == operator).map(|&(_, names)| names)
    }

    /// True for a method that this operation may run.
    pub fn runs(&self, operator: Operator, method: &str) -> bool {
        self.methods(operator).contains(&method)
    }

    /// The operations that run methods in the language.
    pub fn operators(&self) -> impl Iterator<Item = Operator> {
        self.operators.iter().map(|row| row.operator)
    }

    fn implicit(&self, operator: Operator) -> Option<&'static Implicit> {
        self.operators.iter().find(|row| row.operator == operator)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operation_names_its_methods_in_their_order() {
        let (python, rust) = (Lang::Python.profile(), Lang::Rust.profile());
        assert_eq!(python.methods(Operator::Truth), ["__bool__", "__len__"]);
        assert_eq!(python.methods(Operator::Format), ["__format__", "__str__", "__repr__"]);
        assert_eq!(python.methods(Operator::AddAssign), ["__iadd__", "__add__"]);
        assert_eq!(python.reflected(Operator::AddAssign), ["__radd__"]);
        assert_eq!(python.reflected(Operator::Lt), ["__gt__"]);
        assert_eq!(rust.methods(Operator::AddAssign), ["add_assign"]);
        assert_eq!(rust.methods(Operator::Try), ["from"]);
        assert!(rust.runs(Operator::Drop, "drop") && !rust.runs(Operator::Exit, "drop"));
        assert!(rust.reflected(Operator::Add).is_empty() && rust.methods(Operator::Truth).is_empty());
    }

    #[test]
    fn each_operation_has_one_row() {
        for lang in Lang::ALL {
            let rows = lang.profile().operators;
            for (at, row) in rows.iter().enumerate() {
                assert!(!row.methods.is_empty(), "{} {:?} runs nothing", lang.name(), row.operator);
                let again = rows[at + 1..].iter().any(|other| other.operator == row.operator);
                assert!(!again, "{} has two rows for {:?}", lang.name(), row.operator);
            }
        }
    }

    #[test]
    fn every_language_is_listed_under_its_own_name() {
        let names: Vec<_> = Lang::ALL.map(Lang::name).to_vec();
        assert_eq!(names, ["python", "rust"]);
    }
}
