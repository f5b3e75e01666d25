//! The node kinds of Rust's grammar that the coarse lowering tells apart, and how they follow from the grammar's names.

use crate::frontend::tree::{self, Role};
use crate::parallel::Lazy;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::frontend) enum Kind {
    Error,
    File,
    Attribute,
    Function,
    Impl,
    Trait,
    Module,
    /// What stands between the braces of a module, a trait or an `impl`.
    Items,
    Call,
    Arguments,
    Field,
    FieldName,
    /// `f::<T>`
    Generic,
    Macro,
    /// What a macro is given.
    Tokens,
    Identifier,
    /// `a::b::c`
    Path,
    Text,
    Other,
}

impl tree::Kind for Kind {
    const ERROR: Self = Kind::Error;

    fn role(name: &str, is_named: bool) -> Role<Self> {
        match name {
            "line_comment" | "block_comment" => Role::Comment,
            "ERROR" => Role::Node(Kind::Error),
            _ if !is_named => Role::Token,
            "source_file" => Role::Node(Kind::File),
            "attribute_item" => Role::Leaf(Kind::Attribute),
            "function_item" | "function_signature_item" => Role::Node(Kind::Function),
            "impl_item" => Role::Node(Kind::Impl),
            "trait_item" => Role::Node(Kind::Trait),
            "mod_item" => Role::Node(Kind::Module),
            "declaration_list" => Role::Node(Kind::Items),
            "call_expression" => Role::Node(Kind::Call),
            "arguments" => Role::Node(Kind::Arguments),
            "field_expression" => Role::Node(Kind::Field),
            "field_identifier" => Role::Leaf(Kind::FieldName),
            "generic_function" => Role::Node(Kind::Generic),
            "macro_invocation" => Role::Node(Kind::Macro),
            "token_tree" => Role::Node(Kind::Tokens),
            "identifier" | "type_identifier" | "self" | "super" | "crate" => Role::Leaf(Kind::Identifier),
            "scoped_identifier" | "scoped_type_identifier" => Role::Leaf(Kind::Path),
            "string_literal" | "raw_string_literal" => Role::Leaf(Kind::Text),
            _ => Role::Node(Kind::Other),
        }
    }

    fn roles() -> &'static Lazy<Vec<Role<Self>>> {
        static ROLES: Lazy<Vec<Role<Kind>>> = Lazy::new();
        &ROLES
    }

    fn holds_statements(self) -> bool {
        matches!(self, Kind::File | Kind::Items)
    }
}
