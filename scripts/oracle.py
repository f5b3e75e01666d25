#!/usr/bin/env python3
"""Checks gatelint's call resolution against jedi, on a random sample of the calls of real packages.

    python scripts/oracle.py GATELINT PACKAGE_DIR... --sites 300 --seed 1

PACKAGE_DIR is the folder that contains the package, as a wheel unpacks it: absolute imports start there. Only sites
where jedi answers are counted: the figures say how often the two agree, not how much of a program either resolves.
Needs jedi (`pip install jedi`) and nothing else; what jedi knows of libraries depends on what is installed beside it.

Agreement means, by what gatelint says of a call:
  resolved             jedi's function is among the targets. A class agrees with the constructor an instance of it runs,
                       also an inherited one; a class without one in the project agrees with a target-less answer.
  external             jedi's definition lies outside the package and is what gatelint's path names.
  builtin              jedi's definition is a built-in, or a method of a class of the standard library.
  unresolved           never: inside the package gatelint has missed an edge. Outside, the site is listed, not counted.
  parameter            not counted: what callers pass is an edge of the site that passes it (ARCHITECTURE.md, "Linking").
`some` is an answer that holds only part of what jedi found. Disagreements are listed and are for reading: jedi does not
narrow by `isinstance`, guesses parameters from the call sites it happens to find, and is wrong at times.
"""

import argparse
import ast
import collections
import dataclasses
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

import jedi

CONSTRUCTORS = ("__new__", "__init__", "__post_init__")
# Where the classes of other libraries inherit their methods from.
COMMON_BASES = {"builtins", "typing", "typing_extensions", "collections", "abc", "types", "enum", "dataclasses"}


@dataclasses.dataclass(frozen=True)
class Definition:
    """What jedi says the callee is. `file` is relative to the package folder, None outside of it."""

    file: str | None
    line: int
    name: str
    kind: str
    path: str

    def __str__(self):
        return f"{self.kind} {self.path}" + (f" ({self.file}:{self.line})" if self.file else "")


class SourceFile:
    """The definitions of one file by line; a decorator's line means the definition below it."""

    def __init__(self, text):
        self.lines = text.split("\n")
        self.classes = {}
        self.definition_line = {}
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError):
            return
        for node in ast.walk(tree):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                for decorator in node.decorator_list:
                    self.definition_line[decorator.lineno] = node.lineno
            if isinstance(node, ast.ClassDef):
                self.classes[node.lineno] = node

    def line(self, number):
        return self.lines[number - 1] if 0 < number <= len(self.lines) else ""

    def base_places(self, node):
        """Line and column (from 0) of the last character of each base class's name."""
        for base in node.bases:
            while isinstance(base, ast.Subscript):
                base = base.value
            if isinstance(base, (ast.Name, ast.Attribute)):
                before = self.line(base.end_lineno).encode()[: base.end_col_offset]
                yield base.end_lineno, len(before.decode()) - 1


