//! Numbers as people read them.

/// `1,405`.
pub fn grouped(count: usize) -> String {
    let digits = count.to_string();
    let first = (digits.len() - 1) % 3 + 1;
    let mut text = digits[..first].to_owned();
    for at in (first..digits.len()).step_by(3) {
        text += &format!(",{}", &digits[at..at + 3]);
    }
    text
}

/// `1 file`, `2 files`.
pub fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::grouped;

    #[test]
    fn digits_stand_in_groups_of_three() {
        let all = [0, 7, 999, 1_000, 1_405, 894_000, 12_345_678].map(grouped);
        assert_eq!(all, ["0", "7", "999", "1,000", "1,405", "894,000", "12,345,678"]);
    }
}
