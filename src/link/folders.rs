//! Paths of folders and files as text, below the root of the project.

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};

/// `a/b`, `a`, ``.
pub(super) fn ancestors(folder: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(folder), |folder| match folder.rsplit_once('/') {
        Some((parent, _)) => Some(parent),
        None if folder.is_empty() => None,
        None => Some(""),
    })
}

pub(super) fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// Without `.` and, as far as the path goes down before, `..`.
pub(super) fn normal(path: &Utf8Path) -> Utf8PathBuf {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.components() {
        match part {
            Utf8Component::CurDir => {}
            Utf8Component::ParentDir if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            Utf8Component::RootDir => parts.push(""),
            part => parts.push(part.as_str()),
        }
    }
    parts.join("/").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_made_plain() {
        let plain = |text: &str| normal(Utf8Path::new(text)).into_string();
        assert_eq!(plain("./a/../b/./c.txt"), "b/c.txt");
        assert_eq!(plain("a/../../b"), "../b");
        assert_eq!(plain("/etc/x"), "/etc/x");
        assert_eq!(plain(""), "");
    }
}
