#!/usr/bin/env python3
"""A large body reduced with a known error, from the outside: seconds of the processor and memory of whole commands, beside SLEPc with
MUMPS (modes of the same matrices) and CalculiX (static condensation, modes). Marks are those of bench_reduction.

    bench_reduction.py BUILD [NODES]    the folder with `flexion`; NODES: unknowns in thousands, 189 without it

Each part is left out, and says so, where its program is missing: gmsh for the meshes, mpirun and flexion-fe-mpi, bench_modes with SLEPc, ccx.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

build = os.path.abspath(sys.argv[1])
source = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
flexion, ranks, modes = (os.path.join(build, n) for n in ("flexion", "flexion-fe-mpi", "bench/bench_modes"))
MATERIAL = "{E: 7e10, nu: 0.33, density: 2700, loss: 0.02}"
os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1",
                  OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")

# Runs a command, prints its seconds and the megabytes of the largest of its processes.
COUNTED = """
import resource, subprocess, sys
p = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
u = resource.getrusage(resource.RUSAGE_CHILDREN)
print(p.returncode, u.ru_utime + u.ru_stime, u.ru_maxrss / 1024)
print(p.stdout)
"""


def run(*command):
    """Seconds of the processor, megabytes of the largest process, what was said."""
    out = subprocess.run([sys.executable, "-c", COUNTED, *command], stdout=subprocess.PIPE, text=True, check=True).stdout
    first, said = out.split("\n", 1)
    code, seconds, megabytes = first.split()
    if code != "0":
        raise SystemExit(f"{' '.join(command)}\n{said}")
    return float(seconds), float(megabytes), said


def tell(what, value, unit, mark=None):
    print(f"{what:62} {value:9.4g} {unit:3}", "" if mark is None else f" mark {mark:6.4g}  {'met' if value <= mark else 'MISSED'}", flush=True)


def write(name, text):
    with open(name, "w", encoding="utf-8") as f:
        f.write(text)
    return name


def make_arm():
    """The arm of the examples with a fine mesh: some 189 000 unknowns."""
    size = 2.8e-3 * (189 / float(sys.argv[2]) if len(sys.argv) > 2 else 1) ** (1 / 3)
    geo = open(os.path.join(source, "examples/elastic_arm.geo"), encoding="utf-8").read()
    for word, value in (("MeshSizeMin", 0.93 * size), ("MeshSizeMax", size), ("MeshSizeFromCurvature", 20)):
        geo = re.sub(rf"{word} = [^;]*;", f"{word} = {value};", geo)
    subprocess.run(["gmsh", "-3", write("fine.geo", geo), "-o", "fine.msh", "-v", "1"], check=True, stdout=subprocess.DEVNULL)


def frequencies(said):
    return [float(m) for m in re.findall(r"^ +\d+ +(\d+\.\d{6}) ", said, re.M)]


def reduce_large():
    model = write("fine.yaml", f"""flexion: 1
bodies:
  arm:
    type: flexible
    fe: {{mesh: fine.msh, material: {MATERIAL}}}
    reduce: {{type: band, to: 2000, tolerance: 1e-3, interfaces: [hub, tip]}}
