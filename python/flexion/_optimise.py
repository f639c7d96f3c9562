"""Derivatives of runs, parameters from measured data, parameters for the least of a goal."""
from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Callable, Iterable, Mapping, NamedTuple, Sequence, Union

from ._errors import ComputationError, Interrupted, make
from ._result import _array, _need

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from . import _flexion
    from ._model import Model
    from ._run import Run

    Array = npt.NDArray[np.float64]

#: Bounds of a parameter: (from, to), (from, to, initial), or the keys of `fx.Optimised`.
Bounds = Union[Sequence[float], Mapping[str, Any]]
#: Called with (number, values by name, what was found, why the run failed or None); what is true stops the search.
Evaluated = Callable[[int, dict[str, float], Any, Union[str, None]], Any]

_INTERRUPTED = 7
_METRIC = 1


# ---- derivatives of a run ---------------------------------------------------------------------------------------------


class Gradient:
    """Derivatives of a run: `g["J", "k"]` that of a metric by a parameter, of an output one for each time; `g["J"]` the
    value itself. `slopes` says how they were found: "direct", "adjoint", or "differences" of runs, `why` the latter.
    """

    def __init__(self, metrics: list[str], outputs: list[str], times: list[float], by: list[str], raw: tuple[Any, ...]) -> None:
        self.metrics, self.outputs, self.by = metrics, outputs, by
        self.times = times
        #: Values by rows: metrics, then the outputs at the first time, at the second, ...
        self.value: "Array" = _array(raw[0])
        #: (values, parameters)
        self.jacobian: "Array" = _array(raw[1])
        #: How far each slope may be off, by how differences of runs scatter; 0: it is exact for the steps of the run.
        self.error: "Array" = _array(raw[2])
        self.slopes: str = raw[3]
        self.why: str | None = raw[4]
        self.steps: int = raw[5]
        self.runs: int = raw[6]

    def _rows(self, of: str) -> Any:
        if of in self.metrics:
            return self.metrics.index(of)
        if of in self.outputs:
            return slice(len(self.metrics) + self.outputs.index(of), None, len(self.outputs))
        raise KeyError(f"'{of}' was not asked for; there is {', '.join([*self.metrics, *self.outputs])}")

    def __getitem__(self, which: Any) -> Any:
        if isinstance(which, str):
            return self.value[self._rows(which)]
        of, by = which
        if by not in self.by:
            raise KeyError(f"'{by}' was not asked for; there is {', '.join(self.by)}")
        return self.jacobian[self._rows(of), self.by.index(by)]

    def to_pandas(self) -> Any:
        """Parameters as columns, values as rows."""
        rows = [*self.metrics, *((name, t) for t in self.times for name in self.outputs)]
        return _need("pandas", "to_pandas").DataFrame(self.jacobian, index=rows, columns=self.by)

    def __repr__(self) -> str:
        of = ", ".join([*self.metrics, *self.outputs])
        return f"<flexion.Gradient of {of} by {', '.join(self.by)}: {self.slopes}>"


def _gradient(run: "Run", of: Sequence[str], by: Sequence[str], times: Sequence[float] | None, slopes: str,
              scale: Mapping[str, float] | None) -> Gradient:
    if isinstance(of, str) or isinstance(by, str):
        raise TypeError("of and by are lists of names")
    system = run._system
    known = [p[0] for p in system.ports(_METRIC)]
    metrics = [n for n in of if n in known]
    outputs = [n for n in of if n not in known]
    at = [float(t) for t in times] if times is not None else []
    if outputs and not at:
        raise ValueError(f"'{outputs[0]}' is no metric; of an output give the times")
    if at and not outputs:
        raise ValueError("times are those of outputs, and none is asked for")
    numbers = [system.find(4, n) for n in by]
    sizes = None
    if scale is not None:
        sizes = [float(scale[n]) if n in scale else abs(run.get_parameter(i)) for n, i in zip(by, numbers)]
    raw = run._gradient(slopes, numbers, sizes, [known.index(n) for n in metrics], [system.find(0, n) for n in outputs], at)
    return Gradient(metrics, outputs, at, list(by), raw)


# ---- what searches share ----------------------------------------------------------------------------------------------


def _bounds(parameters: Mapping[str, Bounds]) -> dict[str, Any]:
    """The key `parameters` of the block `optimise`."""
    out: dict[str, Any] = {}
    for name, given in parameters.items():
        if isinstance(given, Mapping):
            out[name] = dict(given)
            continue
        numbers = [float(v) for v in given]
        if len(numbers) not in (2, 3):
            raise ValueError(f"bounds of '{name}' are (from, to) or (from, to, initial)")
        out[name] = dict(zip(("from", "to", "initial"), numbers))
    return out


