//! From bytes to text. A byte order mark decides, then the declaration of the file (PEP 263), then UTF-8.
//! Bytes without meaning become U+FFFD and are noted; an encoding in which invisible bytes may be code is refused.

use thiserror::Error;

use super::codecs::{Family, family};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Encoding {
    Utf8,
    /// With a byte order mark, which is not part of the text.
    Utf8Bom,
    Utf16,
    Latin1,
}

#[derive(Debug)]
pub struct Decoded {
    pub text: String,
    pub encoding: Encoding,
    pub lossy: bool,
}

/// Guessing at such a file would show code that the interpreter does not run, or hide code that it does.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("unknown encoding `{0}`")]
pub struct UnknownEncoding(pub String);

/// `cookies`: whether the language lets a comment in the first two lines declare the encoding.
pub fn decode(bytes: Vec<u8>, cookies: bool) -> Result<Decoded, UnknownEncoding> {
    if let Some(rest) = bytes.strip_prefix(b"\xEF\xBB\xBF") {
        return with_mark(rest, cookies);
    }
    if let Some(rest) = bytes.strip_prefix(b"\xFF\xFE") {
        return Ok(utf16(rest, u16::from_le_bytes));
    }
    if let Some(rest) = bytes.strip_prefix(b"\xFE\xFF") {
        return Ok(utf16(rest, u16::from_be_bytes));
    }
    let declared = if cookies { cookie(&bytes) } else { None };
    match declared.as_deref().map(family) {
        Some(Family::Latin1) => Ok(latin1(&bytes)),
        Some(Family::Unknown) => Err(UnknownEncoding(declared.unwrap_or_default())),
        None | Some(Family::Utf8 | Family::AsciiSuperset) => Ok(utf8(bytes, Encoding::Utf8)),
    }
}

/// Python refuses a file whose mark and declaration contradict each other; what else would run it is not known.
fn with_mark(rest: &[u8], cookies: bool) -> Result<Decoded, UnknownEncoding> {
    match cookie(rest).filter(|name| cookies && family(name) != Family::Utf8) {
        Some(name) => Err(UnknownEncoding(name)),
        None => Ok(utf8(rest.to_vec(), Encoding::Utf8Bom)),
    }
}

/// The bytes of a text that is to be read as it stands; none if this encoding, or the one that the text declares, cannot
/// hold it.
pub fn encode(text: &str, encoding: Encoding, cookies: bool) -> Option<Vec<u8>> {
    let bytes = match encoding {
        Encoding::Utf8 if text.is_ascii() || is_utf8(text, cookies) => text.as_bytes().to_vec(),
        Encoding::Utf8Bom => [b"\xEF\xBB\xBF", text.as_bytes()].concat(),
        Encoding::Latin1 => text.chars().map(u8::try_from).collect::<Result<_, _>>().ok()?,
        // Which of the two byte orders it had is not kept; no interpreter runs such a file.
        Encoding::Utf8 | Encoding::Utf16 => return None,
    };
    let read = decode(bytes.clone(), cookies).ok()?;
    (read.text == text && read.encoding == encoding && !read.lossy).then_some(bytes)
}

/// False if the text declares another encoding.
fn is_utf8(text: &str, cookies: bool) -> bool {
    let declared = if cookies { cookie(text.as_bytes()) } else { None };
    declared.is_none_or(|name| family(&name) == Family::Utf8)
}

