#!/usr/bin/env python3
"""Examples as FMUs, of both versions in turn, driven by `flexion fmu run`: the outputs are those of `flexion run`.

    examples.py FLEXION EXAMPLES
"""
import csv
import os
import re
import subprocess
import sys
import tempfile

flexion, examples = (os.path.abspath(x) for x in sys.argv[1:3])
# example, until, step: of mechanisms with loops, flexible bodies, contacts, controllers, equations, tables
CASES = [("cart_pole", 0.5, 0.05), ("slider_crank", 0.3, 0.01), ("four_bar", 0.5, 0.05), ("double_pendulum", 0.5, 0.05),
         ("elastic_crank", 0.02, 0.001), ("bouncing_ball", 1.5, 0.05), ("heavy_top", 0.2, 0.02), ("sampled_control", 1.0, 0.1),
         ("pendulum_equations", 0.5, 0.05), ("speed_control", 0.5, 0.05)]


def table(path):
    """Columns by their names; of FMI 3 arrays have numbers in brackets."""
    with open(path, encoding="utf-8") as file:
        rows = list(csv.reader(file))
    names = [re.sub(r" \[.*\]$|^output\.", "", name) for name in rows[0]]
    return names, [[float(x) for x in row] for row in rows[1:]]


def column(names, rows, name):
    return [row[names.index(name)] for row in rows]


def main():
    worst = 0.0
    for k, (name, until, step) in enumerate(CASES):
        model = os.path.join(examples, name + ".yaml")
        run = lambda *arguments: subprocess.run([flexion, *arguments], check=True, stdout=subprocess.DEVNULL)
        run("run", model, "--until", str(until), "--quiet", "-o", "run.h5", "--csv", "run.csv")
        names, rows = table("run.csv")
        for version in ("2", "3")[k % 2]:
            run("export", "fmu", model, "--fmi", version, "-o", "one.fmu")
            run("fmu", "check", "one.fmu")
            run("fmu", "run", "one.fmu", "--until", str(until), "--step", str(step), "--csv", "fmu.csv")
            theirs, values = table("fmu.csv")
            times = {round(row[0] / step): row for row in rows if abs(row[0] / step - round(row[0] / step)) < 1e-6}
            shared = [n for n in names[1:] if n in theirs]
            assert shared, (name, names, theirs)
            compared = 0
            for n in shared:
                for row in values:
                    there = times.get(round(row[0] / step))
                    if there is None:
                        continue
                    a, b = row[theirs.index(n)], there[names.index(n)]
                    off = abs(a - b) / (1e-3 + abs(b) + max(map(abs, column(names, rows, n))))
                    worst = max(worst, off)
                    compared += 1
                    assert off < 1e-5, (name, version, n, row[0], a, b)
            assert compared > 20, (name, version, compared)
            print(f"{name}, FMI {version}: {compared} values")
    print(f"largest difference {worst:.2g}")


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    main()
