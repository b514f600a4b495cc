from collections.abc import Iterable
from typing import Self, final

import numpy as np
from numpy.typing import NDArray
from typing_extensions import disjoint_base

def word_of(hand_one: Iterable[int], hand_two: Iterable[int]) -> int: ...
def canonical(word: int) -> tuple[int, bool]: ...
def children(word: int) -> list[list[int]]: ...
def subwords(root: int, cards: int) -> NDArray[np.uint64]: ...
def lengths(words: NDArray[np.uint64]) -> NDArray[np.uint8]: ...
def kernels() -> list[str]: ...

@disjoint_base
class WordIndex:
    def __new__(cls, words: NDArray[np.uint64]) -> Self: ...

@disjoint_base
class Layer:
    @property
    def words(self) -> NDArray[np.uint64]: ...
    @property
    def slack(self) -> NDArray[np.uint8]: ...
    @property
    def offsets(self) -> NDArray[np.int64]: ...
    @property
    def values(self) -> NDArray[np.float64]: ...
    @property
    def high(self) -> NDArray[np.float64] | None: ...
    @property
    def low(self) -> NDArray[np.float64] | None: ...
    def __init__(
        self,
        words: NDArray[np.uint64],
        slack: NDArray[np.uint8],
        states: NDArray[np.int64],
        values: NDArray[np.float64] | None = None,
        replies: bool = False,
    ) -> None: ...
    def row(self, word: int) -> tuple[NDArray[np.float64], bool]: ...

@final
class LayerTask:
    @property
    def share(self) -> float: ...
    @property
    def solved(self) -> int: ...
    @property
    def cold(self) -> int: ...
    @property
    def tried(self) -> int: ...
    @property
    def worst(self) -> float: ...
    def __init__(
        self,
        layer: Layer,
        below: Layer,
        *,
        cards: int,
        last: bool,
        antisymmetric: bool,
        stakes: NDArray[np.float64],
        start: NDArray[np.int64],
        games: NDArray[np.int32],
        column: NDArray[np.int32],
        opposite: NDArray[np.int32] | None,
        places: int,
        average: NDArray[np.int32],
        states: NDArray[np.int64],
        fixed: NDArray[np.int32],
        fixed_values: NDArray[np.float64],
        tolerance: float,
        span: float,
        kernel: str | None = None,
    ) -> None: ...
    def stop(self) -> None: ...
    def run(self) -> None: ...
