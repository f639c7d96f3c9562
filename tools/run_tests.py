#!/usr/bin/env python3
"""Run ctest in one or more build directories and count what passed.

    tools/run_tests.py [-j N] [--began SECONDS] NAME=DIRECTORY[:LOCALE]... [-- CTEST ARGUMENTS]

The tests run in the locale C, or in that one, which the build has put under DIRECTORY/locale where it could.

Every claim of a test program (its lines "ok", "FAILED" and "skipped", see tests/support/check.h) counts as one;
a test without such lines counts as one. Tests that ctest skips (SKIP_RETURN_CODE), and those with the label "whole",
which `make check-long` runs, count as skipped. Tests that leave a file in the source tree have failed. At the end stand the slowest tests, the time since --began (of the clock,
since 1970: builds before the tests count), and the last line, which reads "N passed, N failed, N skipped".
"""
import os
import re
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree

NOISE = re.compile(r"^(\s+Start\s+\d+:|Internal ctest changing|Test project )")
WHOLE = "whole" # of `make check-long` alone: counted as skipped
CLAIM = re.compile(r"^(ok    |FAILED|skipped) \S", re.MULTILINE)
SLOWEST = 10


def run(directory, locale, jobs, extra):
    """Run ctest; return its status and the path of its report."""
    report = os.path.join(os.path.abspath(directory), "tests.xml")
    if os.path.exists(report):
        os.remove(report)
    command = ["ctest", "--test-dir", directory, "-j", str(jobs), "--output-on-failure",
               "--no-tests=error", "--test-output-size-passed", "1000000",
               "--test-output-size-failed", "1000000", "--output-junit", report,
               "--label-exclude", f"^{WHOLE}$"] + extra
    environment = dict(os.environ, LC_ALL="C")
    if locale:
        environment.update(LC_ALL=locale, LOCPATH=os.path.join(os.path.abspath(directory), "locale"))
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, errors="replace", env=environment) as ctest:
        for line in ctest.stdout:
            if not NOISE.match(line):
                print(line, end="", flush=True)
    return ctest.returncode, report


def count_spared(directory, extra):
    """Tests that are not run here."""
    shown = subprocess.run(["ctest", "--test-dir", directory, "-N", "--label-regex", f"^{WHOLE}$"] + extra,
                           stdout=subprocess.PIPE, text=True, check=False).stdout
    found = re.search(r"^Total Tests: (\d+)", shown, re.MULTILINE)
    return int(found[1]) if found else 0


def count(report):
    """Claims that passed, failed and were skipped, the names of the tests that failed, and the seconds of each."""
    passed, failed, skipped, names, seconds = 0, 0, 0, [], []
    for case in ElementTree.parse(report).getroot().iter("testcase"):
        claims = CLAIM.findall(case.findtext("system-out") or "")
        good, bad, out = (claims.count(word) for word in ("ok    ", "FAILED", "skipped"))
        seconds.append((float(case.get("time") or 0), case.get("name")))
        if case.get("status") == "run":
            passed += good if claims else 1
            skipped += out
        elif case.find("skipped") is not None and case.find("skipped").get("message", "").startswith("SKIP_"):
            skipped += 1
        elif case.get("status") != "disabled":
            passed += good
            failed += max(bad, 1)
            skipped += out
            names.append(case.get("name"))
    return passed, failed, skipped, names, seconds


def untracked():
    """Files of the source tree that git neither keeps nor ignores; none where there is no git."""
    shown = subprocess.run(["git", "ls-files", "--others", "--exclude-standard"], cwd=os.path.dirname(os.path.abspath(__file__)) + "/..",
                           stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False).stdout
    return set(shown.splitlines())


def read_arguments(arguments):
    """Jobs, the time of the beginning, the builds to test, and words for ctest."""
    jobs, began, extra = os.cpu_count() or 1, time.time(), []
    if "--" in arguments:
        cut = arguments.index("--")
        arguments, extra = arguments[:cut], arguments[cut + 1:]
    while len(arguments) > 1 and arguments[0] in ("-j", "--began"):
        if arguments[0] == "-j":
            jobs = int(arguments[1])
        else:
            began = float(arguments[1])
        arguments = arguments[2:]
    return jobs, began, arguments, extra


def main(arguments):
    jobs, began, builds, extra = read_arguments(arguments)
    if not builds:
        print(__doc__, file=sys.stderr)
        return 2

    passed, failed, skipped, lines, slow = 0, 0, 0, [], []
    before = untracked()
    for name, place in (argument.split("=", 1) for argument in builds):
        directory, _, locale = place.partition(":")
        if locale and not os.path.isdir(os.path.join(directory, "locale", locale)):
            name, locale = f"{name}, but in the locale C, since localedef has not made {locale}", ""
        print(f"== {name} ({place})", flush=True)
        begin = time.monotonic()
        status, report = run(directory, locale, jobs, extra)
        good, bad, out, names, seconds = count(report) if os.path.exists(report) else (0, 1, 0, ["ctest itself"], [])
        out += count_spared(directory, extra)
        if status != 0 and bad == 0:
            bad, names = 1, ["ctest itself"]
        passed, failed, skipped = passed + good, failed + bad, skipped + out
        slow += [(time_of, test, name) for time_of, test in seconds]
        lines.append(f"{name}: {good} passed, {bad} failed, {out} skipped, {time.monotonic() - begin:.0f} s")
        lines += [f"    failed: {test}" for test in names]
    left = sorted(untracked() - before)
    if left:
        failed += 1
        lines.append("the tests left in the source tree: " + ", ".join(left))
    print("\n" + "\n".join(lines))
    print("slowest: " + ", ".join(f"{test} {time_of:.0f} s ({name})" for time_of, test, name in sorted(slow, reverse=True)[:SLOWEST]))
    minutes, rest = divmod(round(time.time() - began), 60)
    print(f"in all {minutes} min {rest} s\n")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
