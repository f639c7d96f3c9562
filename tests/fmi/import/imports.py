#!/usr/bin/env python3
"""FMUs as items of a model: parts of a model as FMUs of our own and one written by hand, against the model in one piece.

    imports.py FLEXION FOLDER CC
"""
import math
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import zipfile

flexion, folder, cc = sys.argv[1:4]
os.environ["LC_ALL"] = "C"


def run(*arguments, code=0):
    done = subprocess.run([flexion, *arguments], capture_output=True, text=True)
    assert done.returncode == code, (arguments, done.returncode, done.stdout, done.stderr)
    return done.stdout + done.stderr


def write(name, **words):
    """A model of the folder, with other values of these keys."""
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        text = file.read()
    for word, value in words.items():
        text = re.sub(rf"\b{word}: \w+", f"{word}: {value}", text)
    with open(name, "w", encoding="utf-8") as file:
        file.write(text)
    return name


def table(name, *options):
    run("run", name, "--quiet", "-o", "out.h5", "--csv", "out.csv", *options)
    with open("out.csv", encoding="utf-8") as file:
        return [[float(x) for x in line.split(",")] for line in list(file)[1:]]


def distance(a, b):
    assert len(a) == len(b)
    return max(abs(x - y) for p, q in zip(a, b) for x, y in zip(p, q))


def refused(name, words, *options, code=2, command=("run", "--trust")):
    text = run(command[0], name, *command[1:], *options, code=code)
    assert words in text, (words, text)


def check_orders(name):
    """Errors fall with the first power of the exchange, with slopes with the second."""
    for hold, wanted in (("constant", 1), ("linear", 2)):
        write(name, hold=hold, isolate="false")
        errors = [distance(table(name, "--trust", "--set", f"H={h}"), whole) for h in (0.005, 0.0025, 0.00125)]
        orders = [math.log2(a / b) for a, b in zip(errors, errors[1:])]
        print(f"{name}, {hold}: errors {errors}, orders {orders}")
        assert all(abs(order - wanted) < 0.2 for order in orders), (name, hold, errors)


def check_processes():
    """In a process of its own an FMU gives the same bits; FMI 3 the same first order."""
    here = table(write("with_controller.yaml", hold="constant", isolate="false"), "--trust")
    apart = table(write("with_controller.yaml", hold="constant", isolate="true"), "--trust")
    assert here == apart and abs(here[0][3] - whole[0][3]) < 1e-12, (here[0], whole[0])
    run("export", "fmu", "controller.yaml", "--fmi", "3", "-o", "controller.fmu")
    far, near = (distance(table("with_controller.yaml", "--trust", "--set", f"H={h}"), whole) for h in (0.002, 0.001))
    assert 0.75 < math.log2(far / near) < 1.25, (far, near)
    run("export", "fmu", "controller.yaml", "-o", "controller.fmu")
    refused("with_controller.yaml", "runs where it is trusted alone", command=("run",))
    assert "regulator" in run("check", "with_controller.yaml")


def check_checkpoint():
    """Killed and gone on: the rows of a run that was not."""
    write("with_controller.yaml", hold="linear", isolate="true")
    arguments = ["with_controller.yaml", "--set", "H=0.0005", "--until", "5", "--trust", "--quiet"]
    run("run", *arguments, "-o", "once.h5", "--csv", "once.csv")
    work = subprocess.Popen([flexion, "run", *arguments, "-o", "cut.h5", "--checkpoint", "0.02"])
    while work.poll() is None and not os.path.exists("cut.h5.checkpoint"):
        time.sleep(0.01)
    work.send_signal(signal.SIGKILL)
    assert work.wait() != 0, "the run was over before it could be cut off"
    run("run", "--resume", "cut.h5", "--trust", "--quiet", "--csv", "cut.csv")
    with open("once.csv", encoding="utf-8") as a, open("cut.csv", encoding="utf-8") as b:
        assert a.read() == b.read()


def make_tiny(platform="linux64", name="tiny.fmu"):
    subprocess.run([cc, "-shared", "-fPIC", "-o", "tiny.so", os.path.join(folder, "tiny.c")], check=True)
    with zipfile.ZipFile(name, "w") as archive:
        archive.write(os.path.join(folder, "tiny.xml"), "modelDescription.xml")
        archive.write("tiny.so", f"binaries/{platform}/tiny.so")


def check_tiny():
    """y = -k u at every exchange, and what goes wrong is told with its place."""
    make_tiny()
    name = write("with_tiny.yaml")
    rows = table(name, "--trust", "--set", "H=0.001")
    assert abs(rows[0][2] + 40 * 0.2) < 1e-12
    assert max(abs(r[1] - 0.2 * math.cos(math.sqrt(20) * r[0])) for r in rows) < 2e-4
    place = "with_tiny.yaml:10:3: "
    refused(name, "valve 7 is stuck", "--set", "mode=1", code=1)
    refused(name, place, "--set", "mode=1", code=1)
    refused(name, "ended by signal 6", "--set", "mode=2", code=1)
    refused(name, "not finite", "--set", "mode=3", code=1)
    assert "ended at t = 0.1" in run("run", name, "--trust", "--set", "mode=4", "-o", "out.h5")
    refused(name, "a whole number", "--set", "mode=0.5")
    refused(name, "cannot give its state as bytes", "--checkpoint", "1e-9", code=2)


