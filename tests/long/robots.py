#!/usr/bin/env python3
"""Every robot file and world of Debian's packages is read, or refused for the reason that it has.

    robots.py FLEXION [ROOT]    ROOT: where packages are unpacked; / without it
"""
import gzip
import os
import shutil
import subprocess
import sys
import tempfile

flexion, root = os.path.abspath(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "/"
FOLDERS = ["usr/share/doc/dart/data", "usr/share/doc/simbody/examples", "usr/share/doc/sdformat-doc/examples",
           "usr/share/morse/examples", "usr/share/mujoco/model"]
ROBOTS = (".urdf", ".sdf", ".world", ".xml")
NOTHING, COMPOSITE = "neither bodies nor equations", "<composite> of MJCF is not read"
GLOBAL, NO_BODIES = "global coordinates of MJCF are not read", "the file has no bodies"

# By their last names what is refused, and why.
REFUSED = {
    "hopper.xml": GLOBAL, "walker2d.xml": GLOBAL,
    "fetch/robot.xml": NO_BODIES, "fetch/shared.xml": NO_BODIES, "include_default.xml": NO_BODIES, # parts of other files
    "default.xml": NOTHING, "include_main.xml": NOTHING, "ground.urdf": NOTHING, "ground.world": NOTHING, "scene.xml": NOTHING,
    "invalid_mesh.urdf": NOTHING, "missing_mesh.urdf": NOTHING, "missing_package.urdf": NOTHING,
    "joint_properties.urdf": NOTHING, "primitive_geometry.urdf": NOTHING, # without masses
    "empty.world": "the file has no model with links", "test/invalid.urdf": "a model is a mapping", "testWorld.urdf": "<world> is no robot file",
    "active_adhesion.xml": COMPOSITE, "cloth.xml": COMPOSITE, "grid2pin.xml": COMPOSITE, "loop.xml": COMPOSITE, "particle.xml": COMPOSITE,
    "rope.xml": COMPOSITE, "softbox.xml": COMPOSITE, "flag.xml": COMPOSITE, "hammock.xml": COMPOSITE,
}


def unpack(folder):
    """Files of Debian's documentation are packed one by one, and name each other as they were."""
    for path, _, names in os.walk(folder):
        for name in names:
            if not name.endswith(".gz"):
                continue
            whole = os.path.join(path, name)
            with gzip.open(whole) as packed, open(whole[:-3], "wb") as out:
                shutil.copyfileobj(packed, out)


def reason(path):
    names = [name for name in REFUSED if path.endswith("/" + name)]
    return REFUSED[max(names, key=len)] if names else None


def main():
    wrong, read, refused = [], 0, 0
    with tempfile.TemporaryDirectory() as scratch:
        for folder in FOLDERS:
            if os.path.isdir(os.path.join(root, folder)):
                shutil.copytree(os.path.join(root, folder), os.path.join(scratch, folder), ignore_dangling_symlinks=True)
        unpack(scratch)
        for path, _, names in sorted(os.walk(scratch)):
            for name in sorted(n for n in names if n.endswith(ROBOTS)):
                whole = os.path.join(path, name)
                with open(whole, "rb") as file:
                    kinds = (b"<mujoco",) if name.endswith(".xml") else (b"",)
                    if not any(kind in file.read() for kind in kinds):
                        continue
                run = subprocess.run([flexion, "check", whole], capture_output=True, text=True, timeout=100)
                why = reason(whole)
                if run.returncode != (2 if why else 0) or (why and why not in run.stderr):
                    wrong.append(f"{whole}: {run.returncode}, expected {why or 'that it is read'}:\n{run.stderr}")
                read, refused = read + (run.returncode == 0), refused + (run.returncode == 2)
    print(f"{read} read, {refused} refused")
    print("\n".join(wrong))
    return 1 if wrong else 0 if read else 77 # none of the packages is there


sys.exit(main())
