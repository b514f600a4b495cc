from typing import final

import numpy as np
from numpy.typing import NDArray

from gops._game import Game
from gops.position import Position
from gops.rules import Rules

@final
class JazzyGame(Game): ...

@final
class ThropsGame(Game): ...

def perft(position: Position, depth: int, /) -> int: ...
def playouts(rules: Rules, seed: NDArray[np.uint64], scores: NDArray[np.int32], /) -> int: ...
