"""Results: columns, units, ledger, events, metrics; as tables, plots, files and the page."""
from __future__ import annotations

import html
import os
import shutil
import tempfile
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Callable, Iterator, Sequence, Union

from . import _flexion
from ._errors import ComputationError, Error, Interrupted, make

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[np.float64]

PathLike = Union[str, "os.PathLike[str]"]
_INTERRUPTED, _STOPPED = 7, 8


def _array(a: Any) -> Any:
    """A view without a copy: of NumPy where it is installed, else a memoryview."""
    try:
        import numpy
    except ImportError:
        return memoryview(a)
    return numpy.asarray(a)


class Ledger(SimpleNamespace):
    """What a run cost and how well it kept what it should: `energy_drift`, `steps`, `balanced`, ..."""


class Result:
    """What a run gave. `res["crank.rate"]` is a column, `res["slider.position"]` three of them side by side; `res.t` the
    times. Columns are views that keep the result alive.
    """

    def __init__(self, raw: _flexion.Result, image: bytes | None, path: str | None, ledger: dict[str, Any] | None = None,
                 ending: str = ".h5") -> None:
        self._raw = raw
        self._image = image  # of the file; None: it is at path
        self._ending = ending  # what kind of file that is
        self._path = path
        self._columns = raw.columns()
        self._facts = raw.facts()
        self._numbers = {name: i for i, (name, _) in enumerate(self._columns)}
        self._ledger = ledger

    # ---- columns

    @property
    def t(self) -> "Array":
        """Times of the rows."""
        return _array(self._raw.column(0))  # type: ignore[no-any-return]

    @property
    def names(self) -> list[str]:
        """Of all columns, without t."""
        return [name for name, _ in self._columns[1:]]

    @property
    def units(self) -> dict[str, str]:
        return dict(self._columns[1:])

    def unit(self, signal: str) -> str:
        """Unit of a signal, such as `rad/s`; empty where it has none."""
        return self._columns[self._find(signal)[0]][1]

    def _find(self, signal: str) -> list[int]:
        if signal in self._numbers:
            return [self._numbers[signal]]
        return self._raw.find(signal)

    def __getitem__(self, signal: str) -> "Array":
        found = self._find(signal)
        if len(found) == 1:
            return _array(self._raw.column(found[0]))  # type: ignore[no-any-return]
        import numpy

        return numpy.column_stack([_array(self._raw.column(i)) for i in found])

    def __contains__(self, signal: str) -> bool:
        try:
            return bool(self._find(signal))
        except Error:
            return False

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        """Rows."""
        return len(self._raw.column(0))

    # ---- the run

    @property
    def title(self) -> str:
        return self._raw.about()[0] or ""

    @property
    def complete(self) -> bool:
        """False: the run was cut off or failed."""
        return self._raw.about()[1]

    @property
    def model_text(self) -> str | None:
        """Text of the model, where the result has it."""
        return self._raw.about()[2]

    @property
    def facts(self) -> dict[str, Any]:
        """All that the result says of itself: method, version, ledger."""
        return dict(self._facts)

    @property
    def method(self) -> str:
        return str(self._facts.get("method", ""))

    @property
    def ledger(self) -> Ledger:
        """Work, energy balance, constraint residuals."""
        own = dict(self._ledger or {})
        for key, value in self._facts.items():
            if key.startswith("ledger/"):
                own.setdefault(key[len("ledger/"):].replace(" ", "_").replace("/", "_"), value)
        own.pop("metrics", None)
        return Ledger(**own)

    @property
    def events(self) -> list[tuple[float, str]]:
        """(t, name) of every event of the model that happened."""
        return self._raw.events()

    @property
    def metrics(self) -> dict[str, float]:
        """Numbers of the whole run (`outputs.metrics`)."""
        prefix = "measures/"
        return {k[len(prefix):]: float(v) for k, v in self._facts.items() if k.startswith(prefix)}

    @property
    def motion(self) -> Any:
        """The motion of what is drawn, row by row: (rows, numbers) of single precision; None: the result has none."""
        m = self._raw.motion()
        return None if m is None else _array(m)

    # ---- elsewhere

    def to_pandas(self) -> Any:
        """A DataFrame with t as index; units are in `attrs`."""
        pandas = _need("pandas", "to_pandas")
        frame = pandas.DataFrame({name: self[name] for name in self.names}, index=pandas.Index(self.t, name="t"))
        frame.attrs["units"] = self.units
        frame.attrs["title"] = self.title
        return frame

    def to_xarray(self) -> Any:
        """A Dataset over t, with units as attributes."""
        xarray = _need("xarray", "to_xarray")
        data = {name: ("t", self[name], {"units": unit}) for name, unit in self._columns[1:]}
        return xarray.Dataset(data, coords={"t": ("t", self.t, {"units": "s"})}, attrs={"title": self.title})

    def plot(self, *signals: str, ax: Any = None, x: str | None = None) -> Any:
        """Signals over time (or over the signal x) by matplotlib; one drawing per unit. Returns the axes."""
        plt = _need("matplotlib.pyplot", "plot")
        columns = [i for s in (signals or tuple(self.names)) for i in self._find(s)]
        units = list(dict.fromkeys(self._columns[i][1] for i in columns))
        if ax is None:
            _, axes = plt.subplots(len(units), 1, sharex=True, squeeze=False)
            axes = list(axes[:, 0])
        else:
            axes = [ax] * len(units)
        over, label = (self.t, "t [s]") if x is None else (self[x], f"{x} [{self.unit(x)}]")
        for i in columns:
            name, unit = self._columns[i]
            axes[units.index(unit)].plot(over, _array(self._raw.column(i)), label=name)
        for a, unit in zip(axes, units):
            a.set_ylabel(f"[{unit}]" if unit else "")
            a.legend()
        axes[-1].set_xlabel(label)
        return axes[0] if len(axes) == 1 or ax is not None else axes

    def save(self, path: PathLike) -> None:
        """To a file: HDF5 (.h5), which `fx.open` and `flexion` read, or a table (.csv)."""
        where = os.fspath(path)
        if where.endswith(".csv"):
            self._save_csv(where)
        elif where.endswith((".h5", ".hdf5")):
            if self._ending == ".csv":
                raise ValueError(f"{where}: what was a table is saved as .csv")
            if self._image is not None:
                with open(where, "wb") as f:
                    f.write(self._image)
            elif self._path is not None and not (os.path.exists(where) and os.path.samefile(self._path, where)):
                shutil.copyfile(self._path, where)
        else:
            raise ValueError(f"{where}: a result is saved as .h5 or .csv")

    def _save_csv(self, where: str) -> None:
        columns = [list(_array(self._raw.column(i))) for i in range(len(self._columns))]
        with open(where, "w", encoding="utf-8") as f:
            f.write(",".join(f'"{n}"' if "," in n else n for n, _ in self._columns) + "\n")
            for row in zip(*columns):
                f.write(",".join(repr(float(v)) for v in row) + "\n")

    def __reduce__(self) -> tuple[Any, ...]:
        """For pickle, and so for other processes: its file."""
        image = self._image
        if image is None and self._path is not None:
            with open(self._path, "rb") as f:
                image = f.read()
        return _unpack, (image, self._ending, self._ledger)

    def __copy__(self) -> "Result":
        return self  # nothing of it changes

    def __deepcopy__(self, memo: dict[int, Any]) -> "Result":
        return self

    # ---- the page

    def page(self, label: str | None = None) -> str:
        """The page that plays the result, as HTML: one file that needs no network."""
        return _page([self], [label or self.title or "result"])

    def view(self, *, height: int = 480, label: str | None = None) -> "View":
        """The page, for a notebook."""
        return View(self.page(label), height)

    def _repr_html_(self) -> str:
        return self.view()._repr_html_()

    def __repr__(self) -> str:
        return (f"<flexion.Result {self.title + ': ' if self.title else ''}{len(self)} rows of {len(self.names)} signals, "
                f"t to {self.t[-1] if len(self) else 0:g} by {self.method}{'' if self.complete else ', cut off'}>")


