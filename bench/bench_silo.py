#!/usr/bin/env python3
"""Silos with round openings: mass per time over the width of the opening, beside Beverloo's law.

    bench_silo.py PROGRAM [--threads N] [--openings 8,11,14,17,20]

Spheres of the diameter d = 10 mm (5 % more or less) run out of flat-bottomed cylinders of the diameter D + 30 d.
Rates are from 85 % to 65 % of the filling; the change of the rate is that between 75 % and 60 %. One opening takes 3e9
steps of particles, a quarter of an hour with one thread: this is no part of `make bench`.
"""
import argparse
import csv
import math
import os
import struct
import subprocess
import tempfile

d = 0.01
CASES = {8: (30, 5), 11: (35, 3), 14: (45, 2.2), 17: (50, 1.8), 20: (60, 1.6)} # layers of the filling, seconds


def plate(path, opening, radius, n=64, rings=4):
    """A plate with a hole and the wall around it, as triangles."""
    triangles = []

    def quad(a, b, c, e):
        triangles.extend([(a, b, c), (a, c, e)])

    def place(r, i, z=0.0):
        return (r * math.cos(2 * math.pi * i / n), r * math.sin(2 * math.pi * i / n), z)

    radii = [opening * (radius / opening) ** (i / rings) for i in range(rings + 1)]
    for r, s in zip(radii, radii[1:]):
        for i in range(n):
            quad(place(r, i), place(s, i), place(s, i + 1), place(r, i + 1))
    for k in range(8):
        for i in range(n):
            low, high = 0.15 * k, 0.15 * (k + 1)
            quad(place(radius, i, low), place(radius, i + 1, low), place(radius, i + 1, high), place(radius, i, high))
    with open(path, "wb") as f:
        f.write(b"\0" * 80 + struct.pack("<I", len(triangles)))
        for t in triangles:
            f.write(struct.pack("<12f", 0, 0, 1, *t[0], *t[1], *t[2]) + b"\0\0")


def model(folder, ratio, layers, until, threads):
    opening, radius, height = ratio * d / 2, (ratio + 30) * d / 2, layers * d
    plate(os.path.join(folder, "plate.stl"), opening, radius)
    path = os.path.join(folder, "silo.yaml")
    with open(path, "w") as f:
        f.write(f"""flexion: 1
gravity: [0, 0, -9.81]
particles:
  grain:
    radius: [{0.475 * d}, {0.525 * d}]
    density: 1000
    material: {{E: 1e6, nu: 0.3}}
    restitution: 0.3
    friction: {{coefficient: 0.5, rolling: 0.05}}
    fill: {{cylinder: {{radius: {0.9985 * radius - 0.001}, length: {height}, axis: [0, 0, 1]}}, at: [0, 0, {height / 2 + 6e-3}], seed: 1}}
    threads: {threads}
    walls: [{{on: ground, surface: {{mesh: plate.stl}}}}]
    outlets: [{{plane: [0, 0, 1], at: [0, 0, -0.05]}}]
    exchange: 5e-3
simulate: {{until: {until}}}
outputs: {{every: 0.02, signals: [grain.mass]}}
""")
    return path


def run(program, ratio, threads):
    layers, until = CASES[ratio]
    with tempfile.TemporaryDirectory() as folder:
        path, table = model(folder, ratio, layers, until, threads), os.path.join(folder, "silo.csv")
        subprocess.run([program, "run", path, "-q", "-o", os.path.join(folder, "silo.h5"), "--csv", table], check=True)
        with open(table, newline="") as f:
            rows = [(float(r["t"]), float(r["grain.mass"])) for r in csv.DictReader(f)]
    whole = rows[0][1]

    def when(part):
        for (t, m), (u, n) in zip(rows, rows[1:]):
            if n <= part * whole:
                return t + (m - part * whole) / (m - n) * (u - t)
        return math.nan

    def rate(high, low):
        return (high - low) * whole / (when(low) - when(high))

    return rate(0.85, 0.65), rate(0.65, 0.60) / rate(0.75, 0.70) - 1


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("program")
    arguments.add_argument("--threads", type=int, default=1)
    arguments.add_argument("--openings", default=",".join(map(str, CASES)))
    o = arguments.parse_args()
    points = []
    print(" D/d  rate kg/s  change")
    for ratio in map(int, o.openings.split(",")):
        rate, change = run(os.path.abspath(o.program), ratio, o.threads)
        print(f"{ratio:4d}  {rate:9.4f}  {100 * change:+.1f} %", flush=True)
        points.append((math.log(ratio - 1.4), math.log(rate)))
    if len(points) > 1:
        x, y = (sum(p[k] for p in points) / len(points) for k in (0, 1))
        slope = sum((p[0] - x) * (p[1] - y) for p in points) / sum((p[0] - x) ** 2 for p in points)
        print(f"exponent of D - 1.4 d: {slope:.2f}   Beverloo: 2.5, within 0.2: {'met' if abs(slope - 2.5) <= 0.2 else 'MISSED'}")


main()
