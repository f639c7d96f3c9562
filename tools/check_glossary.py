#!/usr/bin/env python3
"""Every word of ours in docs/glossary.md exists: keys and values in the reference, commands and options in the man
page, functions in the public headers.

    tools/check_glossary.py [ROOT]

Ours are the `code` of the last column of the table of terms, and of the second column of the tables "coming from".
"""
import glob
import os
import re
import sys

CODE = re.compile(r"`([^`]+)`")
WORD = re.compile(r"[A-Za-z_][\w-]*|--[\w-]+")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def known_words():
    texts = [read("docs/reference.md"), read("docs/theory/results.md")]
    texts += [read(path) for path in glob.glob("man/*.scd") + glob.glob("include/flexion/**/*.h", recursive=True)]
    words = set()
    for text in texts:
        text = text.replace("\\", "")
        words.update(WORD.findall(text))
        words.update(re.findall(r"--[\w-]+", text))
    return words


def ours(lines):
    """(line number, code) of what the glossary says of this program."""
    foreign = False
    for number, line in enumerate(lines, 1):
        if line.startswith("## "):
            foreign = line.startswith("## Coming")
        if not line.startswith("| ") or line.startswith("| ---"):
            continue
        cells = [cell.strip() for cell in line.strip("|\n ").split(" | ")]
        if len(cells) < 2:
            continue
        for code in CODE.findall(cells[1] if foreign else cells[-1]):
            yield number, code


def main(root):
    os.chdir(root)
    words, problems, count = known_words(), [], 0
    for number, code in ours(read("docs/glossary.md").splitlines()):
        for word in WORD.findall(code):
            count += 1
            if word not in words and len(word) > 1:
                problems.append(f"docs/glossary.md:{number}: '{word}' of `{code}` is neither in the reference nor in the man pages or headers")
    print("\n".join(problems) if problems else f"{count} words")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), "..")))