def _points(signal: str, given: Any) -> dict[str, Any]:
    """One entry of the key `fit`: (t, y), a Series of pandas, or keys of `fx.Measured`."""
    if isinstance(given, Mapping):
        return {"signal": signal, **given}
    t, y = (given.index, given) if hasattr(given, "index") and hasattr(given, "to_numpy") else given
    times, values = [float(v) for v in t], [float(v) for v in y]
    if len(times) != len(values):
        raise ValueError(f"'{signal}' has {len(times)} times and {len(values)} values")
    if any(v != v for v in (*times, *values)):
        raise ValueError(f"a value of '{signal}' is no number (NaN): leave it out")
    return {"signal": signal, "points": [list(p) for p in zip(times, values)]}


def _raise(status: int, messages: list[Any], stopped: BaseException | None, found: Any, what: str) -> None:
    if stopped is not None and not isinstance(stopped, KeyboardInterrupt):
        raise stopped
    if status == 0:
        return
    error = make(status, "interrupted" if status == _INTERRUPTED else what, messages)
    if isinstance(error, (ComputationError, Interrupted)):
        error.result = found
    raise error


def _apart(work: Callable[[Callable[..., bool]], Any], names: Sequence[str], evaluated: Evaluated | None, apart: bool) -> Any:
    """The search; apart: in a thread of its own, since threads of the library cannot see Ctrl-C."""
    stop = threading.Event()

    def told(number: int, values: list[float], rows: list[float], failed: str | None) -> bool:
        if evaluated is None:
            return stop.is_set()
        answer = evaluated(number, dict(zip(names, values)), rows[0] if len(rows) == 1 else rows, failed)
        return bool(answer) or stop.is_set()

    if not apart:
        return work(told)
    got: list[Any] = []

    def guarded() -> None:
        try:
            got.append(work(told))
        except BaseException as e:  # raised in the caller's thread
            got.append(e)

    thread = threading.Thread(target=guarded, daemon=True)
    thread.start()
    try:
        while thread.is_alive():
            thread.join(0.1)
    except KeyboardInterrupt:
        stop.set()
        thread.join()
    if isinstance(got[0], BaseException):
        raise got[0]
    return got[0]


# ---- fits -------------------------------------------------------------------------------------------------------------


class Fitted(NamedTuple):
    """A parameter that was found. error: standard; NaN: the data do not determine it. at_bound: -1 lower, 1 upper."""

    value: float
    error: float
    lower: float
    upper: float
    at_bound: int
    determined: bool


class FittedTable(NamedTuple):
    """One table of measured values, what the run has in their place, and its standard error by those of the parameters."""

    signal: str
    t: "Array"
    measured: "Array"
    fitted: "Array"
    error: "Array"


class Fit:
    """Parameters for which a run agrees best with measured data: `fit["k"]` has value and error, `fit.values` all values, as
    `m.run(parameters=fit.values)` takes them; `tables` has measured and fitted values.
    """

    def __init__(self, raw: tuple[Any, ...], signals: Sequence[str]) -> None:
        self.parameters = {p[0]: Fitted(p[1], p[2], p[3], p[4], p[5], not p[6]) for p in raw[0]}
        self.correlation: "Array" = _array(raw[1])
        rows = _array(raw[2])
        self.tables: list[FittedTable] = []
        for i, signal in enumerate(signals):
            own = rows[rows[:, 0] == i]
            self.tables.append(FittedTable(signal, own[:, 1], own[:, 2], own[:, 3], own[:, 4]))
        #: Sums of weighted squares, at the optimum and at the first guess.
        self.sum: float = raw[3]
        self.first_sum: float = raw[4]
        self.iterations: int = raw[5]
        self.evaluations: int = raw[6]
        self.failures: int = raw[7]
        self.why: str = raw[8]
        self.converged = bool(raw[9])
        self.slopes: str = raw[10]
        #: Of slopes that are differences of runs, as a part of the largest; 0: they are exact.
        self.slope_error: float = raw[11]

    @property
    def values(self) -> dict[str, float]:
        return {name: p.value for name, p in self.parameters.items()}

    def __getitem__(self, name: str) -> Fitted:
        return self.parameters[name]

    def __repr__(self) -> str:
        said = []
        for name, p in self.parameters.items():
            said.append(f"{name} = {p.value:.6g} +- {p.error:.2g}" if p.determined else f"{name} not determined by the data")
        return f"<flexion.Fit {', '.join(said)}; sum of squares {self.sum:.6g}>"


