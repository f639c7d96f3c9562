#!/usr/bin/env python3
"""What older releases wrote opens: results are read, drawn, shown and compared, studies are gathered and read.

    check_kept.py FLEXION FOLDER
"""
import csv
import os
import shutil
import subprocess
import sys
import tempfile

flexion, folder = (os.path.abspath(a) for a in sys.argv[1:3])
os.environ["LC_ALL"] = "C"


def run(*arguments, code=0):
    done = subprocess.run([flexion, *arguments], capture_output=True, text=True)
    assert done.returncode == code, (arguments, done.returncode, done.stdout, done.stderr)
    return done.stdout + done.stderr


def table(path):
    with open(path, encoding="utf-8") as file:
        head, *rows = list(csv.reader(file))
    return head, [[float(x) for x in row] for row in rows]


def check_result(kept):
    """The numbers of the file are those of the table beside it, to their last digit; it is drawn and shown."""
    text = run("compare", os.path.join(kept, "result.h5"), os.path.join(kept, "result.csv"))
    total = next(line for line in text.splitlines() if line.startswith("sum"))
    assert float(total.split()[1]) < 1e-12, text
    run("plot", os.path.join(kept, "result.h5"), "hinge.angle", "-o", "angle.svg")
    run("view", os.path.join(kept, "result.h5"), "-o", "page.html")
    assert os.path.getsize("angle.svg") > 1000 and os.path.getsize("page.html") > 100000


def check_model(kept):
    """The model gives the motion of that release, to the tolerance of the method."""
    run("run", "model.yaml", "-o", "now.h5", "--csv", "now.csv", "--quiet")
    head, rows = table("now.csv")
    was, before = table(os.path.join(kept, "result.csv"))
    assert head == was and len(rows) == len(before)
    assert max(abs(a - b) for p, q in zip(rows, before) for a, b in zip(p, q)) < 1e-5


def check_study(kept):
    """Rows of the study are gathered."""
    shutil.copytree(os.path.join(kept, "kept.study"), "kept.study")
    with open("kept.study/plan", encoding="utf-8") as file:
        plan = file.read().replace("model model.yaml", "model " + os.path.abspath("model.yaml"))
    with open("kept.study/plan", "w", encoding="utf-8") as file:
        file.write(plan)
    assert "3 of 3 runs done" in run("sweep", "--status", "kept.study")
    run("sweep", "--gather", "kept.study", "--csv", "table.csv")
    assert table("table.csv") == table(os.path.join(kept, "table.csv"))
    shutil.rmtree("kept.study")


releases = sorted(name for name in os.listdir(folder) if os.path.isdir(os.path.join(folder, name)))
assert releases[:2] == ["0.4", "0.5"], releases
for release in releases:
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        shutil.copy(os.path.join(folder, "model.yaml"), "model.yaml")
        for check in (check_result, check_model, check_study):
            check(os.path.join(folder, release))
            print(release, check.__name__)
        os.chdir(folder)
