"""Systems that were compiled once, and their runs, which a program steps."""
from __future__ import annotations

import copy
from types import TracebackType
from typing import TYPE_CHECKING, Any, Callable, Iterator, Mapping, MutableMapping, NamedTuple, Sequence

from . import _flexion
from ._optimise import Gradient, _gradient
from ._result import Ledger, _array

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[np.float64]

_OUTPUT, _METRIC, _EVENT, _INPUT, _PARAMETER = range(5)


class Port(NamedTuple):
    """An input, an output or a parameter of a system."""

    name: str
    unit: str
    value: float
    lower: float
    upper: float
    tunable: bool


class Linear(NamedTuple):
    """z' = rate + A z + B u, y = C z + D u (+ D1 u' + D2 u''), with u and y as differences from what they are."""

    A: "Array"
    B: "Array"
    C: "Array"
    D: "Array"
    D1: "Array | None"
    D2: "Array | None"
    rate: "Array"
    names: list[str]
    inputs: list[str]
    outputs: list[str]


class System:
    """A model compiled once. Any number of runs, in any number of threads, share it."""

    def __init__(self, raw: _flexion.System) -> None:
        self._raw = raw
        self._inputs = {p[0]: i for i, p in enumerate(raw.ports(_INPUT))}
        self._parameters = {p[0]: i for i, p in enumerate(raw.ports(_PARAMETER))}

    def _ports(self, kind: int) -> list[Port]:
        return [Port(*p[:5], bool(p[5])) for p in self._raw.ports(kind)]

    @property
    def inputs(self) -> list[Port]:
        return self._ports(_INPUT)

    @property
    def outputs(self) -> list[Port]:
        return self._ports(_OUTPUT)

    @property
    def parameters(self) -> list[Port]:
        """`tunable`: runs may set it; else only a new compile changes it."""
        return self._ports(_PARAMETER)

    @property
    def metrics(self) -> list[str]:
        return [p[0] for p in self._raw.ports(_METRIC)]

    @property
    def method(self) -> str:
        return str(self._raw.info()["method"])

    @property
    def chosen(self) -> bool:
        """Whether `auto` chose the method, which with other parameters may have been another one."""
        return bool(self._raw.info()["chosen"])

    @property
    def freedoms(self) -> int:
        return int(self._raw.info()["freedoms"])

    def signal(self, name: str) -> int:
        """The number of an output, for `run[number]`."""
        return self._raw.find(_OUTPUT, name)

    def input(self, name: str) -> int:
        return self._inputs[name] if name in self._inputs else self._raw.find(_INPUT, name)

    def parameter(self, name: str) -> int:
        return self._parameters[name] if name in self._parameters else self._raw.find(_PARAMETER, name)

    def start(self, *, until: float = 0.0, ledger: bool = True, parameters: dict[str, float] | None = None,
              event: Callable[[float, str], Any] | None = None) -> "Run":
        """A motion at its start. ledger=False: no account is kept, which makes steps cheaper. event: called with (t, name);
        what is true stops the motion.
        """
        run = Run(self._raw, until, ledger, event)
        if parameters:
            for name, value in parameters.items():
                run.set_parameter(self.parameter(name), value)
            run.reset()
        return run

    def ensemble(self, parameters: Mapping[str, Sequence[float]] | None = None, *,
                 inputs: Mapping[str, Sequence[float]] | None = None, outputs: Sequence[str] | None = None,
                 times: Sequence[float] | None = None, q: Any = None, v: Any = None, x: Any = None,
                 runs: int | None = None, until: float = 0.0, threads: int = 0,
                 progress: Callable[[float, float], Any] | None = None) -> "Ensemble":
        """Many runs on threads (0: one per processor): parameters and held inputs by name, a value for every run; initial
        positions, velocities and states (a row for every run) where they are not the model's. outputs: those wanted, at the
        end or at `times`; None: all. The numbers do not depend on the count of threads.
        """
        import numpy

        parameters, inputs = dict(parameters or {}), dict(inputs or {})
        counts = {len(values) for values in [*parameters.values(), *inputs.values()]}
        counts.update(len(values) for values in (q, v, x) if values is not None)
        if runs is not None:
            counts.add(runs)
        if len(counts) != 1:
            raise ValueError("an ensemble has equally many values of everything, one for every run")
        n = counts.pop()
        names = [p.name for p in self.outputs] if outputs is None else list(outputs)

        def columns(of: Mapping[str, Sequence[float]]) -> Any:
            return numpy.array([of[k] for k in of], dtype=float).T.copy() if of else None

        def rows(of: Any) -> Any:
            return None if of is None else numpy.ascontiguousarray(of, dtype=float)

        got, metrics, ends = self._raw.ensemble(
            n, threads, until, [self.parameter(k) for k in parameters], columns(parameters),
            [self.input(k) for k in inputs], columns(inputs), rows(q), rows(v), rows(x),
            [self.signal(k) for k in names], None if times is None else [float(t) for t in times],
            list(range(len(self.metrics))), progress)
        series, numbers = numpy.asarray(got), numpy.asarray(metrics)
        found: dict[str, Any] = {}
        for i, name in enumerate(names):
            found[name] = series[:, 0, i] if times is None else series[:, :, i]
        for i, name in enumerate(self.metrics):
            found[name] = numbers[:, i]
        return Ensemble(n, found, ends)

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("a compiled system stays in its process: pickle the Model, and compile it in the other one")

    def __repr__(self) -> str:
        i = self._raw.info()
        return f"<flexion.System {i['title'] or ''}: {i['freedoms']} degrees of freedom, {i['method']}>"


