//! Calls that build text or paths out of constants: formatting, joining, `Path(…)`, the environment's defaults, and the
//! project's own functions.

use super::Folder;
use crate::ir::{Arg, ArgKind, Entry, EntryKey, Expr, ExprId, Lit, Pat, VarId};
use crate::link::args::{Passed, pair};
use crate::link::ids::Func;
use crate::link::index::Index;
use crate::link::types::Type;
use crate::link::values::{Item, Values};

/// The home directory is known without running anything; of other variables only what stands in for them.
pub(super) fn environment(variable: &str, default: Values) -> Values {
    if variable == "HOME" { Values::text("~") } else { default.or_unknown() }
}

pub(super) fn is_environment(index: &Index<'_>, ty: Type) -> bool {
    matches!(ty, Type::External(path) if index.externals.text(path) == "os.environ")
}

impl Folder<'_, '_> {
    pub(super) fn call(&self, func: Func, callee: ExprId, args: &[Arg], hops: u32) -> Values {
        let mut known = self.index.statics(func, callee).into_iter();
        match (known.next(), known.next()) {
            (Some(Type::External(path) | Type::Unbound(path)), None) => {
                let path = self.index.externals.text(path);
                self.library_call(func, path, args, hops)
                    .or_else(|| self.built(func, path, args, hops))
                    .or_else(|| self.operated(func, callee, args, hops))
                    .unwrap_or_else(|| self.method(func, callee, args, hops))
            }
            _ => match self.target(func, callee) {
                Some(target) => self.returned_for(func, target, args, hops),
                None => self.method(func, callee, args, hops),
            },
        }
    }

    /// What a function hands back; where that is not known, what it hands back for these arguments.
    fn returned_for(&self, func: Func, target: Func, args: &[Arg], hops: u32) -> Values {
        let known = self.returned(target, hops);
        let is_open = known.list.iter().all(|known| !known.whole);
        if args.is_empty() || !is_open || self.index.method_of[target.0 as usize].is_some() {
            return known;
        }
        let facts = self.facts_of(target);
        let params = facts.list(self.index.ir(target).params);
        let given = pair(self.index, self.facts_of(func), args, target, 0).into_iter();
        let given = given.filter_map(|(passed, value)| {
            let Passed::Param(at) = passed else { return None };
            let Pat::Var(var) = *facts.pat(params.get(at as usize)?.pat) else { return None };
            Some((var, self.item(func, value, hops)?))
        });
        let given: Vec<(VarId, Item)> = given.collect();
        if given.is_empty() {
            return known;
        }
        self.with_all_bound(target, given, || self.returned(target, hops))
    }

    fn library_call(&self, func: Func, path: &str, args: &[Arg], hops: u32) -> Option<Values> {
        let value = |at: usize| args.get(at).map(|arg| self.value(func, arg.value, hops));
        let plain = args.iter().take_while(|arg| arg.kind == ArgKind::Positional);
        let values = plain.map(|arg| self.value(func, arg.value, hops));
        match path {
            "pathlib.Path.home" => Some(Values::text("~")),
            // Where a platform keeps what belongs to the user.
            _ if path.starts_with("platformdirs.user_") || path.starts_with("appdirs.user_") => {
                Some(Values::text("~").cut())
            }
            "pathlib.Path" | "pathlib.PurePath" | "pathlib.PosixPath" | "anyio.Path" | "os.path.join" => {
                Some(Values::joined(values, "/"))
            }
            "os.path.dirname" => value(0).map(Values::cut),
            "os.getenv" | "os.environ.get" => {
                let default = args.get(1).filter(|arg| !matches!(arg.kind, ArgKind::Spread));
                let default = default.map_or(Values::unknown(), |arg| self.value(func, arg.value, hops));
                let name = value(0)?.only();
                Some(environment(name.as_ref().map_or("", |name| &name.text), default))
            }
            _ => None,
        }
    }

    /// Methods of constant text and of paths.
    fn method(&self, func: Func, callee: ExprId, args: &[Arg], hops: u32) -> Values {
        let facts = self.index.units[self.index.file_of(func)].facts;
        let known = || self.made(func, callee, args, hops);
        if let Some(made) = known().or_else(|| self.operated(func, callee, args, hops)) {
            return made;
        }
        let Expr::Field { base, name } = *facts.expr(callee) else { return Values::unknown() };
        let receiver = || self.value(func, base, hops);
        let plain = || args.iter().take_while(|arg| arg.kind == ArgKind::Positional);
        match facts.str(name) {
            "format" => self.filled(func, &receiver(), args, hops),
            "joinpath" => {
                let rest = plain().map(|arg| self.value(func, arg.value, hops));
                Values::joined(std::iter::once(receiver()).chain(rest), "/")
            }
            "with_suffix" | "with_name" | "with_stem" => receiver().cut(),
            _ => Values::unknown(),
        }
    }

