#!/usr/bin/env python3
"""Every public function that takes a flx_system is called in tests/verify/test_public_system.c."""
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parents[2]
test = (root / "tests/verify/test_public_system.c").read_text()
missing = []
for header in sorted((root / "include/flexion").glob("*.h")):
    for declaration in re.findall(r"FLX_API([^;]*);", re.sub(r"//.*", "", header.read_text())):
        name = re.search(r"(flx_\w+)\s*\(", declaration)
        if name and re.search(r"\bflx_system\s*\*", declaration) and not re.search(name[1] + r"\(", test):
            missing.append(f"{header.name}: {name[1]}")
print("\n".join(missing) or "all are")
sys.exit(bool(missing))
