//! Texts from encoded texts: base 64, base 32, hexadecimal digits, rotated letters. What is no encoded text is none.

pub(super) fn base64(text: &str) -> Option<String> {
    bits(text, 6, |c| match c {
        'A'..='Z' => Some(c as u32 - 'A' as u32),
        'a'..='z' => Some(c as u32 - 'a' as u32 + 26),
        '0'..='9' => Some(c as u32 - '0' as u32 + 52),
        '+' => Some(62),
        '/' => Some(63),
        _ => None,
    })
}

pub(super) fn base64_url(text: &str) -> Option<String> {
    base64(&text.replace('-', "+").replace('_', "/"))
}

pub(super) fn base32(text: &str) -> Option<String> {
    bits(text, 5, |c| match c {
        'A'..='Z' => Some(c as u32 - 'A' as u32),
        '2'..='7' => Some(c as u32 - '2' as u32 + 26),
        _ => None,
    })
}

pub(super) fn hex(text: &str) -> Option<String> {
    let digits: String = text.chars().filter(|c| !c.is_ascii_whitespace()).collect();
    let even = digits.len().is_multiple_of(2);
    bits(&digits, 4, |c| c.to_digit(16)).filter(|_| even)
}

pub(super) fn rot13(text: &str) -> String {
    let rotated = |c: char, first: char| char::from((c as u8 - first as u8 + 13) % 26 + first as u8);
    let each = |c: char| match c {
        'a'..='z' => rotated(c, 'a'),
        'A'..='Z' => rotated(c, 'A'),
        c => c,
    };
    text.chars().map(each).collect()
}

/// Letters that stand for so many bits each, up to the padding.
fn bits(text: &str, width: u32, value: impl Fn(char) -> Option<u32>) -> Option<String> {
    let (mut bytes, mut held, mut count) = (Vec::new(), 0_u32, 0);
    for c in text.chars().filter(|c| !c.is_ascii_whitespace()).take_while(|&c| c != '=') {
        held = (held << width) | value(c)?;
        count += width;
        if count >= 8 {
            count -= 8;
            bytes.push((held >> count) as u8);
            held &= (1 << count) - 1;
        }
    }
    // Bytes that are no text stand as the characters of their numbers, as in a literal.
    Some(
        String::from_utf8(bytes)
            .unwrap_or_else(|error| error.as_bytes().iter().map(|&b| char::from(b)).collect()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encoded_names_are_names() {
        assert_eq!(base64("c3VicHJvY2Vzcw==").as_deref(), Some("subprocess"));
        assert_eq!(base64("b3Muc3lzdGVt").as_deref(), Some("os.system"));
        assert_eq!(base64_url("Pz8_").as_deref(), Some("???"));
        assert_eq!(base32("N5ZQ====").as_deref(), Some("os"));
        assert_eq!(hex("6f73").as_deref(), Some("os"));
        assert_eq!(hex("6f 73").as_deref(), Some("os"));
        assert_eq!(rot13("bf.flfgrz"), "os.system");
    }

    #[test]
    fn other_texts_are_none() {
        assert_eq!(base64("no base64!"), None);
        assert_eq!(hex("6f7"), None);
        assert_eq!(base64("/////w==").as_deref(), Some("\u{ff}\u{ff}\u{ff}\u{ff}"), "no UTF-8");
    }
}
