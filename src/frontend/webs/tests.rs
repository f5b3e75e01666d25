//! Webs, shown on Python because it binds a name again so freely.

use crate::frontend::python::testing::{check, dump};

/// The body of `def f(a, b, c)` and the webs of its reads and writes.
#[track_caller]
fn webs(body: &str, expected: &str) {
    let lines: Vec<_> = body.lines().map(|line| format!("  {line}\n")).collect();
    let dump = dump(&format!("def f(a, b, c):\n{}", lines.concat()));
    let inside = dump.lines().skip_while(|line| !line.starts_with("fn 1 ")).skip(2);
    let found: Vec<_> = inside.take_while(|line| line.starts_with(' ')).map(str::trim).collect();
    let found = found.join(" ");
    let expected: Vec<_> = expected.lines().map(str::trim).collect();
    assert_eq!(found.strip_suffix(')'), Some(&*expected.join(" ")), "\n{dump}");
}

#[test]
fn a_name_bound_for_another_purpose_is_another_variable() {
    webs("x = a\nb(x)\nx = c\nb(x)", "(bind x.3 a.0) (call b.1 x.3) (bind x.4 c.2) (call b.1 x.4)");
    webs("b(a)\na = c\nb(a)", "(call b.1 a.0) (bind a.3 c.2) (call b.1 a.3)");
    webs("a += 1\nreturn a", "(bind a.3 (+ a.0 1)) (return a.3)");
    webs("del a\na = b\na", "(delete a.0) (bind a.3 b.1) a.3");
}

#[test]
fn branches_meet() {
    webs("if a: a = b\na", "(if (a.0 (block (bind a.0 b.1)))) a.0");
    webs(
        "if a: a = b\nelse: a = c\na",
        "(if (a.0 (block (bind a.3 b.1))) (else (block (bind a.3 c.2)))) a.3",
    );
    webs("if b: a = c; return a\na", "(if (b.1 (block (bind a.3 c.2) (return a.3)))) a.0");
    webs("b and (a := c)\na", "(and b.1 (bind a.0 c.2)) a.0");
    webs("if b and (a := c): a", "(if ((and b.1 (bind a.0 c.2)) (block a.0)))");
    webs("(a := b) if c else 1\na", "(if (c.2 (bind a.0 b.1)) (else 1)) a.0");
}

#[test]
fn loops_carry_their_ends_to_their_heads() {
    webs("for x in b:\n  c(a)\n  a = x", "(loop L0 (each x.3 b.1) (block (call c.2 a.0) (bind a.0 x.3)))");
    webs("for x in b:\n  a = x\n  c(a)", "(loop L0 (each x.3 b.1) (block (bind a.4 x.3) (call c.2 a.4)))");
    webs("for a in b: pass\na", "(loop L0 (each a.0 b.1) (block)) a.0");
    webs(
        "while True:\n  a = c\n  if b: break\n  a = 1\na",
        "(loop L0 (while true) (block (bind a.3 c.2) (if (b.1 (block (break L0)))) (bind a.4 1))) a.3",
    );
    webs(
        "while c:\n  a = 1\n  if b: continue\n  a = 2\na",
        "(loop L0 (while c.2) (block (bind a.0 1) (if (b.1 (block (continue L0)))) (bind a.0 2))) a.0",
    );
    webs(
        "for x in b:\n  a = x\nelse:\n  a = c\na",
        "(loop L0 (each x.3 b.1) (block (bind a.4 x.3)) (else (block (bind a.5 c.2)))) a.5",
    );
}

