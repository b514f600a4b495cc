"""The rules of a game: one frozen, validated value."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from itertools import pairwise
from typing import Any

from gops.cards import MAX_CARDS, MAX_PRIZE, clip
from gops.errors import RulesError

__all__ = ["Rules"]

_CHOICES: dict[str, tuple[Any, ...]] = {
    "ace": ("low", "high"),
    "tie": ("carry", "discard", "split", "unique"),
    "fallback": ("carry", "discard", "split"),
    "last": ("short", "none"),
    "hidden": (False, True),
    "game": ("gops", "jazzy", "throps"),
    "announce": ("winner", "winner_and_bid", "all"),
    "auto_pick": ("none", "highest"),
    "leftover": ("stay", "discard"),
    "misere": (False, True),
    "spent_visible": (True, False),
    "aces_tie_by_card": (False, True),
    "queen_excluded": (False, True),
    "lone_court": ("zero", "face"),
    "spent_triple": ("first", "last", "none"),
    "three_level": ("zero", "all"),
    "ace_low": (False, True),
}

#: The options that each family of games has for itself.
OWN_OPTIONS: dict[str, tuple[str, ...]] = {
    "jazzy": ("aces_tie_by_card", "queen_excluded", "lone_court", "spent_triple", "three_level"),
    "throps": ("ace_low",),
}

_PRESETS: dict[str, tuple[str, dict[str, Any]]] = {
    "classic": ("two players, 13 cards; tied prizes carry over to the next round", {}),
    "discard": ("tied prizes are discarded", {"tie": "discard"}),
    "split": ("tied players share the prize", {"tie": "split"}),
    "high-ace": ("the ace beats the king and is worth 14", {"ace": "high"}),
    "fixed-order": ("the prizes come in ascending order, known to all", {"order": "ascending"}),
    "hidden": ("bids stay secret; only the winner is announced", {"hidden": True}),
    "two-card": ("bids of two cards, the sum counts; seven rounds", {"bids": 2}),
    "open-prizes": ("two prizes on display; the stronger bidder picks first", {"open": 2}),
    "market": (
        "two prizes on display; only the strongest bidder picks, one prize",
        {"open": 2, "picks": 1},
    ),
    "three": ("three players; the highest unique bid wins", {"players": 3}),
    "four": ("four players; the highest unique bid wins", {"players": 4}),
    "five": ("five players; the highest unique bid wins", {"players": 5}),
    "jazzy": ("Jazzy GOPS by David Parlett, for three", {"game": "jazzy", "players": 3}),
    "throps": ("Throps by David Parlett, for three", {"game": "throps", "players": 3}),
}


@dataclass(frozen=True, kw_only=True)
class Rules:
    """Every choice that defines a game; the defaults are the classic two-player game.

    A value that has no effect (``fallback`` when ``tie`` is not ``unique``, say) is put back to its
    default, so that equal games have equal rules.

    Parameters
    ----------
    players : int
        2 to 7.
    cards : int
        Cards in each hand and, unless ``prizes`` says otherwise, in the prize pile: 1 to 31.
    ace : {"low", "high"}
        With ``high`` the cards are numbered 2..n+1 instead of 1..n.
    tie : {"carry", "discard", "split", "unique"}
        What happens to a prize when the highest bid is shared. ``unique``: ranks bid by two or
        more players drop out. Default: ``carry`` for two players, ``unique`` for more.
    fallback : {"carry", "discard", "split"}
        What happens under ``unique`` when no bid is unique.
    order : {"random", "ascending", "descending"} or sequence of int
        The order of the prizes; anything but ``random`` is known to all players. A sequence may
        stop early if no more prizes can be turned.
    rounds : int, optional
        Rounds to play, 1 up to the number that cards and prizes allow; None for all.
    bids : int
        Cards per bid; several cards count by their sum.
    last : {"short", "none"}
        Whether a last bid of fewer cards than ``bids`` is made.
    lot : int
        Prizes turned per round.
    open : int
        Prizes on display (2 or more), from which winners pick; 0 for the usual lots.
    picks : int, optional
        Prizes picked per round, at most ``open``; None for ``open``.
    hidden : bool
        Bids stay secret; only the winner is announced. ``"yes"`` and ``"no"`` are understood too.
    hands : sequence of sequences of int, optional
        Custom hands, one per player, of equal size; ``cards`` is then that size.
    prizes : sequence of int, optional
        Custom prize values, 1 to 1000, repeats allowed.
    game : {"gops", "jazzy", "throps"}
        The family of games. Jazzy GOPS and Throps are for three players and take the options that
        name them below, no others.
    early_stop : {"none", "clinch"} or int
        Stop when the leader cannot be caught, or as soon as somebody has that many points.
    misere : bool
        The lowest score wins.
    announce : {"winner", "winner_and_bid", "all"}
        What is announced under ``hidden``.
    auto_pick : {"none", "highest"}
        Whether picks from open prizes are made automatically.
    leftover : {"stay", "discard"}
        What happens to open prizes that nobody picked.
    spent_visible : bool
        Whether cards that were bid lie face up. Only what a screen shows depends on it: players
        who remember the bids know the hands all the same.
    aces_tie_by_card : bool
        Jazzy GOPS: a high and a low ace tie.
    queen_excluded : bool
        Jazzy GOPS: the queen, worth 0, does not count as the lowest diamond for the jack.
    lone_court : {"zero", "face"}
        Jazzy GOPS: what jack and king are worth without another diamond: nothing, or 11 and 13.
    spent_triple : {"first", "last", "none"}
        Jazzy GOPS: which of the tied triples is spent when all cards are on the table.
    three_level : {"zero", "all"}
        Jazzy GOPS: whether nobody or everybody scores when all three totals are level.
    ace_low : bool
        Throps: the ace is the lowest bid, not the highest.

    Raises
    ------
    RulesError
        If a value is unknown, out of range or contradicts another.

    Examples
    --------
    >>> Rules(cards=5, tie="discard").suit
    (1, 2, 3, 4, 5)
    >>> Rules.preset("three").tie
    'unique'
    """

    players: int = 2
    cards: int = 13
    ace: str = "low"
    tie: str = ""
    fallback: str = "carry"
    order: str | tuple[int, ...] = "random"
    rounds: int | None = None
    bids: int = 1
    last: str = "short"
    lot: int = 1
    open: int = 0
    picks: int | None = None
    hidden: bool = False
    hands: tuple[tuple[int, ...], ...] | None = None
    prizes: tuple[int, ...] | None = None
    game: str = "gops"
    early_stop: str | int = "none"
    misere: bool = False
    announce: str = "winner"
    auto_pick: str = "none"
    leftover: str = "stay"
    spent_visible: bool = True
    aces_tie_by_card: bool = False
    queen_excluded: bool = False
    lone_court: str = "zero"
    spent_triple: str = "first"
    three_level: str = "zero"
    ace_low: bool = False

    def __post_init__(self) -> None:
        self._whole("players", 2, 7)
        if self.tie == "":
            self._set("tie", "carry" if self.players == 2 else "unique")
        for name, allowed in _CHOICES.items():
            value = getattr(self, name)
            if isinstance(allowed[0], bool) and isinstance(value, str):
                value = {"no": False, "yes": True}.get(value, value)
            if not any(type(value) is type(choice) and value == choice for choice in allowed):
                raise RulesError(f"{name}={_show(value)}: expected {_any_of(allowed)}")
            self._set(name, value)
        if self.game != "gops":
            self._check_other_game()
            return
        self._check_cards()
        self._check_prizes()
        self._check_order()
        self._check_rounds()
        self._normalise()

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    def _whole(self, name: str, low: int, high: int) -> None:
        self._set(name, _whole(name, getattr(self, name), low, high))

    def _check_other_game(self) -> None:
        """Refuse the options of the usual game, which the others do not take."""
        if self.players != 3:
            raise RulesError(f"players={self.players}: expected 3 in {self.game}")
        for field in fields(self):
            value, default = getattr(self, field.name), field.default
            if field.name in ("players", "game", *OWN_OPTIONS[self.game]):
                continue
            if field.name == "tie":
                default = "unique"
            if value != default:
                raise RulesError(
                    f"{field.name}: not an option of {self.game}, which takes "
                    f"{', '.join(OWN_OPTIONS[self.game])}"
                )

    def _check_cards(self) -> None:
        if self.hands is not None:
            hands = tuple(sorted_cards("hands", hand) for hand in _items("hands", self.hands))
            if len(hands) != self.players:
                raise RulesError(f"hands: {len(hands)} given for {self.players} players")
            if len({len(hand) for hand in hands}) > 1:
                raise RulesError(f"hands: sizes {[len(hand) for hand in hands]} differ")
            if self.cards not in (13, len(hands[0])):
                raise RulesError(f"cards={self.cards}: the hands given have {len(hands[0])}")
            self._set("hands", hands)
            self._set("cards", len(hands[0]))
        self._whole("cards", 1, MAX_CARDS)
        if self.hands is None and self.ace == "high" and self.cards == MAX_CARDS:
            raise RulesError(f"cards={self.cards}: at most {MAX_CARDS - 1} with the ace high")
        self._whole("bids", 1, self.cards)

    def _check_prizes(self) -> None:
        if self.prizes is not None:
            prizes = tuple(sorted(_numbers("prizes", self.prizes, MAX_PRIZE)))
            if not 1 <= len(prizes) <= MAX_CARDS:
                raise RulesError(f"prizes: expected 1 to {MAX_CARDS}, got {len(prizes)}")
            self._set("prizes", None if prizes == self.suit else prizes)
        size = len(self.prize_values)
        self._whole("lot", 1, size)
        if self.open != 0:
            self._whole("open", 2, size)
            if self.lot > 1:
                raise RulesError(f"lot={self.lot}: not together with open={self.open}")
            if self.picks is not None:
                self._whole("picks", 1, self.open)

    def _check_order(self) -> None:
        if isinstance(self.order, str):
            if self.order not in ("random", "ascending", "descending"):
                raise RulesError(
                    f"order={_show(self.order)}: expected random, ascending, descending "
                    "or the prizes in order"
                )
            return
        order = _numbers("order", self.order, MAX_PRIZE)
        stray = Counter(order) - Counter(self.prize_values)
        if stray:
            raise RulesError(f"order: prize {min(stray)} is not (or not so often) in the pile")
        self._set("order", order)

    def _check_rounds(self) -> None:
        most = self.max_rounds
        if str(self.rounds) in ("all", "None"):
            self._set("rounds", None)
        else:
            self._whole("rounds", 1, most)
            if self.rounds == most:
                self._set("rounds", None)
        if not isinstance(self.order, str):
            size = len(self.prize_values)
            needed = size if self.open else min(size, (self.rounds or most) * self.lot)
            if len(self.order) < needed:
                raise RulesError(f"order: {len(self.order)} prizes given, {needed} can be turned")

    def _normalise(self) -> None:
        if self.early_stop not in ("none", "clinch"):
            if isinstance(self.early_stop, str):
                raise RulesError(
                    f"early_stop={_show(self.early_stop)}: expected none, clinch or a score"
                )
            self._whole("early_stop", 1, MAX_CARDS * MAX_PRIZE)
        if self.misere and self.early_stop != "none":
            raise RulesError("early_stop: not together with misere")
        if self.tie != "unique":
            self._set("fallback", "carry")
        if self.bids == 1:
            self._set("last", "short")
        if not self.open:
            self._set("auto_pick", "none")
            self._set("leftover", "stay")
        if not self.open or self.picks == self.open:
            self._set("picks", None)
        if self.hidden:
            self._set("spent_visible", True)
        else:
            self._set("announce", "winner")
        for name in (name for own in OWN_OPTIONS.values() for name in own):
            self._set(name, _CHOICES[name][0])

    @property
    def suit(self) -> tuple[int, ...]:
        """The cards of a full suit, ascending."""
        first = 2 if self.ace == "high" else 1
        return tuple(range(first, first + self.cards))

    @property
    def first_hands(self) -> tuple[tuple[int, ...], ...]:
        """The hands at the start, in player order."""
        return self.hands or (self.suit,) * self.players

    @property
    def prize_values(self) -> tuple[int, ...]:
        """The prizes at the start, ascending."""
        return self.prizes or self.suit

    @property
    def first_pile(self) -> tuple[int, ...]:
        """The prizes at the start: in their order where it is known, else ascending."""
        if self.order == "descending":
            return self.prize_values[::-1]
        if isinstance(self.order, str):
            return self.prize_values
        rest = Counter(self.prize_values) - Counter(self.order)
        return self.order + tuple(sorted(rest.elements()))

    @property
    def order_known(self) -> bool:
        """Whether the players know the order of the pile."""
        return self.order != "random"

    @property
    def max_rounds(self) -> int:
        """The rounds that cards and prizes allow (with open prizes, the cards alone)."""
        full, rest = divmod(self.cards, self.bids)
        by_cards = full + (1 if rest and self.last == "short" else 0)
        return by_cards if self.open else min(by_cards, -(-len(self.prize_values) // self.lot))

    @property
    def splits(self) -> bool:
        """Whether a tie may be shared, so that scores may be fractions."""
        return "split" in (self.tie, self.fallback)

    @classmethod
    def preset(cls, name: str, **changes: Any) -> "Rules":
        """Return the rules known as ``name``, with ``changes``.

        Examples
        --------
        >>> Rules.preset("high-ace", cards=5).suit
        (2, 3, 4, 5, 6)
        """
        if name not in _PRESETS:
            raise RulesError(f"preset {_show(name)}: expected {_any_of(tuple(cls.presets()))}")
        unknown = changes.keys() - {field.name for field in fields(cls)}
        if unknown:
            raise RulesError(f"{_show(min(unknown))}: no such rule")
        return cls(**{**_PRESETS[name][1], **changes})

    @classmethod
    def presets(cls) -> dict[str, str]:
        """Return the names of the presets, each with a description of one line."""
        return {name: text for name, (text, _) in _PRESETS.items()}

    def replace(self, **changes: Any) -> "Rules":
        """Return these rules with ``changes``."""
        return replace(self, **changes)


def sorted_cards(name: str, cards: Iterable[int]) -> tuple[int, ...]:
    """Return a hand ascending; `RulesError` if a card is out of range or there twice."""
    hand = tuple(sorted(_numbers(name, cards, MAX_CARDS)))
    for card, following in pairwise(hand):
        if card == following:
            raise RulesError(f"{name}: card {card} twice in one hand")
    return hand


def _items(name: str, value: Any) -> list[Any]:
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise RulesError(f"{name}={_show(value)}: expected a sequence")
    items = []
    for item in value:
        items.append(item)
        if len(items) > MAX_CARDS:
            raise RulesError(f"{name}: more than {MAX_CARDS} given")
    return items


def _numbers(name: str, value: Any, highest: int) -> tuple[int, ...]:
    return tuple(_whole(name, item, 1, highest) for item in _items(name, value))


def _whole(name: str, value: Any, low: int, high: int) -> int:
    try:
        number = int(value.__index__())
    except (AttributeError, TypeError):
        raise RulesError(f"{name}={_show(value)}: expected a whole number") from None
    if not low <= number <= high:
        span = f"{low} to {high}" if low < high else f"{low}"
        shown = str(number) if abs(number) < 10**12 else "a huge number"
        raise RulesError(f"{name}={shown}: expected {span}")
    return number


def _show(value: object) -> str:
    return clip(value if isinstance(value, str) else f"{value!s}")


def _any_of(choices: tuple[Any, ...]) -> str:
    names = ["no" if c is False else "yes" if c is True else str(c) for c in choices]
    return f"{', '.join(names[:-1])} or {names[-1]}"
