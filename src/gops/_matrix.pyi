import numpy as np
from numpy.typing import NDArray

def solve(
    matrix: NDArray[np.float64],
) -> tuple[float, float, NDArray[np.float64], NDArray[np.float64]]: ...