fn utf8(bytes: Vec<u8>, encoding: Encoding) -> Decoded {
    match String::from_utf8(bytes) {
        Ok(text) => Decoded { text, encoding, lossy: false },
        Err(error) => {
            let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
            Decoded { text, encoding, lossy: true }
        }
    }
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Decoded {
    let pairs = bytes.chunks_exact(2);
    let mut lossy = !pairs.remainder().is_empty();
    let units = pairs.map(|pair| unit([pair[0], pair[1]]));
    let text = char::decode_utf16(units)
        .map(|decoded| {
            lossy |= decoded.is_err();
            decoded.unwrap_or(char::REPLACEMENT_CHARACTER)
        })
        .collect();
    Decoded { text, encoding: Encoding::Utf16, lossy }
}

fn latin1(bytes: &[u8]) -> Decoded {
    let text = bytes.iter().map(|byte| char::from(*byte)).collect();
    Decoded { text, encoding: Encoding::Latin1, lossy: false }
}

/// The encoding that a comment in one of the first two lines declares, in lower case with single hyphens. The second line
/// counts if the first holds a comment or nothing; a carriage return alone ends a line, and a form feed is a blank.
fn cookie(bytes: &[u8]) -> Option<String> {
    let mut lines = bytes.splitn(2, |byte| matches!(byte, b'\n' | b'\r'));
    let (first, rest) = (lines.next()?, lines.next().unwrap_or_default());
    if let Some(name) = declared_in(first) {
        return Some(name);
    }
    let is_pair = bytes.get(first.len()..first.len() + 2) == Some(b"\r\n");
    let rest = if is_pair { &rest[1..] } else { rest };
    let second = rest.split(|byte| matches!(byte, b'\n' | b'\r')).next()?;
    let is_blank = matches!(unindented(first).first(), None | Some(b'#'));
    is_blank.then(|| declared_in(second)).flatten()
}

fn unindented(line: &[u8]) -> &[u8] {
    let blanks = line.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\x0C')).count();
    &line[blanks..]
}

/// PEP 263: `^[ \t\f]*#.*?coding[:=][ \t]*([-_.a-zA-Z0-9]+)`.
fn declared_in(line: &[u8]) -> Option<String> {
    let comment = unindented(line).strip_prefix(b"#")?;
    let word = b"coding";
    comment.windows(word.len() + 1).enumerate().find_map(|(at, window)| {
        let found = window.starts_with(word) && matches!(window[word.len()], b':' | b'=');
        found.then(|| name_at(&comment[at + window.len()..])).flatten()
    })
}

fn name_at(bytes: &[u8]) -> Option<String> {
    let blanks = bytes.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let is_named = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    let mut name = String::new();
    for byte in bytes[blanks..].iter().take_while(is_named) {
        match byte {
            // Python takes any number of them for one.
            b'-' | b'_' if name.ends_with('-') => {}
            b'-' | b'_' => name.push('-'),
            byte => name.push(char::from(byte.to_ascii_lowercase())),
        }
    }
    Some(name).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: &[u8]) -> (String, Encoding, bool) {
        let decoded = decode(bytes.to_vec(), true).unwrap();
        (decoded.text, decoded.encoding, decoded.lossy)
    }

    #[test]
    fn byte_order_marks_are_no_text() {
        assert_eq!(text(b"\xEF\xBB\xBFa"), ("a".into(), Encoding::Utf8Bom, false));
        assert_eq!(text(b"\xFF\xFEa\0\xE4\0"), ("aä".into(), Encoding::Utf16, false));
        assert_eq!(text(b"\xFE\xFF\0a"), ("a".into(), Encoding::Utf16, false));
        assert_eq!(text(b"\xFF\xFE\x00\xD8"), ("\u{fffd}".into(), Encoding::Utf16, true));
    }

    #[test]
    fn invalid_utf8_is_replaced_and_noted() {
        assert_eq!(text(b"a\xFFb"), ("a\u{fffd}b".into(), Encoding::Utf8, true));
    }

    #[test]
    fn what_is_encoded_is_read_again() {
        let sources: [&[u8]; 4] =
            [b"a = '\xC3\xA4'", b"\xEF\xBB\xBFa", b"# coding: latin-1\n'\xE4'", b"# coding: cp1252\nf()"];
        for bytes in sources {
            let Decoded { text, encoding, .. } = decode(bytes.to_vec(), true).unwrap();
            assert_eq!(encode(&text, encoding, true).as_deref(), Some(bytes));
        }
        assert_eq!(encode("# coding: latin-1\n'\u{20ac}'", Encoding::Latin1, true), None);
        assert_eq!(encode("# coding: cp1252\n'\u{e4}'", Encoding::Utf8, true), None);
        assert_eq!(encode("a", Encoding::Utf16, true), None);
        assert_eq!(encode("# coding: latin-1", Encoding::Utf8, true), None, "it would be read as another");
    }

    #[test]
    fn a_cookie_declares_latin_1() {
        for head in
            ["# -*- coding: latin-1 -*-\n", "#!/usr/bin/python\n# vim: set fileencoding=ISO_8859_1 :\n"]
        {
            let mut bytes = head.as_bytes().to_vec();
            bytes.push(0xE4);
            assert_eq!(text(&bytes), (format!("{head}ä"), Encoding::Latin1, false));
        }
    }

    #[test]
    fn a_cookie_below_code_or_outside_a_comment_declares_nothing() {
        for head in ["x = 1\n# coding: latin-1\n", "\n\n# coding: latin-1\n", "coding: latin-1\n"] {
            let mut bytes = head.as_bytes().to_vec();
            bytes.push(0xE4);
            assert!(text(&bytes).2, "{head}");
        }
    }

    fn refused(bytes: &[u8]) -> Option<String> {
        decode(bytes.to_vec(), true).err().map(|unknown| unknown.0)
    }

    #[test]
    fn encodings_that_hide_code_are_refused() {
        let rewriting = ["utf-7", "utf_7", "unicode_escape", "raw_unicode_escape", "pyxl", "rot13", "idna"];
        let other_letters =
            ["cp037", "utf-16", "cp875", "cp864", "hz", "iso-2022-jp", "iso2022_kr", "utf_32"];
        // A second byte may be a backslash or a quote.
        let trailing = [
            "gbk",
            "GB18030",
            "shift_jis",
            "Shift_JIS-2004",
            "sjis",
            "big5",
            "big5hkscs",
            "cp932",
            "ms932",
            "cp936",
            "cp949",
            "cp950",
            "johab",
        ];
        for name in rewriting.iter().chain(&other_letters).chain(&trailing) {
            let expected = name.replace('_', "-").to_lowercase();
            assert_eq!(refused(format!("# coding: {name}\n").as_bytes()), Some(expected));
        }
        assert!(decode(b"# coding: utf-7\n".to_vec(), false).is_ok());
    }

    #[test]
    fn other_supersets_of_ascii_keep_their_code() {
        assert!(!text(b"# coding: cp1252\nf()\n").2);
        assert!(text(b"# coding: koi8-r\nf('\xC1')\n").2);
        for name in
            ["euc_jp", "EUC-KR", "gb2312", "Windows-1251", "mac__roman", "iso-8859-15", "ascii", "UTF8"]
        {
            assert_eq!(refused(format!("# coding: {name}\n").as_bytes()), None, "{name}");
        }
    }

    #[test]
    fn the_second_line_declares_behind_a_comment_or_nothing() {
        let cookie = "# coding: utf-7";
        for first in ["\n", "#\n", "\x0C\n", " \t# a\r\n", "# a\r", "\r\n", "# coding: \n"] {
            assert!(refused(format!("{first}{cookie}\n").as_bytes()).is_some(), "{first:?}");
        }
        for first in ["\x0B\n", "\\\n", "#a\r#b\r", "#a\n\n", "\"\"\"\n", "#a\r\n\r\n"] {
            assert!(refused(format!("{first}{cookie}\n").as_bytes()).is_none(), "{first:?}");
        }
        assert!(refused(b"\x0C # coding: utf-7\r").is_some());
    }

    #[test]
    fn a_mark_and_a_declaration_that_contradict_each_other_are_refused() {
        assert_eq!(refused(b"\xEF\xBB\xBF# coding: latin-1\n"), Some("latin-1".to_owned()));
        assert_eq!(refused(b"\xEF\xBB\xBF# coding: utf-8-sig\n"), None);
        assert!(decode(b"\xEF\xBB\xBF# coding: latin-1\n".to_vec(), false).is_ok());
    }
}
