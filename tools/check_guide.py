#!/usr/bin/env python3
"""Every model shown in README.md and docs/ is a file of examples/ or tests/, so that a test runs it.

    tools/check_guide.py [ROOT]

A block of code that names its file, ```yaml title="examples/pendulum.yaml", must be a run of lines of
that file; a block of a whole model ("flexion: 1") must name its file, but in the generated reference. Links must lead
to files, and to headings that these have; every work of docs/bibliography.md is cited,
every page of docs/ is in the navigation of mkdocs.yml, and its links stay within docs/, as `mkdocs build --strict` wants it.
"""
import glob
import os
import re
import sys

FENCE = re.compile(r'^```(\w*)\s*(?:title="([^"]*)")?\s*$')
LINK = re.compile(r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)")
HEADING = re.compile(r"^#+ +(.*)$")
WORK = re.compile(r"^### +(.*)$")
BIBLIOGRAPHY = "docs/bibliography.md"
CODE = re.compile(r"`[^`]*`")


def blocks(lines):
    """(line number, title, text) of each fenced block."""
    start, title, text = 0, None, []
    for number, line in enumerate(lines, 1):
        match = FENCE.match(line)
        if match and not start:
            start, title, text = number, match.group(2), []
        elif match:
            yield start, title, text
            start = 0
        elif start:
            text.append(line)


def contains(lines, part):
    return any(lines[i:i + len(part)] == part for i in range(len(lines) - len(part) + 1))


def anchors(path, heading=HEADING):
    """What the headings of a page are called in links, as mkdocs calls them."""
    names, fenced = set(), False
    with open(path, encoding="utf-8") as file:
        for line in file:
            fenced ^= line.startswith("```")
            match = heading.match(line)
            if match and not fenced:
                words = re.sub(r"[^\w\s-]", "", match.group(1)).strip().lower()
                names.add(re.sub(r"[-\s]+", "-", words))
    return names


def compare_with_navigation(pages):
    """What mkdocs.yml names and is not there, or is there and not named."""
    with open("mkdocs.yml", encoding="utf-8") as file:
        named = {f"docs/{path}" for path in re.findall(r"[\w/]+\.md\b", file.read())}
    named = {path for path in named if not path.startswith("docs/api/")}  # which `make docs` writes
    here = {page for page in pages if page.startswith("docs/") and not page.startswith("docs/api/")}
    return ([f"mkdocs.yml: there is no {path}" for path in sorted(named - here)]
            + [f"mkdocs.yml: {path} is not in the navigation" for path in sorted(here - named)])


def uncited(pages):
    """Works of the bibliography to which no page has a link."""
    cited = set()
    for page in pages:
        if page != BIBLIOGRAPHY:
            with open(page, encoding="utf-8") as file:
                cited.update(re.findall(r"bibliography\.md#([\w-]+)", file.read()))
    return sorted(anchors(BIBLIOGRAPHY, WORK) - cited)


def check_link(page, target, anchor):
    """What is wrong with a link, or None."""
    path = os.path.join(os.path.dirname(page), target) if target else page
    if not os.path.exists(path):
        return f"the link to {target} leads nowhere"
    if page.startswith("docs/") and not os.path.normpath(path).startswith("docs/"):
        return f"the link to {target} leaves docs/"
    if anchor and path.endswith(".md") and anchor not in anchors(path):
        return f"{target or page} has no heading #{anchor}"
    return None


def main(root):
    os.chdir(root)
    problems, shown = [], 0
    pages = ["README.md"] + sorted(glob.glob("docs/**/*.md", recursive=True))
    for page in pages:
        with open(page, encoding="utf-8") as file:
            lines = file.read().splitlines()
        for number, title, text in blocks(lines):
            where = f"{page}:{number}"
            if title and title.startswith(("examples/", "tests/")):
                shown += 1
                if not os.path.exists(title):
                    problems.append(f"{where}: there is no {title}")
                elif not contains(open(title, encoding="utf-8").read().splitlines(), text):
                    problems.append(f"{where}: not what {title} says")
            elif page != "docs/reference.md" and any(line.startswith("flexion: 1") for line in text):
                problems.append(f"{where}: a model that is no file in examples/ or tests/")
        for number, line in enumerate(lines, 1):
            for target, anchor in LINK.findall(CODE.sub("", line)):
                if "://" in target or target.startswith("mailto:"):
                    continue
                wrong = check_link(page, target, anchor)
                if wrong:
                    problems.append(f"{page}:{number}: {wrong}")
    problems += compare_with_navigation(pages)
    problems += [f"{BIBLIOGRAPHY}: no page cites {work}" for work in uncited(pages)]
    print("\n".join(problems) if problems else f"{shown} excerpts")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), "..")))