#[test]
fn anything_in_a_body_reaches_the_handlers() {
    webs(
        "try:\n  x = a\n  x = b\nexcept E: c(x)\nx",
        "(try (block (bind x.3 a.0) (bind x.3 b.1)) (except (@E) (block (call c.2 x.3)))) x.3",
    );
    webs(
        "try: a = b\nexcept E: a = c\na",
        "(try (block (bind a.3 b.1)) (except (@E) (block (bind a.3 c.2)))) a.3",
    );
    webs(
        "try: a = b\nexcept E: return a\na",
        "(try (block (bind a.0 b.1)) (except (@E) (block (return a.0)))) a.0",
    );
    webs(
        "try:\n  a = 1\n  a = 2\nfinally: b(a)",
        "(try (block (bind a.0 1) (bind a.0 2)) (finally (block (call b.1 a.0))))",
    );
    webs(
        "try:\n  if b: a = 1; raise c\nexcept E: a",
        "(try (block (if (b.1 (block (bind a.0 1) (raise c.2))))) (except (@E) (block a.0)))",
    );
    webs(
        "try: a\nexcept E as x: x\nexcept F as x: x",
        "(try (block a.0) (except (@E) x.3 (block x.3)) (except (@F) x.4 (block x.4)))",
    );
}

#[test]
fn a_jump_takes_along_what_finally_does() {
    webs(
        "while b:\n  try: break\n  finally: a = c\na",
        "(loop L0 (while b.1) (block (try (block (break L0)) (finally (block (bind a.0 c.2)))))) a.0",
    );
}

#[test]
fn a_context_may_swallow_an_exception() {
    webs("with b: a = c\na", "(with b.1 (block (bind a.0 c.2))) a.0");
    webs("with b as a: a\nwith c as a: a", "(with b.1 as a.3 (block a.3)) (with c.2 as a.4 (block a.4))");
}

#[test]
fn cases_bind_for_themselves() {
    webs(
        "match a:\n  case [x]: b(x)\n  case {'k': x} | C(x): c(x)",
        "(match a.0 (case [x.3] (block (call b.1 x.3))) (case (| { k: x.4} (ctor @C x.4)) (block (call c.2 x.4))))",
    );
}

#[test]
fn what_closures_share_is_not_split() {
    webs("x = a\nb(lambda: x)\nx = c", "(bind x.3 a.0) (call b.1 (fn 2)) (bind x.3 c.2)");
    webs("b(lambda y=a: y)\na = c\na", "(call b.1 (fn 2)) (bind a.3 c.2) a.3");
}

#[test]
fn modules_and_classes_export_what_reaches_their_end() {
    let exports = |source: &str| {
        let dump = dump(source);
        let head = dump.lines().find(|line| line.starts_with("fn 0")).unwrap_or_default().to_owned();
        let head = head.strip_suffix(" line 1").unwrap_or(&head);
        head.split_once("() ").map_or(String::new(), |(_, exports)| exports.to_owned())
    };
    assert_eq!(exports("import a\na.b\na = c"), "export a=a.1");
    assert_eq!(exports("a = 1\ndel a"), "");
    assert_eq!(exports("try: import a\nexcept E as e: a = None"), "export a=a.0");
    assert_eq!(exports("a = 1\nb(a)\na = 2\nb(a)\nraise c"), "export a=a.0");
    check(
        "a = 1\nb(a)\na = 2\nb(a)\nraise c",
        "(bind a.0 1)\n(call @b a.0)\n(bind a.0 2)\n(call @b a.0)\n(raise @c)",
    );
    check(
        "x: int\nx = 1\nb(x)\nx = 2",
        "(bind x.0 (declare @int))\n(bind x.0 1)\n(call @b x.0)\n(bind x.0 2)",
    );
}

#[test]
fn what_is_not_bound_yet_is_looked_for_outside() {
    check("a(open)\nopen = b", "(call @a @open)\n(bind open.0 @b)");
    check("if a: b = 1\nb", "(if (@a (block\n(bind b.0 1))))\nb.0");
    check(
        "for a in b: pass\nfor a in b: c(a)",
        "
        (loop L0 (each a.0 @b) (block))
        (loop L1 (each a.0 @b) (block
        (call @c a.0)))",
    );
}

#[test]
fn work_is_bounded() {
    let mut source = String::from("while a:\n");
    for index in 0..3_000 {
        source += &format!("  if a: x{index} = x{index} = 1; break\n");
    }
    assert_eq!(crate::frontend::python::testing::facts(&source).functions().len(), 1);
}
