"""Models: read from a file, or made key by key."""
from __future__ import annotations

import copy
import html
import json
import math
import os
from typing import Any, Callable, Mapping, Sequence, Union

from . import _flexion
from ._analyses import Finding
from ._errors import UNNAMED, Message, ModelError
from ._function import ExternalFunction
from ._optimise import Bounds, Design, Evaluated, Fit, Gradient, _design, _fit
from ._result import Result, _run_to_result
from ._run import System
from .items import METHOD_KEYS, SECTIONS

PathLike = Union[str, "os.PathLike[str]"]
Progress = Callable[[float, float], Any]

_STEP = ("rtol", "atol", "initial_step", "max_step")  # not together with a fixed step


def _plain(value: Any) -> Any:
    """What json does not know: arrays and numbers of NumPy, paths."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    raise TypeError(f"a model cannot hold a {type(value).__name__}")


def _refuse_nan(value: Any, path: str) -> None:
    """A number that is none, at its place."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, float) and not math.isfinite(value):
        text = f"{value} is no number of a model"
        raise ModelError(text, [Message(text, path=path)])
    if isinstance(value, Mapping):
        for key, item in value.items():
            _refuse_nan(item, f"{path}.{key}" if path else str(key))
    elif isinstance(value, (list, tuple)):
        for i, item in enumerate(value):
            _refuse_nan(item, f"{path}[{i}]")


def _same(a: Any, b: Any) -> bool:
    """Whether two values are written alike; arrays of NumPy are lists."""
    a, b = (v.tolist() if hasattr(v, "tolist") else v for v in (a, b))
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return a.keys() == b.keys() and all(_same(v, b[k]) for k, v in a.items())
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(map(_same, a, b))
    return bool(a == b)


