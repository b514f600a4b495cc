"""The pieces that every text is made of: card names, bars and tables."""

from collections.abc import Iterable, Sequence

from gops.view import Bid

_LETTERS = {1: "A", 11: "J", 12: "Q", 13: "K", 14: "A"}
_EIGHTHS = " ▏▎▍▌▋▊▉█"


def card_name(bid: Bid, highest: int = 13) -> str:
    """Name a card by number and, in a suit that has them, by letter.

    Parameters
    ----------
    bid
        A card, or the cards of a bid of several.
    highest
        The highest card in play: above 14 cards have no letters, and with 14 that is the ace.

    Examples
    --------
    >>> card_name(13), card_name(7), card_name((4, 11)), card_name(13, highest=20)
    ('13 K', '7', '4+11', '13')
    """
    if isinstance(bid, str):
        return bid
    if isinstance(bid, tuple):
        return "+".join(map(str, bid))
    letter = "" if highest > 14 or (bid == 1 and highest == 14) else _LETTERS.get(bid, "")
    return f"{bid} {letter}" if letter else str(bid)


def suit_of(player: int) -> str:
    """Name the suit of a player's cards, a prime for the second deck; of the prizes for 0.

    Examples
    --------
    >>> [suit_of(player) for player in range(8)]
    ['♦', '♠', '♣', '♥', '♠′', '♣′', '♥′', '♦′']
    """
    return "♦♠♣♥♠♣♥♦"[player] + ("′" if player > 3 else "")


def bar(share: float, width: int = 16, *, unicode: bool = True) -> str:
    """Draw a share of 0 to 1 as a bar of at most ``width`` characters.

    Examples
    --------
    >>> bar(0.5, 8), bar(0.5, 8, unicode=False)
    ('████', '####')
    """
    if not unicode:
        return "#" * round(share * width)
    whole, part = divmod(round(share * width * 8), 8)
    return "█" * whole + _EIGHTHS[part].strip()


def signed(value: float, digits: int) -> str:
    """Write a value with its sign, which nothing that rounds to 0 has.

    Examples
    --------
    >>> signed(1.5, 2), signed(-0.25, 1), signed(-1e-17, 3)
    ('+1.50', '-0.2', '0.000')
    """
    rounded = round(value, digits)
    return f"{rounded:+.{digits}f}" if rounded else f"{0:.{digits}f}"


def table(rows: Iterable[Sequence[str]], *, align: str) -> str:
    """Set rows of cells in columns, two spaces apart.

    Parameters
    ----------
    rows
        Each with as many cells as ``align`` has letters.
    align
        For each column ``l`` or ``r``.

    Examples
    --------
    >>> print(table([("bid", "loss"), ("10", "0.5")], align="rl"))
    bid  loss
     10  0.5
    """
    cells = [list(row) for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if side == "r" else cell.ljust(width)
            for cell, width, side in zip(row, widths, align, strict=True)
        ).rstrip()
        for row in cells
    )
