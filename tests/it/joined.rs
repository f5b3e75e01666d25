//! Facts of files that are joined: nothing of a file changes but its ids, and an id means the same whichever file is asked.

use std::fs;

use gatelint::frontend::lower;
use gatelint::ir::{Facts, Lang, join, print};
use walkdir::WalkDir;

/// The sources of the demonstration projects, in both languages.
fn sources() -> Vec<(String, Lang)> {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures");
    let files = WalkDir::new(root).sort_by_file_name().into_iter().map(Result::unwrap);
    let files = files.filter_map(|file| {
        let lang = match file.path().extension()?.to_str()? {
            "py" => Lang::Python,
            "rs" => Lang::Rust,
            _ => return None,
        };
        Some((fs::read_to_string(file.path()).unwrap(), lang))
    });
    files.collect()
}

fn printed(facts: &Facts, text: &str) -> String {
    let mut out = String::new();
    print::print(facts, text, &mut out).unwrap();
    out
}

#[test]
fn a_file_reads_the_same_once_it_is_joined_and_joined_again_with_others() {
    let sources = sources();
    assert!(sources.len() > 20);
    let lowered: Vec<Facts> = sources.iter().map(|(text, lang)| lower(text, *lang)).collect();
    let joined = join(&lowered);
    let (few, many) = joined.split_at(3);
    let again = join(many.iter().chain(&lowered[..3]).chain(few));
    let of_again = again[many.len() + 3..].iter().chain(&again[..many.len()]);
    for ((((text, _), alone), joined), again) in sources.iter().zip(&lowered).zip(&joined).zip(of_again) {
        let expected = printed(alone, text);
        assert_eq!(printed(joined, text), expected);
        assert_eq!(printed(again, text), expected);
    }
}

#[test]
fn an_id_means_the_same_in_the_facts_of_every_file() {
    let sources = sources();
    let joined = join(sources.iter().map(|(text, lang)| lower(text, *lang)));
    let (first, last) = (&joined[0], &joined[joined.len() - 1]);
    for facts in &joined {
        for id in facts.exprs() {
            assert_eq!(first.expr(id), facts.expr(id));
            assert_eq!(last.span(id), facts.span(id));
        }
        assert!(facts.texts.iter().all(|&text| first.str(text) == last.str(text)));
    }
}
