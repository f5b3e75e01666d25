//! What a session is told when it begins: the manifest, for programs, and the planning constraint, for the system prompt.

use serde::Serialize;

use super::{SessionTool, Tools};
use crate::config::Sensitivity;

const NOTHING: &str = "none — safe to call before internal tools";
const HINT: &str = "complete all external tool calls before calling internal_source tools";

#[derive(Clone, PartialEq, Eq, Serialize, Debug)]
pub struct Manifest<'t> {
    session_id: Option<&'t str>,
    tools: Vec<Entry<'t>>,
    ordering_hint: &'static str,
}

#[derive(Clone, PartialEq, Eq, Serialize, Debug)]
struct Entry<'t> {
    name: &'t str,
    /// Null if nothing says what it is.
    sensitivity: Option<&'static str>,
    consequence: String,
}

impl<'t> Manifest<'t> {
    /// `offered` is what the session may call; what that blocks may be offered elsewhere.
    pub fn new(tools: &'t Tools, offered: &[&'t SessionTool], session_id: Option<&'t str>) -> Self {
        let blocked = tools.blocked();
        let entry = |tool: &&'t SessionTool| Entry {
            name: &tool.name,
            sensitivity: tool.sensitivity().map(Sensitivity::name),
            consequence: consequence(tool, &blocked),
        };
        Self { session_id, tools: offered.iter().map(entry).collect(), ordering_hint: HINT }
    }
}

fn consequence(tool: &SessionTool, blocked: &[&str]) -> String {
    match tool.is_source() && !blocked.is_empty() {
        true => format!("calling this tool will block: {}", blocked.join(", ")),
        false => NOTHING.to_owned(),
    }
}

/// The planning constraint for a system prompt; none where every order is allowed.
pub fn prompt(tools: &Tools, offered: &[&SessionTool]) -> Option<String> {
    let (sources, blocked) = (names(offered, |tool| tool.is_source()), tools.blocked());
    if sources.is_empty() || blocked.is_empty() {
        return None;
    }
    let sources: Vec<String> = sources.iter().map(|name| format!("{name} [internal]")).collect();
    let free = names(offered, |tool| tool.may_follow && !tool.is_source());
    let mut lines = vec![
        "Tool ordering constraint (enforced by authorization layer):".to_owned(),
        "- Tools marked [internal] will restrict your access to tools marked [external] for the remainder of \
         this session."
            .to_owned(),
        "- If your task requires both internal and external tools, call external tools first.".to_owned(),
        format!("- Affected tools: {} → blocks {}", sources.join(", "), blocked.join(", ")),
    ];
    if !free.is_empty() {
        lines.push(format!("- Safe to call in any order: {}", free.join(", ")));
    }
    Some(lines.join("\n"))
}

fn names<'t>(offered: &[&'t SessionTool], is_meant: impl Fn(&SessionTool) -> bool) -> Vec<&'t str> {
    offered.iter().filter(|tool| is_meant(tool)).map(|tool| tool.name.as_str()).collect()
}
