#!/usr/bin/env python3
"""Run ctest in one or more build directories and count what passed.

    tools/run_tests.py [-j N] NAME=DIRECTORY[:LOCALE]... [-- CTEST ARGUMENTS]

The tests run in the locale C, or in that one, which the build has put under DIRECTORY/locale.

Every claim of a test program (its lines "ok" and "FAILED", see tests/support/check.h) counts as one;
a test without such lines counts as one. The last line reads "N passed, N failed".
"""
import os
import re
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree

NOISE = re.compile(r"^(\s+Start\s+\d+:|Internal ctest changing|Test project )")
# what another program does, and whole runs, which read and write as the units do: one locale suffices
ELSEWHERE = "^(tree|browser|install|verify|case|example)$"
CLAIM = re.compile(r"^(ok    |FAILED) \S", re.MULTILINE)


def run(directory, locale, jobs, extra):
    """Run ctest; return its status and the path of its report."""
    report = os.path.join(os.path.abspath(directory), "tests.xml")
    if os.path.exists(report):
        os.remove(report)
    command = ["ctest", "--test-dir", directory, "-j", str(jobs), "--output-on-failure",
               "--no-tests=error", "--test-output-size-passed", "1000000",
               "--test-output-size-failed", "1000000", "--output-junit", report] + extra
    environment = dict(os.environ, LC_ALL=locale or "C")
    if locale:
        environment["LOCPATH"] = os.path.join(os.path.abspath(directory), "locale")
        command += ["--label-exclude", ELSEWHERE]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, errors="replace", env=environment) as ctest:
        for line in ctest.stdout:
            if not NOISE.match(line):
                print(line, end="", flush=True)
    return ctest.returncode, report


def count(report):
    """Passed and failed claims, and the names of the tests that failed."""
    passed, failed, names = 0, 0, []
    for case in ElementTree.parse(report).getroot().iter("testcase"):
        claims = CLAIM.findall(case.findtext("system-out") or "")
        good, bad = claims.count("ok    "), claims.count("FAILED")
        if case.get("status") == "run":
            passed += good or 1
        elif case.get("status") != "disabled":
            passed += good
            failed += max(bad, 1)
            names.append(case.get("name"))
    return passed, failed, names


def main(arguments):
    jobs, extra = os.cpu_count() or 1, []
    if "--" in arguments:
        cut = arguments.index("--")
        arguments, extra = arguments[:cut], arguments[cut + 1:]
    if arguments[:1] == ["-j"]:
        jobs, arguments = int(arguments[1]), arguments[2:]
    if not arguments:
        print(__doc__, file=sys.stderr)
        return 2

    passed, failed, lines = 0, 0, []
    for name, place in (argument.split("=", 1) for argument in arguments):
        directory, _, locale = place.partition(":")
        print(f"== {name} ({place})", flush=True)
        begin = time.monotonic()
        status, report = run(directory, locale, jobs, extra)
        good, bad, names = count(report) if os.path.exists(report) else (0, 1, ["ctest itself"])
        if status != 0 and bad == 0:
            bad, names = 1, ["ctest itself"]
        passed, failed = passed + good, failed + bad
        seconds = time.monotonic() - begin
        lines.append(f"{name}: {good} passed, {bad} failed, {seconds:.0f} s")
        lines += [f"    failed: {test}" for test in names]
    print("\n" + "\n".join(lines) + "\n")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
