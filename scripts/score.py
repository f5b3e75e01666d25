#!/usr/bin/env python3
"""Scores gatelint against sites that were labelled by hand in published packages.

    scripts/score.py GATELINT [--packages DIR] [--tree NAME=DIR]... [--verbose]

Reads truth/*.toml. A package that is not below DIR (default: target/truth) is downloaded with pip, at the version of the
labels, and unpacked; nothing of it is installed or run. A tree that is not on PyPI is given with --tree, or left out and
said so. Counts per rule, at the default confidence:

    found / missed     sites that must be reported
    silent / noisy     sites that must not be
    extra              findings without a label, in folders that were labelled whole

Sites marked `optional` are debatable and count for nothing.
"""

import argparse
import collections
import fnmatch
import json
import pathlib
import subprocess
import sys
import tomllib
import zipfile

HERE = pathlib.Path(__file__).resolve().parent.parent


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gatelint", type=pathlib.Path)
    parser.add_argument("--packages", type=pathlib.Path, default=HERE / "target" / "truth")
    parser.add_argument("--tree", action="append", default=[], metavar="NAME=DIR")
    parser.add_argument("--verbose", action="store_true", help="name every site that is not as labelled")
    options = parser.parse_args()
    trees = dict(tree.split("=", 1) for tree in options.tree)
    total = collections.defaultdict(collections.Counter)
    for path in sorted((HERE / "truth").glob("*.toml")):
        labels = tomllib.loads(path.read_text(encoding="utf-8"))
        root = trees.get(path.stem) or unpacked(labels, options.packages)
        if root is None:
            print(f"{path.stem}: left out; give --tree {path.stem}=DIR")
            continue
        score(labels, run(options.gatelint.resolve(), path, pathlib.Path(root)), total, options.verbose)
    table(total)
    return 0


def unpacked(labels: dict, packages: pathlib.Path) -> pathlib.Path | None:
    """The folder of the labelled version, downloaded if it is not there."""
    if "source" in labels:
        return None
    root = packages / f"{labels['package']}-{labels['version']}"
    if not root.exists():
        wheels = packages / "wheels"
        wanted = f"{labels['package']}=={labels['version']}"
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(wheels), wanted]
        subprocess.run(command, check=True)
        prefix = labels["package"].replace("-", "_")
        (wheel,) = wheels.glob(f"{prefix}-{labels['version']}-*.whl")
        zipfile.ZipFile(wheel).extractall(root)
    return root


def run(gatelint: pathlib.Path, labels: pathlib.Path, root: pathlib.Path) -> set[tuple[str, str, int]]:
    """What gatelint reports: (rule, file, line)."""
    config = labels.with_suffix(".gatelint")
    settings = ["--config", str(config)] if config.exists() else ["--isolated"]
    command = [str(gatelint), "check", ".", *settings, "--no-ignore", "--format", "sarif", "--exit-zero"]
    done = subprocess.run(command, cwd=root, capture_output=True, check=True)
    places = set()
    for result in json.loads(done.stdout)["runs"][0]["results"]:
        place = result["locations"][0]["physicalLocation"]
        places.add((result["ruleId"], place["artifactLocation"]["uri"], place["region"]["startLine"]))
    return places


def score(labels: dict, found: set, total: dict, verbose: bool) -> None:
    labelled = {(site["rule"], site["file"], site["line"]): site for site in labels["site"]}
    for place, site in sorted(labelled.items()):
        if site.get("optional"):
            continue
        reported = place in found
        if site["expect"] == "report":
            outcome = "found" if reported else "missed"
        else:
            outcome = "noisy" if reported else "silent"
        total[place[0]][outcome] += 1
        if verbose and outcome in ("missed", "noisy"):
            print(f"{outcome:6} {place[0]} {place[1]}:{place[2]}  {site['why']}")
    for rule, file, line in sorted(found - labelled.keys()):
        if any(rule in whole["rules"] and within(file, whole["paths"]) for whole in labels.get("exhaustive", [])):
            total[rule]["extra"] += 1
            if verbose:
                print(f"extra  {rule} {file}:{line}")


def within(file: str, globs: list[str]) -> bool:
    return any(fnmatch.fnmatch(file, glob.replace("**", "*")) for glob in globs)


def table(total: dict) -> None:
    columns = ["found", "missed", "silent", "noisy", "extra"]
    print(f"{'':7}" + "".join(f"{column:>8}" for column in columns) + f"{'recall':>9}{'precision':>11}")
    rows = [(rule, total[rule]) for rule in sorted(total)]
    rows.append(("all", sum(total.values(), collections.Counter())))
    for rule, counts in rows:
        found, missed = counts["found"], counts["missed"]
        wrong = counts["noisy"] + counts["extra"]
        recall = f"{found / (found + missed):.3f}" if found + missed else "-"
        precision = f"{found / (found + wrong):.3f}" if found + wrong else "-"
        numbers = "".join(f"{counts[column]:8}" for column in columns)
        print(f"{rule:7}{numbers}{recall:>9}{precision:>11}")


if __name__ == "__main__":
    sys.exit(main())
