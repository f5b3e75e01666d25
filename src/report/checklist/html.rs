//! The matrix as one page that needs nothing else: no script, no image, no address. Each cell opens its evidence. Nothing of
//! the scanned tree is markup, and the page's own policy forbids whatever would be loaded or run.

use std::io::{self, Write};

use super::{Part, View, escape, title};
use crate::finding::checklist::{Cell, Row};
use crate::rule::Rule;

const HEAD: &str = "\
<!doctype html>
<html lang=\"en\">
<head>
<meta charset=\"utf-8\">
<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">
<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">
<meta name=\"referrer\" content=\"no-referrer\">
<title>Enforcement checklist</title>
<style>
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem; color: #1d1d1f; background: #fff; }
table { border-collapse: collapse; }
th, td { border: 1px solid #c9c9ce; padding: .35rem .55rem; text-align: left; vertical-align: top; }
th { background: #f2f2f4; font-weight: 600; }
td.pass { background: #e7f5ea; } td.fail { background: #fce4e4; } td.unknown { background: #fdf5dc; }
summary { cursor: pointer; } td.fail summary { font-weight: 600; }
ul { margin: .3rem 0 0; padding-left: 1.1rem; max-width: 26rem; }
code { font: 13px ui-monospace, monospace; overflow-wrap: anywhere; }
.where { color: #55555c; font-weight: 400; }
@media (prefers-color-scheme: dark) {
  body { color: #eee; background: #1b1b1d; } th { background: #2a2a2e; } th, td { border-color: #47474d; }
  td.pass { background: #1e3a26; } td.fail { background: #4a2324; } td.unknown { background: #453b1c; }
  .where { color: #b0b0b8; }
}
</style>
</head>
<body>
<h1>Enforcement checklist</h1>
";

pub fn write(view: &View<'_>, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(HEAD.as_bytes())?;
    let parts = view.parts();
    if parts.is_empty() {
        writeln!(out, "<p>{}</p>", text(view.nothing()))?;
    }
    for part in parts {
        writeln!(out, "<p>{}</p>", text(&part.totals()))?;
        table(view, part, out)?;
    }
    if let Some(gaps) = view.gaps() {
        writeln!(out, "<p>{}</p>", text(&gaps))?;
    }
    writeln!(out, "</body>\n</html>")?;
    out.flush()
}

fn table(view: &View<'_>, part: Part<'_>, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "<table>\n<thead><tr><th scope=\"col\">item</th>")?;
    for row in part.rows() {
        operation(view, row, out)?;
    }
    writeln!(out, "</tr></thead>\n<tbody>")?;
    for (at, item) in part.matrix.items.iter().enumerate() {
        writeln!(out, "<tr><th scope=\"row\">{} {}</th>", text(&item.id), text(title(item)))?;
        for row in part.rows() {
            cell(view, row, item, &row.cells[at], out)?;
        }
        writeln!(out, "</tr>")?;
    }
    writeln!(out, "</tbody>\n</table>")
}

fn operation(view: &View<'_>, row: &Row, out: &mut dyn Write) -> io::Result<()> {
    let (name, function) = (text(&row.name), text(&row.function));
    let (handler, registered) = (view.line(row.handler).to_string(), view.line(row.registered).to_string());
    writeln!(
        out,
        "<th scope=\"col\"><details><summary>{name}</summary><span class=\"where\">handler <code>{function}</code>, \
         <code>{}</code>; registered at <code>{}</code></span></details></th>",
        text(&handler),
        text(&registered)
    )
}

fn cell(view: &View<'_>, row: &Row, item: &Rule, cell: &Cell, out: &mut dyn Write) -> io::Result<()> {
    let word = cell.verdict.word();
    write!(out, "<td class=\"{word}\"><details><summary>{word}</summary><ul>")?;
    for evidence in view.evidence(row, item, cell) {
        let at = view.line(evidence.place).to_string();
        write!(out, "<li><code>{}</code> {}</li>", text(&at), text(&evidence.text))?;
    }
    writeln!(out, "</ul></details></td>")
}

/// Text in which nothing is markup.
fn text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in escape::line(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}
