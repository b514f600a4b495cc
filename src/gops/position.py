"""Positions: immutable, hashable, and written as one line of text (docs/notation.md)."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from importlib import import_module
from math import lcm
from typing import Any, SupportsIndex, cast

from gops.cards import MAX_CARDS, MAX_PRIZE, clip, format_set, parse_list, resolve_aces
from gops.errors import NotationError, PositionError, RulesError
from gops.rules import Rules
from gops.view import Score

__all__ = ["Position"]

_FIELDS = ("HANDS", "UPCARDS", "PILE", "SCORES", "RULES")
MAX_TEXT = 4000
MAX_SCORE = 1_000_000

#: The rules that a position states, in the order they are written.
_KEYS = (
    "tie",
    "fallback",
    "bids",
    "last",
    "lot",
    "open",
    "picks",
    "hidden",
    "early_stop",
    "misere",
    "announce",
    "auto_pick",
    "leftover",
)
_WRITTEN = (*_KEYS[:2], "rounds", *_KEYS[2:], "pick")
_NUMERIC = ("rounds", "bids", "lot", "open", "picks", "early_stop")
_PICK = re.compile(r"[1-9][0-9]?:[1-7]([>&][1-7]){0,6}", re.ASCII)
_OTHER_GAME = re.compile(r"\bgame=(jazzy|throps)\b", re.IGNORECASE | re.ASCII)
_SCORE = re.compile(r"([0-9]{1,9})(?:/([0-9]{1,3}))?", re.ASCII)


class Position:
    """What everybody can see of a game at one moment: hands, prizes, points and rules.

    A position is a *decision node* when the prizes of the round are face up, a *chance node* when
    they are not turned yet, or *over*. Two positions are equal when their canonical texts are.

    Parameters
    ----------
    text : str
        ``HANDS UPCARDS PILE [SCORES] [RULES]``.

    Raises
    ------
    NotationError
        If the text does not follow the notation; field, offset and expectation are named.
    PositionError
        If it does, but no game can look like that.

    Attributes
    ----------
    hands : tuple of tuple of int
        Each player's cards, ascending.
    upcards : tuple of int
        The prizes on offer, oldest first. At a chance node, those carried from earlier rounds.
    pile : tuple of int
        The prizes still face down: next first if ``order_known``, else ascending.
    order_known : bool
        Whether the order of the pile is public.
    scores : tuple of int or Fraction
        Points so far.
    rules : Rules
        The rules that a position states (tie, fallback, bids, ...). The rest of a `Rules` is about
        the first deal and is meaningless here.
    rounds_left : int
        Rounds still to play, this one included (but not while prizes are being picked).
    turned : bool
        Whether the prizes of this round are face up.
    picking : tuple of tuple of int
        With open prizes, who picks in this round, the next player first; players that tied stand
        together. Empty when nobody is to pick.
    picks_left : int
        How many prizes may still be picked in this round.

    Examples
    --------
    >>> p = Position("3,2,A/1-3 2 1,3")
    >>> str(p), p.rounds_left, p.is_chance
    ('1-3/1-3 2 1,3 0:0', 3, False)
    """

    __slots__ = (
        "_text",
        "hands",
        "order_known",
        "picking",
        "picks_left",
        "pile",
        "rounds_left",
        "rules",
        "scores",
        "turned",
        "upcards",
    )

    hands: tuple[tuple[int, ...], ...]
    upcards: tuple[int, ...]
    pile: tuple[int, ...]
    order_known: bool
    scores: tuple[Score, ...]
    rules: Rules
    rounds_left: int
    turned: bool
    picking: tuple[tuple[int, ...], ...]
    picks_left: int
    _text: str

    def __new__(cls, text: str = "") -> "Position":
        """Make a position of the game that the text names."""
        if cls is Position and isinstance(text, str):
            other = _OTHER_GAME.search(text, 0, MAX_TEXT)
            if other:
                cls = _position_class(other[1].lower())
        return object.__new__(cls)

    def __init__(self, text: str) -> None:
        if not isinstance(text, str):
            raise NotationError(f"position: expected a text, not {type(text).__name__}")
        if len(text) > MAX_TEXT:
            raise NotationError(
                f"position: {len(text)} characters, expected at most {MAX_TEXT}: {clip(text, 20)}"
            )
        parts, offsets = _parse(text)
        try:
            self._build(**parts)
        except PositionError as error:
            field, _, reason = str(error).partition(": ")
            raise PositionError(f"{field}, offset {offsets[field]}: {reason}") from None

    @classmethod
    def from_parts(
        cls,
        hands: Iterable[Iterable[int]],
        upcards: Iterable[int] = (),
        pile: Iterable[int] = (),
        scores: Iterable[Score] | None = None,
        *,
        order_known: bool = False,
        turned: bool | None = None,
        rounds: int | None = None,
        picking: Iterable[Iterable[int]] = (),
        picks_left: int = 0,
        **rules: Any,
    ) -> "Position":
        """Build a position from plain data.

        Parameters
        ----------
        hands, upcards, pile, scores, order_known, turned
            As the attributes; ``scores`` default to 0, ``turned`` to whether there are upcards.
        rounds : int, optional
            Rounds left, if fewer than cards and prizes allow.
        picking, picks_left
            As the attributes; ``upcards`` of ``open`` prizes are otherwise turned when there are
            as many as can be.
        **rules
            ``tie``, ``fallback``, ``bids`` and so on, as in `Rules`.

        Raises
        ------
        PositionError
            If no game can look like that.

        Examples
        --------
        >>> str(Position.from_parts([[1, 2], [2, 3]], [4], [1], tie="discard"))
        '1,2/2,3 4 1 0:0 tie=discard'
        """
        if cls is Position and rules.get("game") in ("jazzy", "throps"):
            if scores is not None:
                raise PositionError("SCORES: they follow from what was won, WON, in this game")
            return _position_class(rules["game"]).from_parts(hands, upcards, pile, **rules)
        self = cls.__new__(cls)
        self._build(
            hands, upcards, pile, scores, order_known, turned, rounds, picking, picks_left, rules
        )
        return self

    def _build(
        self,
        hands: Iterable[Iterable[int]],
        upcards: Iterable[int],
        pile: Iterable[int],
        scores: Iterable[Score] | None,
        order_known: bool,
        turned: bool | None,
        rounds: int | None,
        picking: Iterable[Iterable[int]],
        picks_left: int,
        rules: dict[str, Any],
    ) -> None:
        held = _check_hands(hands)
        up = _numbers("UPCARDS", upcards, MAX_PRIZE)
        face_down = _numbers("PILE", pile, MAX_PRIZE)
        if len(up) + len(face_down) > MAX_CARDS:
            raise PositionError(
                f"PILE: {len(up) + len(face_down)} prizes, expected at most {MAX_CARDS}"
            )
        known = bool(order_known and face_down)
        if not known:
            face_down = tuple(sorted(face_down))
        stated = stated_rules(len(held), rules)
        groups, picks_left = _check_picking(picking, picks_left, len(held), up)
        self._put(
            hands=held,
            upcards=up,
            pile=face_down,
            order_known=known,
            rules=stated,
            picking=groups,
            picks_left=picks_left,
            turned=_check_turned(up, face_down, turned, bool(groups), stated),
            scores=_check_scores(scores, stated),
        )
        self._put(rounds_left=_check_rounds(self, rounds))

    @classmethod
    def _trusted(cls, **values: object) -> "Position":
        """Build a position from all its attributes, known to be right and in canonical order."""
        self = cls.__new__(cls)
        self._put(**values)
        return self

    def _put(self, **values: object) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Position is immutable: cannot set {name!r}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a Position is immutable: cannot delete {name!r}")

    @property
    def players(self) -> int:
        """The number of players."""
        return len(self.hands)

    @property
    def is_over(self) -> bool:
        """Whether no round is left."""
        return self.rounds_left == 0 and not self.picking

    @property
    def is_chance(self) -> bool:
        """Whether the next thing to happen is the turning of a prize."""
        return self.rounds_left > 0 and not self.turned

    @property
    def pot(self) -> int:
        """The value of all prizes on offer."""
        return sum(self.upcards)

    @property
    def to_pick(self) -> int | None:
        """The player whose pick it is; None if it is nobody's."""
        return self.picking[0][0] if self.picking else None

    def __str__(self) -> str:
        try:
            return self._text
        except AttributeError:
            self._put(_text=self._format())
            return self._text

    def _format(self) -> str:
        return _format(self)

    def __repr__(self) -> str:
        return f"Position({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        return str(self) == str(other) if isinstance(other, Position) else NotImplemented

    def __hash__(self) -> int:
        return hash(str(self))

    def __reduce__(self) -> tuple[type["Position"], tuple[str]]:
        return Position, (str(self),)

    def __copy__(self) -> "Position":
        return self

    def __deepcopy__(self, memo: object) -> "Position":
        return self


