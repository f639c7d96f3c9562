#!/usr/bin/env python3
"""Exported equations with other lengths, places and axes in `p` are those of the model that has these as numbers.

    compare_places.py FLEXION MODEL...
"""
import importlib.util
import os
import random
import re
import subprocess
import sys
import tempfile

TOLERANCE = 1e-12
FUNCTIONS = {"forward": "t p q v x", "mass": "p q", "closures": "t p q v x", "outputs": "t p q v x"}


def export(flexion, text, name, settings):
    path = f"{name}.py"
    lines = [line for line in text.splitlines() if not settings or not re.match("(parameters|sweep):", line)]
    text = "\n".join(lines)
    for parameter, value in settings.items():
        text = re.sub(rf"(?<![\w.]){parameter}(?![\w:.])", f"({value!r})", text)
    with open(f"{name}.yaml", "w", encoding="utf-8") as file:
        file.write(text)
    result = subprocess.run([flexion, "export", "python", f"{name}.yaml", "--functions", ",".join(FUNCTIONS), "-o", path], capture_output=True, text=True)
    if result.returncode:
        sys.exit(result.stderr)
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with open(path, encoding="utf-8") as file:
        return module, re.findall(r"p\[\d+\]  (\w+) = ", file.read())


def flatten(value):
    if isinstance(value, (list, tuple)):
        return [x for item in value for x in flatten(item)]
    return [value]


def check(flexion, model):
    """The largest difference, and how many numbers were compared."""
    with open(model, encoding="utf-8") as file:
        text = file.read()
    swept = re.findall(r"(\w+): \{from: (-?[\d.]+), to: (-?[\d.]+)\}", text.split("sweep:")[1])
    plain, names = export(flexion, text, "plain", {})
    missing = [n for n, _, _ in swept if n not in names]
    if missing:
        sys.exit(f"{model}: {', '.join(missing)} not among the parameters {names}")
    count = worst = 0
    for seed in range(2):
        random.seed(seed)
        settings = {n: random.uniform(float(a), float(b)) for n, a, b in swept}
        other, own = export(flexion, text, f"other{seed}", settings)
        if own:
            sys.exit(f"{model}: {own} were to be numbers")
        p = [settings.get(n, x) for n, x in zip(names, plain.parameters)]
        q = [x + random.uniform(-0.1, 0.1) for x in plain.drawn]
        v = [random.uniform(-1, 1) for _ in range(plain.nv)]
        for function, inputs in FUNCTIONS.items():
            if not hasattr(plain, function):
                continue
            given = {"t": 0.3, "q": q, "v": v, "x": []}
            is_, shall = (flatten(getattr(m, function)(*[given.get(i, r) for i in inputs.split()])) for m, r in ((plain, p), (other, list(other.parameters))))
            size = max(abs(x) for x in shall)
            off = max(abs(x - y) for x, y in zip(is_, shall)) / size
            count, worst = count + len(shall), max(worst, off)
            if len(is_) != len(shall) or not off <= TOLERANCE:
                sys.exit(f"{model}: {function} is off by {off:.1e} of {size:.3g}")
    return count, worst


def check_names(flexion, model):
    """Of the parameters those that are named stay open, and no others; a wrong name is told."""
    export = [flexion, "export", "c", model, "--functions", "mass", "-o", "-", "--open"]
    text = subprocess.run([*export, "l", "--open", "r"], check=True, capture_output=True, text=True).stdout
    names = re.findall(r"p\[\d+\]  (\w+) = ", text)
    wrong = subprocess.run([*export, "lenght"], capture_output=True, text=True)
    if sorted(names) != ["l", "r"] or wrong.returncode != 2 or "no parameter 'lenght'" not in wrong.stderr:
        sys.exit(f"{names} {wrong}")


flexion = os.path.abspath(sys.argv[1])
models = [os.path.abspath(m) for m in sys.argv[2:]]
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    check_names(flexion, models[0])
    for model in models:
        print("%s: %d numbers, %.1e" % (os.path.basename(model), *check(flexion, model)))