class View:
    """A page inside a notebook."""

    def __init__(self, page: str, height: int) -> None:
        self.page = page
        self.height = height

    def _repr_html_(self) -> str:
        return (f'<iframe srcdoc="{html.escape(self.page, quote=True)}" style="width:100%;height:{self.height}px;border:0" '
                'allowfullscreen></iframe>')


def _need(module: str, what: str) -> Any:
    import importlib

    try:
        return importlib.import_module(module)
    except ImportError as e:
        raise ImportError(f"{what} needs {module.split('.')[0]}, which is not installed") from e


def _page(results: Sequence[Result], labels: Sequence[str]) -> str:
    folder = tempfile.mkdtemp(prefix="flexion")
    try:
        path = os.path.join(folder, "page.html")
        _flexion.write_page(path, [r._raw for r in results], list(labels))
        with open(path, encoding="utf-8") as f:
            return f.read()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def view(*results: Result, labels: Sequence[str] | None = None, height: int = 480) -> View:
    """Several results side by side in one page."""
    names = list(labels) if labels else [r.title or f"run {i + 1}" for i, r in enumerate(results)]
    return View(_page(results, names), height)


def open_(path: PathLike) -> Result:
    """A result of `flexion run` or `save`: HDF5 or CSV."""
    where = os.fspath(path)
    return Result(_flexion.open_result(where), None, where, None, os.path.splitext(where)[1])


def _unpack(image: bytes, ending: str, ledger: dict[str, Any] | None) -> Result:
    folder = tempfile.mkdtemp(prefix="flexion")
    try:
        path = os.path.join(folder, "result" + ending)
        with open(path, "wb") as f:
            f.write(image)
        raw = _flexion.open_result(path)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return Result(raw, image, None, ledger, ending)


def _bar() -> Callable[[float, float], Any]:
    """A bar by tqdm, where it is installed."""
    try:
        bar_of = _need("tqdm.auto", "a bar").tqdm
    except ImportError:
        return lambda t, until: None
    bar = bar_of(total=1.0, bar_format="{l_bar}{bar}| {elapsed}<{remaining}")

    def update(t: float, until: float) -> None:
        bar.update(max(0.0, min(1.0, t / until if until > 0 else 1.0) - bar.n))

    return update


def _run_to_result(m: _flexion.Model, progress: Callable[[float, float], Any] | bool | None, states: bool) -> Result:
    if progress is True:
        progress = _bar()
    folder = tempfile.mkdtemp(prefix="flexion")
    try:
        path = os.path.join(folder, "result.h5")
        raw, status, messages, ledger, stopped = m.simulate(path, progress or None, 0.0, states)
        with open(path, "rb") as f:
            image = f.read()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    result = Result(raw, image, None, ledger)
    if stopped is not None and not isinstance(stopped, KeyboardInterrupt):
        raise stopped
    if status not in (0, _STOPPED):
        error = make(status, "interrupted" if status == _INTERRUPTED else "the run failed", messages)
        if isinstance(error, (ComputationError, Interrupted)):
            error.time = ledger["t"]
            error.result = result
        if isinstance(error, ComputationError):
            error.item = ledger["position_item"] if messages == [] else next((m[5] for m in messages if m[5]), None)
        raise error
    return result
