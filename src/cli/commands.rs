//! `gatelint commands`: what to list, and how.

use camino::Utf8PathBuf;
use clap::{Args, ValueEnum};

use super::input::InputArgs;
use super::output;
use super::scan::ScanArgs;
use crate::finding::EntryKind;
use crate::inventory::Kind;
use crate::report::{Listing, ListingOptions};

const COMMANDS_HELP: &str = "\
Examples:
  gatelint commands                          the project around the current folder
  gatelint commands --format markdown        a table for a pull request or a wiki
  gatelint commands --format json | jq -r '.commands[] | select(.gates == []) | .name'
  gatelint commands --format cyclonedx --output bom.json
  gatelint commands --kind tool --kind planner

A command is called by its name, by a person or a program; a tool is offered to a model; a planning function is known by its \
name. Which registrations are known is \
data: the catalogue, and `[[registration]]` in `gatelint.toml`.

Exit codes:
  0  everything was looked at
  2  wrong usage or configuration, or an internal error
  3  nothing to scan
  4  incomplete: something was skipped, only partly understood or not followed to its end";

#[derive(Debug, Args)]
#[command(after_help = COMMANDS_HELP)]
pub struct CommandsArgs {
    #[command(flatten)]
    pub input: InputArgs,

    /// What to list, commands and tools unless it is said; may be given several times
    #[arg(long, value_enum, value_name = "KIND")]
    pub kind: Vec<ListedKind>,

    /// How to print the list
    #[arg(long, value_enum, default_value_t = InventoryFormat::Human)]
    pub format: InventoryFormat,

    /// Write the list to a file, which appears only once it is complete
    #[arg(long, value_name = "FILE")]
    pub output: Option<Utf8PathBuf>,

    #[command(flatten)]
    pub scan: ScanArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum ListedKind {
    /// Offered to a model
    Tool,
    /// Called by its name, comm handlers among them
    Command,
    /// A command of the comm namespace
    Handler,
    /// A function that plans
    Planner,
}

impl CommandsArgs {
    pub fn lists(&self, kind: Kind, entry: Option<EntryKind>) -> bool {
        let is_meant = |wanted: &ListedKind| match wanted {
            ListedKind::Tool => kind == Kind::Tool,
            ListedKind::Command => kind == Kind::Command,
            ListedKind::Handler => entry == Some(EntryKind::Handler),
            ListedKind::Planner => kind == Kind::Planner,
        };
        self.kind.is_empty() || self.kind.iter().any(is_meant)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum InventoryFormat {
    /// For a terminal
    Human,
    /// For programs; versioned, see docs/commands.md
    Json,
    /// A table for a pull request or a wiki
    Markdown,
    /// A bill of materials, CycloneDX 1.6 as JSON, with a component for each
    Cyclonedx,
}

impl InventoryFormat {
    /// None for a bill of materials.
    pub fn listing(self) -> Option<ListingFormat> {
        match self {
            InventoryFormat::Human => Some(ListingFormat::Human),
            InventoryFormat::Json => Some(ListingFormat::Json),
            InventoryFormat::Markdown => Some(ListingFormat::Markdown),
            InventoryFormat::Cyclonedx => None,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum ListingFormat {
    /// For a terminal
    Human,
    /// For programs; versioned, see docs/commands.md
    Json,
    /// A table for a pull request or a wiki
    Markdown,
}

impl ListingFormat {
    /// How to print to `output`, or else to standard output: as wide as the terminal, if there is one.
    pub fn options(self, output: Option<&Utf8PathBuf>) -> ListingOptions {
        let format = match self {
            ListingFormat::Human => Listing::Human,
            ListingFormat::Json => Listing::Json,
            ListingFormat::Markdown => Listing::Markdown,
        };
        let on_terminal = output.is_none() && std::io::IsTerminal::is_terminal(&std::io::stdout());
        let width = if on_terminal { output::width() } else { ListingOptions::default().width };
        ListingOptions { format, width }
    }
}