class Ensemble:
    """What many runs gave: `e["pin.angle"]` has a number for every run, or a row of them at the times that were asked for.
    Runs that failed have NaN, and their message in `failed`; `stopped` has the times at which events ended runs.
    """

    def __init__(self, runs: int, found: dict[str, Any], ends: list[tuple[int, int, float, str]]) -> None:
        self.runs = runs
        self._found = found
        self.failed = {run: text for run, _, _, text in ends if text}
        self.stopped = {run: t for run, _, t, text in ends if not text}

    def __len__(self) -> int:
        return self.runs

    def __getitem__(self, name: str) -> Any:
        return self._found[name]

    @property
    def names(self) -> list[str]:
        return list(self._found)

    def __repr__(self) -> str:
        return f"<flexion.Ensemble {self.runs} runs of {', '.join(self._found)}; {len(self.failed)} failed>"


class _Named(MutableMapping[str, float]):
    """Inputs or parameters of a run by name."""

    def __init__(self, run: "Run", kind: int) -> None:
        self._run, self._kind = run, kind
        self._numbers = {p[0]: i for i, p in enumerate(run._system.ports(kind))}

    def _number(self, name: str) -> int:
        i = self._numbers.get(name)
        return self._run._system.find(self._kind, name) if i is None else i

    def __getitem__(self, name: str) -> float:
        i = self._number(name)
        return self._run.get_input(i)[0] if self._kind == _INPUT else self._run.get_parameter(i)

    def __setitem__(self, name: str, value: Any) -> None:
        """A number, held; of an input also (value, slope) or (value, slope, curvature)."""
        i = self._number(name)
        if self._kind == _PARAMETER:
            self._run.set_parameter(i, float(value))
        elif isinstance(value, (tuple, list)):
            self._run.set_input(i, *value)
        else:
            self._run.set_input(i, value)

    def __delitem__(self, name: str) -> None:
        """Of an input: what the model says counts again."""
        if self._kind == _PARAMETER:
            raise TypeError("a parameter cannot be taken away")
        self._run.set_input(self._number(name))

    def __iter__(self) -> Iterator[str]:
        return iter(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)


