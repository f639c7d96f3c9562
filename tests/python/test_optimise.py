"""Derivatives of runs, fits and designs."""
import pytest

import flexion as fx

np = pytest.importorskip("numpy")


@pytest.fixture
def oscillator():
    """x = x0 cos(w t) with w^2 = k/m: slopes are known."""
    m = fx.Model(dimension=2, gravity=[0, 0], parameters={"k": 40.0, "m": 0.9, "x0": 0.2})
    m.bodies["block"] = fx.Rigid(mass="m", inertia=1)
    m.joints["rail"] = fx.Prismatic(on=["ground", "block"], at=[0, 0], axis=[1, 0], initial={"displacement": "x0"})
    m.forces["spring"] = fx.Spring(on="rail", stiffness="k")
    m.simulate = fx.Simulate(until=1, method="radau", rtol=1e-10)
    m.outputs = fx.Outputs(every=0.1, signals=["rail.displacement", "rail.rate"],
                           metrics={"end": "final(rail.displacement)", "least": "minimum(rail.displacement)"})
    return m


def exact(t, k=40.0, m=0.9, x0=0.2):
    w = np.sqrt(k / m)
    s = x0 * np.sin(w * t) * t * w / 2
    return x0 * np.cos(w * t), {"k": -s / k, "m": s / m, "x0": np.cos(w * t)}


@pytest.mark.parametrize("slopes", ["auto", "direct", "adjoint", "differences"])
def test_slopes_of_metrics(oscillator, slopes):
    g = oscillator.gradient(["end"], ["k", "m", "x0"], slopes=slopes)
    value, by = exact(1.0)
    assert g["end"] == pytest.approx(value, rel=1e-7)
    for name, slope in by.items():
        assert g["end", name] == pytest.approx(slope, rel=1e-5)
    assert g.slopes == ("direct" if slopes == "auto" else slopes) or slopes == "auto"
    assert (g.runs > 0) == (slopes == "differences") and g.jacobian.shape == (1, 3)
    assert (g.error > 0).any() == (slopes == "differences")


def test_slopes_of_outputs_at_times(oscillator):
    run = oscillator.system().start(parameters={"k": 50.0})
    times = [0.25, 0.5, 1.0]
    g = run.gradient(["rail.displacement", "end", "rail.rate"], ["x0", "k"], times=times)
    value, by = exact(np.array(times), k=50.0)
    assert run.time == pytest.approx(1)
    assert g["rail.displacement"] == pytest.approx(value, rel=1e-7)
    assert g["rail.displacement", "k"] == pytest.approx(by["k"], rel=1e-5)
    assert g["rail.displacement", "x0"] == pytest.approx(by["x0"], rel=1e-6)
    assert g["end", "k"] == pytest.approx(by["k"][2], rel=1e-5)
    assert g.value.shape == (7,) and "end" in repr(g)
    with pytest.raises(KeyError, match="end, rail.displacement"):
        g["rail.force"]
    with pytest.raises(KeyError, match="x0, k"):
        g["end", "m"]
    pytest.importorskip("pandas")
    assert g.to_pandas()["k"].iloc[0] == g["end", "k"]


def test_what_has_no_slope_is_refused(oscillator):
    with pytest.raises(ValueError, match="give the times"):
        oscillator.gradient(["rail.rate"], ["k"])
    with pytest.raises(ValueError, match="none is asked for"):
        oscillator.gradient(["end"], ["k"], times=[0.5])
    with pytest.raises(TypeError, match="lists"):
        oscillator.gradient("end", ["k"])
    with pytest.raises(ValueError, match="'forward'"):
        oscillator.gradient(["end"], ["k"], slopes="forward")
    with pytest.raises(fx.Unavailable):
        oscillator.gradient(["least"], ["k"], slopes="adjoint")  # extremes lie inside steps
    with pytest.raises(fx.Error):
        oscillator.gradient(["end"], ["nothing"])


