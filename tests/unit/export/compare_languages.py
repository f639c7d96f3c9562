#!/usr/bin/env python3
"""Exported Python and Octave give what exported C gives; LaTeX is well formed, and compiles.

    compare_languages.py FLEXION COMPILER MODEL...

Octave and pdflatex are used where they are installed.
"""
import ctypes
import importlib.util
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

TIME = 0.3
TOLERANCE = 1e-12
FUNCTIONS = {  # name: inputs
    "rates": "q v",
    "inverse": "t p q v x u a",
    "mass": "p q",
    "closures": "t p q v x u",
    "states": "t p q v x u",
    "forward": "t p q v x u",
    "inputs": "t p q v x",
    "outputs": "t p q v x u",
    "linearise": "t p q v x u a lam",
}


def run(*command, **options):
    result = subprocess.run(command, capture_output=True, text=True, **options)
    if result.returncode != 0:
        sys.exit(f"{' '.join(command)[:200]}\n{result.stdout}{result.stderr}")
    return result.stdout


def flatten(value):
    if isinstance(value, (list, tuple)):
        return [x for item in value for x in flatten(item)]
    return [value]


def inputs_of(module, name):
    random.seed(5)
    values = {
        "t": TIME,
        "p": list(module.parameters),
        "q": list(module.drawn),
        "v": [0.0 if module.nrow else random.uniform(-1, 1) for _ in range(module.nv)],
        "x": [random.uniform(-1, 1) for _ in range(module.nx)],
        "u": [random.uniform(-1, 1) for _ in range(module.nu)],
        "a": [random.uniform(-1, 1) for _ in range(module.nv)],
        "lam": [random.uniform(-1, 1) for _ in range(module.nrow)],
    }
    names = [i for i in FUNCTIONS[name].split() if (i != "lam" or module.nrow) and (i != "u" or module.nu)]
    return [values[i] for i in names]


def call_c(library, name, arguments, lengths):
    """The results one after another; forward has tau, which is left out."""
    def array(values):
        return (ctypes.c_double * max(1, len(values)))(*values)
    given = [ctypes.c_double(a) if isinstance(a, float) else array(a) for a in arguments]
    if name.endswith("forward"):
        given.append(None)
    results = [array([0.0] * n) for n in lengths]
    getattr(library, name)(*given, *results)
    return [x for r, n in zip(results, lengths) for x in list(r)[:n]]


def text_of(value):
    return repr(value) if isinstance(value, float) else "[" + ";".join(map(repr, value)) + "]"


def call_octave(name, calls):
    """One run for all calls (function, arguments, number of results); the numbers of each."""
    code = f"m={name}();"
    for function, arguments, count in calls:
        names = ",".join(f"r{i}" for i in range(count))
        flat = ";".join(f"reshape(r{i}',[],1)" for i in range(count))
        code += (f" [{names}]=m.{function}({','.join(map(text_of, arguments))});"
                 f" printf('%.17g ',[{flat}]); printf('\\n');")
    lines = run("octave-cli", "--no-gui", "--eval", code).splitlines()
    return [[float(x) for x in line.split()] for line in lines]


def compare(what, expected, values):
    scale = max([1.0] + [abs(x) for x in expected])
    if len(values) != len(expected):
        sys.exit(f"{what}: {len(values)} numbers, not {len(expected)}")
    for i, (x, y) in enumerate(zip(expected, values)):
        if not abs(x - y) <= TOLERANCE * scale:
            sys.exit(f"{what}: entry {i} is {y!r}, not {x!r}")


def check_latex(path):
    with open(path, encoding="utf-8") as file:
        text = re.sub(r"(?<!\\)%.*", "", file.read())
    for a, b in [(r"\\left\b", r"\\right\b"), (r"\\begin\b", r"\\end\b"), ("{", "}")]:
        count = [len(re.findall(x, text)) for x in (a, b)]
        if count[0] != count[1]:
            sys.exit(f"{path}: {count[0]} {a}, {count[1]} {b}")
    for display in re.findall(r"\\begin\{align\*\}\n(.*?)\n\\end\{align\*\}", text, re.S):
        for line in display.split("\n"):
            if re.sub(r"\\begin\{cases\}.*?\\end\{cases\}", "", line).count("&") != 1:
                sys.exit(f"{path}: not aligned at one place: {line}")
    if shutil.which("pdflatex"):
        folder = os.path.dirname(path)
        run("pdflatex", "-interaction=nonstopmode", "-halt-on-error", path, cwd=folder)


def check_model(flexion, compiler, model):
    name = os.path.splitext(os.path.basename(model))[0]
    here = {ending: f"{name}.{ending}" for ending in ("c", "py", "m", "tex")}
    for language, ending in [("c", "c"), ("python", "py"), ("octave", "m"), ("latex", "tex")]:
        run(flexion, "export", language, model, "-o", here[ending])
    run(compiler, "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-fPIC", "-shared",
        here["c"], "-o", f"./{name}.so", "-lm")
    library = ctypes.CDLL(f"./{name}.so")
    spec = importlib.util.spec_from_file_location(name, here["py"])
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    calls, all_expected = [], []
    for function in FUNCTIONS:
        if not hasattr(module, function):
            continue
        arguments = inputs_of(module, function)
        results = getattr(module, function)(*arguments)
        results = results if isinstance(results, tuple) else (results,)
        values = [flatten(r) for r in results]
        expected = call_c(library, f"{name}_{function}", arguments, [len(v) for v in values])
        compare(f"{name}, {function} in Python", expected, flatten(values))
        calls.append((function, arguments, len(results)))
        all_expected.append(expected)
    octave = call_octave(name, calls) if shutil.which("octave-cli") else []
    for (function, _, _), expected, values in zip(calls, all_expected, octave):
        if function == "forward":  # multipliers of redundant closures are a choice
            expected, values = expected[:module.nv], values[:module.nv]
        compare(f"{name}, {function} in Octave", expected, values)
    check_latex(os.path.abspath(here["tex"]))


def main():
    flexion, compiler, models = sys.argv[1], sys.argv[2], sys.argv[3:]
    folder = tempfile.mkdtemp()
    os.chdir(folder)
    for model in models:
        check_model(flexion, compiler, model)
    shutil.rmtree(folder)


main()
