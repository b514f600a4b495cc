"""What happened in a round, and what a single player may know of a game."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from gops.rules import Rules

__all__ = ["Bid", "Round", "Score", "View"]

#: One card, or the cards of a bid of several; the cards of Throps are strings.
Bid = int | str | tuple[int, ...]
Score = int | Fraction


@dataclass(frozen=True)
class Round:
    """One round that has been bid for.

    Attributes
    ----------
    upcards : tuple of int
        The prizes that were on offer, oldest first.
    bids : tuple of (int, tuple of int or None)
        In player order; None where it is secret.
    winner : int or None
        The player with the winning bid; None if there was none.
    gains : tuple of int or Fraction
        The points each player got.
    picks : tuple of (int, int)
        With open prizes, who took which prize, in that order; prizes shared after a tie are only
        in ``gains``.
    """

    upcards: tuple[Any, ...]
    bids: tuple[Bid | None, ...]
    winner: int | None
    gains: tuple[Score, ...]
    picks: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class View:
    """The information state of one player when bids are hidden, or hands are as in Throps.

    Two games that differ only in what ``player`` may not know have equal views.

    Attributes
    ----------
    player : int
        Whose view it is.
    rules : Rules
        The rules of the game.
    hand : tuple of int, or str in Throps
        The player's cards, ascending.
    upcards, pile, order_known, scores, rounds_left
        As in a `Position`.
    to_pick : int or None
        Whose pick it is from open prizes.
    history : tuple of Round
        The rounds so far; of the bids, only those that this player knows.
    won : tuple of tuple of str
        Throps: the stock cards that each player has won. ``pile`` holds the cards not seen, which
        are in the stock or with the rivals.
    """

    player: int
    rules: Rules
    hand: tuple[Any, ...]
    upcards: tuple[Any, ...]
    pile: tuple[Any, ...]
    order_known: bool
    scores: tuple[Score, ...]
    rounds_left: int
    to_pick: int | None
    history: tuple[Round, ...]
    won: tuple[tuple[str, ...], ...] = ()