    pub(super) fn joined_list(&self, func: Func, list: ExprId, separator: &str, hops: u32) -> Values {
        let is_grown = self.is_grown(func, list);
        let Some((func, list)) = self.literal(func, list, hops) else { return Values::unknown() };
        let facts = self.index.units[self.index.file_of(func)].facts;
        match *facts.expr(list) {
            Expr::Seq(items) => {
                let items = facts.list(items).iter().map(|&item| self.value(func, item, hops));
                let known = Values::joined(items, separator);
                if is_grown { known.cut() } else { known }
            }
            _ => Values::unknown(),
        }
    }

    /// `"%s.%s" % (a, b)`.
    pub(super) fn formatted(&self, func: Func, args: &[ExprId], hops: u32) -> Values {
        let [format, value] = *args else { return Values::unknown() };
        let Some(format) = self.value(func, format, hops).only().filter(|known| known.whole) else {
            return Values::unknown();
        };
        let facts = self.index.units[self.index.file_of(func)].facts;
        let Some((pieces, kinds, names)) = conversions(&format.text) else { return Values::unknown() };
        let values: Vec<ExprId> = match *facts.expr(value) {
            Expr::Seq(items) => facts.list(items).to_vec(),
            Expr::Record(entries) if !names.is_empty() => {
                let of = |name: &&str| {
                    let is_meant = |entry: &&Entry| match entry.key {
                        EntryKey::Expr(key) => {
                            matches!(*facts.expr(key), Expr::Lit(Lit::Str(text)) if facts.str(text) == *name)
                        }
                        EntryKey::Spread => false,
                    };
                    facts.list(entries).iter().rev().find(is_meant).map(|entry| entry.value)
                };
                names.iter().filter_map(of).collect()
            }
            _ => vec![value],
        };
        if kinds.len() != values.len() {
            return Values::unknown();
        }
        let parts = values.iter().zip(kinds).map(|(&value, kind)| self.converted(func, value, kind, hops));
        let parts: Vec<Values> = parts.collect();
        interleaved(&pieces, parts)
    }

    /// What `%s`, `%c` or `%d` makes of a value.
    fn converted(&self, func: Func, value: ExprId, kind: char, hops: u32) -> Values {
        let text = || self.value(func, value, hops);
        match (kind, self.number(func, value, hops)) {
            ('c', Some(number)) => {
                let c = u32::try_from(number).ok().and_then(char::from_u32);
                c.map_or(Values::unknown(), |c| Values::text(c.encode_utf8(&mut [0; 4])))
            }
            (_, Some(number)) => Values::text(&number.to_string()),
            ('s' | 'c', None) => text(),
            _ => Values::unknown(),
        }
    }

    /// `"{}.{}".format(a, b)`, `"{0}{name}".format(a, name=b)`.
    fn filled(&self, func: Func, format: &Values, args: &[Arg], hops: u32) -> Values {
        let Some(format) = format.clone().only().filter(|known| known.whole) else {
            return Values::unknown();
        };
        let facts = self.index.units[self.index.file_of(func)].facts;
        let (mut pieces, mut values) = (Vec::new(), Vec::new());
        let mut rest = format.text.as_str();
        while let Some((piece, behind)) = rest.split_once('{') {
            let Some((field, tail)) = behind.split_once('}') else { return Values::unknown() };
            let field = field.strip_suffix("!s").or_else(|| field.strip_suffix(":s")).unwrap_or(field);
            let argument = match field.parse::<usize>() {
                Ok(at) => args.get(at).filter(|arg| arg.kind == ArgKind::Positional),
                Err(_) if field.is_empty() => {
                    args.get(values.len()).filter(|arg| arg.kind == ArgKind::Positional)
                }
                Err(_) => args
                    .iter()
                    .find(|arg| matches!(arg.kind, ArgKind::Named(name) if facts.str(name) == field)),
            };
            let Some(argument) = argument else { return Values::unknown() };
            pieces.push(piece);
            values.push(argument.value);
            rest = tail;
        }
        pieces.push(rest);
        let parts = values.into_iter().map(|value| self.converted(func, value, 's', hops)).collect();
        interleaved(&pieces, parts)
    }
}

/// The texts around the conversions of a format, the letter of each, and the names in `%(name)s`; widths and flags are not
/// understood.
fn conversions(format: &str) -> Option<(Vec<&str>, Vec<char>, Vec<&str>)> {
    let (mut pieces, mut kinds, mut names) = (Vec::new(), Vec::new(), Vec::new());
    let mut rest = format;
    while let Some((piece, behind)) = rest.split_once('%') {
        let named = behind.strip_prefix('(').and_then(|behind| behind.split_once(')'));
        names.extend(named.map(|(name, _)| name));
        let behind = named.map_or(behind, |(_, behind)| behind);
        let kind = behind.chars().next().filter(|kind| matches!(kind, 's' | 'c' | 'd'))?;
        pieces.push(piece);
        kinds.push(kind);
        rest = &behind[1..];
    }
    pieces.push(rest);
    Some((pieces, kinds, names))
}

fn interleaved(pieces: &[&str], values: Vec<Values>) -> Values {
    let mut parts = vec![Values::text(pieces[0])];
    for (value, piece) in values.into_iter().zip(&pieces[1..]) {
        parts.push(value);
        parts.push(Values::text(piece));
    }
    Values::joined(parts.into_iter(), "")
}