def noisy(m, k, x0):
    """Measured values of the oscillator with an error that is known."""
    t = np.linspace(0, 1, 41)
    return t, exact(t, k=k, x0=x0)[0] + 1e-3 * np.cos(7 * np.arange(41.0) ** 2)


def test_a_fit_finds_what_made_the_data(oscillator):
    t, y = noisy(oscillator, 42.0, 0.25)
    seen = []
    fit = oscillator.fit({"k": (20, 80), "x0": (0.1, 0.5, 0.2)}, {"rail.displacement": (t, y)},
                         evaluated=lambda *of: seen.append(of))
    # the closed form has its optimum there too
    best = fit.values
    J = np.array([exact(t, k=best["k"], x0=best["x0"])[1][n] for n in ("k", "x0")]).T
    r = exact(t, k=best["k"], x0=best["x0"])[0] - y
    assert np.abs(J.T @ r / np.sqrt((J**2).sum(0)) / np.linalg.norm(r)).max() < 1e-3
    error = np.sqrt(np.diag(np.linalg.inv(J.T @ J)) * (r @ r) / (len(t) - 2))
    assert fit["k"].error == pytest.approx(error[0], rel=1e-3) and fit["x0"].error == pytest.approx(error[1], rel=1e-3)
    assert abs(best["k"] - 42) < 4 * error[0] and abs(best["x0"] - 0.25) < 4 * error[1]
    assert fit.sum == pytest.approx(r @ r, rel=1e-4) and fit.sum < 0.1 * fit.first_sum
    assert fit.converged and fit["k"].determined and len(seen) == fit.evaluations and fit.slopes == "direct"
    assert seen[0][1] == {"k": 40.0, "x0": 0.2} and seen[0][2] == fit.first_sum and seen[0][3] is None
    table = fit.tables[0]
    assert (table.t == t).all() and (table.measured == y).all() and table.signal == "rail.displacement"
    assert table.fitted - y == pytest.approx(r, abs=1e-7)
    again = oscillator.run(parameters=best)
    assert again["rail.displacement"][-1] == pytest.approx(table.fitted[-1], abs=1e-7)
    assert "+-" in repr(fit) and oscillator.optimise is None


def test_a_fit_names_what_the_data_do_not_tell(oscillator):
    t, y = noisy(oscillator, 42.0, 0.2)
    fit = oscillator.fit({"k": (20, 80), "m": (0.5, 2)}, {"rail.displacement": (t, y)})
    assert not fit["k"].determined and not fit["m"].determined and np.isnan(fit["k"].error)
    assert fit["k"].value / fit["m"].value == pytest.approx(42 / 0.9, rel=1e-2) and "not determined" in repr(fit)


def test_the_block_of_the_model_and_series(oscillator, examples, tmp_path):
    fit = fx.read(examples / "pendulum_fit.yaml").fit()
    assert fit["L"].value == pytest.approx(1.1988078, rel=1e-6) and fit["L"].error == pytest.approx(0.00121213, rel=1e-4)
    pandas = pytest.importorskip("pandas")
    t, y = noisy(oscillator, 42.0, 0.2)
    one = oscillator.fit({"k": (20, 80)}, {"rail.displacement": pandas.Series(y, index=t)})
    two = oscillator.fit({"k": (20, 80)}, [fx.Measured(signal="rail.displacement", points=[list(p) for p in zip(t, 1e3 * y)],
                                                       factor=1e-3)])
    assert one["k"].value == pytest.approx(two["k"].value, rel=1e-9)


