#!/usr/bin/env python3
"""What Python, FMUs and robot files cost, and whether each mark is met; seconds of the processor, the least of several times.

    bench_ecosystem.py FLEXION PACKAGE    the program, and the folder that holds the Python package `flexion`
"""
import os
import resource
import subprocess
import sys
import tempfile
import zipfile

program, package = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
source = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, package)


def used():
    """Seconds of the processor, of this program and of those that it started."""
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def least(call, times=20, at_once=1):
    best = float("inf")
    for _ in range(times):
        start = used()
        for _ in range(at_once):
            call()
        best = min(best, (used() - start) / at_once)
    return best


def tell(what, value, unit, mark):
    print(f"{what:58} {value:10.4g} {unit:3}  mark {mark:6.4g}  {'met' if value <= mark else 'MISSED'}")


def start_of(code):
    env = {**os.environ, "PYTHONPATH": package}
    return least(lambda: subprocess.run([sys.executable, "-c", code], check=True, env=env), 10)


def advances(fx):
    """What an advance costs from Python beyond the method's own step."""
    n = 20000
    system = fx.read(os.path.join(source, "examples/pendulum.yaml")).system(method="rk4", step=1e-3)

    def whole():
        system.start(ledger=False).advance(n * 1e-3)

    def single():
        run = system.start(ledger=False)
        for k in range(1, n + 1):
            run.advance(k * 1e-3)

    tell("an advance from Python beyond the step", 1e6 * (least(single, 5) - least(whole, 5)) / n, "us", 0.4)


def snapshots(fx, path):
    for method in ("dopri5", "radau"):
        run = fx.read(path).system(method=method, until=1).start()
        run.advance(0.01)
        size = len(run.save())
        tell(f"save and restore, {len(run.q) + len(run.v)} unknowns, {method} ({size} bytes)",
             1e6 * least(lambda: run.restore(run.save()), 10, 2000), "us", 2)
        tell("a clone of it", 1e6 * least(run.clone, 10, 100), "us", 50)


def fmus(folder):
    path = os.path.join(folder, "cart.fmu")
    export = [program, "export", "fmu", os.path.join(source, "examples/cart_pole.yaml"), "-o", path]
    tell("an FMU exported", 1e3 * least(lambda: subprocess.run(export, check=True, capture_output=True)), "ms", 50)
    tell("its size", os.path.getsize(path) / 1e6, "MB", 2.5)
    with zipfile.ZipFile(path) as archive:
        library = archive.extract(next(n for n in archive.namelist() if n.endswith(".so")), folder)
    needed = subprocess.run(["readelf", "-d", library], check=True, capture_output=True, text=True).stdout
    print("it needs", ", ".join(line.split("[")[1].rstrip("]") for line in needed.splitlines() if "NEEDED" in line))


def robots(fx, folder):
    """A chain of 50 links as URDF."""
    path = os.path.join(folder, "chain.urdf")
    inertia = '<inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>'
    with open(path, "w", encoding="ascii") as f:
        f.write('<robot name="chain"><link name="l0"/>\n')
        for k in range(1, 51):
            f.write(f'<link name="l{k}">{inertia}</link><joint name="j{k}" type="continuous"><parent link="l{k - 1}"/>'
                    f'<child link="l{k}"/><origin xyz="0.1 0 0"/><axis xyz="0 1 0"/></joint>\n')
        f.write("</robot>\n")

    def compiled(method):
        m = fx._flexion.Model(path)
        m.set("simulate.until", 1.0)
        m.set("simulate.method", method)
        return m.compile()

    tell("a URDF of 50 links read and compiled, for dopri5", 1e3 * least(lambda: compiled("dopri5")), "ms", 30)
    tell("... for auto, which looks at its spectrum", 1e3 * least(lambda: compiled("auto")), "ms", 30)
    return path


def main():
    tell("import flexion", start_of("import flexion") - start_of("pass"), "s", 0.15)
    import flexion as fx

    with tempfile.TemporaryDirectory() as folder:
        advances(fx)
        snapshots(fx, robots(fx, folder))
        fmus(folder)


main()
