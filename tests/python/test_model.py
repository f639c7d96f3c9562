"""Models: read, made, changed, written; what is wrong has its place."""
import copy
import os
import warnings

import pytest

import flexion as fx


def test_a_run_that_cannot_begin_says_why(examples, tmp_path, monkeypatch):
    import subprocess

    if not os.environ.get("FLX_PROGRAM"):
        pytest.skip("no program")
    monkeypatch.chdir(tmp_path)
    done = subprocess.run([os.environ["FLX_PROGRAM"], "export", "fmu", str(examples / "fmu/regulator.yaml"), "-o", "regulator.fmu"],
                          capture_output=True, text=True)
    if done.returncode != 0:
        pytest.skip("FMUs cannot be exported")
    (tmp_path / "held.yaml").write_text((examples / "fmu/held_pendulum.yaml").read_text())
    with pytest.raises(fx.Unavailable, match="runs where it is trusted alone") as e:
        fx.read("held.yaml").run(until=0.1)
    assert e.value.messages[0].line > 0


def test_a_file_is_read_with_other_parameters(examples):
    m = fx.read(examples / "slider_crank.yaml", r=0.1)
    assert m.parameters["r"] == 0.1
    assert m.bodies["crank"]["type"] == "rigid"
    short, long = m.run(until=0.1), fx.read(examples / "slider_crank.yaml").run(until=0.1)
    assert max(abs(short["crank.rate"] - long["crank.rate"])) > 1e-3


def test_a_model_that_is_looked_at_runs_as_one_that_is_not(examples):
    a, b = fx.read(examples / "slider_crank.yaml"), fx.read(examples / "slider_crank.yaml")
    assert len(b.joints) > 2
    assert (a.run(until=0.2)["crank.rate"] == b.run(until=0.2)["crank.rate"]).all()
    b.title = "another one"  # now it goes as a dictionary, and gives the same numbers
    assert (a.run(until=0.2)["crank.rate"] == b.run(until=0.2)["crank.rate"]).all()