def make_decay(states="true"):
    subprocess.run([cc, "-shared", "-fPIC", "-O1", "-o", "decay.so", os.path.join(folder, "decay.c")], check=True)
    with open(os.path.join(folder, "decay.xml"), encoding="utf-8") as file:
        text = file.read().replace('canSerializeFMUstate="true"', f'canSerializeFMUstate="{states}"')
    with zipfile.ZipFile("decay.fmu", "w") as archive:
        archive.writestr("modelDescription.xml", text)
        archive.write("decay.so", "binaries/linux64/decay.so")


def check_exchange():
    """Model exchange: the states join those of the model, so that the motion is that of one piece, by any method and version."""
    for version in ("2", "3"):
        for part in ("controller", "plant"):
            run("export", "fmu", part + ".yaml", "--fmi", version, "--type", "cs,me", "-o", part + ".fmu")
            with open(f"with_{part}.yaml", encoding="utf-8") as file:
                text = re.sub(r"every: H, |, hold: \w+", "", file.read())
            for isolate in ("true", "false"):
                with open("exchanged.yaml", "w", encoding="utf-8") as file:
                    file.write(re.sub(r"isolate: \w+", f"type: model-exchange, isolate: {isolate}", text))
                far = distance(table("exchanged.yaml", "--trust"), whole)
                assert far < 1e-9, (version, part, isolate, far)
    for method in ("radau, rtol: 1e-10", "generalized-alpha, step: 1e-3"):
        with open("exchanged.yaml", encoding="utf-8") as file:
            text = file.read()
        with open("other.yaml", "w", encoding="utf-8") as file:
            file.write(re.sub("method: dopri5, rtol: 1e-11, atol: 1e-13", "method: " + method, text))
        far = distance(table("other.yaml", "--trust"), whole)
        assert far < (1e-7 if "radau" in method else 1e-3), (method, far)


def check_events():
    """Events of the FMU happen within the steps: jumps at times that it names, rates by a sign; what fails is told."""
    make_decay()
    name = write("with_decay.yaml")
    one = table(write("whole_decay.yaml"))
    far = distance(table(name, "--trust"), one)
    assert far < 1e-8, far
    place = "with_decay.yaml:10:3: "
    refused(name, "the valve is stuck", "--set", "mode=1", code=1)
    refused(name, place, "--set", "mode=1", code=1)
    refused(name, "ended by signal 6", "--set", "mode=2", code=1)
    rows = table(name, "--trust", "--set", "mode=3")
    assert abs(rows[-1][0] - 0.25) < 1e-9, rows[-1]
    make_decay("false")
    refused(name, "cannot give its state as bytes", "--checkpoint", "1e-9", code=2)
    refused(name, "what was before its last event", code=1)
    refused(name, "runs where it is trusted alone", code=2, command=("run",))
    with open(name, encoding="utf-8") as file:
        text = file.read()
    for new, words in (("every: 1e-3, inputs", "'every' is of co-simulation"), ("type: co-simulation, inputs", "is not for co-simulation"),
                       ("outputs: {mode: y}, inputs", "needs another name")):
        with open("bad.yaml", "w", encoding="utf-8") as file:
            file.write(text.replace("inputs", new, 1))
        refused("bad.yaml", words)


def check_exchange_checkpoint():
    """A ball that bounces inside an FMU: killed and gone on, the rows of a run that was not; its bounces are those of the model."""
    with open(os.path.join(folder, "../models/ball.yaml"), encoding="utf-8") as file:
        text = re.sub(r"until: \w+, method: dopri5, rtol: 1e-11, atol: 1e-13", "until: 1, method: dopri5, rtol: 1e-10", file.read())
    with open("ball.yaml", "w", encoding="utf-8") as file:
        file.write(text)
    run("export", "fmu", "ball.yaml", "--type", "me", "-o", "ball.fmu")
    with open("thrown.yaml", "w", encoding="utf-8") as file:
        file.write("""flexion: 1
fmus:
  ball: {file: ball.fmu, inputs: {push: 0.3}, outputs: {x: ball.position.x, y: ball.position.y, vy: ball.velocity.y}, isolate: false}
equations: {first_order: {path: {at: 0, derivative: ball.x}}}
simulate: {until: 1, method: dopri5, rtol: 1e-10, atol: 1e-12}
outputs: {every: 0.05, signals: [ball.x, ball.y, ball.vy]}
""")
    inside, alone = table("thrown.yaml", "--trust"), table("ball.yaml")
    assert max(abs(a[2] - b[2]) + abs(a[3] - b[4]) for a, b in zip(inside, alone)) < 1e-8
    arguments = ["thrown.yaml", "--until", "2.5", "--trust", "--quiet"]
    run("run", *arguments, "-o", "once.h5", "--csv", "once.csv")
    work = subprocess.Popen([flexion, "run", *arguments, "-o", "cut2.h5", "--checkpoint", "0.02"])
    while work.poll() is None and not os.path.exists("cut2.h5.checkpoint"):
        time.sleep(0.005)
    work.send_signal(signal.SIGKILL)
    if work.wait() == 0:
        return  # it was over before it could be cut off
    run("run", "--resume", "cut2.h5", "--trust", "--quiet", "--csv", "cut.csv")
    with open("once.csv", encoding="utf-8") as a, open("cut.csv", encoding="utf-8") as b:
        assert a.read() == b.read()