""")
    seconds, megabytes, _ = run(flexion, "export", "body", model, "-o", "arm.h5")
    write("again.yaml", "flexion: 1\nbodies: {arm: {type: flexible, data: arm.h5}}\n")
    again, _, said = run(flexion, "reduce", "again.yaml")
    print(re.search(r"arm: band.*", said).group())
    tell("read, reduced to 1e-3 up to 2 kHz, counted, written", seconds, "s", 20)
    tell("  its memory", megabytes, "MB", 1300)
    tell("  the body file read again", again, "s", 0.5)
    write("alone.yaml", f"flexion: 1\nfe: {{mesh: fine.msh, material: {MATERIAL}, links: {{t: {{type: rigid, node: node(1), on: tip}}}}}}\n")
    seconds, _, _ = run(flexion, "fe", "response", "alone.yaml", "--in", "node(1).z", "--from", "5", "--to", "2000", "--count", "400",
                        "--csv", "response.csv")
    tell("400 points of its response at the tip, with their error", seconds, "s", 20)
    return model, frequencies(said)


def reduce_by_ranks(model, known):
    if not (os.access(ranks, os.X_OK) and shutil.which("mpirun")):
        return print("ranks are left out: there is no flexion-fe-mpi, or no mpirun")
    most = []
    for n in (1, 2):
        seconds, megabytes, _ = run("mpirun", "-n", str(n), ranks, "reduce", model, "-o", "arm.h5")
        most.append(megabytes)
        found = frequencies(run(flexion, "reduce", "again.yaml")[2])
        worst = max(max(0, abs(a - b) - 1.1e-6) / b for a, b in zip(found, known))  # they are printed to 1e-6 Hz
        tell(f"the same by {n} rank{'s' if n > 1 else ''}: seconds of all", seconds, "s")
        tell("  memory of the larger rank", megabytes, "MB")
        tell("  frequencies of the shapes, beside the fronts", worst, "", 1e-10)
    return tell("memory of two ranks over one", most[1] / most[0], "", 0.75)


def modes_of_a_block():
    """Reference case mor-block-ranks: a compact body of 95 000 unknowns, free, two faces tied; by the fronts and by two ranks."""
    with open(os.path.join(source, "tests/reference/cases/mor-block-ranks.json"), encoding="utf-8") as f:
        checks = json.load(f)["checks"]
    wanted = [c["value"] for c in checks if c["name"].startswith("elastic frequency")]
    below = next(c["value"] for c in checks if c["name"].startswith("negative pivots"))
    subprocess.run(["gmsh", "-3", os.path.join(source, "tests/reference/data/mor_block.geo"), "-o", "block.msh", "-v", "1"], check=True,
                   stdout=subprocess.DEVNULL)
    model = write("block.yaml", """flexion: 1
fe:
  mesh: block.msh
  material: {E: 7e10, nu: 0.33, density: 2700}
  links: {root: {type: rigid, node: node(1), on: root}, tip: {type: rigid, node: node(5), on: tip}}
""")
    ways = [("the fronts", ())]
    if os.access(ranks, os.X_OK) and shutil.which("mpirun"):
        ways.append(("two ranks", ("--ranks", "2")))
    for name, how in ways:
        seconds, megabytes, said = run(flexion, "fe", "modes", model, "--count", str(len(wanted) + 6), "--vtu", "none", *how)
        unknowns = int(re.search(r"unknowns +(\d+)", said).group(1))
        found = [f for f in frequencies(said) if f > 1]
        tell(f"{len(wanted)} modes of a free block of {unknowns} unknowns by {name}", seconds, "s")
        tell("  memory of the largest process", megabytes, "MB")
        if unknowns != 94917:
            print("  another version of gmsh made another mesh: its frequencies are not compared")
            continue
        tell("  frequencies, beside SLEPc with MUMPS", max(abs(a / b - 1) for a, b in zip(found, wanted)), "", 1e-7)
        tell("  modes below 7500 Hz too many or too few", abs(6 + sum(f < 7500 for f in found) - below), "", 0)
    return None


def modes_by_slepc():
    if not os.access(modes, os.X_OK):
        return print("SLEPc is left out: bench_modes is not built")
    print("40 modes with the hub held:")
    return print("".join("  " + line + "\n" for line in run(modes, "fine.msh", "hub")[2].strip().split("\n")[-4:]), end="")


STEPS = {"modes": "*STEP\n*FREQUENCY\n40\n*END STEP\n",
         "condensed": "*STEP\n*SUBSTRUCTURE GENERATE\n*RETAINED NODAL DOFS, SORTED=NO\nkept,1,3\n"
                      "*SUBSTRUCTURE MATRIX OUTPUT, STIFFNESS=YES, OUTPUT FILE=USER DEFINED, FILE NAME=condensed\n*END STEP\n"}


def square(lower):
    """A symmetric matrix of its lower triangle by rows."""
    rows, at = [], 0
    while at < len(lower):
        rows.append([float(x) for x in lower[at:at + len(rows) + 1]])
        at += len(rows)
    return [[rows[max(i, j)][min(i, j)] for j in range(len(rows))] for i in range(len(rows))]


def condense_by_calculix():
    """Three nodes of the arm of the examples are kept, nine unknowns; each kept stiffness is twice an energy. Modes, too."""
    if not shutil.which("ccx"):
        return print("CalculiX is left out: there is no ccx")
    subprocess.run(["gmsh", "-3", os.path.join(source, "examples/elastic_arm.geo"), "-format", "inp", "-o", "gmsh.inp", "-v", "1",
                    "-setnumber", "Mesh.SaveGroupsOfNodes", "1"], check=True, stdout=subprocess.DEVNULL)
    text = open("gmsh.inp", encoding="utf-8").read()
    text = re.sub(r"\*ELEMENT, type=CPS6[^*]*", "", text)
    text = re.sub(r"\*ELSET,ELSET=(hub|tip)[^*]*", "", text)
    sets = {name: re.search(rf"\*NSET,NSET={name}\n([\d, \n]*)", text).group(1).replace("\n", "").split(",") for name in ("hub", "tip")}
    kept = [int(sets["hub"][0]), int(sets["hub"][9]), int(sets["tip"][0])]
    base = (text + f"*NSET,NSET=kept\n{kept[0]},{kept[1]},{kept[2]}\n*MATERIAL, NAME=m\n*ELASTIC\n7e10, 0.33\n*DENSITY\n2700\n"
            "*SOLID SECTION, ELSET=arm, MATERIAL=m\n")
    write("modes.inp", base + "*BOUNDARY\nhub,1,3\n" + STEPS["modes"])
    write("condensed.inp", base + STEPS["condensed"])
    mesh = write("arm.inp", base)
    seconds, megabytes, _ = run("ccx", "condensed")
    stiffness = square(re.findall(r"[-+0-9.]+E[-+]\d+", open("condensed.mtx", encoding="utf-8").read().split("STIFFNESS")[1]))
    size = max(row[i] for i, row in enumerate(stiffness))
    rigid = max(abs(sum(row[i % 3::3])) for i, row in enumerate(stiffness)) / size
    tell("CalculiX condenses the arm (small mesh) to three nodes", seconds, "s")
    body = write("guyan.yaml", f"""flexion: 1
