"""Analyses of a model, and robot files."""
import pytest

import flexion as fx

np = pytest.importorskip("numpy")


def test_equilibrium_and_modes(rod):
    rod.analyse["rest"] = fx.EquilibriumAnalysis()
    rod.analyse["swing"] = fx.ModesAnalysis(about="rest")
    found = rod.find()
    assert list(found) == ["rest", "swing"]
    assert np.cos(found["rest"].signals["hinge.angle"]) == pytest.approx(0, abs=1e-8)
    w = np.sqrt(9.81 * 0.6 / (1.2**2 / 3))
    assert abs(found["swing"].modes[0].im) == pytest.approx(w, rel=1e-8)
    assert found["swing"].modes[0].frequency == pytest.approx(w / (2 * np.pi), rel=1e-8)
    assert list(rod.find("rest")) == ["rest"]
    with pytest.raises(ValueError, match="none"):
        rod.find("none")


def test_tables_of_a_linear_model(rod):
    rod.analyse["plant"] = {"type": "linear", "inputs": ["T"], "outputs": ["hinge.angle"]}
    f = rod.find("plant")["plant"]
    assert f.tables and all(t.values.ndim == 2 for t in f.tables.values()) and "plant" in repr(f)
    table = next(t for t in f.tables.values() if t.columns)
    assert (table[table.columns[0]] == table.values[:, 0]).all()


def test_robot_files(examples):
    path = examples / "robots/arm.urdf"
    arm = fx.read(path)
    assert set(arm.joints) >= {"shoulder", "elbow", "grip", "follow"}
    run = arm.system().start()
    run.input["elbow_effort"] = 5
    assert run.advance(0.01)
    free = fx.import_(path, floating=True)
    assert "base" in free.bodies and "base" not in arm.bodies


def test_a_strict_reader_repairs_nothing(tmp_path):
    path = tmp_path / "dirty.urdf"
    path.write_text("<robot name='r'><link name='a'><inertial><mass value='1'/></inertial></link>\n"
                    "<joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint></robot>")
    with pytest.warns(fx.FlexionWarning, match="left out"):
        fx.import_(path, floating=True)
    with pytest.raises(fx.ModelError) as e:
        fx.import_(path, floating=True, strict=True)
    assert e.value.messages[0].line == 2
