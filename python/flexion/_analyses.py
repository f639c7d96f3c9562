"""What the analyses of a model find: equilibria, modes, linear models, derivatives, ..."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ._result import _array, _need

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[np.float64]


class Mode(NamedTuple):
    """An eigenvalue s = re + i im (1/s); of a pair the one with im >= 0. frequency in Hz, damping -re/|s|."""

    re: float
    im: float
    frequency: float
    damping: float
    residual: float


class FindingTable:
    """A table with named columns, or a matrix: `values` is (rows, columns), `table["frequency"]` a column."""

    def __init__(self, name: str, columns: list[str], units: list[str], values: "Array") -> None:
        self.name, self.columns, self.units, self.values = name, columns, units, values

    def __getitem__(self, column: str) -> "Array":
        return self.values[:, self.columns.index(column)]

    def to_pandas(self) -> Any:
        return _need("pandas", "to_pandas").DataFrame(self.values, columns=self.columns or None)

    def __repr__(self) -> str:
        what = ", ".join(self.columns) if self.columns else "a matrix"
        return f"<flexion table {self.name}: {self.values.shape[0]} x {self.values.shape[1]}, {what}>"


class Finding:
    """What one analysis found: `lines` for a person, `tables` by name, `signals` at an equilibrium, `modes`, load `factors`."""

    def __init__(self, raw: tuple[Any, ...]) -> None:
        self.name: str = raw[0]
        self.type: str = raw[1]
        self.about: str | None = raw[2]
        self.lines: list[str] = raw[3]
        self.tables: dict[str, FindingTable] = {t[0]: FindingTable(t[0], t[1], t[2], _array(t[3])) for t in raw[4]}
        self.signals: dict[str, float] = raw[5]
        self.modes: list[Mode] = [Mode(*m) for m in raw[6]]
        self.factors: list[float] = raw[7]

    def __getitem__(self, table: str) -> FindingTable:
        return self.tables[table]

    def __repr__(self) -> str:
        parts = [*self.tables, *(["modes"] if self.modes else []), *(["factors"] if self.factors else [])]
        return f"<flexion.Finding {self.name} ({self.type}): {', '.join(parts) or 'signals'}>"