def _numbers(value: Any) -> Any:
    """Texts that are numbers become numbers, for who looks at a model that was read."""
    if isinstance(value, dict):
        return {k: _numbers(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_numbers(v) for v in value]
    try:
        number = float(value) if "_" not in value else None
    except (TypeError, ValueError):
        return value
    if number is None or not math.isfinite(number):
        return value
    return int(number) if value.lstrip("+-").isdigit() and abs(number) < 2**53 else number


def _setting(value: Any) -> str:
    if isinstance(value, str):
        return value
    if hasattr(value, "__iter__"):
        return "[" + ", ".join(_setting(v) for v in value) + "]"
    return repr(float(value))


class Model:
    """A mechanism, as the model language describes it; the keys of the file are attributes.

        m = fx.Model(dimension=2, gravity=[0, -9.81])
        m.bodies["rod"] = fx.Rigid(mass=1, inertia=0.1)

    Sections (`bodies`, `joints`, `forces`, `inputs`, ...) are dictionaries of items: of classes of this package, or of
    plain dictionaries. Nothing is checked until the model is used, or `check()` is called.
    """

    bodies: dict[str, Any]
    joints: dict[str, Any]
    forces: dict[str, Any]
    parameters: dict[str, Any]
    functions: dict[str, Any]
    signals: dict[str, Any]
    inputs: dict[str, Any]
    equations: dict[str, Any]
    events: dict[str, Any]
    models: dict[str, Any]
    parts: dict[str, Any]
    simulate: dict[str, Any]
    outputs: dict[str, Any]
    analyse: dict[str, Any]

    _tree: dict[str, Any] | None  # the description; None: the file, which nobody has looked at
    _read: dict[str, Any] | None  # of a file: as it was read, to see whether anything was changed
    _file: str | None
    _settings: list[tuple[str, Any]]  # parameters given with the file
    _bound: dict[str, Callable[..., Any]]  # external functions, by their names
    _rest: list[tuple[str, Any]]  # those of them that the description does not name
    _sections = ("bodies", "joints", "forces", "parameters", "functions", "signals", "inputs", "equations", "events",
                 "models", "parts", "simulate", "outputs", "analyse", "sweep", "fe")

    def __init__(self, **keys: Any) -> None:
        for key in keys:
            if key not in SECTIONS:
                raise TypeError(f"a model has no key '{key}'; it has {', '.join(SECTIONS)}")
        self.__dict__.update(_tree={"flexion": 1, **keys}, _file=None, _read=None, _settings=[], _rest=[], _bound={})

    @classmethod
    def from_dict(cls, tree: Mapping[str, Any], path: PathLike | None = None) -> "Model":
        """A model that is a dictionary; files that it names are sought beside `path`."""
        m = cls()
        m.__dict__.update(_tree={"flexion": 1, **copy.deepcopy(dict(tree))}, _file=os.fspath(path) if path else None)
        return m

    @classmethod
    def from_text(cls, text: str, path: PathLike | None = None) -> "Model":
        """A model as the text of a file; files that it names are sought beside `path`."""
        name = os.fspath(path) if path else UNNAMED
        tree = _numbers(_flexion.Model(name, text, None, []).tree())
        return cls.from_dict(tree, path)

    # ---- keys

    def _load(self) -> dict[str, Any]:
        """The description; of a file it is taken when somebody looks."""
        if self._tree is None:
            tree: dict[str, Any] = _numbers(_flexion.Model(self._file or "", None, None, []).tree())
            parameters = tree.get("parameters", {})
            rest = []
            for name, value in self._settings:
                if name in parameters:
                    parameters[name] = value
                else:
                    rest.append((name, value))
            self.__dict__.update(_tree=tree, _read=copy.deepcopy(tree), _rest=rest)
            return tree
        return self._tree

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        tree = self._load()
        if name in tree:
            return tree[name]
        if name in self._sections:
            return tree.setdefault(name, {})
        if name in SECTIONS:
            return None
        raise AttributeError(f"a model has no '{name}'")

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in SECTIONS:
            raise AttributeError(f"a model has no key '{name}'; it has {', '.join(SECTIONS)}")
        self._load()[name] = value

    def __getitem__(self, name: str) -> Any:
        return self._load()[name]

    def __setitem__(self, name: str, value: Any) -> None:
        self._load()[name] = value

    def __deepcopy__(self, memo: dict[int, Any]) -> "Model":
        m = Model()
        m.__dict__.update(copy.deepcopy(self.__dict__, memo))
        return m

    def copy(self) -> "Model":
        """A model of its own."""
        return copy.deepcopy(self)

    def to_dict(self) -> dict[str, Any]:
        """All of it, as a dictionary of its own; functions of Python by their names."""
        tree = copy.deepcopy({k: v for k, v in self._load().items() if not (k in self._sections and isinstance(v, dict) and not v)})
        for name, f in tree.get("functions", {}).items():
            if isinstance(f, ExternalFunction):
                tree["functions"][name] = f._entry(name)
        return tree

    def bind(self, name: str, function: Callable[..., Any]) -> None:
        """An external function of the model (`external: name`) is this one from now on."""
        self._bound[name] = function

    # ---- what is made of it

    def _compile(self, settings: Mapping[str, Any] | None = None, open_: Sequence[str] | None = (),
                 inputs: Mapping[str, PathLike] | None = None) -> _flexion.Model:
        """The library's model. A file that nobody changed is read as it is, so that messages have its lines."""
        for name, value in [*self._settings, *(settings or {}).items()]:
            _refuse_nan(value, name)
        given = [f"{k}={_setting(v)}" for k, v in (settings or {}).items()]
        tables = [f"{k}={os.fspath(v)}" for k, v in (inputs or {}).items()]
        unchanged = self._tree is None or (self._read is not None and _same(self._tree, self._read))
        if unchanged and self._file is not None:
            own = [f"{k}={_setting(v)}" for k, v in self._settings if not settings or k not in settings]
            return self._bind(_flexion.Model(self._file, None, own + given, open_, tables))
        rest = [f"{k}={_setting(v)}" for k, v in self._rest if not settings or k not in settings]
        tree = self.to_dict()
        try:
            text = json.dumps(tree, default=_plain, ensure_ascii=False, allow_nan=False)
        except ValueError:
            _refuse_nan(tree, "")
            raise
        name = self._file if self._file is not None else UNNAMED
        if self._file is not None:  # lines of the text that is sent are not those of the file
            name = os.path.join(os.path.dirname(self._file), UNNAMED)
        return self._bind(_flexion.Model(name, text, rest + given, open_, tables))

    def _bind(self, m: _flexion.Model) -> _flexion.Model:
        functions = self._tree.get("functions", {}) if self._tree is not None else {}
        named = {name: f.call for name, f in functions.items() if isinstance(f, ExternalFunction)}
        for name, f in {**named, **self._bound}.items():
            m.bind(name, f.call if isinstance(f, ExternalFunction) else f)
        return m

    def _with(self, options: Mapping[str, Any], settings: Mapping[str, Any] | None = None,
              open_: Sequence[str] | None = (), inputs: Mapping[str, PathLike] | None = None) -> _flexion.Model:
        """The library's model with other keys of `simulate`."""
        m = self._compile(settings, open_, inputs)
        given = {k: v for k, v in options.items() if v is not None}
        if "method" in given:
            for key, methods in METHOD_KEYS.items():
                if given["method"] not in methods.split():
                    m.remove(f"simulate.{key}")
            m.remove("simulate.loops")
        if "step" in given:
            for key in _STEP:
                m.remove(f"simulate.{key}")
        elif any(k in given for k in _STEP):
            m.remove("simulate.step")
        for key, value in given.items():
            if isinstance(value, bool):
                value = "true" if value else "false"
            m.set(f"simulate.{key}", value if isinstance(value, str) else float(value))
        if given:
            m.check()
        return m

    def check(self) -> None:
        """All messages at once, as `flexion check` gives them: ModelError."""
        self._compile().check()

    def run(self, until: float | None = None, *, method: str | None = None, rtol: float | None = None,
            step: float | None = None, parameters: Mapping[str, Any] | None = None,
            inputs: Mapping[str, PathLike] | None = None, states: bool = False,
            progress: Progress | bool | None = None, **options: Any) -> Result:
        """The motion from start to end, as `flexion run` does it.

        until, method, rtol, step and further keys of `simulate` replace those of the model; parameters: other values;
        inputs: tables (files) that inputs follow; states: keep the whole state at every row; progress: called with
        (t, until) now and then, or True for a bar (tqdm). ComputationError and Interrupted (Ctrl-C) have what was computed
        in `result`.
        """
        given = dict(until=until, method=method, rtol=rtol, step=step, **options)
        m = self._with(given, parameters, [], inputs)
        return _run_to_result(m, progress, states)

    def system(self, *, method: str | None = None, rtol: float | None = None, step: float | None = None,
               open: Sequence[str] | None = None, **options: Any) -> System:
        """Compile once, for any number of runs. open: parameters that runs may set; None: all of them."""
        given = dict(method=method, rtol=rtol, step=step, **options)
        m = self._with(given, None, open)
        return System(m.compile())

    def find(self, name: str | None = None) -> dict[str, Finding]:
        """The analyses of the block `analyse`, as `flexion analyse` does them; name: one of them alone."""
        return {f[0]: Finding(f) for f in self._compile().analyse(name)}

    def gradient(self, of: Sequence[str], by: Sequence[str], *, times: Sequence[float] | None = None, slopes: str = "auto",
                 scale: Mapping[str, float] | None = None, until: float | None = None, method: str | None = None,
                 rtol: float | None = None, step: float | None = None, **options: Any) -> Gradient:
        """Derivatives of metrics, and of outputs at `times`, by parameters, along the steps of a run from start to end.

        slopes: "direct", "adjoint" or "differences" of runs; "auto" chooses. scale: sizes that changes of parameters are
        compared with. Further keys are those of `simulate`.
        """
        system = self.system(method=method, rtol=rtol, step=step, open=list(by), until=until, **options)
        return system.start().gradient(of, by, times=times, slopes=slopes, scale=scale)

    def fit(self, parameters: Mapping[str, Bounds] | None = None, data: Any = None, *, iterations: int | None = None,
            evaluated: Evaluated | None = None) -> Fit:
        """Parameters for which the run agrees best with measured data, by least squares within bounds.

        parameters: (from, to) or (from, to, initial) by name. data: (t, y), a Series of pandas, or keys of `fx.Measured`, by
        the name of an output; or a list of `fx.Measured`. Without both, the block `optimise` of the model. evaluated: called
        with (number, values, sum of squares, None or why the run failed); what is true stops the search.
        ComputationError where no optimum was found, and Interrupted (Ctrl-C), have the best point in `result`.
        """
        return _fit(self, parameters, data, iterations, evaluated)

    def design(self, parameters: Mapping[str, Bounds] | None = None, *, minimise: str | None = None,
               maximise: str | None = None, objectives: Sequence[str] | None = None,
               subject_to: Sequence[str] | None = None, method: str | None = None, runs: int | None = None,
               restarts: int | None = None, points: int | None = None, seed: int | None = None, threads: int = 1,
               evaluated: Evaluated | None = None) -> Design:
        """Parameters for which a goal is least, or the front of several.

        parameters: (from, to) or (from, to, initial) by name; goals and conditions are expressions of metrics, of what
        analyses find, and of parameters; the other keys are those of the block `optimise`, which counts where no parameters
        are given. Errors as of `fit`.
        """
        keys = dict(minimise=minimise, maximise=maximise, objectives=objectives, subject_to=subject_to, method=method,
                    runs=runs, restarts=restarts, points=points, seed=seed)
        return _design(self, parameters, keys, threads, evaluated)

    # ---- as text

    def to_yaml(self) -> str:
        """As a model file."""
        return self._compile().text()

    def save(self, path: PathLike) -> None:
        """As a model file, which reads back to the same model."""
        self._compile().write(os.fspath(path))

    def __repr__(self) -> str:
        if self._tree is None:
            return f"<flexion.Model {self._file}>"
        counts = [f"{len(self._tree[k])} {k}" for k in ("bodies", "joints", "forces") if self._tree.get(k)]
        return f"<flexion.Model {self._tree.get('title') or self._file or ''} {', '.join(counts)}>".replace("  ", " ")

    def _repr_html_(self) -> str:
        """The tree of bodies and the counts, for notebooks."""
        s = self._compile().examine()
        rows = []
        for depth, body, joint, kind, freedom in s["tree"]:
            if body is None:
                rows.append(f"loop closed by {html.escape(joint or '')} ({html.escape(kind or '')})")
                continue
            by = f" by {html.escape(joint)} ({html.escape(kind or '')}, {freedom})" if joint else " floats"
            rows.append("&nbsp;" * 4 * max(0, depth - 1) + f"<b>{html.escape(body)}</b>{by}")
        counts = ", ".join(f"{s[k]} {k}" for k in ("bodies", "joints", "forces", "variables", "constraints", "redundant")
                           if s[k])
        return (f"<div><b>{html.escape(s['title'] or 'model')}</b>: {counts}, {s['freedoms']} degrees of freedom"
                f"<br>{'<br>'.join(rows)}</div>")


def import_(path: PathLike, *, floating: bool = False, strict: bool = False,
            packages: Mapping[str, PathLike] | None = None) -> Model:
    """A robot file (URDF, MJCF, SDF) as a model, to be changed and added to.

    floating: its base moves freely; strict: what would be repaired is an error; packages: where `package://name` is.
    """
    folders = [f"{k}={os.fspath(v)}" for k, v in (packages or {}).items()]
    tree = _numbers(_flexion.Model(os.fspath(path), None, None, [], None, floating, strict, folders).tree())
    return Model.from_dict(tree, path)


def read(path: PathLike, *, functions: Mapping[str, Callable[..., Any]] | None = None, **parameters: Any) -> Model:
    """A model file; parameters: other values for those of the model; functions: its external ones.

    The file is checked now; messages have its lines.
    """
    m = Model()
    settings = list(parameters.items())
    m.__dict__.update(_tree=None, _file=os.fspath(path), _settings=settings, _bound=dict(functions or {}))
    m._compile()
    return m