def check_messages():
    """What is wrong in the block."""
    with open("with_tiny.yaml", encoding="utf-8") as file:
        text = file.read()
    make_tiny("win64", "other.fmu")
    for old, new, words in (
            ("tiny.fmu", "teeny.fmu", "teeny.fmu"),
            ("tiny.fmu", "other.fmu", "no library for this machine"),
            ("{u: rail", "{v: rail", "has no input 'v'"),
            ("gain: -k", "gian: -k", "has no parameter 'gian'; did you mean 'gain'?"),
            ("every: H, ", "", "give `every`"),
            ("hold: linear", "outputs: {y: z}", "has no output 'z'"),
            ("hold: linear", "start: {gain: 1}", "has no variable 'gain'"),
            ("spring.y}", "spring.x}", "x"),
            ("hold: linear", "hold: cubic", "cubic"),
            ("simulate:", "equations: {second_order: {z: {at: 1, mass: 1, force: -100*z}}}\nreduce: {type: cutoff, raise_inertia: z, factor: 2}\nsimulate:", "FMUs is not reduced")):
        assert old in text, old
        with open("bad.yaml", "w", encoding="utf-8") as file:
            file.write(text.replace(old, new, 1))
        refused("bad.yaml", words)
    run("export", "fmu", "with_tiny.yaml", "-o", "nested.fmu", code=2)


def check_loops():
    """Outputs that follow inputs at once, round a loop y1 = y2/2 + x1, y2 = y1/2 + x2: what is right is found, what is not is told."""
    with open("half.yaml", "w", encoding="utf-8") as file:
        file.write("""flexion: 1
parameters: {a: 1, x0: 1}
inputs: {u: 0}
equations: {first_order: {x: {at: x0, derivative: -a*x}}}
signals: {y: 0.5*u + x}
simulate: {until: 1, method: dopri5, rtol: 1e-10}
outputs: {signals: [y]}
""")
    run("export", "fmu", "half.yaml", "--type", "cs,me", "-o", "half.fmu")
    pair = """flexion: 1
fmus:
  p: {file: half.fmu, inputs: {u: q.y}, HOW}
  q: {file: half.fmu, inputs: {u: p.y}, parameters: {a: 2, x0: 3}, HOW}
equations: {first_order: {z: {at: 0, derivative: p.y}}}
simulate: {until: 1, method: dopri5, rtol: 1e-10}
outputs: {every: 1, signals: [p.y, q.y, z]}
"""

    def model(how):
        with open("pair.yaml", "w", encoding="utf-8") as file:
            file.write(pair.replace("HOW", how))

    known = (math.exp(-1) + 1.5 * math.exp(-2)) / 0.75
    for h in (0.002, 0.001):
        model(f"every: {h}")
        assert abs(table("pair.yaml", "--trust")[-1][1] - known) < 4 * h
    assert "by ever more" not in run("run", "pair.yaml", "--trust")
    model("every: 0.001, hold: linear")
    text = run("run", "pair.yaml", "--trust")
    assert text.count("by ever more") == 2, text  # once for each
    model("type: model-exchange")
    refused("pair.yaml", "an algebraic loop: p.input_1 -> q.y -> q.input_1 -> p.y")


with tempfile.TemporaryDirectory() as work:
    folder, flexion = os.path.abspath(folder), os.path.abspath(flexion)
    os.chdir(work)
    for one in ("controller", "plant"):
        write(one + ".yaml")
        run("export", "fmu", one + ".yaml", "-o", one + ".fmu")
    whole = table(write("whole.yaml"))
    check_loops()
    check_orders("with_controller.yaml")
    check_orders("with_plant.yaml")
    for part in ("controller", "plant"):  # FMI 3 has no slopes of inputs
        run("export", "fmu", f"{part}.yaml", "--fmi", "3", "-o", f"{part}.fmu")
        check_orders(f"with_{part}.yaml")
        run("export", "fmu", f"{part}.yaml", "-o", f"{part}.fmu")
    check_processes()
    check_checkpoint()
    check_tiny()
    check_messages()
    check_exchange()
    check_events()
    check_exchange_checkpoint()
