//! The `human` format: what an agent reaches first and whole, the rest one line per file, then what was not understood
//! and true totals. Findings are drawn by miette.

mod card;
mod excerpt;
mod paint;
mod rollup;
mod summary;

use std::io::{self, Write};

use card::Drawer;
use paint::Paint;

use super::ReportOptions;
use super::order::View;
use super::places::Places;
use crate::config::Mistakes;

pub fn write(view: &View, options: &ReportOptions, out: &mut dyn Write) -> io::Result<()> {
    let places = Places::new(view.outcome);
    let paint = Paint { color: options.color };
    let drawer = Drawer::new(options.color, options.width);
    let split = view.split();
    for finding in &split.whole {
        writeln!(out, "{}", drawer.finding(finding, &places))?;
    }
    rollup::write(&split, &places, paint, out)?;
    summary::write(view, paint, options.width, out)?;
    out.flush()
}

pub fn write_mistakes(mistakes: &Mistakes, color: bool, width: usize, out: &mut dyn Write) -> io::Result<()> {
    let drawer = Drawer::new(color, width);
    for mistake in &mistakes.list {
        writeln!(out, "{}", drawer.mistake(mistake, mistakes))?;
    }
    out.flush()
}
