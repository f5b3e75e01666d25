//! The report formats, from outcomes made by hand: layout by snapshot, structure by schema.

use gatelint::finding::{Confidence, Outcome};
use gatelint::report::{Format, ReportOptions, report};

use crate::support::sample;

fn rendered(outcome: &Outcome, options: ReportOptions) -> String {
    let mut out = Vec::new();
    report(outcome, &options, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn human(outcome: &Outcome) -> String {
    rendered(outcome, ReportOptions::default())
}

#[test]
fn human_shows_the_path_across_files() {
    insta::assert_snapshot!(human(&sample::atlas()));
}