def _position_class(game: str) -> type[Position]:
    """Return the class of the positions of another game, which plugs in from above."""
    return cast(type[Position], import_module("gops.parlett").FAMILIES[game])


# -- checking ------------------------------------------------------------------------------------


def _number(field: str, value: SupportsIndex, highest: int) -> int:
    try:
        number = int(value.__index__())
    except (AttributeError, TypeError):
        raise PositionError(f"{field}: expected whole numbers, got {clip(str(value))}") from None
    if not 1 <= number <= highest:
        shown = number if abs(number) < 10**12 else "a huge number"
        raise PositionError(f"{field}: {shown} is not one of 1..{highest}")
    return number


def _numbers(field: str, values: Iterable[SupportsIndex], highest: int) -> tuple[int, ...]:
    numbers = []
    for value in values:
        numbers.append(_number(field, value, highest))
        if len(numbers) > MAX_CARDS:
            raise PositionError(f"{field}: more than {MAX_CARDS} cards")
    return tuple(numbers)


def _check_hands(hands: Iterable[Iterable[int]]) -> tuple[tuple[int, ...], ...]:
    held: list[tuple[int, ...]] = []
    for hand in hands:
        cards = tuple(sorted(_numbers("HANDS", hand, MAX_CARDS)))
        held.append(cards)
        for card, count in Counter(cards).items():
            if count > 1:
                raise PositionError(f"HANDS: player {len(held)} has card {card} twice")
        if len(held) > 7:
            break
    if not 2 <= len(held) <= 7:
        more = " or more" if len(held) > 7 else ""
        raise PositionError(f"HANDS: expected 2 to 7 hands, got {len(held)}{more}")
    sizes = [len(hand) for hand in held]
    if len(set(sizes)) > 1:
        raise PositionError(
            f"HANDS: all hands have the same size, not {' and '.join(map(str, sizes))} cards"
        )
    return tuple(held)


