//! The node kinds of Python's grammar that the coarse lowering tells apart, and how they follow from the grammar's names.

use crate::frontend::tree::{self, Role};
use crate::parallel::Lazy;

pub(in crate::frontend) type Tree<'s> = tree::Tree<'s, Kind>;
pub(in crate::frontend) type Node<'t> = tree::Node<'t, Kind>;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::frontend) enum Kind {
    Error,
    Module,
    Block,
    // Statements.
    Decorated,
    Function,
    Class,
    Import,
    ImportFrom,
    Global,
    Nonlocal,
    Return,
    Raise,
    Assert,
    Break,
    Continue,
    If,
    For,
    While,
    Try,
    With,
    Match,
    Print,
    Exec,
    /// What does nothing: `pass`.
    Nothing,
    // Their parts.
    Decorator,
    Parameters,
    Separator,
    Default,
    Typed,
    Type,
    Elif,
    Else,
    Except,
    Finally,
    Case,
    WithItems,
    DottedName,
    Relative,
    Aliased,
    Star,
    Async,
    // Expressions.
    Identifier,
    Attribute,
    Call,
    Arguments,
    Keyword,
    Spread,
    SpreadNamed,
    Subscript,
    Sequence,
    Constant,
    Integer,
    Text,
    /// Several texts side by side.
    Texts,
    TextStart,
    TextContent,
    TextEnd,
    Assignment,
    Augmented,
    /// `a as b`
    Bound,
    Await,
    Yield,
    Not,
    Lambda,
    /// Operators, which nest as long as their row is.
    Operator,
    /// What means the same as the one node inside.
    Wrapped,
    Other,
}

impl Kind {
    /// What `Lowerer::coarse_statement` does not read as a value.
    pub fn is_statement(self) -> bool {
        (Kind::Block as u8..=Kind::Nothing as u8).contains(&(self as u8))
    }
}

impl tree::Kind for Kind {
    const ERROR: Self = Kind::Error;

    fn role(name: &str, is_named: bool) -> Role<Self> {
        match name {
            "comment" => Role::Comment,
            "line_continuation" => Role::Trivia,
            "async" => Role::Leaf(Kind::Async),
            "type_conversion" => Role::Token,
            _ if !is_named => Role::Token,
            "string" => Role::Maybe(Kind::Text, is_template),
            _ => statement(name)
                .or_else(|| part(name))
                .or_else(|| leaf(name))
                .unwrap_or_else(|| expression(name)),
        }
    }

    fn roles() -> &'static Lazy<Vec<Role<Self>>> {
        static ROLES: Lazy<Vec<Role<Kind>>> = Lazy::new();
        &ROLES
    }

    fn holds_statements(self) -> bool {
        matches!(self, Kind::Module | Kind::Block)
    }
}

fn statement(name: &str) -> Option<Role<Kind>> {
    Some(Role::Node(match name {
        "module" => Kind::Module,
        "block" => Kind::Block,
        "decorated_definition" => Kind::Decorated,
        "function_definition" => Kind::Function,
        "class_definition" => Kind::Class,
        "import_statement" => Kind::Import,
        "import_from_statement" => Kind::ImportFrom,
        "global_statement" => Kind::Global,
        "nonlocal_statement" => Kind::Nonlocal,
        "return_statement" => Kind::Return,
        "raise_statement" => Kind::Raise,
        "assert_statement" => Kind::Assert,
        "break_statement" => Kind::Break,
        "continue_statement" => Kind::Continue,
        "if_statement" => Kind::If,
        "for_statement" => Kind::For,
        "while_statement" => Kind::While,
        "try_statement" => Kind::Try,
        "with_statement" => Kind::With,
        "match_statement" => Kind::Match,
        "print_statement" => Kind::Print,
        "exec_statement" => Kind::Exec,
        "pass_statement" | "future_import_statement" => Kind::Nothing,
        _ => return None,
    }))
}

fn part(name: &str) -> Option<Role<Kind>> {
    Some(Role::Node(match name {
        "decorator" => Kind::Decorator,
        "parameters" | "lambda_parameters" => Kind::Parameters,
        "default_parameter" | "typed_default_parameter" => Kind::Default,
        "typed_parameter" => Kind::Typed,
        "type" => Kind::Type,
        "elif_clause" => Kind::Elif,
        "else_clause" => Kind::Else,
        "except_clause" => Kind::Except,
        "finally_clause" => Kind::Finally,
        "case_clause" => Kind::Case,
        "with_clause" => Kind::WithItems,
        "relative_import" => Kind::Relative,
        "aliased_import" => Kind::Aliased,
        _ => return None,
    }))
}

fn leaf(name: &str) -> Option<Role<Kind>> {
    Some(Role::Leaf(match name {
        "keyword_separator" | "positional_separator" => Kind::Separator,
        "dotted_name" => Kind::DottedName,
        "wildcard_import" => Kind::Star,
        "identifier" => Kind::Identifier,
        "none" | "true" | "false" | "float" | "ellipsis" => Kind::Constant,
        "integer" => Kind::Integer,
        "string_start" => Kind::TextStart,
        "string_content" => Kind::TextContent,
        "string_end" => Kind::TextEnd,
        _ => return None,
    }))
}

fn expression(name: &str) -> Role<Kind> {
    Role::Node(match name {
        "attribute" => Kind::Attribute,
        "call" => Kind::Call,
        "argument_list" => Kind::Arguments,
        "keyword_argument" => Kind::Keyword,
        "list_splat" | "list_splat_pattern" => Kind::Spread,
        "dictionary_splat" | "dictionary_splat_pattern" => Kind::SpreadNamed,
        "subscript" => Kind::Subscript,
        "list" | "tuple" | "set" | "expression_list" | "pattern_list" | "list_pattern" | "tuple_pattern" => {
            Kind::Sequence
        }
        "concatenated_string" => Kind::Texts,
        "assignment" | "named_expression" => Kind::Assignment,
        "augmented_assignment" => Kind::Augmented,
        "as_pattern" => Kind::Bound,
        "await" => Kind::Await,
        "yield" => Kind::Yield,
        "not_operator" => Kind::Not,
        "lambda" => Kind::Lambda,
        "binary_operator" | "boolean_operator" | "comparison_operator" | "conditional_expression" => {
            Kind::Operator
        }
        "expression_statement"
        | "parenthesized_expression"
        | "as_pattern_target"
        | "with_item"
        | "chevron"
        | "interpolation"
        | "format_expression" => Kind::Wrapped,
        _ => Kind::Other,
    })
}

/// Only f-strings and t-strings can hold code; the content of others is decoded from the text.
fn is_template(text: &[u8]) -> bool {
    text.iter().take_while(|b| b.is_ascii_alphabetic()).any(|b| matches!(b, b'f' | b'F' | b't' | b'T'))
}
