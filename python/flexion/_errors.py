"""What goes wrong, with the place in the model where it does."""
from __future__ import annotations

import os
import warnings
from dataclasses import dataclass
from typing import Any, NoReturn, Sequence

# statuses of the library
_MEMORY, _IO, _MODEL, _UNAVAILABLE, _ARGUMENT, _CANNOT, _INTERRUPTED = -1, -2, -3, -4, -5, -6, 7

#: What stands for the file of a model that is a dictionary: it has no lines.
UNNAMED = "<model>"


@dataclass(frozen=True)
class Message:
    """One message of the library: what is wrong, and where.

    `file`, `line`, `column` are those of the model file (None and 0: a model without a file); `path` is that of the key,
    such as `bodies.rod.inertia`.
    """

    text: str
    file: str | None = None
    line: int = 0
    column: int = 0
    path: str = ""

    def __str__(self) -> str:
        if self.file and self.line > 0:
            return f"{self.file}:{self.line}:{self.column}: {self.text}{self._source()}"
        where = self.file or self.path
        return f"{where}: {self.text}" if where else self.text

    def _source(self) -> str:
        """The line of the file with a mark under the column."""
        try:
            with open(self.file or "", encoding="utf-8") as f:
                line = f.read().split("\n")[self.line - 1].rstrip("\r")
        except (OSError, UnicodeDecodeError, IndexError):
            return ""
        mark = "".join("\t" if c == "\t" else " " for c in line[: self.column - 1])
        return f"\n{self.line:5d} | {line}\n      | {mark}^"


class Error(Exception):
    """All that this package raises of itself. `messages` lists what the library said."""

    def __init__(self, text: str, messages: Sequence[Message] = ()) -> None:
        super().__init__(text)
        self.messages: tuple[Message, ...] = tuple(messages)


class ModelError(Error):
    """The model is wrong."""


class FileError(Error, OSError):
    """A file could not be read or written."""

    def __str__(self) -> str:
        return str(self.args[0])


class ArgumentError(Error, ValueError):
    """An argument is wrong: a name that is not there, a number that cannot be."""


class Unavailable(Error):
    """This system cannot do what is asked of it, or what the model needs is not supported yet."""


class ComputationError(Error):
    """The numbers did not work out: `time` reached, `item` at fault where it is known, `result` so far."""

    time: float | None = None
    item: str | None = None
    result: Any = None


class Interrupted(Error, KeyboardInterrupt):
    """Ctrl-C during a run: `result` has what was computed."""

    time: float | None = None
    result: Any = None


class FlexionWarning(UserWarning):
    """What was changed of a model, or is doubtful in a result; `message` has the place."""

    message: Message

    def __init__(self, message: Message) -> None:
        super().__init__(str(message))
        self.message = message


def _read(m: tuple[int, str, str | None, int, int, str]) -> Message:
    _, text, file, line, column, path = m
    if file and os.path.basename(file) == UNNAMED:  # one that was read and changed stands beside its file
        return Message(text, None, 0, 0, path)
    return Message(text, file, line, column, path)


def make(status: int, text: str, raw: Sequence[tuple[int, str, str | None, int, int, str]]) -> Error | MemoryError:
    """The exception of a status with its messages."""
    messages = [_read(m) for m in raw]
    said = "\n".join(str(m) for m in messages) or text
    if status == _MEMORY:
        return MemoryError(said)
    kinds: dict[int, type[Error]] = {_IO: FileError, _MODEL: ModelError, _UNAVAILABLE: Unavailable, _CANNOT: Unavailable,
                                     _ARGUMENT: ArgumentError, _INTERRUPTED: Interrupted}
    return kinds.get(status, ComputationError)(said, messages)


def raise_(status: int, text: str, raw: Sequence[tuple[int, str, str | None, int, int, str]]) -> NoReturn:
    raise make(status, text, raw)


def warn(raw: Sequence[tuple[int, str, str | None, int, int, str]]) -> None:
    """Warnings of the library, at the user's line."""
    import sys

    frame, level = sys._getframe(1) if hasattr(sys, "_getframe") else None, 2
    while frame is not None and frame.f_globals.get("__name__", "").startswith("flexion."):
        frame, level = frame.f_back, level + 1
    for m in raw:
        warnings.warn(FlexionWarning(_read(m)), stacklevel=level)
