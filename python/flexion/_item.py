"""An item of a model: a dictionary whose keys are also attributes."""
from __future__ import annotations

from typing import Any


class Item(dict[str, Any]):
    """A dictionary in the words of the model language; `item.mass` and `item["mass"]` are the same.

    A key that is a word of Python is written with a line behind it: `from_`.
    """

    _selector: tuple[str, str] | None = None

    def __init__(self, given: dict[str, Any] | None = None) -> None:
        super().__init__()
        if self._selector:
            self[self._selector[0]] = self._selector[1]
        for key, value in (given or {}).items():
            if value is not None and key not in ("self", "__class__"):
                self[key[:-1] if key.endswith("_") else key] = value

    def __getattr__(self, name: str) -> Any:
        key = name[:-1] if name.endswith("_") else name
        if key.startswith("_") or key not in self:
            raise AttributeError(f"this {type(self).__name__} has no '{key}'")
        return self[key]

    def __setattr__(self, name: str, value: Any) -> None:
        self[name[:-1] if name.endswith("_") else name] = value

    def __delattr__(self, name: str) -> None:
        del self[name[:-1] if name.endswith("_") else name]

    def __repr__(self) -> str:
        keys = ", ".join(f"{k}={v!r}" for k, v in self.items() if not self._selector or k != self._selector[0])
        return f"{type(self).__name__}({keys})"
