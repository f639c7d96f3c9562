"""Functions of Python in models."""
from __future__ import annotations

from typing import Any, Callable, Sequence, Union, overload

Answer = Union[float, "tuple[float, Sequence[float]]"]


class ExternalFunction:
    """A function that models may call: `m.functions["tyre"] = tyre`, or `fx.read(path, functions={"tyre": tyre})`.

    It returns a number, or a number and the list of its slopes by the arguments; without slopes derivatives are
    differences. Its value depends on its arguments alone, and threads may call it at once.
    """

    def __init__(self, call: Callable[..., Answer], of: int | Sequence[str] | None = None,
                 scale: Sequence[float] | None = None) -> None:
        self.call = call
        names: Sequence[str]
        if of is None:
            import inspect

            names = [p.name for p in inspect.signature(call).parameters.values()]
        elif isinstance(of, int):
            names = [f"x{k + 1}" for k in range(of)]
        else:
            names = list(of)
        self.of = list(names)
        self.scale = None if scale is None else [float(s) for s in scale]
        self.__doc__ = call.__doc__

    def __call__(self, *x: float) -> Answer:
        return self.call(*x)

    def __deepcopy__(self, memo: dict[int, Any]) -> "ExternalFunction":
        return self  # what it calls is shared anyway

    def __repr__(self) -> str:
        return f"<flexion.ExternalFunction of {', '.join(self.of)}>"

    def _entry(self, name: str) -> dict[str, Any]:
        entry: dict[str, Any] = {"external": name, "of": self.of}
        if self.scale is not None:
            entry["scale"] = self.scale
        return entry


@overload
def function(call: Callable[..., Answer]) -> ExternalFunction: ...
@overload
def function(call: None = None, *, of: int | Sequence[str] | None = None,
             scale: Sequence[float] | None = None) -> Callable[[Callable[..., Answer]], ExternalFunction]: ...


def function(call: Callable[..., Answer] | None = None, *, of: int | Sequence[str] | None = None,
             scale: Sequence[float] | None = None) -> ExternalFunction | Callable[[Callable[..., Answer]], ExternalFunction]:
    """Makes a function of Python one that models may call.

        @fx.function(of=2)
        def tyre(slip, load): return 1.2 * load * math.tanh(8 * slip)

    of: how many arguments, or their names; without it those of the function. scale: how far each argument moves for the
    value to change much, for differences.
    """
    if call is not None:
        return ExternalFunction(call)
    return lambda f: ExternalFunction(f, of, scale)
