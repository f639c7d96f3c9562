"""Flexion: flexible multibody dynamics.

    import flexion as fx
    m = fx.read("crank.yaml", r=0.2)
    res = m.run(until=2)
    res["crank.rate"]

The guide's page "Use it from Python" tells more.
"""
from __future__ import annotations

# Names are imported as themselves, so that type checkers see them as those of the package.
from . import items as items
from ._errors import (
    ArgumentError as ArgumentError,
    ComputationError as ComputationError,
    Error as Error,
    FileError as FileError,
    FlexionWarning as FlexionWarning,
    Interrupted as Interrupted,
    Message as Message,
    ModelError as ModelError,
    Unavailable as Unavailable,
)
from ._flexion import version as _version
from ._function import ExternalFunction as ExternalFunction, function as function
from ._item import Item as Item
from ._analyses import Finding as Finding, FindingTable as FindingTable, Mode as Mode
from ._model import Model as Model, import_ as import_, read as read
from ._optimise import (
    Condition as Condition,
    Design as Design,
    Designed as Designed,
    Fit as Fit,
    Fitted as Fitted,
    FittedTable as FittedTable,
    Goal as Goal,
    Gradient as Gradient,
)
from ._result import Ledger as Ledger, Result as Result, View as View, view as view
from ._result import open_ as _open
from ._run import Ensemble as Ensemble, Linear as Linear, Port as Port, Run as Run, System as System
from ._sweep import Table as Table, grid as grid, sweep as sweep
from .items import *

open = _open
__version__: str = _version()