@pytest.mark.parametrize("name", ["slider_crank", "pendulum", "double_pendulum", "bouncing_ball", "speed_control", "gyroscope"])
def test_examples_go_through_dictionaries(examples, name):
    path = examples / f"{name}.yaml"
    if not path.exists():
        pytest.skip("no such example")
    a = fx.read(path)
    b = fx.Model.from_dict(a.to_dict(), path)
    c = fx.Model.from_text(b.to_yaml(), path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        x, y, z = a.run(), b.run(), c.run()
    assert x.names == y.names == z.names
    for n in x.names:
        assert (x[n] == y[n]).all() and (x[n] == z[n]).all(), n


def test_a_model_is_made_of_classes_or_dictionaries(rod):
    plain = fx.Model.from_dict({
        "dimension": 2, "gravity": [0, -9.81], "parameters": {"L": 1.2},
        "bodies": {"rod": {"type": "rigid", "mass": 0.8, "com": ["L/2", 0], "inertia": "0.8*L^2/12", "points": {"tip": ["L", 0]}}},
        "joints": {"hinge": {"type": "revolute", "on": ["ground", "rod"], "at": [0, 0], "initial": {"angle": 0.1}}},
        "inputs": {"T": 0.0}, "forces": {"motor": {"type": "torque", "on": "hinge", "value": "T"}},
        "simulate": {"until": 1, "method": "dopri5", "rtol": 1e-9},
        "outputs": {"every": 0.01, "signals": ["hinge.angle"]}})
    assert rod.bodies["rod"] == plain.bodies["rod"]
    assert (plain.run()["hinge.angle"] == rod.run()["hinge.angle"]).all()


def test_items_are_dictionaries_with_attributes():
    rod = fx.Beam(from_=[0, 0, 0], to=[1, 0, 0], elements=3)
    assert rod["type"] == "beam" and rod["from"] == [0, 0, 0] and rod.from_ == [0, 0, 0]
    rod.elements = 4
    assert rod["elements"] == 4 and "Beam(" in repr(rod)
    del rod.elements
    assert "elements" not in rod
    with pytest.raises(AttributeError):
        rod.colour
    with pytest.raises(TypeError):
        fx.Rigid(weight=3)


def test_arrays_of_numpy_are_values(rod):
    import numpy as np

    rod.gravity = np.array([0, -9.81])
    rod.bodies["rod"]["mass"] = np.float64(0.8)
    rod.run(until=0.01)


def test_a_saved_model_is_read_back(rod, tmp_path):
    rod.save(tmp_path / "rod.yaml")
    again = fx.read(tmp_path / "rod.yaml")
    assert (again.run()["energy"] == rod.run()["energy"]).all()
    assert "hinge" in rod.to_yaml()


def test_a_wrong_file_has_line_and_caret(tmp_path):
    path = tmp_path / "wrong.yaml"
    path.write_text("flexion: 1\nbodies:\n  rod: {type: rigid, mas: 2}\nsimulate: {until: 1}\n")
    with pytest.raises(fx.ModelError) as e:
        fx.read(path)
    m = e.value.messages[0]
    assert (m.line, m.column) == (3, 22) and m.file == str(path) and "mas" in m.text
    assert str(e.value).splitlines()[1:3] == ["    3 |   rod: {type: rigid, mas: 2}", "      |                      ^"]
    with pytest.raises(fx.FileError):
        fx.read(tmp_path / "absent.yaml")
    with pytest.raises(OSError):
        fx.read(tmp_path / "absent.yaml")


def test_a_wrong_dictionary_has_a_path(rod):
    rod.bodies["rod"]["inertia"] = "L^"
    with pytest.raises(fx.ModelError) as e:
        rod.run()
    m = e.value.messages[0]
    assert m.path == "bodies.rod.inertia" and m.file is None and m.line == 0
    assert str(e.value).startswith("bodies.rod.inertia: ")
    rod.bodies["rod"] = {"type": "rigid", "mass": object()}
    with pytest.raises(TypeError):
        rod.run()


def test_unknown_keys_of_a_model_are_refused(rod):
    with pytest.raises(TypeError, match="body"):
        fx.Model(body={})
    with pytest.raises(AttributeError):
        rod.boddies = {}
    with pytest.raises(AttributeError):
        rod.boddies


def test_warnings_have_the_place_of_the_caller(rod):
    rod.joints["again"] = fx.Revolute(on=["ground", "rod"], at=[0, 0])  # reactions are not unique
    rod.outputs["signals"].append("hinge.reaction")
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        rod.run(until=0.01, method="radau")
    told = [w for w in told if isinstance(w.message, fx.FlexionWarning)]
    assert told and all(w.filename == __file__ for w in told)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(fx.FlexionWarning):
            rod.run(until=0.01, method="radau")


def test_keys_of_another_method_are_left_out(examples):
    m = fx.read(examples / "slider_crank.yaml")  # generalized-alpha with a fixed step
    assert m.run(until=0.01, method="radau", rtol=1e-8).method == "radau"
    assert m.run(until=0.01, step=1e-3).ledger.steps == 10


def test_copies_are_their_own(rod):
    other = copy.deepcopy(rod)
    other.parameters["L"] = 2
    assert rod.parameters["L"] == 1.2


def test_a_model_shows_its_tree(rod):
    text = rod._repr_html_()
    assert "<b>rod</b> by hinge" in text and "1 degrees of freedom" in text
    assert "1 bodies" in repr(rod)


def test_a_number_that_is_none_has_its_place():
    m = fx.Model(dimension=2)
    m.bodies["a"] = fx.Rigid(mass=1, inertia=1, com=[0, float("nan")])
    with pytest.raises(fx.ModelError, match="nan is no number") as e:
        m.check()
    assert e.value.messages[0].path == "bodies.a.com[1]"


def test_a_parameter_that_is_no_number_has_its_name(examples):
    for wrong in (float("nan"), float("inf")):
        with pytest.raises(fx.ModelError, match="is no number") as e:
            fx.read(examples / "pendulum.yaml", L=wrong).run(until=0.1)
        assert e.value.messages[0].path == "L"
        with pytest.raises(fx.ModelError, match="is no number"):
            fx.read(examples / "pendulum.yaml").run(until=0.1, parameters={"L": wrong})


def test_a_file_that_was_changed_has_paths(examples):
    """Its text has no lines any more."""
    m = fx.read(examples / "pendulum.yaml")
    del m.joints["hinge"]
    with pytest.raises(fx.ModelError) as e:
        m.run()
    assert {x.path for x in e.value.messages} >= {"outputs.signals[0]", "outputs.signals[3]"}
    assert all(x.file is None and x.line == 0 for x in e.value.messages)
    assert str(e.value).startswith("outputs.signals[0]: unknown name 'hinge'")


def test_arrays_of_numpy_change_a_file(examples):
    numpy = pytest.importorskip("numpy")
    m = fx.read(examples / "pendulum.yaml")
    for length in (1.2, 1.4):  # as it was, and another one
        m.gravity = numpy.array([0, -9.81])
        m.bodies["rod"]["com"] = numpy.array([length / 2, 0])
        m.bodies["rod"]["points"]["tip"] = numpy.array([length, 0])
        assert m.run(until=0.1)["rod.tip.position"][0, 0] == length
