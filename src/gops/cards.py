"""Cards and prizes as text: letters, sets such as ``1-5,7,8``, orders such as ``3,2,1``."""

import re
from collections.abc import Iterable, Sequence

from gops.errors import NotationError

__all__ = ["ACE", "MAX_CARDS", "MAX_PRIZE", "clip", "format_set", "parse_list", "resolve_aces"]

MAX_CARDS = 31
MAX_PRIZE = 1000

#: What the letter A reads as until the whole text has told whether aces are high.
ACE = 0
_LETTERS = {"a": ACE, "t": 10, "j": 11, "q": 12, "k": 13}
_CARD = re.compile(r"[0-9]{1,9}|[atjqk]", re.ASCII | re.IGNORECASE)


def clip(text: str, limit: int = 40) -> str:
    """Quote ``text`` for an error message, cut to ``limit`` characters."""
    return repr(text if len(text) <= limit else text[:limit] + "...")


def format_set(cards: Iterable[int]) -> str:
    """Write cards ascending, runs of three or more as ``a-b``; ``-`` if there are none.

    Examples
    --------
    >>> format_set([8, 7, 1, 2, 3])
    '1-3,7,8'
    """
    ordered = sorted(cards)
    parts: list[str] = []
    start = 0
    while start < len(ordered):
        stop = start + 1
        while stop < len(ordered) and ordered[stop] == ordered[stop - 1] + 1:
            stop += 1
        if stop - start >= 3:
            parts.append(f"{ordered[start]}-{ordered[stop - 1]}")
        else:
            parts.extend(str(card) for card in ordered[start:stop])
        start = stop
    return ",".join(parts) or "-"


def parse_list(text: str, *, field: str, offset: int, highest: int) -> list[int]:
    """Read a comma-separated list of cards, letters and upward ranges, in the order written.

    The letter A comes back as `ACE`, except in a range, where it is 1 below and 14 above.

    Parameters
    ----------
    text : str
        ``-`` (nothing) or for example ``1-5,7,J``.
    field, offset
        Name of the field and place of ``text`` in the whole input, for errors.
    highest : int
        The largest number allowed.

    Raises
    ------
    NotationError
        If the text is no such list.
    """
    if text == "-":
        return []
    cards: list[int] = []
    place = offset
    for item in text.split(","):
        low, dash, high = item.partition("-")
        first = _card(low, field, place, highest)
        if dash:
            last = _card(high, field, place + len(low) + 1, highest)
            first, last = first or 1, last or 14
            if last < first:
                raise NotationError(
                    f"{field}, offset {place}: a range runs upward, not {clip(item)}"
                )
            cards += range(first, last + 1)
        else:
            cards.append(first)
        if len(cards) > MAX_CARDS:
            raise NotationError(f"{field}, offset {place}: more than {MAX_CARDS} cards")
        place += len(item) + 1
    return cards


def resolve_aces(cards: Sequence[int], *, high: bool) -> tuple[int, ...]:
    """Replace each `ACE` by 14 (``high``) or 1."""
    return tuple((14 if high else 1) if card == ACE else card for card in cards)


def _card(text: str, field: str, place: int, highest: int) -> int:
    if not _CARD.fullmatch(text):
        raise NotationError(
            f"{field}, offset {place}: expected a card (1..{highest} or A T J Q K), "
            f"found {clip(text)}"
        )
    card = _LETTERS.get(text.lower())
    if card is None:
        card = int(text)
        if not 1 <= card <= highest:
            raise NotationError(f"{field}, offset {place}: {card} is not one of 1..{highest}")
    return card
