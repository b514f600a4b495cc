"""Positions of David Parlett's games for three, Jazzy GOPS and Throps (docs/notation.md)."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Self

from gops import _jazzy, _throps
from gops.cards import clip, format_set
from gops.errors import NotationError, PositionError, RulesError
from gops.position import MAX_TEXT, Position
from gops.rules import OWN_OPTIONS, Rules

__all__ = [
    "THROPS_CARDS",
    "JazzyPosition",
    "ThropsPosition",
    "options_of",
    "throps_number",
    "throps_points",
    "throps_rank",
]

_FIELDS = ("HANDS", "UPCARDS", "PILE", "WON", "RULES")
_PLAYERS = 3
_SUIT = 13
_JOKER = 0

#: The cards of Throps, in the order in which hands are written.
THROPS_CARDS = tuple(rank + suit for suit in "SCHD" for rank in (*map(str, range(2, 11)), *"JQKA"))

_THROPS_NUMBERS: Mapping[str, int] = {
    **{card: number for number, card in enumerate(THROPS_CARDS)},
    **{f"T{suit}": 13 * place + 8 for place, suit in enumerate("SCHD")},
}
_JAZZY_NUMBERS: Mapping[str, int] = {
    **{str(number): number for number in range(14)},
    **{"A": 1, "T": 10, "J": 11, "Q": 12, "K": 13},
}


def options_of(rules: Rules) -> dict[str, Any]:
    """Return the options that the game of ``rules`` has for itself."""
    return {name: getattr(rules, name) for name in OWN_OPTIONS[rules.game]}


def throps_number(card: object) -> int:
    """Return the place of a card in `THROPS_CARDS`; -1 if it is none.

    Examples
    --------
    >>> throps_number("2S"), throps_number("10h"), throps_number("1S")
    (0, 34, -1)
    """
    return _THROPS_NUMBERS.get(card.upper(), -1) if isinstance(card, str) else -1


def throps_rank(card: str, ace_low: bool = False) -> int:
    """Return what a bid counts before suits are looked at: 2 to 14, or 1 for an ace that is low.

    Examples
    --------
    >>> throps_rank("2S"), throps_rank("AH"), throps_rank("AH", ace_low=True)
    (2, 14, 1)
    """
    rank = throps_number(card) % _SUIT + 2
    return 1 if ace_low and rank == _SUIT + 1 else rank


def throps_points(card: str) -> int:
    """Return the points of a card: its pips, 10 for a court card, 11 for an ace.

    Examples
    --------
    >>> throps_points("2S"), throps_points("KH"), throps_points("AH")
    (2, 10, 11)
    """
    return _throps.totals([[throps_number(card)]])[0]


class _DealPosition(Position):
    """What the positions of both games share; a subclass says what its cards are.

    Cards are kept as numbers in ``_hands`` and so on, in the form in which they are checked.
    """

    __slots__ = ("chain", "partner", "won")

    won: tuple[tuple[Any, ...], ...]
    chain: tuple[int, ...]
    partner: int | None

    _game: ClassVar[str]
    _numbers: ClassVar[Mapping[str, int]]
    _stock: ClassVar[int]  # most prizes
    _example: ClassVar[str]

    def __init__(self, text: str) -> None:
        if not isinstance(text, str):
            raise NotationError(f"position: expected a text, not {type(text).__name__}")
        if len(text) > MAX_TEXT:
            raise NotationError(
                f"position: {len(text)} characters, expected at most {MAX_TEXT}: {clip(text, 20)}"
            )
        parts, offsets = self._parse(text)
        try:
            self._build_deal(**parts)
        except PositionError as error:
            field, _, reason = str(error).partition(": ")
            raise PositionError(f"{field}, offset {offsets[field]}: {reason}") from None

    @classmethod
    def from_parts(  # type: ignore[override]
        cls,
        hands: Iterable[Iterable[Any]],
        upcards: Iterable[Any] = (),
        pile: Iterable[Any] = (),
        won: Iterable[Iterable[Any]] = ((), (), ()),
        *,
        partner: int | None = None,
        chain: Iterable[int] = (),
        **rules: Any,
    ) -> Self:
        """Build a position from plain data.

        Parameters
        ----------
        hands, upcards, pile, won, partner, chain
            As the attributes.
        **rules
            The options of the game, as in `Rules`.

        Raises
        ------
        PositionError
            If no game can look like that.
        """
        self = object.__new__(cls)
        self._build_deal(hands, upcards, pile, won, partner, chain, rules)
        return self

    # -- checking --

    def _build_deal(
        self,
        hands: Iterable[Iterable[Any]],
        upcards: Iterable[Any],
        pile: Iterable[Any],
        won: Iterable[Iterable[Any]],
        partner: int | None,
        chain: Iterable[int],
        rules: Mapping[str, Any],
    ) -> None:
        held = self._sets("HANDS", hands)
        if len({len(hand) for hand in held}) > 1:
            raise PositionError(
                "HANDS: all hands have the same size, not "
                f"{' and '.join(str(len(hand)) for hand in held)} cards"
            )
        up = self._cards("UPCARDS", upcards)
        face_down = self._cards("PILE", pile)
        taken = self._sets("WON", won)
        triples = self._cards("RULES", chain)
        self._check_cards(held, up, face_down, taken, triples)
        if up and not held[0]:
            raise PositionError("UPCARDS: a prize is turned, but no card is left to bid")
        if triples and not up:
            raise PositionError("RULES: chain, but no prize is turned")
        diamonds = (
            len(up) + len(face_down) - ((*up, *face_down).count(_JOKER) if self._jokers else 0)
        )
        self._put(
            hands=self._shown(held),
            upcards=self._show(up),
            pile=self._show(sorted(face_down)),
            order_known=False,
            rules=self._stated(rules),
            picking=(),
            picks_left=0,
            turned=bool(up),
            won=self._shown(taken),
            partner=self._check_partner(taken, partner),
            chain=triples,
            rounds_left=min(len(held[0]) + len(triples), diamonds),
        )
        self._put(scores=self._totals(taken))

    _jokers: ClassVar[bool] = False

    def _cards(self, field: str, cards: Iterable[Any]) -> tuple[int, ...]:
        numbers: list[int] = []
        for card in cards:
            number = self._number(card)
            if number < 0 or (number == _JOKER and self._jokers and field in ("HANDS", "RULES")):
                raise PositionError(f"{field}: {clip(str(card))}, expected {self._example}")
            if number in numbers:
                raise PositionError(f"{field}: {clip(str(card))} twice")
            numbers.append(number)
        most = _SUIT if field in ("HANDS", "RULES") else self._stock
        if len(numbers) > most:
            raise PositionError(f"{field}: {len(numbers)} cards, expected at most {most}")
        return tuple(numbers)

    def _sets(self, field: str, sets: Iterable[Iterable[Any]]) -> tuple[tuple[int, ...], ...]:
        found: list[tuple[int, ...]] = []
        for cards in sets:
            found.append(tuple(sorted(self._cards(field, cards))))
            if len(found) > _PLAYERS:
                break
        if len(found) != _PLAYERS:
            raise PositionError(f"{field}: expected {_PLAYERS}, one per player")
        return tuple(found)

    def _check_once(self, *groups: tuple[str, Iterable[int]]) -> None:
        """Refuse a card that is in two places."""
        seen: dict[int, str] = {}
        for field, cards in groups:
            for card in cards:
                if card in seen:
                    raise PositionError(f"{field}: {self._show([card])[0]} is also in {seen[card]}")
                seen[card] = field

    def _stated(self, values: Mapping[str, Any]) -> Rules:
        allowed = OWN_OPTIONS[self._game]
        stray = [name for name in values if name not in (*allowed, "game")]
        if stray:
            raise PositionError(f"RULES: {clip(stray[0])}, expected {', '.join(allowed)}")
        try:
            return Rules(**{"players": _PLAYERS, "game": self._game, **values})
        except RulesError as error:
            raise PositionError(f"RULES: {error}") from None

    def _check_partner(self, won: tuple[tuple[int, ...], ...], partner: int | None) -> int | None:
        return None

    # -- what a subclass says --

    def _number(self, card: Any) -> int:
        """Return the number of a card; -1 if there is no such card."""
        raise NotImplementedError

    def _show(self, numbers: Sequence[int]) -> tuple[Any, ...]:
        """Return cards as Python sees them."""
        return tuple(numbers)

    def _shown(self, sets: Iterable[Sequence[int]]) -> tuple[tuple[Any, ...], ...]:
        return tuple(self._show(cards) for cards in sets)

    def _check_cards(
        self,
        hands: tuple[tuple[int, ...], ...],
        up: tuple[int, ...],
        pile: tuple[int, ...],
        won: tuple[tuple[int, ...], ...],
        chain: tuple[int, ...],
    ) -> None:
        raise NotImplementedError

    def _totals(self, won: tuple[tuple[int, ...], ...]) -> tuple[int, ...]:
        raise NotImplementedError

    # -- text --

    def _format(self) -> str:
        words = [f"game={self._game}"]
        usual = Rules(players=_PLAYERS, game=self._game)
        for name in OWN_OPTIONS[self._game]:
            value = getattr(self.rules, name)
            if value != getattr(usual, name):
                words.append(f"{name}={'yes' if value is True else value}")
        if self.chain:
            words.append("chain=" + ">".join(map(str, self.chain)))
        return " ".join(
            (
                "/".join(map(self._format_set, self.hands)),
                "+".join(map(str, self.upcards)) or "-",
                self._format_set(self.pile),
                "/".join(map(self._format_won, self.won)),
                ",".join(words),
            )
        )

    def _format_set(self, cards: Sequence[Any]) -> str:
        return ",".join(cards) or "-"

    def _format_won(self, cards: Sequence[Any]) -> str:
        return self._format_set(cards)

    def _parse(self, text: str) -> tuple[dict[str, Any], dict[str, int]]:
        fields = [(match.group(), match.start()) for match in re.finditer(r"[^ \t\r\n]+", text)]
        if not 4 <= len(fields) <= 5 or "=" not in fields[-1][0]:
            raise NotationError(
                f"position: expected HANDS UPCARDS PILE [WON] game={self._game}, found {clip(text)}"
            )
        if len(fields) == 4:
            fields.insert(3, ("-/-/-", fields[3][1]))
        offsets = {name: place for name, (_, place) in zip(_FIELDS, fields, strict=True)}
        rules, chain = self._parse_rules(*fields[4])
        up, offset = fields[1]
        upcards: list[int] = []
        if up != "-":
            for part in up.split("+"):
                upcards += self._parse_set("UPCARDS", part, offset, single=True)
                offset += len(part) + 1
        won, partner = self._parse_won(*fields[3])
        return {
            "hands": [self._show(hand) for hand in self._parse_sets("HANDS", *fields[0])],
            "upcards": self._show(upcards),
            "pile": self._show(self._parse_set("PILE", *fields[2])),
            "won": [self._show(cards) for cards in won],
            "partner": partner,
            "chain": chain,
            "rules": rules,
        }, offsets

    def _parse_sets(self, field: str, text: str, offset: int) -> list[list[int]]:
        parts = text.split("/")
        if len(parts) != _PLAYERS:
            raise NotationError(
                f"{field}, offset {offset}: expected {_PLAYERS} sets joined by '/', "
                f"found {clip(text)}"
            )
        sets = []
        for part in parts:
            sets.append(self._parse_set(field, part, offset))
            offset += len(part) + 1
        return sets

    def _parse_won(self, text: str, offset: int) -> tuple[list[list[int]], int | None]:
        return self._parse_sets("WON", text, offset), None

    def _parse_set(self, field: str, text: str, offset: int, *, single: bool = False) -> list[int]:
        if text == "-":
            return []
        cards: list[int] = []
        for item in text.split(","):
            low, dash, high = item.partition("-")
            first = self._numbers.get(low.upper(), -1)
            last = self._numbers.get(high.upper(), -1) if dash else first
            if min(first, last) < 0 or (dash and (single or not self._jokers)):
                raise NotationError(
                    f"{field}, offset {offset}: expected {self._example}, found {clip(item)}"
                )
            if last < first:
                raise NotationError(
                    f"{field}, offset {offset}: a range runs upward, not {clip(item)}"
                )
            cards += range(first, last + 1)
            if len(cards) > len(THROPS_CARDS):
                raise NotationError(f"{field}, offset {offset}: too many cards")
            offset += len(item) + 1
        return cards

    def _parse_rules(self, text: str, offset: int) -> tuple[dict[str, Any], list[int]]:
        rules: dict[str, Any] = {}
        chain: list[int] = []
        keys = ("game", *OWN_OPTIONS[self._game], *(("chain",) if self._jokers else ()))
        for part in text.split(","):
            key, equals, value = part.lower().partition("=")
            if not equals or key not in keys or key in rules or (key == "chain" and chain):
                raise NotationError(
                    f"RULES, offset {offset}: expected key=value, each key once, keys "
                    f"{', '.join(keys)}; found {clip(part)}"
                )
            if key == "chain":
                chain = self._parse_set("RULES", value.replace(">", ","), offset)
            else:
                rules[key] = value
            offset += len(part) + 1
        return rules, chain


class JazzyPosition(_DealPosition):
    """What everybody can see of a deal of Jazzy GOPS.

    Made by `Position` when the text says ``game=jazzy``.

    Attributes
    ----------
    hands : tuple of tuple of int
        Each player's cards 1 to 13, ascending, without those in the chain.
    upcards : tuple of int
        The diamond on offer, after the joker (0) if that came first.
    pile : tuple of int
        The prizes face down, ascending.
    won : tuple of tuple of int
        Each player's prizes, ascending.
    partner : int or None
        The diamond that was won together with the joker.
    chain : tuple of int
        The ranks that tied three ways and lie on the table, oldest first.
    scores : tuple of int
        What the prizes won are worth, as if the deal ended now.

    Examples
    --------
    >>> p = Position("-/-/- - - 4,9,0+J/3/2 game=jazzy")
    >>> str(p), p.scores
    ('-/-/- - - 4,9,0+11/3/2 game=jazzy', (21, 3, 2))
    """

    __slots__ = ()

    _game = "jazzy"
    _numbers = _JAZZY_NUMBERS
    _stock = 14
    _jokers = True
    _example = "a card (1..13 or A T J Q K; a prize may be 0, the joker)"

    def _number(self, card: Any) -> int:
        try:
            number = int(card.__index__())
        except (AttributeError, TypeError):
            return -1
        return number if 0 <= number <= _SUIT else -1

    def _check_cards(
        self,
        hands: tuple[tuple[int, ...], ...],
        up: tuple[int, ...],
        pile: tuple[int, ...],
        won: tuple[tuple[int, ...], ...],
        chain: tuple[int, ...],
    ) -> None:
        self._check_once(("UPCARDS", up), ("PILE", pile), *(("WON", cards) for cards in won))
        if up and (up[-1] == _JOKER or len(up) > 1 + (up[0] == _JOKER)):
            raise PositionError("UPCARDS: expected one diamond, after the joker (0) if that came")
        for hand in hands:
            self._check_once(("HANDS", hand), ("RULES", chain))
        if len(hands[0]) + len(chain) > _SUIT:
            raise PositionError(f"HANDS: more than {_SUIT} cards with the chain")

    def _check_partner(self, won: tuple[tuple[int, ...], ...], partner: int | None) -> int | None:
        for prizes in won:
            if _JOKER in prizes:
                if partner not in prizes or partner == _JOKER:
                    raise PositionError("WON: the joker needs the diamond that it came with, 0+7")
                return partner
        if partner is not None:
            raise PositionError("WON: partner, but nobody has won the joker")
        return None

    def _totals(self, won: tuple[tuple[int, ...], ...]) -> tuple[int, ...]:
        return _jazzy.totals(won, self.partner or 0, self.rules)

    @property
    def pot(self) -> int:
        """What the offer is worth to a player who has won nothing."""
        partner = self.upcards[-1] if self.upcards else 0
        return _jazzy.totals((self.upcards,), partner, self.rules)[0]

    def _format_set(self, cards: Sequence[Any]) -> str:
        return format_set(cards)

    def _format_won(self, cards: Sequence[Any]) -> str:
        if _JOKER not in cards:
            return format_set(cards)
        rest = [card for card in cards if card not in (_JOKER, self.partner)]
        return f"{format_set(rest)},0+{self.partner}" if rest else f"0+{self.partner}"

    def _parse_won(self, text: str, offset: int) -> tuple[list[list[int]], int | None]:
        match = re.search(r"(?<![0-9A-Za-z])0\+([0-9A-Za-z]+)", text)
        if match is None or match[1].upper() not in _JAZZY_NUMBERS:
            return self._parse_sets("WON", text, offset), None
        # The joker and the diamond that it came with read as two cards, one place each.
        plain = f"{text[: match.start()]}0,{text[match.end() - len(match[1]) :]}"
        return self._parse_sets("WON", plain, offset), _JAZZY_NUMBERS[match[1].upper()]


class ThropsPosition(_DealPosition):
    """All of a deal of Throps but the order of the stock: the referee's view, hands open.

    Made by `Position` when the text says ``game=throps``. Cards are written rank first, as in
    ``KC``, ``10H``, ``AS``; sets are in the order of `THROPS_CARDS`.

    Attributes
    ----------
    hands, won : tuple of tuple of str
        Each player's cards and the stock cards each has won.
    upcards : tuple of str
        The stock card that is bid for.
    pile : tuple of str
        The stock that is face down.
    scores : tuple of int
        As if the deal ended now.

    Examples
    --------
    >>> p = Position("KC/KH/3D 6S - 10s,KS/-/4D game=throps")
    >>> str(p), p.scores
    ('KC/KH/3D 6S - 10S,KS/-/4D game=throps', (20, 0, 4))
    """

    __slots__ = ()

    _game = "throps"
    _numbers = _THROPS_NUMBERS
    _stock = 13
    _example = "a card such as KC, 10H or AS"

    def _number(self, card: Any) -> int:
        return throps_number(card)

    def _show(self, numbers: Sequence[int]) -> tuple[Any, ...]:
        return tuple(THROPS_CARDS[number] for number in numbers)

    def _check_cards(
        self,
        hands: tuple[tuple[int, ...], ...],
        up: tuple[int, ...],
        pile: tuple[int, ...],
        won: tuple[tuple[int, ...], ...],
        chain: tuple[int, ...],
    ) -> None:
        self._check_once(
            *(("HANDS", hand) for hand in hands),
            ("UPCARDS", up),
            ("PILE", pile),
            *(("WON", cards) for cards in won),
        )
        if len(up) > 1:
            raise PositionError("UPCARDS: expected one card")
        if chain:
            raise PositionError("RULES: chain, not in throps")
        stock = len(up) + len(pile) + sum(map(len, won))
        if stock > self._stock:
            raise PositionError(f"PILE: {stock} cards of the stock, expected {self._stock}")

    def _totals(self, won: tuple[tuple[int, ...], ...]) -> tuple[int, ...]:
        return _throps.totals(won)

    @property
    def pot(self) -> int:
        """The card points of the stock card."""
        return sum(_throps.totals([[throps_number(card)] for card in self.upcards]))


FAMILIES: Mapping[str, type[Position]] = {"jazzy": JazzyPosition, "throps": ThropsPosition}