def stated_rules(players: int, values: dict[str, Any]) -> Rules:
    """Return `Rules` that say what a position can say, the first deal being left open."""
    if all(type(value) in (str, int) for value in values.values()):
        return _stated_rules(players, tuple(values.items()))
    return _stated_rules.__wrapped__(players, tuple(values.items()))


@lru_cache(maxsize=256)
def _stated_rules(players: int, values: tuple[tuple[str, Any], ...]) -> Rules:
    unknown = {name for name, _ in values} - set(_KEYS)
    if unknown:
        raise PositionError(f"RULES: {clip(str(min(unknown)))}, expected {', '.join(_WRITTEN)}")
    try:
        return Rules(players=players, cards=MAX_CARDS, **dict(values))
    except RulesError as error:
        raise PositionError(f"RULES: {error}") from None


def told_by(rules: Rules) -> dict[str, Any]:
    """Return the part of ``rules`` that a position states."""
    return {name: getattr(rules, name) for name in _KEYS}


def _check_turned(
    up: Sequence[int], pile: Sequence[int], turned: bool | None, picking: bool, rules: Rules
) -> bool:
    if picking and not (rules.open and up):
        raise PositionError("RULES: pick without open prizes to pick from")
    if rules.open:
        if len(up) > rules.open:
            raise PositionError(f"UPCARDS: {len(up)} prizes, expected at most open={rules.open}")
        return picking or bool(up and (len(up) == rules.open or not pile))
    if turned is None:
        turned = bool(up)
    if turned and not up:
        raise PositionError("UPCARDS: no prize, but turned")
    if turned and len(up) < rules.lot and pile:
        raise PositionError(f"UPCARDS: {len(up)} prizes, expected at least lot={rules.lot}")
    if not turned and up and not pile:
        raise PositionError("UPCARDS: prizes wait for the next to be turned, but the pile is empty")
    return turned


def _check_picking(
    picking: Iterable[Iterable[int]], picks_left: int, players: int, up: Sequence[int]
) -> tuple[tuple[tuple[int, ...], ...], int]:
    groups: list[tuple[int, ...]] = []
    for group in picking:
        groups.append(tuple(sorted(_numbers("RULES", group, players))))
        if len(groups) > players:
            break
    named = [player for group in groups for player in group]
    if not all(groups) or len(named) != len(set(named)):
        raise PositionError("RULES: pick, expected each player at most once")
    if not groups:
        return (), 0
    if len(groups[0]) != 1:
        raise PositionError("RULES: pick, expected one player to be the next")
    picks_left = min(_number("RULES", picks_left, MAX_CARDS), len(up))
    taken, kept = 0, []
    for group in groups:
        if taken >= picks_left:
            break
        kept.append(group)
        taken += len(group) if len(group) == 1 else 0
    return tuple(kept), picks_left


