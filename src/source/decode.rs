//! From bytes to text. A byte order mark decides, then the declaration of the file (PEP 263), then UTF-8.
//! Bytes without meaning become U+FFFD and are noted; an encoding in which invisible bytes may be code is refused.

use thiserror::Error;

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
        return Ok(utf8(rest.to_vec(), Encoding::Utf8Bom));
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

/// The encoding that a comment in one of the first two lines declares, in lower case with hyphens.
fn cookie(bytes: &[u8]) -> Option<String> {
    let mut lines = bytes.splitn(3, |byte| *byte == b'\n');
    let first = lines.next()?;
    if let Some(name) = declared_in(first) {
        return Some(name);
    }
    let blank = |line: &[u8]| matches!(line.trim_ascii_start().first(), None | Some(b'#'));
    lines.next().filter(|_| blank(first)).and_then(declared_in)
}

/// PEP 263: `^[ \t\f]*#.*?coding[:=][ \t]*([-_.a-zA-Z0-9]+)`.
fn declared_in(line: &[u8]) -> Option<String> {
    let comment = line.trim_ascii_start().strip_prefix(b"#")?;
    let word = b"coding";
    comment.windows(word.len() + 1).enumerate().find_map(|(at, window)| {
        let found = window.starts_with(word) && matches!(window[word.len()], b':' | b'=');
        found.then(|| name_at(&comment[at + window.len()..])).flatten()
    })
}

fn name_at(bytes: &[u8]) -> Option<String> {
    let name: String = bytes
        .iter()
        .skip_while(|byte| matches!(byte, b' ' | b'\t'))
        .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
        .map(|byte| if *byte == b'_' { '-' } else { char::from(byte.to_ascii_lowercase()) })
        .collect();
    Some(name).filter(|name| !name.is_empty())
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Family {
    Utf8,
    Latin1,
    /// ASCII bytes are ASCII, so the code is right as it stands; other characters are replaced.
    AsciiSuperset,
    Unknown,
}

const UTF8: &[&str] = &["utf-8", "utf8", "utf", "u8", "cp65001", "ascii", "us-ascii", "646"];
const LATIN1: &[&str] =
    &["latin-1", "latin1", "latin", "l1", "iso-8859-1", "iso8859-1", "iso-latin-1", "8859", "cp819"];
/// Beginnings of names. UTF-7, EBCDIC, ISO 2022 and codecs that rewrite the source are left out on purpose.
const ASCII_SUPERSETS: &[&str] = &[
    "big5",
    "cp1250",
    "cp1251",
    "cp1252",
    "cp1253",
    "cp1254",
    "cp1255",
    "cp1256",
    "cp1257",
    "cp1258",
    "cp437",
    "cp720",
    "cp737",
    "cp775",
    "cp85",
    "cp86",
    "cp874",
    "cp932",
    "cp936",
    "cp949",
    "cp950",
    "euc",
    "gb18030",
    "gb2312",
    "gbk",
    "iso-8859-",
    "iso8859-",
    "koi8-",
    "l10",
    "latin-",
    "latin1",
    "latin2",
    "latin3",
    "latin4",
    "latin5",
    "latin6",
    "latin7",
    "latin8",
    "latin9",
    "mac-",
    "shift-jis",
    "sjis",
    "tis-620",
    "windows-125",
];

fn family(name: &str) -> Family {
    if UTF8.contains(&name) || name.starts_with("utf-8-") {
        Family::Utf8
    } else if LATIN1.contains(&name) || name.starts_with("latin-1-") || name.starts_with("iso-8859-1-") {
        Family::Latin1
    } else if ASCII_SUPERSETS.iter().any(|prefix| name.starts_with(prefix)) {
        Family::AsciiSuperset
    } else {
        Family::Unknown
    }
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
            [b"a = '\xC3\xA4'", b"\xEF\xBB\xBFa", b"# coding: latin-1\n'\xE4'", b"# coding: gbk\nf()"];
        for bytes in sources {
            let Decoded { text, encoding, .. } = decode(bytes.to_vec(), true).unwrap();
            assert_eq!(encode(&text, encoding, true).as_deref(), Some(bytes));
        }
        assert_eq!(encode("# coding: latin-1\n'\u{20ac}'", Encoding::Latin1, true), None);
        assert_eq!(encode("# coding: gbk\n'\u{e4}'", Encoding::Utf8, true), None);
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

    #[test]
    fn encodings_that_hide_code_are_refused() {
        for name in ["utf-7", "utf_7", "unicode_escape", "cp037", "pyxl", "utf-16", "cp875"] {
            let error = decode(format!("# coding: {name}\n").into_bytes(), true).unwrap_err();
            assert_eq!(error.0, name.replace('_', "-"));
        }
        assert!(decode(b"# coding: utf-7\n".to_vec(), false).is_ok());
    }

    #[test]
    fn other_supersets_of_ascii_keep_their_code() {
        assert!(!text(b"# coding: gbk\nf()\n").2);
        assert!(text(b"# coding: koi8-r\nf('\xC1')\n").2);
    }
}
