"""Runs that a program steps: inputs, views, save and restore, linearisation, sweeps."""
import copy
import pickle
import threading

import pytest

import flexion as fx

np = pytest.importorskip("numpy")


def test_a_controller_in_the_loop(rod):
    run = rod.system().start()
    angle = run.signal("hinge.angle")
    while run.time < 0.5:
        run.input["T"] = -40 * run[angle]
        assert run.advance(run.time + 1e-2)
    assert run.time == pytest.approx(0.5, abs=1e-12)
    assert run["hinge.angle"] == run[angle]
    free = rod.system().start()
    free.advance(0.5)
    assert abs(run[angle]) < abs(free["hinge.angle"])


def test_advance_gives_what_run_gives(rod):
    res, run = rod.run(), rod.system().start()
    for t in res.t[1:]:
        run.advance(t)
    assert run["hinge.angle"] == pytest.approx(res["hinge.angle"][-1], abs=1e-7)
    assert run.outputs[0] == run[0] and run.finish() and run.steps > 3


def test_views_follow_and_cannot_be_written(rod):
    run = rod.system().start()
    q = run.q
    before = q.copy()
    run.advance(0.3)
    assert (q != before).any() and q.base is not None and not q.flags.writeable
    del run
    assert np.isfinite(q).all()  # the view keeps the run


def test_saved_restored_cloned_bit_for_bit(rod):
    for method in ("dopri5", "radau", "generalized-alpha"):
        system = rod.system(method=method, step=1e-3) if method == "generalized-alpha" else rod.system(method=method)
        run = system.start()
        run.advance(0.2)
        saved, twin = run.save(), run.clone()
        run.advance(0.7)
        end = run.q.copy()
        run.restore(saved)
        assert run.time == 0.2
        run.advance(0.7)
        twin.advance(0.7)
        assert (run.q == end).all() and (twin.q == end).all(), method
    with pytest.raises(fx.ArgumentError):
        run.restore(saved[:-3])
    with pytest.raises(fx.ArgumentError):
        rod.system(method="radau").start().restore(saved)


def test_the_state_is_edited(rod):
    run = rod.system().start()
    with run.edit() as x:
        x.q[0] = 0.3
    assert run["hinge.angle"] == pytest.approx(0.3) and x.report["residual_q"] < 1e-9
    with pytest.raises(ValueError):
        run._set_state([1, 2, 3, 4, 5], None, None)


def test_parameters_count_from_the_reset_on(rod):
    run = rod.system().start()
    run.parameter["L"] = 2
    assert run.parameter["L"] == 2
    run.reset()
    run.advance(1)
    other = rod.run(parameters={"L": 2})
    assert run["hinge.angle"] == pytest.approx(other["hinge.angle"][-1], abs=1e-7)
    assert all(p.tunable for p in rod.system(method="radau", rtol=1e-8).parameters)
    assert rod.system().start(parameters={"L": 2})["rod.tip.position.x"] == pytest.approx(2 * np.cos(0.1))


def test_linearised(rod):
    rod.joints["hinge"]["initial"] = {"angle": -np.pi / 2}
    run = rod.system().start()
    lin = run.linearise(inputs=["T"], outputs=["hinge.angle"])
    w2 = 9.81 * 0.6 / (1.2**2 / 3)
    assert lin.A.shape == (2, 2) and lin.B.shape == (2, 1) and lin.C.shape == (1, 2)
    assert np.sort(np.linalg.eigvals(lin.A).imag) == pytest.approx([-np.sqrt(w2), np.sqrt(w2)])
    transfer = lin.C @ np.linalg.solve(-lin.A, lin.B) + lin.D  # static
    assert transfer[0, 0] == pytest.approx(1 / (0.8 * 9.81 * 0.6))
    assert len(lin.names) == 2 and lin.inputs == ["T"]


def test_events_stop_and_call_back(rod):
    rod.events["low"] = fx.Event(when="hinge.angle < -0.2")
    seen = []
    run = rod.system().start(event=lambda t, name: seen.append((t, name)) or True)
    assert run.advance(0.1) and not run.advance(1)
    assert seen[0][1] == "low" and run.time == pytest.approx(seen[0][0])

    def wrong(t, name):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        rod.system().start(event=wrong).advance(1)