def _check_scores(scores: Iterable[Score] | None, rules: Rules) -> tuple[Score, ...]:
    if scores is None:
        return (0,) * rules.players
    unit = lcm(*range(1, rules.players + 1)) if rules.splits else 1
    points: list[Score] = []
    for score in scores:
        if not isinstance(score, Fraction):
            try:
                score = int(score.__index__())
            except (AttributeError, TypeError):
                raise PositionError(
                    f"SCORES: expected whole numbers or fractions, got {clip(str(score))}"
                ) from None
        if not 0 <= score <= MAX_SCORE:
            raise PositionError(f"SCORES: expected 0 to {MAX_SCORE}, not outside")
        if unit % score.denominator:
            allowed = f"parts of {unit}" if unit > 1 else "whole numbers, as no tie is split"
            raise PositionError(f"SCORES: {score}, expected {allowed}")
        points.append(int(score) if score.denominator == 1 else score)
        if len(points) > rules.players:
            break
    if len(points) != rules.players:
        raise PositionError(f"SCORES: expected {rules.players}, one per player")
    return tuple(points)


def _check_rounds(position: Position, rounds: int | None) -> int:
    most = _most_rounds(position)
    if most == 0 and position.turned and not position.picking:
        raise PositionError("UPCARDS: a prize is turned, but no card is left to bid")
    if rounds is None:
        return most
    try:
        rounds = int(rounds.__index__())
    except (AttributeError, TypeError):
        raise PositionError("RULES: rounds, expected a whole number") from None
    least = 1 if position.upcards and not position.picking else 0
    if not least <= rounds <= most:
        shown = rounds if abs(rounds) < 10**12 else "a huge number"
        raise PositionError(
            f"RULES: rounds={shown}, but cards and prizes allow {least} to {most} rounds here"
        )
    return rounds


