#!/usr/bin/env python3
"""The transfer matrix of exported equations about rest is that of the linear model that the program finds.

    compare_linear.py FLEXION MODEL...

Each model rests at its start, and has an analysis `plant` of type linear whose inputs and outputs are those of the model,
in their order.
"""
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile

PLACES = [0.7 + 1.3j, -0.2 + 9j, 3.0, 0.1j]
TOLERANCE = 1e-9


def run(*command):
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{result.stdout}{result.stderr}")


def read_matrix(path):
    """Matrix Market, dense or by coordinates."""
    with open(path, encoding="utf-8") as file:
        head = file.readline()
        rows = [line.split() for line in file if not line.startswith("%")]
    m, n = int(rows[0][0]), int(rows[0][1])
    out = [[0.0] * n for _ in range(m)]
    if "coordinate" in head:
        for i, j, x in rows[1:]:
            out[int(i) - 1][int(j) - 1] = float(x)
    else:
        for k, row in enumerate(rows[1:]):
            out[k % m][k // m] = float(row[0])
    return out


def solve(A, B):
    """A X = B by elimination."""
    n, rows = len(A), [list(a) + list(b) for a, b in zip(A, B)]
    for k in range(n):
        p = max(range(k, n), key=lambda i: abs(rows[i][k]))
        rows[k], rows[p] = rows[p], rows[k]
        for i in range(n):
            if i != k and rows[i][k] != 0:
                f = rows[i][k] / rows[k][k]
                rows[i] = [x - f * y for x, y in zip(rows[i], rows[k])]
    return [[x / rows[k][k] for x in rows[k][n:]] for k in range(n)]


def add(A, B, factor=1):
    return [[x + factor * y for x, y in zip(a, b)] for a, b in zip(A, B)]


def scaled(A, s):
    return [[s * x for x in row] for row in A]


def product(A, B):
    return [[sum(x * b[j] for x, b in zip(row, B)) for j in range(len(B[0]))] for row in A]


def exported(m, s):
    """The transfer matrix from M, D, K, Kx, Ku, G and the derivatives of states and outputs."""
    p, q, v, x, u = m.parameters, m.drawn, [0.0] * m.nv, [0.0] * m.nx, [0.0] * m.nu
    state = (0.0, p, q, v, x, u)
    lam = ([0.0] * m.nrow,) if m.nrow else ()
    found = list(m.linearise(*state, [0.0] * m.nv, *lam))
    y = list(m.outputs(*state))[1:]
    G = m.closures(*state)[2] if m.nrow else []
    K, D = found[:2]
    n, nx, nr = m.nv, m.nx, m.nrow
    Z = add(add(scaled(m.mass(p, q), s * s), scaled(D, s)), K)
    Kx, Xq, Xv, Xx = found[2:6] if nx else ([[] for _ in range(n)], [], [], [])
    Ku = found[6] if nx else found[2]
    Xu = found[7] if nx else []
    A = [Z[i] + Kx[i] + [G[r][i] for r in range(nr)] for i in range(n)]
    A += [[-a - s * b for a, b in zip(Xq[i], Xv[i])] + [s * (i == k) - Xx[i][k] for k in range(nx)]
          + [0.0] * nr for i in range(nx)]
    A += [list(G[r]) + [0.0] * (nx + nr) for r in range(nr)]
    B = scaled(Ku, -1) + Xu + [[0.0] * m.nu for _ in range(nr)]
    z = solve(A, B)
    Y = add(y[0], scaled(y[1], s))
    out = add(product(Y, z[:n]), y[-1])
    return add(out, product(y[2], z[n:n + nx])) if nx else out


def linear(name, s):
    A, B, C, D = (read_matrix(f"{name}_plant_{k}.mtx") for k in "ABCD")
    n = len(A)
    X = solve([[s * (i == k) - A[i][k] for k in range(n)] for i in range(n)], B)
    return add(product(C, X), D)


def check_model(flexion, model):
    name = os.path.splitext(os.path.basename(model))[0]
    run(flexion, "export", "python", model, "-o", f"{name}.py")
    run(flexion, "analyse", model, "plant", "--matrices", "mtx")
    spec = importlib.util.spec_from_file_location(name, f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for s in PLACES:
        mine, theirs = exported(module, s), linear(name, s)
        size = max(abs(x) for row in theirs for x in row)
        for i, row in enumerate(theirs):
            for k, x in enumerate(row):
                if not abs(mine[i][k] - x) <= TOLERANCE * size:
                    sys.exit(f"{name} at s = {s}: entry {i}, {k} is {mine[i][k]}, not {x}")


def main():
    flexion, models = sys.argv[1], sys.argv[2:]
    folder = tempfile.mkdtemp()
    os.chdir(folder)
    for model in models:
        check_model(flexion, model)
    shutil.rmtree(folder)


main()
