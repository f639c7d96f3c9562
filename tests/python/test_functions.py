"""External functions of models that are functions of Python."""
import math
import threading

import pytest

import flexion as fx


def pendulum(law):
    m = fx.Model(dimension=2, gravity=[0, -9.81], parameters={"k": 3.0})
    m.bodies["rod"] = fx.Rigid(mass=1, com=[0.5, 0], inertia=0.1)
    m.joints["hinge"] = fx.Revolute(on=["ground", "rod"], at=[0, 0])
    m.functions["law"] = law
    m.forces["spring"] = fx.Torque(on="hinge", value="-k*law(hinge.angle, hinge.rate)")
    m.simulate = {"until": 0.5, "method": "radau", "step": 0.01}
    m.outputs = {"every": 0.1, "signals": ["hinge.angle", "hinge.rate"]}
    return m


FORMULA = {"of": ["x", "v"], "value": "sinh(x) + 0.2*v^3"}


@fx.function(of=2)
def slopes(x, v):
    return math.sinh(x) + 0.2 * v**3, [math.cosh(x), 0.6 * v * v]


@fx.function
def plain(x, v):
    return math.sinh(x) + 0.2 * v**3


def test_as_a_formula():
    want = pendulum(FORMULA).run()["hinge.angle"]
    assert pendulum(slopes).run()["hinge.angle"] == pytest.approx(want, abs=1e-9)
    with pytest.warns(fx.FlexionWarning, match="derivatives of the external function 'law' are differences"):
        assert pendulum(plain).run()["hinge.angle"] == pytest.approx(want, abs=1e-9)
    assert slopes(0.0, 1.0)[0] == 0.2 and plain.of == ["x", "v"]


def test_files_and_runs(tmp_path):
    path = tmp_path / "model.yaml"
    m = pendulum(slopes)
    m.save(path)
    assert "external: law" in path.read_text()
    with pytest.raises(fx.ModelError, match="'law' is not bound"):
        fx.read(path).run()
    run = fx.read(path, functions={"law": slopes}).system().start()
    del m  # what runs use lives as long as they do
    run.advance(0.5)
    assert run["hinge.angle"] == pytest.approx(pendulum(FORMULA).run()["hinge.angle"][-1], abs=1e-9)
    table = fx.sweep(fx.read(path, functions={"law": slopes}), {"k": [1, 2, 3]}, metrics={"a": "final(hinge.angle)"}, workers=2)
    assert len(set(table["a"])) == 3 and not table.failed


def test_exceptions_arrive():
    def bad(x, v):
        if x < -0.2:
            raise ZeroDivisionError("too far")
        return 0.0, [0.0, 0.0]

    with pytest.raises(ZeroDivisionError, match="too far"):
        pendulum(fx.ExternalFunction(bad)).run()
    run = pendulum(fx.ExternalFunction(bad)).system().start()
    with pytest.raises(ZeroDivisionError):
        run.advance(0.5)
    with pytest.raises(TypeError):
        pendulum(fx.ExternalFunction(lambda x: x, of=2)).check()
    with pytest.raises(fx.Error, match="has 'external: lau'; did you mean 'law'"):
        m = pendulum(slopes)
        m.bind("lau", slopes)
        m.check()


def test_two_threads():
    m = pendulum(slopes).system()
    want = m.start()
    want.advance(0.5)
    got = [None, None]

    def work(k):
        run = m.start()
        run.advance(0.5)
        got[k] = run["hinge.angle"]

    threads = [threading.Thread(target=work, args=(k,)) for k in range(2)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert got == [want["hinge.angle"]] * 2
    e = m.ensemble({"k": [3.0, 3.0, 4.0]}, until=0.5, threads=2)
    assert e is not None
