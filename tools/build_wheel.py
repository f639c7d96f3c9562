#!/usr/bin/env python3
"""Pack the Python package with its self-contained extension as a wheel (PEP 427), which pip installs on any Linux whose C
library is not older than the one that the tag names. The same input gives the same bytes.

    tools/build_wheel.py PACKAGE EXTENSION FOLDER        prints the path of the wheel
"""
import base64
import hashlib
import os
import platform
import re
import subprocess
import sys
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# What is inside, and where Debian keeps its licence.
INSIDE = ["libyaml-dev", "libhdf5-dev", "liblapack-dev", "liblapacke-dev", "libblas-dev", "libqhull-dev", "libexpat1-dev",
          "libsundials-dev", "libsuitesparse-dev", "libaec-dev", "zlib1g-dev"]
# What an extension may ask of the system (PEP 600).
SYSTEM = {"libc.so.6", "libm.so.6", "libgcc_s.so.1", "libdl.so.2", "libpthread.so.0", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}

METADATA = """Metadata-Version: 2.1
Name: flexion
Version: {version}
Summary: Flexible multibody dynamics
License: {licence}
Requires-Python: >=3.11
Provides-Extra: all
Requires-Dist: numpy ; extra == 'all'
Requires-Dist: pandas ; extra == 'all'
Requires-Dist: xarray ; extra == 'all'
Requires-Dist: matplotlib ; extra == 'all'
Requires-Dist: tqdm ; extra == 'all'
"""


def readelf(*arguments):
    return subprocess.run(["readelf", "-W", *arguments], check=True, capture_output=True, text=True).stdout


def tag_of(extension):
    """cp311-abi3-manylinux_X_Y_MACHINE, by the newest version of the C library that the extension asks for."""
    needed = set(re.findall(r"\(NEEDED\).*\[(.*?)\]", readelf("-d", extension)))
    if needed - SYSTEM:
        sys.exit(f"build_wheel: the extension is not self-contained: it needs {', '.join(sorted(needed - SYSTEM))}")
    versions = [(int(a), int(b)) for a, b in re.findall(r"Name: GLIBC_(\d+)\.(\d+)", readelf("-V", extension))]
    major, minor = max(versions)
    return f"cp311-abi3-manylinux_{major}_{minor}_{platform.machine()}"


def version():
    with open(os.path.join(ROOT, "include/flexion/version.h"), encoding="utf-8") as f:
        text = f.read()
    return ".".join(re.search(rf"#define FLX_VERSION_{part} (\d+)", text)[1] for part in ("MAJOR", "MINOR", "PATCH"))


def main():
    package, extension, folder = sys.argv[1:]
    tag, number = tag_of(extension), version()
    info = f"flexion-{number}.dist-info"
    files = {f"flexion/{name}": os.path.join(package, name) for name in sorted(os.listdir(package))
             if name.endswith((".py", ".pyi", ".typed"))}
    files["flexion/_flexion.abi3.so"] = extension
    files[f"{info}/licenses/flexion"] = os.path.join(ROOT, "LICENSE")
    for name in INSIDE:
        path = f"/usr/share/doc/{name}/copyright"
        if os.path.exists(path):
            files[f"{info}/licenses/{name}"] = path
    with open(os.path.join(ROOT, "LICENSE"), encoding="utf-8") as f:
        licence = f.readline().split()[0]
    texts = {f"{info}/METADATA": METADATA.format(version=number, licence=licence),
             f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: flexion\nRoot-Is-Purelib: false\nTag: {tag}\n",
             f"{info}/top_level.txt": "flexion\n"}
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, f"flexion-{number}-{tag}.whl")
    record = []
    with zipfile.ZipFile(path + ".part", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as z:
        def add(name, data):
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.external_attr = (0o755 if name.endswith(".so") else 0o644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            z.writestr(entry, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record.append(f"{name},sha256={digest},{len(data)}\n")

        for name, source in files.items():
            with open(source, "rb") as f:
                add(name, f.read())
        for name, text in texts.items():
            add(name, text.encode())
        record.append(f"{info}/RECORD,,\n")
        add(f"{info}/RECORD", "".join(record).encode())
    os.replace(path + ".part", path)
    print(path)


if __name__ == "__main__":
    main()
