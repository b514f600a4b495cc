"""Most functions of this module are for Cython; see ``_throps.pxd``."""

from collections.abc import Iterable

def totals(won: Iterable[Iterable[int]], /) -> tuple[int, ...]: ...
