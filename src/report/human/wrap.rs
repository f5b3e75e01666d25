//! Words and larger pieces filled into lines of the report's width, indented below their head.

pub struct Lines<'a> {
    pub text: String,
    indent: &'a str,
    width: usize,
    column: usize,
    /// True if nothing stands yet on the line but its head or indent.
    fresh: bool,
}

impl<'a> Lines<'a> {
    pub fn new(head: &str, indent: &'a str, width: usize) -> Self {
        Self { text: head.to_owned(), indent, width, column: head.chars().count(), fresh: true }
    }

    pub fn words(&mut self, text: &str) {
        for word in text.split(' ') {
            self.piece(word, word);
        }
    }

    /// What is not broken: as it is measured, and as it is painted.
    pub fn piece(&mut self, plain: &str, painted: &str) {
        let length = plain.chars().count();
        if self.fresh {
            self.fresh = false;
        } else if self.column + 1 + length > self.width {
            self.text.push('\n');
            self.text += self.indent;
            self.column = self.indent.chars().count();
        } else {
            self.text.push(' ');
            self.column += 1;
        }
        self.text += painted;
        self.column += length;
    }
}

#[cfg(test)]
mod tests {
    use super::Lines;

    #[test]
    fn lines_are_filled_to_the_width() {
        let mut lines = Lines::new("a: ", "   ", 9);
        lines.words("123 äö 123456789 1");
        lines.piece("2 3", "<2 3>");
        assert_eq!(lines.text, "a: 123 äö\n   123456789\n   1 <2 3>");
    }
}
