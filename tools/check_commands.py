#!/usr/bin/env python3
"""The commands of the guide run, and print what the guide shows.

    tools/check_commands.py PROGRAM [PAGE...]

Commands are the lines `    flexion ...`, and those of sed and cc, of docs/guide/*.md, run in an empty folder beside a link to examples/. Behind
`    $ flexion ...` stands what it prints: each line must be among what is printed, words alike and numbers to 2 per
cent; those below 1e-9, and times, may be any. `...` leaves out lines, or the rest of one.
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), ".."))
COMMAND = re.compile(r"^    (\$ )?((?:flexion|sed|cc) .*)$")
NUMBER = re.compile(r"[-+]?\d+(?:\.\d*)?(?:e[-+]?\d+)?")
LEFT_OUT = ("--resume", "--until 1e5", "work-precision", " model.yaml", "flexion studio",  # cut off, long, no file, or a server that does not end
            "--device cuda", "gpu.study", "--slurm", "--join far.study", "mpirun", "--ranks")  # what not every machine has, and a study that others began
TINY = 1e-9


def commands(path):
    """(line number, command, lines that it prints) of a page."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    fenced, i = False, 0
    while i < len(lines):
        fenced ^= lines[i].startswith("```")
        match = None if fenced else COMMAND.match(lines[i])
        i += 1
        if not match:
            continue
        number, command, shown = i, match.group(2), []
        while command.endswith("\\"):
            command = command[:-1] + lines[i].strip()
            i += 1
        while match.group(1) and i < len(lines) and lines[i].startswith("    ") and not COMMAND.match(lines[i]):
            shown.append(lines[i].strip())
            i += 1
        yield number, command, shown


def alike(shown, printed):
    """Whether a line of the guide is a line that was printed."""
    a, b = shown.split(), printed.split()
    if a and a[-1] == "...":
        a.pop()
        b = b[:len(a)]
    if len(a) != len(b):
        return False
    for x, y in zip(a, b):
        if x == y:
            continue
        n, m = NUMBER.findall(x), NUMBER.findall(y)
        if len(n) != len(m) or not n or NUMBER.sub("", x) != NUMBER.sub("", y):
            return False
        for p, q in zip(map(float, n), map(float, m)):
            if abs(p - q) > 0.02 * max(abs(p), abs(q)) and max(abs(p), abs(q)) > TINY:
                return False
    return True


def provide(command):
    """Files that a command takes for granted: models of examples/ without their folder, results of earlier runs."""
    for name in re.findall(r"(?<![\w/])(\w+)\.yaml", command):
        if not os.path.exists(f"{name}.yaml") and os.path.exists(f"examples/{name}.yaml"):
            shutil.copy(f"examples/{name}.yaml", ".")
    for name in re.findall(r"(?<=[^-]\s)(\w+)\.h5", command):
        if not os.path.exists(f"{name}.h5") and os.path.exists(f"examples/{name}.yaml"):
            subprocess.run(["flexion", "run", f"examples/{name}.yaml", "-q"], check=False)
    for name in re.findall(r"=(\w+\.csv)", command):
        with open(name, "w", encoding="utf-8") as file:
            file.write("t,value\n0,0\n1,1\n")


def main(program, pages):
    problems, count = [], 0
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        os.mkdir("bin")
        os.symlink(os.path.abspath(program), "bin/flexion")
        os.symlink(os.path.join(ROOT, "examples"), "examples")
        os.environ["XDG_CACHE_HOME"] = os.path.join(work, "cache")  # what is said of work that was done before is not shown
        os.environ["PATH"] = os.path.join(work, "bin") + ":" + os.environ["PATH"]
        for page in pages:
            for number, command, shown in commands(page):
                if any(word in command for word in LEFT_OUT):
                    continue
                count += 1
                where = f"{os.path.relpath(page, ROOT)}:{number}"
                provide(command)
                run = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
                if run.returncode:
                    problems.append(f"{where}: {command} ends with {run.returncode}: {run.stderr.strip()}")
                printed = (run.stdout + run.stderr).splitlines()
                problems += [f"{where}: the program does not print: {line}" for line in shown
                             if line and line != "..." and not any(alike(line, p) for p in printed)]
    print("\n".join(problems) if problems else f"{count} commands")
    return 1 if problems else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    PAGES = sys.argv[2:] or sorted(glob.glob(os.path.join(ROOT, "docs/guide/*.md")))
    sys.exit(main(os.path.abspath(sys.argv[1]), [os.path.abspath(page) for page in PAGES]))