def _most_rounds(position: Position) -> int:
    """Return the rounds that the cards and prizes of ``position`` allow."""
    rules = position.rules
    full, rest = divmod(len(position.hands[0]), rules.bids)
    by_cards = full + (1 if rest and rules.last == "short" else 0)
    if rules.open:
        left = len(position.upcards) + len(position.pile)
        return by_cards if left > bool(position.picking) else 0
    by_prizes = position.turned + -(-len(position.pile) // rules.lot)
    return min(by_cards, by_prizes)


# -- text ----------------------------------------------------------------------------------------


def _format(position: Position) -> str:
    up = "+".join(map(str, position.upcards))
    if not position.turned:
        up = f"{up}+" if up else "-"
    if position.order_known:
        pile = ">" + ",".join(map(str, position.pile))
    else:
        pile = format_set(position.pile)
    parts = [
        "/".join(map(format_set, position.hands)),
        up,
        pile,
        ":".join(map(str, position.scores)),
    ]
    usual = stated_rules(position.players, {})
    words = {
        name: getattr(position.rules, name)
        for name in _KEYS
        if getattr(position.rules, name) != getattr(usual, name)
    }
    if position.rounds_left < _most_rounds(position):
        words["rounds"] = position.rounds_left
    if position.picking:
        queue = ">".join("&".join(map(str, group)) for group in position.picking)
        words["pick"] = f"{position.picks_left}:{queue}"
    if words:
        parts.append(",".join(f"{name}={_word(words[name])}" for name in _WRITTEN if name in words))
    return " ".join(parts)


def _word(value: Any) -> str:
    return "yes" if value is True else "no" if value is False else str(value)


def _parse(text: str) -> tuple[dict[str, Any], dict[str, int]]:
    """Read a position's text into the arguments of ``Position._build`` and the fields' offsets."""
    fields = [(match.group(), match.start()) for match in re.finditer(r"[^ \t\r\n]+", text)]
    if len(fields) < 3:
        missing = _FIELDS[len(fields)]
        raise NotationError(
            f"{missing} missing at offset {len(text)}: expected HANDS UPCARDS PILE [SCORES] "
            f"[RULES], found {clip(text)}"
        )
    offsets = {name: place for name, (_, place) in zip(_FIELDS, fields, strict=False)}
    stated = None
    if len(fields) > 3 and "=" in fields[-1][0]:
        stated = fields.pop()
        offsets["RULES"] = stated[1]
    if len(fields) > 4:
        raise NotationError(
            f"RULES, offset {fields[4][1]}: expected key=value, found {clip(fields[4][0])}"
        )
    rules = _parse_rules(*stated) if stated else {}
    hands = _parse_hands(*fields[0])
    up, turned = _parse_upcards(*fields[1])
    pile_text, offset = fields[2]
    known = pile_text.startswith(">")
    pile = parse_list(pile_text[known:], field="PILE", offset=offset + known, highest=MAX_PRIZE)
    held = {card for hand in hands for card in hand}
    numbers = held.union(up, pile)
    high = 14 in numbers and 1 not in numbers and max(held, default=0) <= 14
    picks_left, picking = rules.pop("pick", (0, ()))
    parts = {
        "hands": [resolve_aces(hand, high=high) for hand in hands],
        "upcards": resolve_aces(up, high=high),
        "pile": resolve_aces(pile, high=high),
        "scores": _parse_scores(*fields[3], count=len(hands)) if len(fields) > 3 else None,
        "order_known": known,
        "turned": turned,
        "rounds": rules.pop("rounds", None),
        "picking": picking,
        "picks_left": picks_left,
        "rules": rules,
    }
    return parts, offsets


def _parse_hands(text: str, offset: int) -> list[list[int]]:
    hands = []
    for part in text.split("/"):
        hands.append(parse_list(part, field="HANDS", offset=offset, highest=MAX_CARDS))
        offset += len(part) + 1
        if len(hands) > 7:
            raise NotationError(f"HANDS, offset {offset}: more than 7 hands")
    if len(hands) < 2:
        raise NotationError(
            f"HANDS, offset {offset - 1}: expected 2 to 7 hands joined by '/', found {clip(text)}"
        )
    return hands


def _parse_upcards(text: str, offset: int) -> tuple[list[int], bool]:
    if text == "-":
        return [], False
    turned = not text.endswith("+")
    prizes = []
    for part in text.removesuffix("+").split("+"):
        if "-" in part or "," in part:
            raise NotationError(
                f"UPCARDS, offset {offset}: expected prizes joined by '+', found {clip(part)}"
            )
        prizes += parse_list(part, field="UPCARDS", offset=offset, highest=MAX_PRIZE)
        offset += len(part) + 1
        if len(prizes) > MAX_CARDS:
            raise NotationError(f"UPCARDS, offset {offset}: more than {MAX_CARDS} prizes")
    return prizes, turned


def _parse_scores(text: str, offset: int, count: int) -> list[Score]:
    parts = text.split(":")
    if len(parts) != count:
        raise NotationError(
            f"SCORES, offset {offset}: expected {count} scores joined by ':', found {clip(text)}"
        )
    scores: list[Score] = []
    for part in parts:
        match = _SCORE.fullmatch(part)
        if not match or (match[2] and int(match[2]) == 0):
            raise NotationError(
                f"SCORES, offset {offset}: expected a score such as 20 or 91/2, found {clip(part)}"
            )
        whole = int(match[1])
        scores.append(Fraction(whole, int(match[2])) if match[2] else whole)
        offset += len(part) + 1
    return scores


def _parse_rules(text: str, offset: int) -> dict[str, Any]:
    rules: dict[str, Any] = {}
    for part in text.split(","):
        key, equals, value = part.lower().partition("=")
        if not equals or key not in _WRITTEN or key in rules:
            raise NotationError(
                f"RULES, offset {offset}: expected key=value, each key once, keys "
                f"{', '.join(_WRITTEN)}; found {clip(part)}"
            )
        if key == "pick":
            if not _PICK.fullmatch(value):
                raise NotationError(
                    f"RULES, offset {offset}: expected pick=COUNT:PLAYER>PLAYER..., "
                    f"found {clip(part)}"
                )
            count, _, queue = value.partition(":")
            groups = [[int(player) for player in group.split("&")] for group in queue.split(">")]
            rules[key] = int(count), groups
        elif key in _NUMERIC and re.fullmatch("[0-9]{1,6}", value):
            rules[key] = int(value)
        elif key in _NUMERIC and key != "early_stop":
            raise NotationError(
                f"RULES, offset {offset}: expected {key}=NUMBER, found {clip(part)}"
            )
        else:
            rules[key] = value
        offset += len(part) + 1
    return rules
