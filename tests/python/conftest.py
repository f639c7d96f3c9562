"""The package in the build folder (FLX_PYTHON_PACKAGE), and the examples of this tree."""
import os
import pathlib
import sys

sys.path.insert(0, os.environ["FLX_PYTHON_PACKAGE"])
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture
def examples():
    return ROOT / "examples"


@pytest.fixture
def rod():
    """A rod on a hinge with a motor whose torque is an input."""
    import flexion as fx

    m = fx.Model(dimension=2, gravity=[0, -9.81], parameters={"L": 1.2})
    m.bodies["rod"] = fx.Rigid(mass=0.8, com=["L/2", 0], inertia="0.8*L^2/12", points={"tip": ["L", 0]})
    m.joints["hinge"] = fx.Revolute(on=["ground", "rod"], at=[0, 0], initial={"angle": 0.1})
    m.inputs["T"] = 0.0
    m.forces["motor"] = fx.Torque(on="hinge", value="T")
    m.simulate = fx.Simulate(until=1, method="dopri5", rtol=1e-9)
    m.outputs = fx.Outputs(every=0.01, signals=["hinge.angle", "hinge.rate", "rod.tip.position", "energy"],
                           metrics={"far": "maximum(rod.tip.position.x)"})
    return m
