"""Ways of bidding: the `Strategy` protocol, a registry by name, and the strategies we ship.

Examples
--------
>>> import gops
>>> import numpy as np
>>> rng = np.random.default_rng(7)
>>> gops.strategies.get("match").bid(gops.Position("1-3/1-3 2 1,3 0:0"), 1, rng)
2
"""

from gops.rules import Rules
from gops.strategies import exact, lookahead, proportional, simple
from gops.strategies.base import Strategy, get, names, register

register(simple.Uniform)
register(simple.Match)
register(simple.Above)
register(proportional.Proportional)
register(lookahead.Lookahead)
register(exact.Exact)

__all__ = ["Strategy", "get", "names", "register", "strongest"]


def strongest(rules: Rules) -> str:
    """Name the strongest strategy that plays by these rules without a wait.

    Examples
    --------
    >>> strongest(Rules(cards=7)), strongest(Rules()), strongest(Rules.preset("market"))
    ('exact', 'lookahead', 'proportional')
    """
    unusual = rules.lot > 1 or rules.open or rules.hidden or rules.misere or rules.bids > 1
    if rules.game != "gops" or rules.players > 2 or unusual or rules.early_stop != "none":
        return "proportional"
    prizes = 1 if rules.order_known else len(rules.prize_values)
    return "exact" if max(rules.cards, prizes) <= lookahead.EXACT_FROM else "lookahead"