class Package:
    """One scanned folder: gatelint's answers, the sources, and jedi."""

    def __init__(self, gatelint, folder):
        self.folder = folder.resolve()
        self.name = self.folder.name
        command = [gatelint, "debug", "calls", "."]
        done = subprocess.run(command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
        self.calls = [json.loads(line) for line in done.stdout.splitlines()]
        self.root = self._root()
        self.project = jedi.Project(self.folder)
        self.environment = jedi.InterpreterEnvironment()
        self.files = {}
        self.scripts = {}
        self.paths = {}
        self.ancestor_lists = {}

    def _root(self):
        """Gatelint's paths start at the project's root, which may lie above the folder it is given."""
        candidates = [self.folder, *self.folder.parents]
        return next((c for c in candidates if all((c / call["file"]).is_file() for call in self.calls)), self.folder)

    def source(self, file):
        if file not in self.files:
            self.files[file] = SourceFile((self.root / file).read_text(encoding="utf-8", errors="replace"))
        return self.files[file]

    def script(self, file):
        if file not in self.scripts:
            path = self.root / file
            self.scripts[file] = jedi.Script(path=path, project=self.project, environment=self.environment)
        return self.scripts[file]

    def ask(self, file, line, column):
        """jedi's definitions of the name at a place. A variable is followed to what it holds."""
        try:
            return self._ask(self.script(file), line, column)
        except KeyError:
            # The parser below jedi forgets files after ten minutes, also those that a script still holds.
            del self.scripts[file]
            return self._ask(self.script(file), line, column)

    def ask_path(self, path):
        """jedi's definitions of a dotted path of a library: `hashlib.sha256` is defined elsewhere."""
        if path not in self.paths:
            segments = path.split(".")
            lines = ["import " + ".".join(segments[:length]) for length in range(1, len(segments))] + [path]
            script = jedi.Script("\n".join(lines), project=self.project, environment=self.environment)
            self.paths[path] = self._ask(script, len(lines), len(path) - 1)
        return self.paths[path]

    def _ask(self, script, line, column):
        names = script.goto(line, column, follow_imports=True, follow_builtin_imports=True)
        direct = [name for name in names if name.type in ("function", "class")]
        if len(direct) < len(names):
            direct += script.infer(line, column)
        return sorted({found for name in direct for found in self._definitions(name)}, key=str)

    def _definitions(self, name):
        # A package may reach a part of itself through a link.
        path = name.module_path and name.module_path.resolve()
        inside = path is not None and path.is_relative_to(self.folder) and name.line is not None
        file = path.relative_to(self.root).as_posix() if inside else None
        line = name.line or 0
        if file:
            line = self.source(file).definition_line.get(line, line)
        kind = "method" if name.type == "function" and name.parent().type == "class" else name.type
        definition = Definition(file, line, name.name, kind, name.full_name or name.name)
        if name.type in ("function", "class"):
            yield definition
        elif name.type == "instance":
            yield from self.members(definition, ("__call__",))

    def members(self, definition, names):
        """The first of the methods along a class and its ancestors, for each name that is defined in the package."""
        wanted = set(names)
        for file, line in self.ancestors(definition.file, definition.line):
            for node in self.source(file).classes[line].body:
                if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name in wanted:
                    wanted.remove(node.name)
                    yield Definition(file, node.lineno, node.name, "function", f"{definition.path}.{node.name}")

    def ancestors(self, file, line):
        """The class at this place and its bases inside the package, in method resolution order."""
        key = (file, line)
        if key not in self.ancestor_lists:
            self.ancestor_lists[key] = []  # A class that inherits from itself ends here.
            source = self.source(file) if file else None
            if source and line in source.classes:
                bases = [self._class_at(file, *place) for place in source.base_places(source.classes[line])]
                bases = [base for base in bases if base]
                self.ancestor_lists[key] = [key, *merge([*map(lambda b: self.ancestors(*b), bases), bases])]
        return self.ancestor_lists[key]

    def _class_at(self, file, line, column):
        found = [d for d in self.ask(file, line, column) if d.kind == "class" and d.file]
        return (found[0].file, found[0].line) if found else None


def merge(sequences):
    """The C3 order; where the hierarchy has none, first come, first served."""
    sequences = [list(sequence) for sequence in sequences if sequence]
    order = []
    while sequences:
        heads = [sequence[0] for sequence in sequences]
        free = [head for head in heads if not any(head in sequence[1:] for sequence in sequences)]
        head = (free or heads)[0]
        order.append(head)
        sequences = [[item for item in sequence if item != head] for sequence in sequences]
        sequences = [sequence for sequence in sequences if sequence]
    return order


@dataclasses.dataclass
class Verdict:
    """`agree`, `some`, `wrong` and `miss` count; the others say why a site does not."""

    label: str
    answers: list


def judge(package, call):
    """Compares gatelint's answer on one call with jedi's."""
    text = package.source(call["file"]).line(call["name_line"])
    column = call["name_column"] - 2
    if not (0 <= column < len(text) and (text[column].isidentifier() or text[column].isdigit())):
        return Verdict("no name", [])
    try:
        answers = package.ask(call["file"], call["name_line"], column)
    except Exception as error:  # jedi fails in many ways on code it cannot digest; none of them is an answer.
        return Verdict(f"jedi failed: {type(error).__name__}", [])
    if not answers:
        return Verdict("no answer", [])
    inside = [answer for answer in answers if answer.file]
    if call["resolution"] == "resolved":
        label = judge_resolved(package, call, inside)
    elif inside:
        label = "handed" if call["resolution"] == "parameter" else "miss"
    elif call["resolution"] in ("external", "builtin"):
        label = "agree" if any(fits(package, call, text[: column + 1], a) for a in answers) else "wrong"
    else:
        label = "outside"
    return Verdict(label, answers)


def judge_resolved(package, call, inside):
    # Callables that the call only hands on are targets of another kind.
    called = [target for target in call["targets"] if "file" in target and target["kind"] == "call"]
    targets = {(target["file"], target["line"]) for target in called}
    hits = [is_hit(package, targets, answer) for answer in inside]
    if not any(hits):
        return "wrong"
    return "agree" if all(hits) else "some"


def is_hit(package, targets, answer):
    if answer.kind == "class":
        constructors = {(m.file, m.line) for m in package.members(answer, CONSTRUCTORS)}
        return bool(constructors & targets) if constructors else not targets
    return (answer.file, answer.line) in targets


def fits(package, call, before, answer):
    """An answer outside the package has the name, and is of the library that gatelint says."""
    if call["resolution"] == "builtin":
        library = answer.path.split(".")[0]
        of_language = library in COMMON_BASES or answer.kind == "method" and library in sys.stdlib_module_names
        return of_language and before.endswith(answer.name)
    return any(fits_path(package, target["path"], answer) for target in call["targets"])


def fits_path(package, path, answer):
    def library(dotted):
        return dotted.split(".")[0].lstrip("_")

    same_library = library(path) == library(answer.path) or library(answer.path) in COMMON_BASES
    if same_library and path.rsplit(".", 1)[-1] == answer.name:
        return True
    return answer in package.ask_path(path)


def rung(call):
    return (call["resolution"], call.get("rung", "-"))


def percent(part, whole):
    return f"{100 * part / whole:5.1f} %" if whole else "      -"


COUNTED = ("agree", "some", "wrong", "miss")


def print_table(calls, judged):
    """Share of all calls per rung, and how the sampled ones compare."""
    shares = collections.Counter(map(rung, calls))
    labels = collections.defaultdict(collections.Counter)
    for _, call, verdict in judged:
        labels[rung(call)][verdict.label] += 1
        labels["all", ""][verdict.label] += 1
    shares["all", ""] = len(calls)
    head = "sites counted  agree  some wrong  miss  agreement"
    print(f"{'resolution':<11} {'rung':<12} {'calls':>7} {'share':>7} | {head}")
    for key in sorted(shares, key=lambda key: (key[0] == "all", key)):
        of = labels[key]
        counted = sum(of[label] for label in COUNTED)
        cells = f"{of.total():>5} {counted:>7}  {of['agree']:>5} {of['some']:>5} {of['wrong']:>5} {of['miss']:>5}"
        name = f"{key[0]:<11} {key[1]:<12} {shares[key]:>7} {percent(shares[key], len(calls))}"
        print(f"{name} | {cells}  {percent(of['agree'], counted)}")
    rest = {label: n for label, n in sorted(labels["all", ""].items()) if label not in COUNTED}
    print("not counted:", ", ".join(f"{label} {n}" for label, n in rest.items()) or "none")


def print_sites(title, sites):
    print(f"\n{title}: {len(sites)}")
    for package, call, verdict in sites:
        targets = [
            target["path"] + (f" ({target['file']}:{target['line']})" if "file" in target else "")
            for target in call["targets"]
        ]
        print(f"\n{verdict.label}: {package.name}/{call['file']}:{call['name_line']}:{call['name_column']}")
        print(f"  source    {package.source(call['file']).line(call['name_line']).strip()}")
        print(f"  gatelint  {' '.join(rung(call))}: {', '.join(targets) or '-'}")
        print(f"  jedi      {', '.join(map(str, verdict.answers))}")


def draw(population, arguments):
    """Every call is as likely as any other; with `--per-rung` only within its rung."""
    groups = collections.defaultdict(list)
    for package, call in population:
        groups[rung(call) if arguments.per_rung else None].append((package, call))
    chance = random.Random(arguments.seed)
    sites = []
    for key in sorted(groups):
        sites += chance.sample(groups[key], min(arguments.sites, len(groups[key])))
    return sites


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("gatelint", type=pathlib.Path, help="the binary")
    parser.add_argument("packages", type=pathlib.Path, nargs="+", metavar="PACKAGE_DIR", help="holds a package")
    parser.add_argument("--sites", type=int, default=300, help="how many calls to compare, over all packages")
    parser.add_argument("--per-rung", action="store_true", help="take so many of each rung, to see the rare ones")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    packages = [Package(arguments.gatelint.resolve(), folder) for folder in arguments.packages]
    sample = draw([(package, call) for package in packages for call in package.calls], arguments)
    judged = []
    for done, (package, call) in enumerate(sample, 1):
        judged.append((package, call, judge(package, call)))
        print(f"\r{done}/{len(sample)}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    for package in packages:
        own = [entry for entry in judged if entry[0] is package]
        print(f"\n{package.name}, {len(own)} sites, seed {arguments.seed}")
        print_table(package.calls, own)
    if len(packages) > 1:
        print("\nall packages")
        print_table([call for package in packages for call in package.calls], judged)
    judged.sort(key=lambda entry: (entry[0].name, entry[1]["file"], entry[1]["line"], entry[1]["column"]))
    print_sites("disagreements", [entry for entry in judged if entry[2].label in ("some", "wrong", "miss")])
    outside = [entry for entry in judged if entry[2].label == "outside"]
    print_sites("open in gatelint, outside the package for jedi (not counted)", outside)


if __name__ == "__main__":
    if sys.flags.hash_randomization:
        # jedi stops at limits on its way through sets: the same question would have other answers.
        os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], {**os.environ, "PYTHONHASHSEED": "0"})
    with tempfile.TemporaryDirectory() as jedi.settings.cache_directory:  # Two runs would break a shared one.
        main()
