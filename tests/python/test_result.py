"""Results: columns without copies, tables, files, the page."""
import copy
import gc
import pickle
import signal
import threading
import time

import pytest

import flexion as fx

np = pytest.importorskip("numpy")


def test_columns_are_views_that_live(rod):
    res = rod.run()
    a = res["hinge.angle"]
    assert a.shape == (101,) and not a.flags.writeable and not a.flags.owndata
    first = a[0]
    del res
    gc.collect()
    assert a[0] == first == pytest.approx(0.1)
    assert rod.run()["rod.tip.position"].shape[1] == 2


def test_what_a_result_says(rod):
    res = rod.run()
    assert res.unit("hinge.rate") == "rad/s" and res.t[-1] == 1 and len(res) == 101
    assert res.ledger.energy_drift < 1e-7 and res.ledger.steps > 3 and res.ledger.balanced
    assert res.metrics["far"] == pytest.approx(max(res["rod.tip.position.x"]), abs=1e-3)
    assert res.complete and "hinge.angle" in res and "nothing" not in res
    with pytest.raises(fx.ArgumentError, match="hinge.angle"):
        res["hinge.angel"]


def test_events_are_listed(rod):
    rod.events["low"] = fx.Event(when="hinge.angle < -0.2", stop=True)
    res = rod.run()
    assert [name for _, name in res.events] == ["low"]
    assert res.t[-1] == pytest.approx(res.events[0][0], abs=1e-9) and res.t[-1] < 1


def test_tables(rod):
    pandas = pytest.importorskip("pandas")
    res = rod.run()
    frame = res.to_pandas()
    assert isinstance(frame, pandas.DataFrame) and frame.index.name == "t"
    assert frame.attrs["units"]["hinge.rate"] == "rad/s" and (frame["energy.total"] == res["energy.total"]).all()
    pytest.importorskip("xarray")
    data = res.to_xarray()
    assert data["hinge.rate"].attrs["units"] == "rad/s" and (data["energy.total"] == res["energy.total"]).all()


def test_saved_and_opened(rod, tmp_path):
    res = rod.run()
    res.save(tmp_path / "rod.h5")
    res.save(tmp_path / "rod.csv")
    for name in ("rod.h5", "rod.csv"):
        again = fx.open(tmp_path / name)
        assert again.names == res.names and (again["energy"] == res["energy"]).all()
    again = fx.open(tmp_path / "rod.h5")
    assert again.metrics == res.metrics and again.ledger.steps == res.ledger.steps
    again.save(tmp_path / "rod.h5")  # onto itself: it stays
    again.save(tmp_path / "copy.h5")
    assert len(fx.open(tmp_path / "copy.h5")) == len(res)
    with pytest.raises(ValueError):
        res.save(tmp_path / "rod.txt")


def test_plots(rod, tmp_path):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    axes = rod.run().plot("hinge.angle", "hinge.rate")
    assert len(axes) == 2 and axes[0].get_ylabel() == "[rad]"
    axes[0].figure.savefig(tmp_path / "plot.png")


def test_the_page_is_in_a_notebook(rod):
    a, b = rod.run(until=0.1), rod.run(until=0.1, parameters={"L": 1})
    text = a._repr_html_()
    assert text.startswith("<iframe srcdoc=") and "http-equiv" not in text and len(text) > 100000
    both = fx.view(a, b, labels=["long", "short"], height=300)._repr_html_()
    assert "height:300px" in both and "short" in both


def test_a_failed_run_has_what_was_computed(rod):
    rod.forces["bad"] = fx.Torque(on="hinge", value="sqrt(0.5 - t)")
    with pytest.raises(fx.ComputationError) as e:
        rod.run()
    assert 0.4 < e.value.time <= 0.51 and len(e.value.result) > 10 and not e.value.result.complete
    assert e.value.result["hinge.angle"][0] == pytest.approx(0.1)


def test_an_interrupt_keeps_what_was_computed(rod):
    threading.Timer(0.3, lambda: signal.raise_signal(signal.SIGINT)).start()
    begin = time.time()
    with pytest.raises(KeyboardInterrupt) as e:
        rod.run(until=1e6, method="dop853", rtol=1e-12)
    assert isinstance(e.value, fx.Interrupted) and time.time() - begin < 3
    assert len(e.value.result) > 10 and e.value.time > 0


def test_progress_is_told_and_its_exception_comes_back(rod):
    seen = []

    def stop(t, until):
        seen.append((t, until))
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        rod.run(until=1e6, progress=stop)
    assert seen[0][1] == 1e6


def test_two_threads_run_at_once(rod):
    alone = rod.run(until=2)["energy"]
    out = [None, None]

    def work(i):
        for _ in range(3):
            out[i] = rod.run(until=2)["energy"]

    threads = [threading.Thread(target=work, args=(i,)) for i in range(2)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert (out[0] == alone).all() and (out[1] == alone).all()


def test_results_go_to_other_processes(rod, tmp_path):
    res = rod.run()
    res.save(tmp_path / "r.h5")
    res.save(tmp_path / "r.csv")
    for one in (res, fx.open(tmp_path / "r.h5"), fx.open(tmp_path / "r.csv")):
        again = pickle.loads(pickle.dumps(one))
        assert np.array_equal(again["hinge.angle"], res["hinge.angle"]) and again.t[-1] == res.t[-1]
    assert pickle.loads(pickle.dumps(res)).ledger.steps == res.ledger.steps
    assert copy.deepcopy(res) is res
    with pytest.raises(ValueError, match="a table"):
        pickle.loads(pickle.dumps(fx.open(tmp_path / "r.csv"))).save(tmp_path / "s.h5")
