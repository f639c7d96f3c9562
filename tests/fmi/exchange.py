#!/usr/bin/env python3
"""A master of model exchange, FMI 2.0 and 3.0, written against the text of the standard alone: it integrates the states by
Runge-Kutta's method, finds events by the signs of the indicators, and gets what `flexion run` gets.

    exchange.py FLEXION MODELS
"""
import csv
import ctypes as C
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml
import zipfile

flexion, models = sys.argv[1:3]
VR, D, N = C.c_uint32, C.c_double, C.c_size_t
LOG2 = C.CFUNCTYPE(None, C.c_void_p, C.c_char_p, C.c_int, C.c_char_p, C.c_char_p, C.c_char_p)
LOG3 = C.CFUNCTYPE(None, C.c_void_p, C.c_int, C.c_char_p, C.c_char_p)
said = []


class Callbacks(C.Structure):
    _fields_ = [("log", LOG2), ("allocate", C.c_void_p), ("free", C.c_void_p), ("finished", C.c_void_p),
                ("environment", C.c_void_p)]


class EventInfo(C.Structure):
    _fields_ = [(name, C.c_int) for name in ("again", "ends", "nominals", "values", "timed")] + [("next", D)]


class Unit:
    """An instance of an unpacked FMU for model exchange."""

    def __init__(self, folder, version):
        root = xml.parse(os.path.join(folder, "modelDescription.xml")).getroot()
        kind = root.find("ModelExchange")
        place = "linux64" if version == 2 else "x86_64-linux"
        self.version = version
        self.library = C.CDLL(os.path.join(folder, "binaries", place, kind.get("modelIdentifier") + ".so"))
        self.references = {v.get("name"): int(v.get("valueReference")) for v in root.find("ModelVariables")}
        structure = root.find("ModelStructure")
        make = self.function("Instantiate" if version == 2 else "InstantiateModelExchange", C.c_void_p)
        if version == 2:
            self.nx = len(structure.find("Derivatives"))
            self.ni = int(root.get("numberOfEventIndicators"))
            self.calls = Callbacks(log=LOG2(lambda e, n, s, c, m, text: said.append(text)))
            self.c = make(b"one", 0, root.get("guid").encode(), b"file://" + folder.encode() + b"/resources",
                          C.byref(self.calls), 0, 0)
        else:
            self.nx = len(structure.findall("ContinuousStateDerivative"))
            self.ni = len(structure.findall("EventIndicator"))
            self.log = LOG3(lambda e, s, c, text: said.append(text))
            self.c = make(b"one", root.get("instantiationToken").encode(), (folder + "/resources/").encode(),
                          C.c_bool(False), C.c_bool(False), None, self.log)
        assert self.c, said
        self.c = C.c_void_p(self.c)
        if version == 2:
            self.call("SetupExperiment", 0, D(0), D(0), 0, D(0))
            self.call("EnterInitializationMode")
        else:
            self.call("EnterInitializationMode", C.c_bool(False), D(0), D(0), C.c_bool(False), D(0))
        self.call("ExitInitializationMode")

    def function(self, name, result=C.c_int):
        f = getattr(self.library, f"fmi{self.version}{name}")
        f.restype = result
        return f

    def call(self, name, *arguments):
        status = self.function(name)(self.c, *arguments)
        assert status == 0, (name, status, said)

    def vector(self, name, n):
        out = (D * n)()
        self.call(name, out, N(n))
        return list(out)

    def states(self):
        return self.vector("GetContinuousStates", self.nx)

    def indicators(self):
        return self.vector("GetEventIndicators", self.ni)

    def place(self, t, z):
        self.call("SetTime", D(t))
        self.call("SetContinuousStates", (D * self.nx)(*z), N(self.nx))

    def rate(self, t, z):
        self.place(t, z)
        return self.vector("GetDerivatives" if self.version == 2 else "GetContinuousStateDerivatives", self.nx)

    def get(self, name, n=1):
        out, vr = (D * n)(), VR(self.references[name])
        if self.version == 2:
            self.call("GetReal", C.byref(vr), N(1), out)
        else:
            self.call("GetFloat64", C.byref(vr), N(1), out, N(n))
        return list(out)

    def derive(self, unknown, known, seed):
        """How the unknowns, by their names, change along the seed of the knowns."""
        refer = lambda names: (VR * len(names))(*[self.references[n] for n in names])
        out = (D * len(unknown))()
        if self.version == 2:
            self.call("GetDirectionalDerivative", refer(unknown), N(len(unknown)), refer(known), N(len(known)), (D * len(seed))(*seed), out)
        else:
            self.call("GetDirectionalDerivative", refer(unknown), N(len(unknown)), refer(known), N(len(known)), (D * len(seed))(*seed),
                      N(len(seed)), out, N(len(unknown)))
        return list(out)

    def event(self):
        """The next time at which something is known to happen."""
        if self.version == 2:
            info = EventInfo()
            self.call("NewDiscreteStates", C.byref(info))
            assert not info.again
            assert not info.ends
            return info.next if info.timed else 1e300
        flags, after = [C.c_bool() for _ in range(5)], D()
        self.call("UpdateDiscreteStates", *[C.byref(f) for f in flags], C.byref(after))
        assert not flags[0].value
        assert not flags[1].value
        return after.value if flags[4].value else 1e300

    def accept(self):
        kind = C.c_int if self.version == 2 else C.c_bool
        event, ends = kind(), kind()
        self.call("CompletedIntegratorStep", kind(1), C.byref(event), C.byref(ends))
        return bool(event.value)

    def free(self):
        self.function("FreeInstance", None)(self.c)


