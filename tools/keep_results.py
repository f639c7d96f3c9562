#!/usr/bin/env python3
"""Keeps the results of all examples and compares two such folders.

    tools/keep_results.py keep PROGRAM FOLDER      run every example with PROGRAM, keep its tables in FOLDER
    tools/keep_results.py compare OLD NEW          list what differs; exit status 1 when anything does

A change that moves or renames code must keep every bit. A difference is given for each column of a
table, relative to the largest value of that column: rounding shows as 1e-15, another answer does not.
Printed reports (statics, modes, structures) are compared as text, without the lines of times.
"""
import csv
import math
import os
import re
import subprocess
import sys
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
TIMES = re.compile(r"^\s*(time|memory|results|table|factors)\b|\b[0-9.]+ m?s\b|\bus (a|per) step|MB\b")


def jobs():
    """Every example with each thing it asks for: (name, arguments of the program, does it write a table)."""
    for model in sorted(EXAMPLES.glob("*.yaml")):
        text = model.read_text()
        if re.search(r"^simulate:", text, re.M):
            yield model.stem, ["run", str(model)], True
        if re.search(r"^analyses?:", text, re.M):
            yield model.stem + ".analyse", ["analyse", str(model)], False
    for model in sorted((EXAMPLES / "fe").glob("*.yaml")):
        for kind in ("static", "modes"):
            yield f"fe.{model.stem}.{kind}", ["fe", kind, str(model)], False


def keep(program, folder):
    folder.mkdir(parents=True, exist_ok=True)
    program = str(Path(program).resolve())
    environment = dict(os.environ, OPENBLAS_NUM_THREADS="1")
    for name, arguments, table in jobs():
        if table:
            arguments = arguments + ["-o", f"{name}.h5", "--csv", f"{name}.csv", "--quiet"]
        done = subprocess.run([program] + arguments, cwd=folder, env=environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        (folder / f"{name}.h5").unlink(missing_ok=True)
        text = done.stdout.replace(str(EXAMPLES), "examples")
        lines = [line for line in text.splitlines() if not TIMES.search(line)]
        (folder / f"{name}.txt").write_text("\n".join([f"exit status {done.returncode}"] + lines) + "\n")


def read_table(path):
    with open(path, newline="") as file:
        rows = list(csv.reader(file))
    return rows[0], rows[1:]


def number(text):
    try:
        return float(text)
    except ValueError:
        return math.nan


def same(a, b):
    """The same number, however many digits it is written with, or the same text."""
    return a == b or number(a) == number(b)


def column_differences(old, new):
    """The columns that differ: (name, largest difference over the largest value, time of it)."""
    (old_head, old_rows), (new_head, new_rows) = old, new
    if old_head != new_head:
        yield "columns " + ", ".join(sorted(set(old_head) ^ set(new_head)) or ["in another order"]), math.inf, ""
        return
    if len(old_rows) != len(new_rows):
        yield f"rows: {len(old_rows)} and {len(new_rows)}", math.inf, ""
    for k, name in enumerate(old_head):
        pairs = [(number(a[k]), number(b[k]), a[0]) for a, b in zip(old_rows, new_rows) if not same(a[k], b[k])]
        if not pairs:
            continue
        size = max((abs(number(row[k])) for row in old_rows), default=0.0)
        worst = max(pairs, key=lambda pair: math.inf if math.isnan(pair[0] - pair[1]) else abs(pair[0] - pair[1]))
        difference = abs(worst[0] - worst[1])
        yield name, difference / size if size > 0 else math.inf, worst[2]


def compare(old, new):
    different = 0
    names = sorted({path.name for path in old.iterdir()} | {path.name for path in new.iterdir()})
    for name in names:
        a, b = old / name, new / name
        if not a.exists() or not b.exists():
            print(f"{name}: only in {old if a.exists() else new}")
        elif a.read_bytes() == b.read_bytes():
            continue
        elif name.endswith(".csv"):
            found = sorted(column_differences(read_table(a), read_table(b)), key=lambda entry: -entry[1])
            if not found:
                continue # other digits of the same numbers
            worst = "; ".join(f"{column} {size:.1e}" + (f" at t = {t}" if t else "") for column, size, t in found[:3])
            print(f"{name}: {len(found)} columns differ: {worst}")
        else:
            lines = zip(*(path.read_text(errors="replace").splitlines() for path in (a, b)))
            first = next(((x, y) for x, y in lines if x != y), ("", "more lines"))
            print(f"{name}: '{first[0].strip()}' is now '{first[1].strip()}'")
        different += 1
    print(f"{len(names)} files, {different} differ")
    return 1 if different else 0


def main(arguments):
    if len(arguments) == 3 and arguments[0] == "keep":
        keep(arguments[1], Path(arguments[2]))
        return 0
    if len(arguments) == 3 and arguments[0] == "compare":
        return compare(Path(arguments[1]), Path(arguments[2]))
    print(__doc__.strip())
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
