#!/usr/bin/env python3
"""Check that a kind is asked, not compared: its enumerators stay in its own files.

    tools/check_kinds.py [ROOT]

Who wants to know something of a joint, a force, a leaf, a surface of contacts or a shape asks its table.
"""
import os
import re
import sys

# what is looked for: (where it belongs, pattern)
KINDS = {
    "joint": (("src/joint/",), re.compile(r"\bFLX_JOINT_[A-Z0-9_]+")),
    "force": (("src/force/",), re.compile(r"\bFLX_FORCE_[A-Z0-9_]+|[=!]= *&flx_force_\w+")),
    "leaf": (("src/model/leaves",), re.compile(r"\bcase FLX_LEAF_\w+|[<>]=? *FLX_LEAF_\w+|FLX_LEAF_\w+\s*\|\|[^;{}]*[=!]= *FLX_LEAF_\w+")),
    "surface": (("src/contact/",), re.compile(r"\bFLX_SURFACE_NUMBER_\w+|[=!]= *&flx_surface_\w+")),
    "shape": (("src/model/shape_kind",), re.compile(r"[=!]= *&flx_shape_\w+|[=!]= *FLX_SHAPE_(?!OF_)\w+")),
}

def find(root):
    """How often each kind is compared in each file where it does not belong."""
    found = {kind: {} for kind in KINDS}
    for where, _, files in sorted(os.walk(os.path.join(root, "src"))):
        for file in sorted(files):
            if not file.endswith((".c", ".h")):
                continue
            path = os.path.join(where, file)
            name = os.path.relpath(path, root)
            with open(path, encoding="utf-8") as f:
                text = re.sub(r"//[^\n]*", "", f.read())
            for kind, (own, pattern) in KINDS.items():
                n = 0 if name.startswith(own) else len(pattern.findall(text))
                if n:
                    found[kind][name] = n
    return found


def main(root):
    problems = []
    found = find(root)
    for kind in KINDS:
        for name, times in sorted(found[kind].items()):
            problems.append(f"{name}: compares kinds of {kind} {times} times; ask the table of the kind")
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), "..")))
