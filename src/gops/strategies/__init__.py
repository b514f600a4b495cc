"""Ways of bidding: the `Strategy` protocol, a registry by name, and the strategies we ship.

Examples
--------
>>> import gops
>>> import numpy as np
>>> rng = np.random.default_rng(7)
>>> gops.strategies.get("match").bid(gops.Position("1-3/1-3 2 1,3 0:0"), 1, rng)
2
"""

from gops.strategies import exact, lookahead, proportional, simple
from gops.strategies.base import Strategy, get, names, register

register(simple.Uniform)
register(simple.Match)
register(simple.Above)
register(proportional.Proportional)
register(lookahead.Lookahead)
register(exact.Exact)

__all__ = ["Strategy", "get", "names", "register"]
