//! One binary for every test that looks at gatelint from outside.

mod add_waivers;
#[cfg(unix)]
mod adoption;
mod architecture;
mod asked;
mod baseline;
mod checklist;
mod cli;
mod commands;
mod config;
mod correlated;
mod declarations;
mod dependencies;
mod discover;
mod docs;
mod escape;
mod explain;
mod formats;
mod formats_of_lines;
mod formats_of_markdown;
mod handlers;
mod hostile;
mod init;
mod link;
mod project;
mod properties;
mod readme;
mod rust_gates;
mod rust_link;
mod schema;
mod settings;
mod support;
mod team;
mod tools;
mod waivers;
mod worst;
