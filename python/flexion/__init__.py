"""Flexion: flexible multibody dynamics.

    import flexion as fx
    m = fx.read("crank.yaml", r=0.2)
    res = m.run(until=2)
    res["crank.rate"]

The guide's page "Use it from Python" tells more.
"""
from __future__ import annotations

from . import items
from ._errors import (ArgumentError, ComputationError, Error, FileError, FlexionWarning, Interrupted, Message, ModelError,
                      Unavailable)
from ._flexion import version as _version
from ._function import ExternalFunction, function
from ._item import Item
from ._analyses import Finding, FindingTable, Mode
from ._model import Model, import_, read
from ._optimise import Condition, Design, Designed, Fit, Fitted, FittedTable, Goal, Gradient
from ._result import Ledger, Result, View, view
from ._result import open_ as open
from ._run import Ensemble, Linear, Port, Run, System
from ._sweep import Table, grid, sweep
from .items import *

__version__: str = _version()