bodies:
  arm:
    type: flexible
    fe: {{mesh: {mesh}}}
    reduce: {{type: guyan, interfaces: {{a: {{on: node({kept[0]})}}, b: {{on: node({kept[1]})}}, c: {{on: node({kept[2]})}}}}}}
    frame: buckens
""")
    ours, ours_megabytes, _ = run(flexion, "export", "body", body, "-o", "guyan.h5")
    tell("  flexion makes a body of the same shapes (guyan)", ours, "s")
    tell("  its memory over CalculiX's", ours_megabytes / megabytes, "")
    if rigid > 1e-6:
        print(f"  CalculiX's matrix resists a rigid motion, by {rigid:.1e} of its largest number: it is not condensed, and not compared")
    else:
        held = "".join(f"    s{k}{c}: {{on: node({node}), components: [{c}], value: {1 if (k, c) == (2, 'z') else 0}}}\n"
                       for k, node in enumerate(kept) for c in "xyz")
        static = write("static.yaml", f"flexion: 1\nfe:\n  mesh: {mesh}\n  supports:\n{held}")
        energy = float(re.search(r"strain energy +(\S+)", run(flexion, "fe", "static", static, "--vtu", "none")[2]).group(1))
        tell("  the last stiffness, theirs over ours less one", abs(stiffness[-1][-1] / (2 * energy) - 1), "", 2e-6)
    seconds, _, _ = run("ccx", "modes")
    theirs = [float(line.split()[3]) for line in open("modes.dat", encoding="utf-8") if re.match(r" +\d+ +\S+ +\S+ +\S+ +\S+$", line)][:40]
    held = write("held.yaml", f"flexion: 1\nfe: {{mesh: {mesh}, supports: {{hub: {{on: hub}}}}}}\n")
    ours, _, said = run(flexion, "fe", "modes", held, "--count", "40", "--vtu", "none")
    tell("CalculiX: 40 modes with the hub held", seconds, "s")
    tell("  flexion", ours, "s", seconds)
    # its masses are integrated at four points, which shows where waves are as short as elements
    return tell("  the first six frequencies differ by", max(abs(a / b - 1) for a, b in zip(theirs[:6], frequencies(said))), "", 2e-5)


def main():
    if not shutil.which("gmsh"):
        return print("the meshes need gmsh: tools/install-packages.sh bench")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        condense_by_calculix()
        modes_of_a_block()
        make_arm()
        model, known = reduce_large()
        reduce_by_ranks(model, known)
        modes_by_slepc()
        os.chdir(source)
    return None


main()
