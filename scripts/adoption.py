#!/usr/bin/env python3
"""Tries on real code bases what a team does on its first day.

    scripts/adoption.py GATELINT [--tree NAME=DIR]... [--package NAME]... [--work DIR]

For each code base, copied into DIR (default: target/adoption), as a repository of its own:

    write     `gatelint baseline write`
    check     `gatelint check` afterwards: 0
    harmless  one harmless line added to a file, `gatelint check --changed FILE`: 0
    planner   a planner added that sends, `gatelint check --changed FILE`: 1

Packages are downloaded from PyPI with pip and unpacked; nothing of them is installed or run. Ends with 1 if any code base shows
something else.
"""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import zipfile

HERE = pathlib.Path(__file__).resolve().parent.parent
PACKAGES = [
    "crewai", "smolagents", "openai-agents", "google-adk", "pydantic-ai-slim", "agno", "camel-ai", "praisonaiagents",
    "griptape", "llama-index-core", "langchain-community",
]
PLANNER = "import requests\n\n\ndef plan_delivery(text):\n    return requests.post('https://example.com', data=text)\n"
EXPECTED = [0, 0, 0, 1]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gatelint", type=pathlib.Path)
    parser.add_argument("--tree", action="append", default=[], metavar="NAME=DIR")
    parser.add_argument("--package", action="append", metavar="NAME")
    parser.add_argument("--work", type=pathlib.Path, default=HERE / "target" / "adoption")
    options = parser.parse_args()
    gatelint = options.gatelint.resolve()
    options.work.mkdir(parents=True, exist_ok=True)
    trees = dict(tree.split("=", 1) for tree in options.tree)
    print(f"{'code base':22} {'write':>6} {'check':>6} {'harmless':>9} {'planner':>8}  noted")
    failed = 0
    for name in [*trees, *(options.package if options.package is not None else PACKAGES)]:
        source = pathlib.Path(trees[name]) if name in trees else unpacked(name, options.work)
        codes, noted = tried(gatelint, fresh(source, options.work / name))
        failed += codes != EXPECTED
        write, check, harmless, planner = codes
        print(f"{name:22} {write:6} {check:6} {harmless:9} {planner:8}  {noted}", flush=True)
    return 1 if failed else 0


def unpacked(package: str, work: pathlib.Path) -> pathlib.Path:
    """The newest release of a package."""
    wheels = work / "wheels"
    pattern = re.sub(r"[-_.]+", "_", package) + "-*.whl"
    if not list(wheels.glob(pattern)):
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(wheels), package]
        subprocess.run(command, check=True)
    wheel = sorted(wheels.glob(pattern))[-1]
    root = work / "unpacked" / wheel.stem
    if not root.exists():
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(root)
    return root


def fresh(source: pathlib.Path, target: pathlib.Path) -> pathlib.Path:
    """A copy that is its own project, whatever lies around it."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(source, target, symlinks=True, ignore=shutil.ignore_patterns(".git"))
    (target / ".git").mkdir()
    return target


def tried(gatelint: pathlib.Path, root: pathlib.Path) -> tuple[list[int], str]:
    write = run(gatelint, root, ["baseline", "write", "--timeout", "120"])
    check = run(gatelint, root, ["check", "--timeout", "120"])
    # The middle one of all files with functions, so that nobody chose it.
    files = sorted(path for path in root.rglob("*.py") if "\ndef " in path.read_text(encoding="utf-8", errors="replace"))
    changed = files[len(files) // 2]
    with changed.open("a", encoding="utf-8") as file:
        file.write("\n\nHARMLESS = 1\n")
    harmless = run(gatelint, root, ["check", "--timeout", "120", "--changed", str(changed.relative_to(root))])
    planner = changed.parent / "new_planner.py"
    planner.write_text(PLANNER, encoding="utf-8")
    sends = run(gatelint, root, ["check", "--timeout", "120", "--changed", str(planner.relative_to(root))])
    noted = write.stdout.split(": ", 1)[-1].strip()
    return [done.returncode for done in (write, check, harmless, sends)], noted


def run(gatelint: pathlib.Path, root: pathlib.Path, args: list[str]) -> subprocess.CompletedProcess:
    command = [str(gatelint), *args]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=600)


if __name__ == "__main__":
    sys.exit(main())