class Run(_flexion.Run):
    """One motion of a system. `advance(t)` goes to t exactly; `run["hinge.angle"]` is an output here and now; `run.q`,
    `run.v`, ... are views that follow the run; `run.input["T"] = 2` holds an input, `run.parameter["k"] = 3` counts from the
    next `reset()` on.
    """

    _input: _Named | None = None
    _parameter: _Named | None = None

    @property
    def input(self) -> _Named:
        if self._input is None:
            self._input = _Named(self, _INPUT)
        return self._input

    @property
    def parameter(self) -> _Named:
        if self._parameter is None:
            self._parameter = _Named(self, _PARAMETER)
        return self._parameter

    def signal(self, name: str) -> int:
        """The number of an output, resolved once, for `run[number]`."""
        return self._system.find(_OUTPUT, name)

    @property
    def outputs(self) -> "Array":
        """All outputs, in the order of `system.outputs`: a view, with the values of the last look at it."""
        return _array(self._outputs())  # type: ignore[no-any-return]

    @property
    def q(self) -> "Array":
        """Positions."""
        return _array(self._view(0))  # type: ignore[no-any-return]

    @property
    def v(self) -> "Array":
        """Velocities."""
        return _array(self._view(1))  # type: ignore[no-any-return]

    @property
    def a(self) -> "Array":
        """Accelerations that the method carries."""
        return _array(self._view(2))  # type: ignore[no-any-return]

    @property
    def x(self) -> "Array":
        """First-order states."""
        return _array(self._view(3))  # type: ignore[no-any-return]

    @property
    def w(self) -> "Array":
        """Algebraic unknowns."""
        return _array(self._view(4))  # type: ignore[no-any-return]

    @property
    def multipliers(self) -> "Array":
        """Of constraints of positions."""
        return _array(self._view(5))  # type: ignore[no-any-return]

    def edit(self) -> "Edit":
        """`with run.edit() as x: x.q[0] = 0.3`: made consistent on leaving; `x.report` says what moved."""
        return Edit(self)

    @property
    def ledger(self) -> Ledger:
        """The account so far."""
        own = dict(self._ledger())
        own.pop("metrics", None)
        return Ledger(**own)

    @property
    def metrics(self) -> dict[str, float]:
        """Numbers of the run so far."""
        names = [p[0] for p in self._system.ports(_METRIC)]
        return dict(zip(names, self._ledger().get("metrics", [])))

    def linearise(self, inputs: Sequence[str] = (), outputs: Sequence[str] = (), *, closed: bool = False) -> Linear:
        """About the state of the run, which stays as it is. closed: an input keeps its expression, and u is added."""
        ins = [self._system.find(_INPUT, n) for n in inputs]
        outs = [self._system.find(_OUTPUT, n) for n in outputs]
        *matrices, rate, states = self._linearise(ins, outs, closed)
        A, B, C, D, D1, D2 = (None if m is None else _array(m) for m in matrices)
        names = [f"{item}.{part}" + ("'" if kind == "velocity" else "") if part else f"{item}" for kind, item, part in states]
        return Linear(A, B, C, D, D1, D2, _array(rate), names, list(inputs), list(outputs))  # type: ignore[arg-type]

    def gradient(self, of: Sequence[str], by: Sequence[str], *, times: Sequence[float] | None = None, slopes: str = "auto",
                 scale: Mapping[str, float] | None = None) -> Gradient:
        """From the start to the end, with parameters as they are now: derivatives of metrics, and of outputs at `times`, by
        parameters. slopes: "direct", "adjoint" or "differences" of runs; "auto" chooses. The run is then at its end.
        """
        return _gradient(self, of, by, times, slopes, scale)

    def __copy__(self) -> "Run":
        twin: Run = self.clone()
        return twin

    def __deepcopy__(self, memo: dict[int, Any]) -> "Run":
        return copy.copy(self)

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("a run stays in its process: pickle the Model and save(), and restore a run of it in the other one")

    def __repr__(self) -> str:
        return f"<flexion.Run at t = {self.time:g}>"


class Edit:
    """The state of a run, to be changed."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self.report: dict[str, float] = {}

    def __enter__(self) -> "Edit":
        self.q = self._run.q.copy()
        self.v = self._run.v.copy()
        self.x = self._run.x.copy()
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        if kind is not None:
            return
        moved = self._run._set_state(self.q, self.v, self.x)
        self.report = dict(zip(("moved_q", "moved_v", "residual_q", "residual_v"), moved))
