#!/usr/bin/env python3
"""What an FMU cannot do is refused when it is written, and named.

    unfit.py FLEXION
"""
import os
import subprocess
import sys
import tempfile

flexion = os.path.abspath(sys.argv[1])
HEAD = "flexion: 1\ndimension: 2\n"
CART = ("bodies: {c: {type: point, mass: 2}}\n"
        "joints: {rail: {type: point-on-line, on: [ground, c], at: [[0, 0], c], axis: [1, 0]}}\n"
        "forces: {push: {type: force, on: c, value: [F, 0]}}\n")
OPTIMAL = ("analyse:\n  best: {type: optimal-control, inputs: [F], minimise: F^2, at_end: {c.position.x: 1}, until: 1, steps: 20}\n")
MODELS = {
    "method 'bdf' is SUNDIALS'": HEAD + CART + "inputs: {F: 0}\nsimulate: {until: 1, method: bdf}\n",
    "method 'adams' is SUNDIALS'": HEAD + CART + "inputs: {F: 0}\nsimulate: {until: 1, method: adams}\n",
    "solves no optimal control": HEAD + CART + "inputs: {F: best.F}\nsimulate: {until: 1, method: radau}\n" + OPTIMAL,
    "is a file of HDF5": HEAD + "bodies: {rod: {type: flexible, data: rod.h5}}\nsimulate: {until: 1, method: radau}\n",
    "runs no other one": HEAD + CART + "inputs: {F: ctl.u}\nfmus: {ctl: {file: ctl.fmu, every: 0.1, outputs: {u: c.position.x}}}\n"
                         "simulate: {until: 1, method: radau}\n",
}
ROD = HEAD + ("bodies: {rod: {type: flexible, fe: {line: [[0, 0], [1, 0]], elements: 4, section: {radius: 0.01}, "
              "material: {E: 2e11, density: 7800}}, reduce: {type: modal, modes: 2}}}\nsimulate: {until: 1}\n")


def call(*arguments):
    return subprocess.run([flexion, *arguments], capture_output=True, text=True)


def main():
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with open("rod.yaml", "w", encoding="ascii") as file:
            file.write(ROD)
        with open("plain.yaml", "w", encoding="ascii") as file:
            file.write(HEAD + CART + "inputs: {F: 0}\nsimulate: {until: 1, method: radau}\noutputs: {signals: [c.position.x]}\n")
        assert call("export", "body", "rod.yaml", "-o", "rod.h5").returncode == 0
        assert call("export", "fmu", "plain.yaml", "-o", "ctl.fmu").returncode == 0
        for text, model in MODELS.items():
            with open("model.yaml", "w", encoding="ascii") as file:
                file.write(model)
            run = call("export", "fmu", "model.yaml", "-o", "model.fmu")
            missing = "IPOPT" in run.stderr or "install SUNDIALS" in run.stderr # then there is nothing to refuse
            if not missing and (run.returncode != 2 or text not in run.stderr):
                wrong.append(f"{text}: exit status {run.returncode}\n{run.stderr}")
            if os.path.exists("model.fmu"):
                wrong.append(f"{text}: an FMU is left")
                os.remove("model.fmu")
    print("\n".join(wrong))
    return len(wrong) > 0


sys.exit(main())
