//! What holds for every text and every place in it, however odd.

use gatelint::finding::{Place, Severity, Step};
use gatelint::ir::Span;
use gatelint::report::{Format, ReportOptions, report};
use gatelint::source::{FileId, LineIndex, SourceFile, decode};
use proptest::prelude::*;

use crate::support::sample;

/// Text with everything that ends lines, moves columns or cursors.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[a-z ()=]{1,12}",
        "[äß日本😀\u{301}]{1,3}",
        Just("\n".to_owned()),
        Just("\r\n".to_owned()),
        Just("\r".to_owned()),
        Just("\t".to_owned()),
        Just("::error::".to_owned()),
        any::<char>().prop_map(String::from),
        Just("x".repeat(300)),
    ];
    prop::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn every_place_can_be_reported(code in text(), name in text(), lo in 0u32..400, length in 0u32..400) {
        let mut outcome = sample::clean(vec![SourceFile::new(name.as_str(), code)]);
        let place = Place { file: FileId(0), span: Span { lo, hi: lo + length } };
        let rule = sample::rule("GL102", "direct-network-call", Severity::Error);
        let mut finding = sample::finding(&rule, place, &name);
        let first = Place { file: FileId(0), span: Span { lo: 0, hi: lo } };
        finding.steps = vec![Step { place, text: name.clone(), why: name.clone() }, Step { place: first, text: name.clone(), why: name.clone() }];
        outcome.findings = vec![finding];
        for format in [Format::Human, Format::Json, Format::Sarif, Format::Markdown] {
            let mut out = Vec::new();
            report(&outcome, &ReportOptions { format, ..ReportOptions::default() }, &mut out).unwrap();
            let text = String::from_utf8(out).unwrap();
            prop_assert!(!text.contains(|c: char| c.is_control() && c != '\n'), "{text:?}");
            prop_assert!(!text.lines().any(|line| line.trim_start().starts_with("::")), "{text}");
            if matches!(format, Format::Json | Format::Sarif) {
                prop_assert!(serde_json::from_str::<serde_json::Value>(&text).is_ok());
            }
        }
    }

    #[test]
    fn lines_cover_the_text_and_columns_grow(code in text()) {
        let index = LineIndex::new(&code);
        let mut last = index.line_col(0);
        prop_assert_eq!((last.line, last.column), (1, 1));
        for (at, _) in code.char_indices().skip(1) {
            let next = index.line_col(at as u32);
            prop_assert!(next > last, "{last:?} {next:?}");
            prop_assert!(next.line == last.line || next.column == 1);
            last = next;
        }
        prop_assert!(index.line_col(code.len() as u32).line <= index.lines());
    }

    #[test]
    fn any_bytes_decode_or_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..200), cookies: bool) {
        if let Ok(decoded) = decode(bytes.clone(), cookies) {
            prop_assert!(decoded.lossy || decoded.text.len() + 3 >= bytes.len() / 2);
        }
    }
}
