//! A page that stays below its limit: rows and blocks that have no room are left out, and it says how many.

/// GitHub drops a summary of more than a mebibyte, some in silence.
const MAX_BYTES: usize = 900 << 10;
/// Kept back for what says how much was left out.
const RESERVE: usize = 4 << 10;

#[derive(Default)]
pub struct Page {
    pub text: String,
}

impl Page {
    /// Text of a length that is known to be small.
    pub fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// The whole of it, or nothing.
    pub fn block(&mut self, text: &str) {
        if self.has_room(text) {
            self.line(text);
        }
    }

    /// At most `max` rows below `head`, which begins a paragraph, and nothing if there are none.
    pub fn rows(&mut self, head: &str, rows: impl ExactSizeIterator<Item = String>, max: usize) {
        let count = rows.len();
        if count == 0 {
            return;
        }
        self.line(head);
        let mut shown = 0;
        for row in rows.take(max) {
            if !self.has_room(&row) {
                break;
            }
            self.line(&row);
            shown += 1;
        }
        if shown < count {
            self.line(&format!("\n{} more; `gatelint check` lists all of them.", count - shown));
        }
    }

    fn has_room(&self, more: &str) -> bool {
        self.text.len() + more.len() + RESERVE <= MAX_BYTES
    }
}