def test_names_that_are_not_there(rod):
    run = rod.system().start()
    with pytest.raises(fx.ArgumentError, match="hinge.angle"):
        run["hinge.angel"]
    with pytest.raises(fx.ArgumentError):
        run.input["F"] = 2
    with pytest.raises(IndexError):
        run[1000]
    with pytest.raises(IndexError):
        run[-1]


def test_a_run_serves_one_thread_at_a_time(rod):
    errors = []
    run = rod.system(method="dop853", rtol=1e-12).start()
    started = threading.Event()

    def slow():
        started.set()
        run.advance(30)

    t = threading.Thread(target=slow)
    t.start()
    started.wait()
    while t.is_alive():
        try:
            run.input["T"] = 0.0
        except RuntimeError as e:
            errors.append(str(e))
            break
    t.join()
    assert not errors or "in use" in errors[0]


@pytest.mark.parametrize("workers", [1, 2])
def test_sweep(rod, workers):
    lengths = fx.grid(1, 2, 5)
    table = fx.sweep(rod, {"L": lengths}, metrics={"low": "minimum(hinge.angle)"}, workers=workers)
    assert table.names == ["L", "far", "low"] and len(table) == 5 and not table.failed
    for L, far in zip(table["L"], table["far"]):
        assert far == pytest.approx(rod.run(parameters={"L": L}).metrics["far"], rel=1e-8)
    rod.forces["bad"] = fx.Torque(on="hinge", value="sqrt(1.6 - L)")
    bad = fx.sweep(rod, {"L": lengths}, workers=workers)
    assert sorted(bad.failed) == [3, 4] and np.isnan(bad["far"][4]) and bad["far"][0] > 0
    assert fx.grid(1, 100, 3, log=True) == pytest.approx([1, 10, 100])


def test_many_objects_are_given_back(rod):
    import gc
    import resource

    system = rod.system()
    def work(n):
        for _ in range(n):
            run = system.start()
            run.advance(0.01)
            run.input["T"] = 1
            run.clone().q
            rod.run(until=0.02)["energy"]
    work(10)
    gc.collect()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    work(20)
    gc.collect()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 4000  # kB


def test_an_ensemble_is_runs_one_by_one(rod):
    system = rod.system()
    lengths = fx.grid(1, 2, 6)
    one = system.ensemble({"L": lengths}, inputs={"T": [0.1 * i for i in range(6)]}, until=0.4, threads=1)
    two = system.ensemble({"L": lengths}, inputs={"T": [0.1 * i for i in range(6)]}, until=0.4, threads=2)
    for i, length in enumerate(lengths):
        run = system.start(until=0.4)
        run.set_parameter(system.parameter("L"), length)
        run.input["T"] = 0.1 * i
        run.reset()
        run.finish()
        assert run["hinge.angle"] == one["hinge.angle"][i] == two["hinge.angle"][i]
    assert len(one) == 6 and not one.failed and not one.stopped and "hinge.angle" in one.names


def test_an_ensemble_at_times_and_its_failures(rod):
    system = rod.system()
    many = system.ensemble({"L": [1.0, float("nan"), 1.5]}, outputs=["hinge.angle"], times=[0.1, 0.2])
    assert many["hinge.angle"].shape == (3, 2) and list(many.failed) == [1] and many.failed[1]
    assert np.isnan(many["hinge.angle"][1]).all() and np.isfinite(many["hinge.angle"][[0, 2]]).all()
    with pytest.raises(ValueError, match="equally many"):
        system.ensemble({"L": [1.0]}, runs=2)

    def stop(done: float, runs: float) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        system.ensemble({"L": [1.0] * 50}, threads=2, progress=stop)


def test_runs_are_copied_and_stay_in_their_process(rod):
    run = rod.system().start()
    run.advance(0.1)
    twin = copy.copy(run)
    assert twin.advance(0.2) and run.time == 0.1
    for one, text in ((run, "save"), (rod.system(), "pickle the Model")):
        with pytest.raises(TypeError, match=text):
            pickle.dumps(one)
