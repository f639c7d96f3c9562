#!/usr/bin/env python3
"""README.md, docs/, man/, public headers and messages speak the field's English: words that were replaced do not come back.

    tools/check_words.py [ROOT]

docs/glossary.md says what is written instead. Code, formulas and the pages that list old words are left out.
"""
import glob
import os
import re
import sys

OLD = {
    r"bonds?": "constraint",
    r"positions? of rest": "equilibrium",
    r"as drawn": "in the initial configuration; the reference configuration",
    r"to rounding(?! err)": "to machine precision",
    r"elastic (body|bodies)": "flexible body",
    r"bends? far": "large-deformation",
    r"(beams|solids) of large deformation": "large-deformation beams, solids",
    r"grains?": "mass points",
    r"blows?": "impulse",
    r"paths of loads": "load paths",
    r"rule of the middle": "midpoint rule",
    r"way per turn": "lead",
    r"(column|row|line|panel|number|file)s? an? (signal|scalar|time|unit|mode|node|run|method)": "per",
    r"(forces?|mass|inertia|newtons|steps|times) an? (length|metre|area|volume|second)": "per",
    r"(modeling|behavior|color|center|linearize|normalize|analyze)[sd]?": "the British spelling",
}
PATTERN = {word: re.compile(rf"\b{word}\b", re.IGNORECASE) for word in OLD}
NOT_TEXT = re.compile(r"`[^`]*`|\$[^$]*\$|\]\([^)]*\)|<[^>]*>")
LIST_OLD_WORDS = ("docs/glossary.md", "docs/guide/upgrade.md", "docs/bibliography.md")
# Strings that are no English: styles of pages, programs of gnuplot, licences of others, and the words that were replaced.
NO_MESSAGES = ("src/cli/sweep/study_page.c", "src/draw/gnuplot.c", "src/fmi/fmu_licences.c", "src/language/schema/schema_old.c",
               "src/page/report.c")
STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')


def sentences(path):
    """(line number, text) of what is neither code nor a formula."""
    code = formula = False
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            text = line.strip()
            if text.startswith("```"):
                code = not code
            elif text.startswith("$$"):
                formula ^= not (text.endswith("$$") and len(text) > 2)
            elif not code and not formula and not (line.startswith("    ") and path.endswith(".md")):
                yield number, NOT_TEXT.sub(" ", line)


def comments(path):
    """(line number, text) of the comments of a header."""
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            _, comment, text = line.partition("//")
            if comment:
                yield number, text


def messages(path):
    """(line number, text) of the strings of a source that have more than a word."""
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if not line.lstrip().startswith(("//", "#")):
                yield number, " ".join(s for s in STRING.findall(line) if " " in s)


def places():
    """(file, line number, text) of all."""
    pages = ["README.md"] + glob.glob("docs/**/*.md", recursive=True) + glob.glob("man/*.scd")
    for found, read in ((set(pages) - set(LIST_OLD_WORDS), sentences),
                        (glob.glob("include/**/*.h", recursive=True), comments),
                        (set(glob.glob("src/**/*.c", recursive=True)) - set(NO_MESSAGES), messages)):
        for path in sorted(found):
            for number, text in read(path):
                yield path, number, text


def main(root):
    os.chdir(root)
    problems, count = [], 0
    for page, number, text in places():
        if text:
            count += 1
            problems += [f"{page}:{number}: '{found.group(0)}': write {OLD[word]}"
                         for word, pattern in PATTERN.items() for found in pattern.finditer(text)]
    print("\n".join(problems) if problems else f"{count} lines")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), "..")))