def step(u, t, z, h):
    """Runge and Kutta's, of order 4."""
    move = lambda k, by: [a + by * b for a, b in zip(z, k)]
    k1 = u.rate(t, z)
    k2 = u.rate(t + h / 2, move(k1, h / 2))
    k3 = u.rate(t + h / 2, move(k2, h / 2))
    k4 = u.rate(t + h, move(k3, h))
    return [a + h / 6 * (p + 2 * q + 2 * r + s) for a, p, q, r, s in zip(z, k1, k2, k3, k4)]


def simulate(u, until, every, h, outputs):
    """Rows of outputs; number of events, and of steps whose end asked for one."""
    rows, events, backs, t = [], 0, 0, 0.0
    due = u.event()
    u.call("EnterContinuousTimeMode")
    z = u.states()
    look = lambda: [x for name, n in outputs for x in u.get(name, n)]
    rows.append(look())
    for k in range(1, round(until / every) + 1):
        end = k * every
        while t < end - 1e-13:
            length = min(h, end - t, due - t)
            there = step(u, t, z, length)
            u.place(t + length, there)
            if any(x <= 0 for x in u.indicators()):
                low, high = 0.0, length
                for _ in range(60):
                    middle = 0.5 * (low + high)
                    u.place(t + middle, step(u, t, z, middle))
                    if any(x <= 0 for x in u.indicators()):
                        high = middle
                    else:
                        low = middle
                there = step(u, t, z, high)
                t += high
                u.place(t, there)
                u.accept()
                u.call("EnterEventMode")
                due = u.event()
                u.call("EnterContinuousTimeMode")
                z = u.states()
                events += 1
            else:
                t, z = t + length, there
                back = u.accept()  # states that have left a loop are led back to it
                backs += back
                if back or t >= due - 1e-15:
                    t = due if t >= due - 1e-15 else t
                    u.call("SetTime", D(t))
                    u.call("EnterEventMode")
                    due = u.event()
                    u.call("EnterContinuousTimeMode")
                    z = u.states()
                    assert due > t
        u.place(t, z)
        rows.append(look())
    return rows, events, backs


def check_states(u):
    """A saved state comes back whole, wherever the instance is by then."""
    word = "FMUstate" if u.version == 2 else "FMUState"
    state, z, t = C.c_void_p(), u.states(), u.get("time")
    rate = u.rate(t[0], z)
    u.call("Get" + word, C.byref(state))
    u.place(t[0] + 0.1, [x + 0.5 for x in z])
    assert u.get("time") != t and u.states() != z
    u.call("Set" + word, state)
    assert u.states() == z and u.get("time") == t and u.rate(t[0], z) == rate
    u.call("Free" + word, C.byref(state))