def test_wrong_data_are_refused(oscillator):
    t, y = noisy(oscillator, 42.0, 0.2)
    bounds = {"k": (20, 80)}
    for data, text in (((t, y[1:]), "40 values"), ((t, np.where(t > 0.5, np.nan, y)), "NaN")):
        with pytest.raises(ValueError, match=text):
            oscillator.fit(bounds, {"rail.displacement": data})
    with pytest.raises(fx.ModelError, match="rail.nothing"):
        oscillator.fit(bounds, {"rail.nothing": (t, y)})
    with pytest.raises(fx.ModelError, match="ascend"):
        oscillator.fit(bounds, {"rail.displacement": (t[::-1], y)})
    with pytest.raises(fx.ModelError, match="'to' must be above"):
        oscillator.fit({"k": (80, 20)}, {"rail.displacement": (t, y)})
    with pytest.raises(fx.ModelError, match="no block 'optimise'"):
        oscillator.fit()
    with pytest.raises(TypeError, match="parameters and data"):
        oscillator.fit(bounds)
    with pytest.raises(ValueError, match="from, to"):
        oscillator.fit({"k": (1, 2, 3, 4)}, {"rail.displacement": (t, y)})
    two = fx.Measured(signal="rail.displacement", file="x.csv", points=[[0, 1], [1, 1]])
    with pytest.raises(fx.ModelError, match="both 'file' and 'points'"):
        oscillator.fit(bounds, [two])


def test_a_search_is_stopped_and_its_errors_reach_the_caller(oscillator):
    t, y = noisy(oscillator, 60.0, 0.2)
    data = {"rail.displacement": (t, y)}
    with pytest.raises(fx.Interrupted) as e:
        oscillator.fit({"k": (20, 80)}, data, evaluated=lambda number, *rest: number >= 2)
    assert 20 < e.value.result["k"].value < 80 and not e.value.result.converged
    with pytest.raises(fx.ComputationError, match="no optimum") as e:
        oscillator.fit({"k": (20, 80)}, data, iterations=1)
    assert e.value.result.iterations == 1

    def broken(*of):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        oscillator.fit({"k": (20, 80)}, data, evaluated=broken)
    for threads in (1, 2):
        with pytest.raises((KeyError, fx.Unavailable), match="mine|NLopt"):
            oscillator.design({"k": (20, 80)}, minimise="(k - 30)^2", evaluated=broken, threads=threads)


def test_a_law_of_ones_own_is_fitted(oscillator):
    """With a function of Python in the model: k x + c x^3."""
    @fx.function(of=3)
    def law(x, k, c):
        return k * x + c * x**3

    m = oscillator
    m.parameters["c"] = 100.0
    m.functions["law"] = law
    m.forces["spring"] = fx.Force(on="block", value=["-law(rail.displacement, k, c)", 0])
    data = m.run(parameters={"k": 35.0, "c": 400.0})
    fit = m.fit({"k": (20, 80), "c": (0, 2000)}, {"rail.displacement": (data.t, data["rail.displacement"])})
    assert fit["k"].value == pytest.approx(35, rel=1e-4) and fit["c"].value == pytest.approx(400, rel=1e-3)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_design(oscillator, threads):
    """The end is least where w t = pi, but k <= 8 m holds it."""
    try:
        d = oscillator.design({"k": (1, 30, 6)}, minimise="end", subject_to=["k <= 8*m"], threads=threads)
    except fx.Unavailable:
        pytest.skip("without NLopt")
    assert d["k"].value == pytest.approx(7.2, rel=1e-6) and d.converged and d.slopes == "steps"
    held = d.conditions[0]
    assert held.holds == 0 and held.multiplier == pytest.approx(-exact(1.0, k=7.2)[1]["k"], rel=1e-3)
    assert d.goals[0].value == pytest.approx(exact(1.0, k=7.2)[0], rel=1e-6) and d.front == {}
    assert "end = " in repr(d) and d.values == {"k": d["k"].value}
    with pytest.raises(TypeError, match="parameters"):
        oscillator.design(minimise="end")


def test_a_front(oscillator):
    try:
        d = oscillator.design({"k": (1, 8, 4)}, objectives=["end", "k"], points=4)
    except fx.Unavailable:
        pytest.skip("without NLopt")
    assert len(d.front["k"]) >= 4 and (np.diff(d.front["end"]) * np.diff(d.front["k"]) < 1e-9).all()
