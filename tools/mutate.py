#!/usr/bin/env python3
"""Changes one line of src at a time and sees whether the tests notice.

    tools/mutate.py [--seed N] [--count N] [--files REGEX] [--report FILE]   mutants drawn by a seed
    tools/mutate.py --numbers FILE...                                        every named number of these files, times 100 and over 100
    tools/mutate.py --again PAGE                                             those of the table "Not noticed" of a page such as docs/dev/mutants.md
    options of all: --build DIRECTORY (build), --most SECONDS of tests per mutant (300), --skip N mutants, --tests REGEX (all), --list: draw only

A mutant is one change in one line: a comparison, an operator, a constant, a returned value, or a statement that is left
out; one that does not compile is no mutant, and the next is drawn. Tests run until one fails, the nearest first: those
named after the file, those that include its header, those of its folder, then the rest by their time. They are built a few at
a time, just before they run. A test that fails without the mutant does not count. Where a call is left out, memory that is not given back counts as well
(LeakSanitizer, loaded before the program). The source is put back, also after an interrupt; it is changed
while this runs, so take a working tree of its own. The report is a page with the diff of each mutant and the test that
caught it, survivors first.
"""
import argparse
import difflib
import itertools
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|//.*|/\*.*?\*/')
COMPARE = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
OPERATE = {"+": "-", "-": "+", "*": "/", "/": "*", "+=": "-=", "-=": "+=", "*=": "/=", "/=": "*=", "&&": "||", "||": "&&"}
OPERATOR = re.compile(r"(?<= )(<=|>=|==|!=|&&|\|\||[-+*/]=|<|>|\+|-|\*|/)(?= )")
NUMBER = re.compile(r"(?<![\w.])(\d+\.\d*(?:[eE][-+]?\d+)?|\d+[eE][-+]?\d+|\d+)(?![\w.])")
STATEMENT = re.compile(r"^ +(?!return|break|continue|goto|case|default|else|static|const|struct|typedef|enum|if|for|while|FLX_TRY)"
                       r"[\w>.\-\[\]()*&+, /]*?(?: [-+*/]?= [^;]*|\([^;]*\)|\+\+|--);\s*$")
