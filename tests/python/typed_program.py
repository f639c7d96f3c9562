"""A program that `mypy --strict` takes: the package exports its names, and its types say what is what."""
from __future__ import annotations
import numpy as np
import flexion as fx

def build(L: float) -> fx.Model:
    m = fx.Model(dimension=2, gravity=[0, -9.81], parameters={"L": L})
    m.bodies["rod"] = fx.Rigid(mass=0.8, com=["L/2", 0], inertia="0.8*L^2/12", points={"tip": ["L", 0]})
    m.joints["hinge"] = fx.Revolute(on=["ground", "rod"], at=[0, 0], initial={"angle": 0.1})
    m.inputs["T"] = 0.0
    m.forces["motor"] = fx.Torque(on="hinge", value="T")
    m.simulate = fx.Simulate(until=5)
    m.outputs = fx.Outputs(every=0.01, signals=["hinge.angle"])
    return m

def control(m: fx.Model) -> float:
    run = m.system().start()
    angle: int = run.signal("hinge.angle")
    while run.time < 1:
        run.input["T"] = -4 * run[angle]
        if not run.advance(run.time + 1e-2):
            print(run.stopped_by)
    saved: bytes = run.save()
    run.restore(saved)
    with run.edit() as x:
        x.q[0] = 0.3
    return run["hinge.angle"]

def results(m: fx.Model) -> None:
    res = m.run(until=1, method="radau", rtol=1e-8)
    a = res["hinge.angle"]
    print(float(a.max()), res.unit("hinge.angle"), res.ledger.energy_drift, res.metrics)
    lin = m.system().start().linearise(inputs=["T"], outputs=["hinge.angle"])
    print(lin.A.shape)
    t = fx.sweep(m, {"L": fx.grid(1, 2, 3)}, metrics={"x": "final(hinge.angle)"})
    print(t["x"], t.failed)
    f = m.find()
    try:
        m.run(method="nope")
    except fx.ModelError as e:
        for k in e.messages:
            print(k.text, k.file, k.line, k.column, k.path)
    except fx.ComputationError as e:
        print(e.time, e.item, e.result)

@fx.function(of=2)
def tyre(slip: float, load: float) -> float:
    return float(1.2 * load * np.tanh(8 * slip))


def again(path: str) -> float:
    res = fx.open(path)
    with_place: fx.Error | None = None
    try:
        fx.read("none.yaml")
    except fx.FileError as e:
        with_place = e
    found = fx.import_("arm.urdf", floating=True).find()
    many = build(1).system().ensemble({"L": fx.grid(1, 2, 3)}, outputs=["hinge.angle"], times=[0.5])
    slopes: fx.Gradient = build(1).gradient(["hinge.angle"], ["L"], times=[0.5], until=1)
    print(with_place, found, many["hinge.angle"], slopes["hinge.angle", "L"])
    return float(res.t[-1])


if __name__ == "__main__":
    results(build(1.2))
    print(control(build(1.0)), tyre)
