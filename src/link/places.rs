//! Where a path expression leads, as far as its constant part tells: out of the workspace, or not known to.

use super::program::{Func, Program};
use crate::finding::Confidence;
use crate::ir::ExprId;

/// Folders that agents are given, and where temporary files belong.
const WORKSPACE: [&str; 2] = [".agentos/workspace/", ".agentos/cache/"];
const TEMPORARY: [&str; 5] = ["/tmp/", "/var/tmp/", "/private/tmp/", "/dev/null", "/dev/std"];

impl Program<'_> {
    /// How sure it is that the constant part of a path expression is absolute, in the home directory, or climbs with
    /// `..`: a default and one branch of several are not always taken.
    pub fn leads_outside(&self, func: Func, path: ExprId) -> Option<Confidence> {
        let places = self.possible(func, path);
        let outside = places.list.iter().filter(|known| is_outside(&known.text)).count();
        match outside {
            0 => None,
            _ if places.complete && outside == places.list.len() => Some(Confidence::High),
            _ => Some(Confidence::Medium),
        }
    }
}

fn is_outside(text: &str) -> bool {
    let text = text.replace('\\', "/");
    let temporary = TEMPORARY.iter().any(|folder| text.starts_with(folder)) || text == "/tmp";
    if temporary || WORKSPACE.iter().any(|folder| text.contains(folder)) {
        return false;
    }
    let drive =
        text.as_bytes().get(1) == Some(&b':') && text.as_bytes().first().is_some_and(u8::is_ascii_alphabetic);
    text.starts_with('/') || text.starts_with('~') || text.starts_with("$HOME") || drive || climbs(&text)
}

/// `..` leads above where the path began.
fn climbs(text: &str) -> bool {
    let mut depth = 0i32;
    for segment in text.split('/') {
        match segment {
            "" | "." => {}
            ".." => depth -= 1,
            _ => depth += 1,
        }
        if depth < 0 {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absolute_home_and_climbing_paths_lead_out() {
        for text in
            ["/etc/hosts", "~/.ssh/config", "../secrets", "a/../../b", "C:\\Users\\x", "/home/x/.agentos/y"]
        {
            assert!(is_outside(text), "{text}");
        }
        for text in ["notes.md", "a/../b", ".agentos/workspace/s1/x", "/tmp/x", "/dev/null", "", "a..b/c"] {
            assert!(!is_outside(text), "{text}");
        }
    }
}
