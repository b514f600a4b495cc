"""Goofspiel, the Game of Pure Strategy: a fast engine, an analyst and an exact solver.

Names are imported when first used, so that ``gops --version`` and ``gops --help`` stay instant.
"""

from importlib import import_module
from typing import Any

_HOME = {
    "GopsError": "errors",
    "IllegalBidError": "errors",
    "MissingExtraError": "errors",
    "NotationError": "errors",
    "PositionError": "errors",
    "RulesError": "errors",
    "TableError": "errors",
    "TooLargeError": "errors",
    "Rules": "rules",
    "Position": "position",
    "Game": "game",
    "perft": "game",
    "playouts": "game",
    "Match": "match",
    "solve_matrix": "matrix",
    "Analysis": "analysis",
    "analyse": "analysis",
    "Table": "tables",
    "solve": "solving",
}
_MODULES = ("errors", "rules", "position", "game", "match", "matrix", "analysis", "strategies")

__all__ = [*_HOME, "strategies"]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        value = getattr(import_module(f"gops.{_HOME[name]}"), name)
    elif name in _MODULES:
        value = import_module(f"gops.{name}")
    elif name == "__version__":
        from importlib.metadata import version

        value = version("goofspiel")
    else:
        raise AttributeError(f"module 'gops' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, "__version__"})
