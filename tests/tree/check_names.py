#!/usr/bin/env python3
"""What git keeps of this tree is what belongs there: output of a run cannot be committed unseen.

The top folder holds the names below; src holds C, lists and texts; every picture of docs is shown by a page; every data
file of examples is named by a model or a page. Where there is no git (an archive of the sources) nothing is checked.
"""
import os
import re
import subprocess
import sys

TOP = set(""".ci .clang-format .clang-tidy .gitignore CHANGELOG.md CITATION.cff CMakeLists.txt CMakePresets.json CONTRIBUTING.md
Containerfile LICENSE Makefile README.md SECURITY.md abi bench cmake debian docs examples include man mkdocs.yml python schema src tests tools
viewer""".split())
SOURCE = re.compile(r"^src/([a-z0-9_]+/)*([a-z0-9_]+\.(c|h|inc\.h|def)|README\.md|CMakeLists\.txt)$")
DOCUMENT = re.compile(r"^docs/((dev|guide|theory)/)?[a-z0-9_.]+\.md$|^docs/img/[a-z0-9_]+\.(svg|png|webp|jpg)$")
EXAMPLE = re.compile(r"^examples/([a-z]+/)?[A-Za-z0-9_]+\.[A-Za-z_]+$")


def read(path):
    with open(path, encoding="utf-8", errors="replace") as f:
        return f.read()


def complaints(files):
    """What does not belong there, a line each."""
    pages = "".join(read(f) for f in files if f.endswith(".md"))
    models = "".join(read(f) for f in files if re.match(r"(examples|tests)/.*\.(yaml|c|txt)$", f))
    for f in files:
        name = os.path.basename(f)
        if f.split("/")[0] not in TOP:
            yield f"{f}: the top folder has no such name"
        elif f.startswith("src/") and not SOURCE.match(f):
            yield f"{f}: no source, list or text"
        elif f.startswith("docs/") and not DOCUMENT.match(f):
            yield f"{f}: no page and no picture"
        elif f.startswith("docs/img/") and name not in pages:
            yield f"{f}: no page shows it"
        elif f.startswith("examples/") and not EXAMPLE.match(f):
            yield f"{f}: no name of an example"
        elif f.startswith("examples/") and not f.endswith(".yaml") and name not in pages + models:
            yield f"{f}: no model or page names it"


def main(top):
    os.chdir(top)
    listed = subprocess.run(["git", "ls-files"], capture_output=True, text=True, check=False)
    if listed.returncode:
        return 77
    bad = list(complaints([f for f in listed.stdout.split("\n") if f and os.path.exists(f)]))
    for line in bad:
        print(line)
    if bad:
        print("take it out of git, or name it in tests/tree/check_names.py")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