def check_derivatives(u, inputs):
    """Derivatives of all rates along states and inputs are the differences of the rates; nothing is moved by asking."""
    z, t = u.states(), u.get("time")[0]
    states = [name for name in u.references if name.startswith("state.")]
    rates = [f"der({name})" for name in states]
    assert len(states) == u.nx and all(name in u.references for name in rates)
    seed = [0.3 + 0.1 * k for k in range(u.nx)]
    apart = lambda h: [x + h * s for x, s in zip(z, seed)]
    wanted = [(a - b) / 2e-5 for a, b in zip(u.rate(t, apart(1e-5)), u.rate(t, apart(-1e-5)))]
    before = u.rate(t, z)
    found = u.derive(rates, states, seed)
    assert max(abs(a - b) / (1 + abs(b)) for a, b in zip(found, wanted)) < 1e-5, (found, wanted)
    assert u.states() == z and u.rate(t, z) == before
    for name in inputs:  # a force in the rates: it moves something, linearly
        one, two = (u.derive(rates, [name], [s]) for s in (1.0, 2.0))
        assert max(map(abs, one)) > 1e-3 and max(abs(2 * a - b) for a, b in zip(one, two)) < 1e-6 * max(map(abs, two))


def table(path, every):
    with open(path) as file:
        lines = [[float(x) for x in line] for line in list(csv.reader(file))[1:]]
    return [line[1:] for line in lines if abs(line[0] / every - round(line[0] / every)) < 1e-9]


CASES = [  # model, step, outputs of FMI 2, of FMI 3, events
    ("ball", 1e-2,
     [(f"ball.{what}.{k}", 1) for what in ("position", "velocity") for k in "xy"] + [("output.push", 1)],
     [("ball.position", 2), ("ball.velocity", 2), ("output.push", 1)], 2),
    ("cart", 2.5e-4,
     [(name, 1) for name in ("rail.displacement", "hinge.angle", "track(1).displacement", "output.wind", "cart.acceleration.x")],
     None, 0),
    ("loop", 2.5e-4, [(name, 1) for name in ("A.angle", "coupler.angle", "rocker.angle", "A.rate", "C.reaction.x", "C.reaction.y", "energy.total")],
     [("A.angle", 1), ("coupler.angle", 1), ("rocker.angle", 1), ("A.rate", 1), ("C.reaction", 2), ("energy.total", 1)], 0),
]


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for model, h, outputs2, outputs3, events in CASES:
            path = os.path.join(models, model + ".yaml")
            subprocess.run([flexion, "run", path, "--quiet", "-o", "run.h5", "--csv", "run.csv"], check=True, stdout=subprocess.DEVNULL)
            expected = table("run.csv", 0.05)
            for version in (2, 3):
                fmu, place = f"{model}{version}.fmu", os.path.join(folder, f"{model} {version}").replace(" ", "_")
                subprocess.run([flexion, "export", "fmu", path, "--fmi", str(version), "--type", "cs,me", "-o", fmu],
                               check=True, stdout=subprocess.DEVNULL)
                subprocess.run([flexion, "fmu", "check", fmu], check=True, stdout=subprocess.DEVNULL)
                with zipfile.ZipFile(fmu) as archive:
                    archive.extractall(place)
                unit = Unit(place, version)
                outputs = outputs3 if version == 3 and outputs3 else outputs2
                until = 1.0 if version == 2 else 0.9
                rows, happened, backs = simulate(unit, until, 0.05, h, outputs)
                worst = max(abs(a - b) for p, q in zip(rows, expected) for a, b in zip(p, q))
                assert worst < 1e-8, f"{model}, FMI {version}: off by {worst}"
                assert (backs > 100) == (model == "loop"), f"{model}: led back {backs} times"
                assert "energy.dissipated" not in unit.references  # a sum along steps that another makes
                assert happened == events, f"{model}: {happened} events"
                check_states(unit)
                check_derivatives(unit, {"cart": ["wind"], "loop": ["T"]}.get(model, []))
                unit.free()
        # what another program cannot integrate is refused by name
        gravel = subprocess.run([flexion, "export", "fmu", os.path.join(models, "../../models/box_of_gravel.yaml"), "--type", "me",
                                 "-o", "gravel.fmu"], capture_output=True, text=True)
        assert gravel.returncode == 2 and "co-simulation" in gravel.stderr, gravel


main()