def _fit(model: "Model", parameters: Mapping[str, Bounds] | None, data: Any, iterations: int | None,
         evaluated: Evaluated | None) -> Fit:
    m = model
    if (parameters is None) != (data is None):
        raise TypeError("give parameters and data, or neither: then the block `optimise` of the model counts")
    if parameters is not None:
        pairs: Iterable[Any] = data.items() if isinstance(data, Mapping) else ((d["signal"], d) for d in data)
        m = model.copy()
        m.optimise = {"parameters": _bounds(parameters), "fit": [_points(signal, given) for signal, given in pairs]}
    if iterations is not None:
        m = m.copy() if m is model else m
        m["optimise"]["iterations"] = iterations
    raw = m._compile(None, None)
    block = m._load().get("optimise") or {}
    names, signals = list(block.get("parameters", {})), [d["signal"] for d in block.get("fit", [])]
    got, status, messages, stopped = _apart(lambda told: raw.fit(told), names, evaluated, False)
    found = Fit(got, signals) if got is not None else None
    _raise(status, messages, stopped, found, f"no optimum: {found.why}" if found else "the fit failed")
    assert found is not None
    return found


# ---- designs ----------------------------------------------------------------------------------------------------------


class Designed(NamedTuple):
    """A parameter that was found. at_bound: -1 lower, 1 upper."""

    value: float
    lower: float
    upper: float
    at_bound: int


class Goal(NamedTuple):
    """A goal at the optimum. parts: of a largest of several, how many are equal there."""

    text: str
    value: float
    parts: int


class Condition(NamedTuple):
    """A condition at the optimum: value against limit. holds: 1 with room, 0 at its limit, -1 not; multiplier: by how much
    the goal would fall if the limit were raised by one.
    """

    text: str
    value: float
    limit: float
    multiplier: float
    holds: int


class Design:
    """Parameters for which a goal is least: `design["h"]`, `design.values`, `goals`, `conditions`; of several goals the
    `front`: a table with a column for each parameter and goal.
    """

    def __init__(self, raw: tuple[Any, ...]) -> None:
        self.parameters = {p[0]: Designed(*p[1:]) for p in raw[0]}
        self.goals = [Goal(*g) for g in raw[1]]
        self.conditions = [Condition(*c) for c in raw[2]]
        front = _array(raw[3])
        #: Columns by name: parameters, then goals by their texts; empty where there is one goal.
        self.front: dict[str, "Array"] = {}
        if len(front):
            names = [*self.parameters, *(g.text for g in self.goals)]
            self.front = {name: front[:, k] for k, name in enumerate(names)}
        self.converged = bool(raw[4])
        self.why: str = raw[5]
        #: Gradient that nothing holds, as a part of the differences met in the search.
        self.unbalanced: float = raw[6]
        self.starts: int = raw[7]
        self.agreeing: int = raw[8]
        self.evaluations: int = raw[9]
        self.failures: int = raw[10]
        self.failed: str | None = raw[11]
        self.slopes = "differences" if raw[12] else "steps"
        #: Names of parameters that nothing depends on.
        self.idle: str | None = raw[13]
        self.slope_error: float = raw[14]

    @property
    def values(self) -> dict[str, float]:
        return {name: p.value for name, p in self.parameters.items()}

    def __getitem__(self, name: str) -> Designed:
        return self.parameters[name]

    def __repr__(self) -> str:
        if self.front:
            return f"<flexion.Design front of {', '.join(g.text for g in self.goals)}>"
        at = ", ".join(f"{name} = {p.value:.6g}" for name, p in self.parameters.items())
        return f"<flexion.Design {at}; {', '.join(f'{g.text} = {g.value:.6g}' for g in self.goals)}>"


def _design(model: "Model", parameters: Mapping[str, Bounds] | None, keys: Mapping[str, Any], threads: int,
            evaluated: Evaluated | None) -> Design:
    m = model
    given = {k: v for k, v in keys.items() if v is not None}
    if parameters is not None:
        m = model.copy()
        m.optimise = {"parameters": _bounds(parameters), **given}
    elif given:
        raise TypeError(f"'{next(iter(given))}' needs `parameters`; without them the block `optimise` of the model counts")
    raw = m._compile(None, None)
    names = list((m._load().get("optimise") or {}).get("parameters", {}))
    got, status, messages, stopped = _apart(lambda told: raw.design(threads, told), names, evaluated, threads > 1)
    found = Design(got) if got is not None else None
    _raise(status, messages, stopped, found, f"no optimum: {found.why}" if found else "the search failed")
    assert found is not None
    return found
