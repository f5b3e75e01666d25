//! Whether a statement of a database reads or writes, as far as its text is known: the first word of SQL, behind `WITH`
//! and `EXPLAIN` any writing word, as in the languages of graphs, where the clause that writes comes last.

use crate::catalog::{Access, NameSet, Names};
use crate::ir::{Expr, ExprId};
use crate::link::{Func, Program};

/// `None` if the text is not known, or is of no language known here.
pub fn access(program: &Program<'_>, names: &Names, func: Func, statement: ExprId) -> Option<Access> {
    if let Some(access) = built(program, names, func, statement) {
        return Some(access);
    }
    let texts = program.possible(func, statement);
    let each = texts.list.iter().map(|known| of_text(&known.text, known.whole));
    let all: Vec<_> = each.collect();
    match all[..] {
        [] => None,
        _ if all.contains(&Some(Access::Write)) => Some(Access::Write),
        _ if texts.complete && all.iter().all(|access| *access == Some(Access::Read)) => Some(Access::Read),
        _ => None,
    }
}

fn of_text(text: &str, whole: bool) -> Option<Access> {
    let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    let first = words.next()?.to_ascii_uppercase();
    let rest_writes = || words.clone().any(|word| WRITES.contains(&word.to_ascii_uppercase().as_str()));
    match first.as_str() {
        word if WRITES.contains(&word) => Some(Access::Write),
        "WITH" | "EXPLAIN" | "MATCH" | "OPTIONAL" | "UNWIND" | "CALL" | "FOR" if rest_writes() => {
            Some(Access::Write)
        }
        // What stands behind an unknown part may write.
        "WITH" | "EXPLAIN" | "MATCH" | "OPTIONAL" | "UNWIND" | "FOR" => whole.then_some(Access::Read),
        "SELECT" | "SHOW" | "DESCRIBE" | "DESC" | "PRAGMA" | "VALUES" | "BEGIN" | "ROLLBACK"
        | "SAVEPOINT" | "RELEASE" | "RETURN" => Some(Access::Read),
        _ => None,
    }
}

const WRITES: [&str; 16] = [
    "INSERT", "UPDATE", "DELETE", "REPLACE", "UPSERT", "MERGE", "CREATE", "DROP", "ALTER", "TRUNCATE",
    "COPY", "GRANT", "REVOKE", "VACUUM", "SET", "REMOVE",
];

/// A statement that is built by functions: `insert(table).values(…)`, `select(table).where(…)`.
fn built(program: &Program<'_>, names: &Names, func: Func, statement: ExprId) -> Option<Access> {
    let facts = program.facts(program.function(func).file);
    let mut at = statement;
    loop {
        let Expr::Call { callee, .. } = *facts.expr(at) else {
            let (owner, value) = program.sole_definition(func, at)?;
            return if owner == func && value < at { built(program, names, func, value) } else { None };
        };
        if let Some(path) = program.library_path(func, callee) {
            let library = path.split('.').next().unwrap_or_default();
            let is_builder = names.has(NameSet::StatementLibrary, library);
            let last = path.rsplit('.').next().filter(|_| is_builder)?;
            let writes = names.has(NameSet::WritingStatement, last).then_some(Access::Write);
            return writes.or_else(|| names.has(NameSet::ReadingStatement, last).then_some(Access::Read));
        }
        match *facts.expr(callee) {
            Expr::Field { base, .. } => at = base,
            _ => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_tells_reading_from_writing() {
        let cases = [
            ("select * from plans", Some(Access::Read)),
            ("  INSERT INTO plans VALUES (?)", Some(Access::Write)),
            ("with old as (select 1) delete from plans", Some(Access::Write)),
            ("WITH t AS (SELECT 1) SELECT * FROM t", Some(Access::Read)),
            ("MATCH (n) SET n.done = true", Some(Access::Write)),
            ("MATCH (n) RETURN n", Some(Access::Read)),
            ("PRAGMA table_info(plans)", Some(Access::Read)),
            ("frobnicate", None),
            ("", None),
        ];
        for (text, wanted) in cases {
            assert_eq!(of_text(text, true), wanted, "{text}");
        }
        assert_eq!(of_text("WITH t AS (", false), None);
    }
}
