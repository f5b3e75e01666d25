#!/usr/bin/env python3
"""Scores gatelint's call graph against call graphs that others wrote by hand.

    python scripts/callgraph.py GATELINT micro PYCG
    python scripts/callgraph.py GATELINT project TRUTH.json PROJECT_DIR

The first is the micro-benchmark of PyCG (vitsalis/PyCG): a folder for each construct, with its call graph. PYCG is a clone,
its `micro-benchmark` or any folder in there. The second is one project of vitsalis/pycg-evaluation, at the commit that its
truth was written for; PROJECT_DIR is where the names in the truth start, such as `bin` of autojump. Neither is part of this
repository. The script can be called from any folder. What is scored is copied first: a repository around it does not matter.

Only edges between the project's own functions count. A call of a function that was handed over stands, for gatelint, where
it was handed over; such an edge is right if the truth has any call of that function, and an edge of the truth is found
if the function is handed over anywhere. Files of which a truth names nothing at all were not given to its authors (tests, set-up);
calls in them are left out. With `--verbose` what is missing or extra is listed, for reading: the truths have
mistakes of their own.
"""

import argparse
import ast
import json
import pathlib
import shutil
import subprocess
import tempfile


class Names(ast.NodeVisitor):
    """The names that PyCG gives to the functions of a module, by where they are defined."""

    def __init__(self, module):
        self.scope, self.lambdas = [module], {}
        self.functions, self.classes = {}, set()

    def inside(self, name, node):
        self.scope.append(f"{self.scope[-1]}.{name}")
        self.generic_visit(node)
        self.scope.pop()

    def visit_FunctionDef(self, node):
        for part in [*node.decorator_list, node.args]:
            self.visit(part)
        self.functions[node.lineno, node.name] = f"{self.scope[-1]}.{node.name}"
        self.scope.append(f"{self.scope[-1]}.{node.name}")
        for part in node.body:
            self.visit(part)
        self.scope.pop()

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node):
        count = self.lambdas[self.scope[-1]] = self.lambdas.get(self.scope[-1], 0) + 1
        name = f"<lambda{count}>"
        self.functions[node.lineno, node.col_offset + 1] = f"{self.scope[-1]}.{name}"
        self.inside(name, node)

    def visit_ClassDef(self, node):
        self.classes.add((node.lineno, node.name))
        self.inside(node.name, node)


class Project:
    """The functions of a folder, by file and by the names of the truth."""

    def __init__(self, root):
        # A root that is itself a package gives its name to what is in it.
        self.package = f"{root.resolve().name}." if (root / "__init__.py").exists() else ""
        self.by_file = {}
        for path in sorted(root.rglob("*.py")):
            parts = list(path.relative_to(root).with_suffix("").parts)
            module = ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)
            names = Names(module)
            try:
                names.visit(ast.parse(path.read_text(encoding="utf-8", errors="replace")))
            except SyntaxError:
                continue
            self.by_file[str(path.relative_to(root))] = (module, names)

    def functions(self):
        return {name for _, names in self.by_file.values() for name in names.functions.values()}

    def module(self, file):
        return self.by_file[file][0] if file in self.by_file else None

    def modules(self):
        return {module for module, _ in self.by_file.values()}

    def given(self, graph):
        """The modules that the authors of a truth looked at: it names something of each."""
        callees = {callee for callees in graph.values() for callee in callees}
        scopes = {scope for name in graph.keys() | callees for scope in (name, *parents(name))}
        return self.modules() & scopes

    def name(self, file, line, column, path):
        """What the truth calls a function; nothing for the body of a class."""
        if file not in self.by_file:
            return None
        module, names = self.by_file[file]
        if path in (module, self.package + module):
            return module
        last = path.rsplit(".", 1)[-1]
        return names.functions.get((line, last)) or names.functions.get((line, column))


def parents(name):
    """`a.b` and `a` of `a.b.c`."""
    while "." in name:
        name = name.rpartition(".")[0]
        yield name


def said(gatelint, root):
    """The edges that gatelint prints. Its paths start at the nearest repository, which a copy makes the folder itself."""
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder, root.resolve().name)
        shutil.copytree(root, copy, symlinks=True, ignore=shutil.ignore_patterns(".git"))
        (copy / ".git").mkdir()
        run = subprocess.run([gatelint, "debug", "edges", copy], capture_output=True, text=True, check=True)
    return [json.loads(line) for line in run.stdout.splitlines()]


def edges(gatelint, root, project, given):
    """The edges between functions of the project, and the functions that are handed over."""
    found, handed = set(), set()
    for edge in said(gatelint, root):
        if "to_file" not in edge or project.module(edge["from_file"]) not in given:
            continue
        caller = project.name(edge["from_file"], edge["from_line"], edge["from_column"], edge["from"])
        callee = project.name(edge["to_file"], edge["to_line"], edge["to_column"], edge["to"])
        if caller is None or callee is None or callee in project.modules():
            continue
        if edge["kind"] == "call":
            found.add((caller, callee))
        else:
            handed.add(callee)
    return found, handed


def truth(graph, functions, modules):
    return {(caller, callee) for caller, callees in graph.items() for callee in callees
            if callee in functions and (caller in functions or caller in modules)}


def score(gatelint, root, file):
    project = Project(root)
    graph = json.loads(file.read_text())
    expected = truth(graph, project.functions(), project.modules())
    found, handed = edges(gatelint, root, project, project.given(graph))
    called = {callee for _, callee in expected}
    missing = {edge for edge in expected if edge not in found and edge[1] not in handed}
    extra = {edge for edge in found if edge not in expected}
    extra |= {("handed over", callee) for callee in handed if callee not in called}
    right = len(found) + len(handed) - len(extra)
    return {"expected": len(expected), "said": len(found) + len(handed), "right": right,
            "missing": missing, "extra": extra}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gatelint")
    parser.add_argument("kind", choices=["micro", "project"])
    parser.add_argument("paths", nargs="+", type=pathlib.Path, help="PYCG, or TRUTH.json and PROJECT_DIR")
    parser.add_argument("--verbose", action="store_true")
    args = parser.parse_args()
    if len(args.paths) != (1 if args.kind == "micro" else 2):
        parser.error("micro takes PYCG, project takes TRUTH.json and PROJECT_DIR")
    if args.kind == "micro":
        files = sorted(args.paths[0].rglob("callgraph.json"))
        cases = [(str(file.parent.relative_to(args.paths[0])), file.parent, file) for file in files]
    else:
        cases = [(args.paths[1].name, args.paths[1], args.paths[0])]
    results = [(name, score(args.gatelint, root, file)) for name, root, file in cases]
    for name, result in results:
        if args.verbose:
            for what in ("missing", "extra"):
                for caller, callee in sorted(result[what]):
                    print(f"{what:8} {name}: {caller} -> {callee}")
    total = {key: sum(result[key] for _, result in results) for key in ("expected", "said", "right")}
    if not total["expected"]:
        parser.error("no edges in the truth: no callgraph.json in PYCG, or names that do not start at PROJECT_DIR")
    missing = sum(len(result["missing"]) for _, result in results)
    recall = 100 * (1 - missing / total["expected"])
    precision = 100 * total["right"] / max(1, total["said"])
    print(f"{len(results)} call graphs, {total['expected']} edges: recall {recall:.1f} %, precision {precision:.1f} %")


if __name__ == "__main__":
    main()
