//! Messages with captures: "`{function}` can reach {effect}".

use std::collections::BTreeMap;

/// A message as the rule file writes it.
#[derive(Clone, Copy, Debug)]
pub struct Template<'t>(&'t str);

impl<'t> Template<'t> {
    pub fn new(text: &'t str) -> Self {
        Self(text)
    }

    /// The names in braces, in order.
    pub fn captures(self) -> impl Iterator<Item = &'t str> {
        self.0.split('{').skip(1).filter_map(|rest| rest.split_once('}').map(|(name, _)| name))
    }

    /// True if a brace opens a capture that is never closed.
    pub fn has_loose_brace(self) -> bool {
        self.0.split('{').skip(1).any(|rest| !rest.contains('}'))
    }

    /// The message with each capture in place; the loader has checked that all are there.
    pub fn fill(self, captures: &BTreeMap<&'static str, String>) -> String {
        let mut parts = self.0.split('{');
        let mut out = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (name, rest) = part.split_once('}').unwrap_or((part, ""));
            out.push_str(captures.get(name).map_or("", String::as_str));
            out.push_str(rest);
        }
        out
    }
}