DECLARED = re.compile(r"^ +(?:[a-z_]\w* )+\**\w+(?:\[[^=]*\])*(?: =|,|;)")
LEAKS = subprocess.run(["gcc", "-print-file-name=liblsan.so"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
FREES = re.compile(r"free|clear|close|destroy|end|release|unlink|remove|drop")
FIRST_OF_ALL = 500.0  # ctest begins with these: no time
FIRST = 4  # so many tests are built and run at once, then twice as many
NAMED = re.compile(r"^(?:#define|static const double) +(\w+)(?: =)? +\(?(\d[\w.+-]*)")


def blank(line):
    """The line with texts and remarks blanked out."""
    return TOKEN.sub(lambda m: " " * len(m.group()), line)


def mutants_of(line):
    """All (kind, new line) of one line of code."""
    code = blank(line)
    if code.startswith("#") or not code.strip() or code.rstrip().endswith("\\"):
        return []
    found = []
    for m in OPERATOR.finditer(code):
        kind, other = ("comparison", COMPARE[m[1]]) if m[1] in COMPARE else ("operator", OPERATE[m[1]])
        if m[1] == "*" and re.search(r"^ *(?:const )?[\w ]+ $", code[:m.start(1)]):
            continue  # a pointer
        found.append((kind, line[:m.start(1)] + other + line[m.end(1):]))
    for m in NUMBER.finditer(code):
        value = m[1]
        other = f"{2.0 * float(value) + 1.0 * (float(value) == 0.0):.17g}" if re.search(r"[.eE]", value) else str(int(value) + 1)
        if "[" not in code[max(0, m.start(1) - 1):m.start(1)] or not DECLARED.match(code):
            found.append(("constant", line[:m.start(1)] + other + line[m.end(1):]))
    m = re.search(r"\breturn (true|false);", code)
    if m:
        found.append(("returned value", line[:m.start(1)] + ("false" if m[1] == "true" else "true") + line[m.end(1):]))
    m = re.search(r"\breturn (?!FLX|NULL|status)(\w[^;?]*);", code)
    if m and not m[1].isdigit() and m[1] not in ("true", "false"):
        found.append(("returned value", line[:m.start(1)] + "0" + line[m.end(1):]))
    if STATEMENT.match(code) and not DECLARED.match(code):
        found.append(("statement left out", re.match(" *", line)[0] + ";\n"))
    return found


def sources(pattern):
    names = subprocess.run(["git", "ls-files", "src/*.c"], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout.split()
    return [n for n in names if re.search(pattern, n)]


def draw(seed, pattern):
    """Mutants of lines in an order by the seed: (file, number of the line, kind, new line)."""
    lines = []
    for name in sources(pattern):
        inside = False
        for i, line in enumerate((ROOT / name).read_text().splitlines(keepends=True)):
            inside = inside or line.startswith("{")  # bodies of functions
            if inside and mutants_of(line):
                lines.append((name, i, line))
            inside = inside and not line.startswith("}")
    chance = random.Random(seed)
    chance.shuffle(lines)
    for name, i, line in lines:
        yield (name, i) + chance.choice(mutants_of(line))


def scale_numbers(names):
    """Every named number that is no count, a hundred times larger and smaller."""
    for name in names:
        for i, line in enumerate((ROOT / name).read_text().splitlines(keepends=True)):
            m = NAMED.match(line)
            if not m or (m[2].isdigit() and float(m[2]) < 100):
                continue
            for factor in ("100.0", "0.01"):
                yield name, i, f"{m[1]} times {factor}", line[:m.start(2)] + re.sub(r"^[\d.]+(?:[eE][-+]?\d+)?", lambda x: f"{float(x[0]) * float(factor):.17g}", line[m.start(2):])


def read_page(path):
    """Mutants of the first table of a page: | `file` | `line` | `becomes` |."""
    for row in Path(path).read_text(encoding="utf-8").splitlines():
        cells = re.match(r"\| `(.*?)` \| `(.*?)` \| `(.*?)` \|", row)
        if not cells:
            continue
        name, old, new = (c.replace("\\|", "|") for c in cells.groups())
        lines = (ROOT / name).read_text().splitlines(keepends=True)
        places = [i for i, line in enumerate(lines) if line.strip() == old]
        if not places:
            print(f"{name}: has no line '{old}' any more", flush=True)
        for i in places:
            indent = re.match(" *", lines[i])[0]
            yield name, i, "statement left out" if new == ";" else "change", indent + new + "\n"


class Tests:
    """What ctest would run, in an order that depends on the file."""

    def __init__(self, build, pattern):
        self.build, self.leaks = build, False
        shown = json.loads(subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1", "-LE", "^(whole|tree|browser|install)$"],
                                          stdout=subprocess.PIPE, text=True, check=True).stdout)
        self.all, self.left_out = {}, set()
        commands = self.commands()
        for t in shown["tests"]:
            t["command"] = t.get("command") or commands.get(t["name"])
            if t["command"] and re.search(pattern, t["name"]):
                t["properties"] = {p["name"]: p["value"] for p in t.get("properties", [])}
                if not t["properties"].get("WILL_FAIL"):
                    self.all[t["name"]] = t
        self.text = {}
        for path in (ROOT / "tests").rglob("test_*.c"):
            self.text[path.stem] = (str(path.parent), path.read_text())
        self.cost = {}
        data = Path(build) / "Testing/Temporary/CTestCostData.txt"
        if data.exists():
            for row in data.read_text().splitlines():
                words = row.split()
                if len(words) == 3 and float(words[2]) > 0:
                    self.cost[words[0]] = float(words[2]) if float(words[2]) < FIRST_OF_ALL else 10.0
        self.trusted = set()  # (test, with leaks) seen to pass without a mutant

    def commands(self):
        """What tests call, also those that are not built yet."""
        found = {}
        for path in Path(self.build).rglob("CTestTestfile.cmake"):
            for name, words in re.findall(r"^add_test\(\[=\[(.*?)\]=\] (.*)\)$", path.read_text(), re.M):
                found[name] = [w.replace('\\"', '"') for w in re.findall(r'"((?:\\.|[^"\\])*)"', words)]
        return found

    def make(self, names):
        """Builds the program and these tests; whether it could be done."""
        inside = str(Path(self.build).resolve() / "tests") + "/"
        programs = [self.all[n]["command"][0] for n in names]
        targets = [os.path.relpath(p, Path(self.build).resolve()) for p in programs if p.startswith(inside) and not p.endswith((".sh", ".py", ".mjs"))]
        return subprocess.run(["ninja", "-j2", "-C", self.build, "flexion", *targets], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              env=dict(os.environ, CCACHE_READONLY="1"), check=False).returncode == 0

    def order(self, name):
        """Nearest first."""
        path = Path(name)
        folders = [p for p in path.parts[1:-1]]
        stem, header = path.stem, str(Path(*path.parts[1:]).with_suffix(".h"))
        first = stem.split("_")[0]

        def rank(test):
            folder, text = self.text.get(test, ("", ""))
            if test == f"test_{stem}":
                return 0
            if header in text:
                return 1
            here = any(folder.endswith(f"/unit/{f}") for f in folders)
            if here and (f"_{first}" in test or stem in test):
                return 2
            if f"_{first}" in test or f"/{first}" in text:
                return 3
            return 4 if here else 5
        return sorted((t for t in self.all if (t, self.leaks) not in self.left_out), key=lambda t: (rank(t), self.cost.get(t, 1.0)))

    def fails(self, test, most):
        t = self.all[test]
        environment = dict(os.environ, LC_ALL="C")
        for setting in t["properties"].get("ENVIRONMENT", []):
            key, value = setting.split("=", 1)
            environment[key] = value
        if self.leaks and t["command"][0].startswith(str(Path(self.build).resolve())):
            environment["LD_PRELOAD"] = LEAKS
        with subprocess.Popen(t["command"], cwd=t["properties"].get("WORKING_DIRECTORY"), env=environment, start_new_session=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace") as child:
            try:
                said = child.communicate(timeout=most)[0]
                wanted = t["properties"].get("PASS_REGULAR_EXPRESSION")
                return not any(re.search(w, said) for w in wanted) if wanted else child.returncode != 0
            except subprocess.TimeoutExpired:  # it hangs
                os.killpg(child.pid, signal.SIGKILL)
                child.wait()
                return True


def judge(mutant, tests, most):
    """(what became of it, the test or the reason, seconds)."""
    name, i, _, new = mutant
    path = ROOT / name
    before = path.read_text()
    lines = before.splitlines(keepends=True)
    lines[i] = new
    begin = time.monotonic()
    order, done, size, spent = tests.order(name), 0, FIRST, 0.0
    try:
        path.write_text("".join(lines))
        while done < len(order) and spent < most:
            some = order[done:done + size]
            if not tests.make(some):
                return "refused", "the compiler", time.monotonic() - begin
            since = time.monotonic()
            for test in some:
                if tests.fails(test, 20.0 * max(tests.cost.get(test, 1.0), 3.0)):
                    return "caught", test, time.monotonic() - begin
            spent += time.monotonic() - since
            done, size = done + len(some), 2 * size
        return "survived", "all tests" if done == len(order) else f"the {done} nearest tests", time.monotonic() - begin
    finally:
        path.write_text(before)


def judge_by_good_tests(mutant, tests, most):
    """A test counts that passes without the mutant; one that does not is left out from then on."""
    line = (ROOT / mutant[0]).read_text().splitlines()[mutant[1]]
    tests.leaks = mutant[2] == "statement left out" and bool(FREES.search(line))
    while True:
        verdict = judge(mutant, tests, most)
        if verdict[0] != "caught" or (verdict[1], tests.leaks) in tests.trusted:
            return verdict
        tests.make([verdict[1]])
        if not tests.fails(verdict[1], 600.0):
            tests.trusted.add((verdict[1], tests.leaks))
            return verdict
        print(f"{verdict[1]} fails without a mutant, and is left out", flush=True)
        tests.left_out.add((verdict[1], tests.leaks))


def tell(mutant, verdict):
    """What became of a mutant, on the screen; the lines of it for a page."""
    name, i, kind, new = mutant
    old = (ROOT / name).read_text().splitlines(keepends=True)[i]
    what, by, seconds = verdict
    change = ["    " + row.rstrip() for row in difflib.ndiff([old], [new]) if row[0] in "+-"]
    print(f"{what} by {by}: {name}:{i + 1}, {kind} ({seconds:.0f} s)", *change, sep="\n", flush=True)
    return [f"`{name}`, {kind}: {what} by {by}", "", *change, ""]


def write_page(path, seed, caught, tried, survivors, others):
    text = [f"# Mutants\n\n`tools/mutate.py --seed {seed} --count {tried}`: one line of `src` changed at a time;"
            f" {caught} of {tried} were noticed by the tests.\n", "## Not noticed\n", *survivors, "## Noticed\n", *others]
    Path(path).write_text("\n".join(text).rstrip("\n") + "\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--files", default="")
    parser.add_argument("--numbers", nargs="+", default=[])
    parser.add_argument("--again")
    parser.add_argument("--build", default="build")
    parser.add_argument("--most", type=float, default=300.0)
    parser.add_argument("--report")
    parser.add_argument("--skip", type=int, default=0)
    parser.add_argument("--tests", default="")
    parser.add_argument("--list", action="store_true")
    words = parser.parse_args()
    os.chdir(ROOT)
    every = bool(words.numbers or words.again)
    mutants = scale_numbers(words.numbers) if words.numbers else read_page(words.again) if words.again else draw(words.seed, words.files)
    if words.list:
        for mutant in list(mutants)[:None if every else words.count]:
            tell(mutant, ("drawn", "the seed", 0.0))
        return 0
    tests, caught, tried = Tests(words.build, words.tests), 0, 0
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # the source is put back
    survivors, others = [], []
    for mutant in itertools.islice(mutants, words.skip, None):
        verdict = judge_by_good_tests(mutant, tests, words.most)
        said = tell(mutant, verdict)
        if verdict[0] == "refused":  # no mutant: another one is drawn
            continue
        caught, tried = caught + (verdict[0] == "caught"), tried + 1
        (others if verdict[0] == "caught" else survivors).extend(said)
        if words.report:
            write_page(words.report, words.seed, caught, tried, survivors, others)
        if tried == words.count and not every:
            break
    print(f"{caught} of {tried} caught")
    return 0


if __name__ == "__main__":
    sys.exit(main())
