"""The same run for many values of parameters."""
from __future__ import annotations

import itertools
import threading
from typing import TYPE_CHECKING, Any, Callable, Mapping, Sequence

from ._errors import Error, Unavailable
from ._model import Model

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[np.float64]


def grid(first: float, last: float, count: int, *, log: bool = False) -> list[float]:
    """Values from first to last, equally spaced, or by equal factors."""
    if count < 1:
        raise ValueError("a grid has at least one value")
    if count == 1:
        return [float(first)]
    if log:
        if first <= 0 or last <= 0:
            raise ValueError("equal factors need positive ends")
        return [float(first * (last / first) ** (i / (count - 1))) for i in range(count)]
    return [float(first + (last - first) * i / (count - 1)) for i in range(count)]


class Table:
    """Rows of a sweep: `table["L"]` and `table["far"]` are columns; a run that failed has NaN, and its message in
    `table.failed`.
    """

    def __init__(self, names: Sequence[str], rows: list[list[float]], failed: dict[int, Error]) -> None:
        self.names = list(names)
        self.rows = rows
        self.failed = failed

    def __getitem__(self, name: str) -> "Array":
        import numpy

        k = self.names.index(name)
        return numpy.array([row[k] for row in self.rows], dtype=float)

    def __len__(self) -> int:
        return len(self.rows)

    def to_pandas(self) -> Any:
        from ._result import _need

        return _need("pandas", "to_pandas").DataFrame(self.rows, columns=self.names)

    def save(self, path: str) -> None:
        """As a table (.csv)."""
        with open(path, "w", encoding="utf-8") as f:
            f.write(",".join(self.names) + "\n")
            for row in self.rows:
                f.write(",".join(repr(v) for v in row) + "\n")

    def _repr_html_(self) -> str:
        try:
            return str(self.to_pandas()._repr_html_())
        except ImportError:
            return repr(self)

    def __repr__(self) -> str:
        bad = f", {len(self.failed)} failed" if self.failed else ""
        return f"<flexion.Table {len(self.rows)} rows of {', '.join(self.names)}{bad}>"


def sweep(model: Model, over: Mapping[str, Sequence[float]] | None = None, *, metrics: Mapping[str, str] | None = None,
          workers: int = 1, together: bool = False, progress: Callable[[int, int], Any] | None = None,
          **options: Any) -> Table:
    """Runs of the model for all values of `over` (all combinations; together: the first values, then the second, ...).

    over None: the block `sweep` of the model. metrics: names and texts such as `maximum(rod.tip.position.x)`, beside those
    of the model; without any the last values of the outputs. workers: threads. options: keys of `simulate`.
    """
    m = model
    if metrics:
        m = model.copy()
        kept = m.outputs.setdefault("metrics", {})
        kept.update(metrics)
    if over is None:
        values = m._compile().sweep()
        if not values:
            raise ValueError("the model has no block 'sweep': name the parameters and their values")
        over, together = values, True
    names = list(over)
    if together:
        if len({len(over[n]) for n in names}) > 1:
            raise ValueError("parameters that change together have equally many values")
        points = [tuple(float(v) for v in p) for p in zip(*(over[n] for n in names))]
    else:
        points = [tuple(float(v) for v in p) for p in itertools.product(*(over[n] for n in names))]
    system = m.system(open=names, **options)
    columns = system.metrics or [p.name for p in system.outputs]
    # where `auto` chose, or a parameter shapes the system, every run is read anew
    anew = system.chosen or not all(p.tunable for p in system.parameters if p.name in names)
    anew = anew or {p.name for p in system.parameters} < set(names)
    rows: list[list[float]] = [[*p, *([float("nan")] * len(columns))] for p in points]
    failed: dict[int, Error] = {}
    next_, lock, stop = itertools.count(), threading.Lock(), threading.Event()
    broken: list[BaseException] = []

    def last(run: Any) -> list[float]:
        return list(run.metrics.values()) if system.metrics else [float(v) for v in run.outputs]

    def work() -> None:
        run = None
        while not stop.is_set():
            i = next(next_)
            if i >= len(points):
                return
            try:
                given = dict(zip(names, points[i]))
                try:
                    if anew:
                        raise Unavailable("")
                    run = run or system.start()
                    for name, value in given.items():
                        run.parameter[name] = value
                    run.reset()
                except Unavailable:
                    run = None
                    own = m._with(options, given, []).compile()
                    from ._run import System

                    one = System(own).start()
                    one.finish()
                    rows[i][len(names):] = last(one)
                else:
                    run.finish()
                    rows[i][len(names):] = last(run)
            except Error as e:
                if isinstance(e, KeyboardInterrupt):
                    raise
                failed[i], run = e, None
            if progress is not None:
                with lock:
                    progress(i + 1, len(points))

    def guarded() -> None:
        try:
            work()
        except BaseException as e:  # told by the caller's thread
            broken.append(e)
            stop.set()

    if workers <= 1:
        work()
    else:
        threads = [threading.Thread(target=guarded, daemon=True) for _ in range(min(workers, len(points)))]
        for t in threads:
            t.start()
        try:
            for t in threads:
                while t.is_alive():
                    t.join(0.1)
        finally:
            stop.set()
        if broken:
            raise broken[0]
    return Table([*names, *columns], rows, failed)
