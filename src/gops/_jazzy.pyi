"""Most functions of this module are for Cython; see ``_jazzy.pxd``."""

from collections.abc import Iterable

from gops.rules import Rules

def totals(won: Iterable[Iterable[int]], partner: int, rules: Rules, /) -> tuple[int, ...]: ...
