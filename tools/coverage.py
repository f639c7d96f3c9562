#!/usr/bin/env python3
"""Runs the tests of a build that counts lines (preset coverage) and writes the share that ran, per folder of src.

    tools/coverage.py [-j N] [--count-only] BUILD PAGE

Tests of units, of the command line, of wrong models, of the examples, of FMUs and of verification run, the short way
(FLX_SHORT, as under sanitizers): half an hour. Lines of functions in headers count in the
folder of the header. Files with the most lines that did not run are printed.
"""
import argparse
import json
import os
import re
import subprocess
import sys
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WEAKEST = 25
LABELS = "^(unit|cli|bad|example|fmi|verify)$"


def run_tests(build, jobs):
    for path in Path(build).rglob("*.gcda"):
        path.unlink()
    return subprocess.run(["ctest", "--test-dir", build, "-j", str(jobs), "--output-on-failure", "--label-regex", LABELS],
                          env=dict(os.environ, FLX_SHORT="1", LC_ALL="C"), check=False).returncode


def count(build, notes):
    """Lines of one object: {(file, line): runs}."""
    said = subprocess.run(["gcov", "--json-format", "--stdout", str(notes)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          cwd=notes.parent, check=False).stdout
    lines = defaultdict(int)
    for document in said.splitlines():
        if not document.strip():
            continue
        for file in json.loads(document)["files"]:
            path = Path(os.path.normpath(os.path.join(build, file["file"]))) # compilers say it from the build folder, or whole
            if not path.is_relative_to(ROOT / "src"):
                continue
            for line in file["lines"]:
                lines[(str(path.relative_to(ROOT)), line["line_number"])] += line["count"]
    return lines


def table(lines):
    """Rows (folder, lines, lines that ran), and the same of each file."""
    folders, files = defaultdict(lambda: [0, 0]), defaultdict(lambda: [0, 0])
    for (name, _), runs in lines.items():
        for into, key in ((folders, "/".join(name.split("/")[:2])), (files, name)):
            into[key][0] += 1
            into[key][1] += runs > 0
    return folders, files


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-j", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--count-only", action="store_true", help="of what ran before")
    parser.add_argument("build")
    parser.add_argument("page")
    words = parser.parse_args()
    failed = 0 if words.count_only else run_tests(words.build, words.j)
    build = Path(words.build).resolve()
    notes = [p for p in build.rglob("*.gcno") if re.search(r"flexion_\w+\.dir", str(p))]
    lines = defaultdict(int)
    with ThreadPoolExecutor(words.j) as pool:
        for found in pool.map(lambda path: count(build, path), notes):
            for key, runs in found.items():
                lines[key] += runs
    folders, files = table(lines)
    if not lines:
        print("coverage: nothing was counted; is this a build of the preset coverage?", file=sys.stderr)
        return 1
    every = [sum(f[k] for f in folders.values()) for k in (0, 1)]
    rows = [f"| `{name}` | {n} | {ran} | {100.0 * ran / n:.1f} |" for name, (n, ran) in sorted(folders.items())]
    text = ("# Lines that the tests run\n\nWritten by `make coverage` (gcov): lines of code in `src`, per folder, and how many of them\n"
            "the tests of units, of the command line, of wrong models, of the examples, of FMUs and of verification run, the short\n"
            "way. A test that its time cuts off counts nothing, so these are the least. What draws in a browser or computes on a GPU\n"
            "runs there.\n\n"
            "| folder | lines | run | per cent |\n| --- | ---: | ---: | ---: |\n" + "\n".join(rows) +
            f"\n| **all** | {every[0]} | {every[1]} | {100.0 * every[1] / every[0]:.1f} |\n")
    Path(words.page).write_text(text, encoding="utf-8")
    print(text)
    print("most lines that did not run:")
    for name, (n, ran) in sorted(files.items(), key=lambda f: f[1][1] - f[1][0])[:WEAKEST]:
        print(f"{n - ran:6d} of {n:5d}  {name}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
