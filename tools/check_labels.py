#!/usr/bin/env python3
"""Every equation label that the code cites, such as (SYS-2), is defined once in docs/theory.

    tools/check_labels.py [ROOT]

A page defines a label by \\tag{SYS-2}. A label that no page defines, or that two define, is an error; so is
the name of a page that does not exist.
"""
import glob
import os
import re
import sys

CITED = re.compile(r"\(([A-Z]{2,6}-\d+)\)")
PAGE = re.compile(r"\b(?:docs/)?((?:theory|dev)/\w+\.md)\b")
DEFINED = re.compile(r"\\tag\{([A-Z]{2,6}-\d+)\}")


def find(pattern, paths):
    for path in sorted(paths):
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                for label in pattern.findall(line):
                    yield label, path, number


def main(root):
    os.chdir(root)
    defined, problems = {}, []
    pages = glob.glob("docs/theory/*.md")
    for label, path, number in find(DEFINED, pages):
        if label in defined:
            problems.append(f"{path}:{number}: ({label}) is defined at {defined[label]} already")
        defined.setdefault(label, f"{path}:{number}")
    sources = [path for top in ("include", "src", "tests", "bench")
               for path in glob.glob(f"{top}/**/*.[ch]", recursive=True)]
    for label, path, number in find(CITED, sources + pages):
        if label not in defined:
            problems.append(f"{path}:{number}: ({label}) is not defined in docs/theory")
    for page, path, number in find(PAGE, sources):
        if not os.path.exists(os.path.join("docs", page)):
            problems.append(f"{path}:{number}: there is no docs/{page}")
    print("\n".join(problems) if problems else f"{len(defined)} labels")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), "..")))
