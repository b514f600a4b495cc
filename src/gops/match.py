"""Matches: several games in a row, of any rules."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from numbers import Rational
from typing import Any

import numpy as np

from gops.cards import clip
from gops.errors import GopsError, RulesError
from gops.game import Game, Seed
from gops.rules import Rules
from gops.view import Score

__all__ = ["Match"]

_DECIDERS = ("extra_game", "totals", "none")


class Match:
    """Games in a row, until somebody has won the match.

    There are three formats. *Best of*: the most games won; a game is won by whoever has the sole
    first place. *Cumulative*: the highest total over a fixed number of games. *Target*: the
    highest total once somebody has reached a target, asked for at the end of each game.

    Parameters
    ----------
    rules : Rules, optional
        The rules of every game; the classic game by default.
    best_of : int, optional
        An odd number of games, of which the most won count.
    cumulative : int, optional
        The number of games whose points are added up.
    target : int, optional
        The total to reach. Exactly one of the three formats is given.
    decider : {"extra_game", "totals", "none"}, optional
        What happens when the leaders are level. Best of: one extra game, then the totals
        (default); the totals at once; or they share the match. Cumulative: one extra game, or
        they share the match (default). Target: games go on until they are not level (default), or
        they share the match. Others take part in an extra game, but cannot win the match by it.
    replay_draws : bool
        Best of: a game without a sole winner does not count at all.
    half_wins : bool
        Best of: players who share the first place share the win too.
    early_stop : bool
        Best of: the match is over as soon as nobody can reach the leader's wins.
    rng : Generator, SeedSequence, int or None
        Deals the games.

    Raises
    ------
    RulesError
        If an option is unknown or does not belong to the format.

    Examples
    --------
    >>> match = Match(best_of=3, rng=1)
    >>> match.add((50, 41))
    >>> match.add((52, 39))
    >>> match.is_over, match.wins, match.winners
    (True, (2, 0), (1,))
    """

    __hash__ = None  # type: ignore[assignment]

    def __init__(
        self,
        rules: Rules | None = None,
        *,
        best_of: int | None = None,
        cumulative: int | None = None,
        target: int | None = None,
        decider: str | None = None,
        replay_draws: bool = False,
        half_wins: bool = False,
        early_stop: bool = True,
        rng: Seed = None,
    ) -> None:
        self._rules = Rules() if rules is None else rules
        formats = {"best_of": best_of, "cumulative": cumulative, "target": target}
        given = {name: value for name, value in formats.items() if value is not None}
        if len(given) != 1:
            named = ", ".join(given) or "none"
            raise RulesError(f"match: expected one of best_of, cumulative and target, got {named}")
        ((self._format, value),) = given.items()
        self._goal = _whole(self._format, value)
        if self._format == "best_of" and self._goal % 2 == 0:
            raise RulesError(f"best_of={self._goal}: expected an odd number")
        usual = "none" if self._format == "cumulative" else "extra_game"
        self._decider = usual if decider is None else decider
        allowed = _DECIDERS if self._format == "best_of" else ("extra_game", "none")
        if self._decider not in allowed:
            raise RulesError(
                f"decider={clip(str(decider))}: expected {' or '.join(allowed)} with {self._format}"
            )
        if (replay_draws or half_wins) and self._format != "best_of":
            raise RulesError("replay_draws, half_wins: only with best_of")
        if replay_draws and half_wins:
            raise RulesError("half_wins: not together with replay_draws")
        if self._rules.misere and self._format == "target":
            raise RulesError("target: not together with misere")
        self._replay_draws = replay_draws
        self._half_wins = half_wins
        self._early_stop = early_stop
        self._rng = np.random.default_rng(rng)
        self._games: list[tuple[Score, ...]] = []

    # -- playing --

    def deal(self) -> Game:
        """Return the next game, freshly dealt; `add` it when it is over.

        Raises
        ------
        GopsError
            If the match is over.
        """
        if self.is_over:
            raise GopsError("the match is over: no game is left to deal")
        return Game(self._rules, rng=self._rng)

    def add(self, result: Game | Iterable[Score]) -> None:
        """Add a game that is over, or just what it was worth to each player.

        Raises
        ------
        GopsError
            If the match or the game's turn is not right, or the number of players.
        """
        if self.is_over:
            raise GopsError("the match is over: no game can be added")
        if isinstance(result, Game):
            if result.rules != self._rules:
                raise GopsError("the game has other rules than the match")
            if not result.is_over:
                raise GopsError("the game is not over yet")
            result = result.awards
        scores: list[Score] = []
        for score in result:
            if not isinstance(score, Rational | np.integer):
                raise GopsError(f"score {clip(str(score))}: expected whole numbers or fractions")
            scores.append(score if isinstance(score, Fraction) else int(score))
            if len(scores) > self.players:
                break
        if len(scores) != self.players:
            raise GopsError(f"scores: expected {self.players}, one per player")
        self._games.append(tuple(scores))

    def undo(self) -> None:
        """Take back the last game added.

        Raises
        ------
        GopsError
            If there is none.
        """
        if not self._games:
            raise GopsError("no game to take back")
        self._games.pop()

    # -- looking --

    @property
    def rules(self) -> Rules:
        """The rules of each game."""
        return self._rules

    @property
    def players(self) -> int:
        """The number of players."""
        return self._rules.players

    @property
    def games(self) -> tuple[tuple[Score, ...], ...]:
        """What each game so far was worth, in player order; replayed draws included."""
        return tuple(self._games)

    @property
    def totals(self) -> tuple[Score, ...]:
        """The points of each player over the games that count."""
        totals = (sum(points) for points in zip(*self._counted(), strict=True))
        return tuple(map(_plain, totals)) or (0,) * self.players

    @property
    def wins(self) -> tuple[Score, ...]:
        """The games won by each player; fractions under ``half_wins`` only."""
        return self._wins(self._counted())

    @property
    def is_over(self) -> bool:
        """Whether the match is decided."""
        return bool(self.winners)

    @property
    def winners(self) -> tuple[int, ...]:
        """The players who have won the match or share it; nobody while it goes on."""
        counted = self._counted()
        if self._format == "target":
            return self._target_winners()
        if len(counted) < self._goal:
            return self._early_winners(counted)
        regular = counted[: self._goal]
        standing = self._wins(regular) if self._format == "best_of" else self._ranked(regular)
        everybody = range(1, self.players + 1)
        leaders = _best(standing, everybody)
        if len(leaders) == 1 or self._decider == "none":
            return leaders
        if self._decider == "extra_game":
            if len(counted) == self._goal:
                return ()
            if self._format == "best_of":
                leaders = _best(self._wins(counted), leaders)
        return _best(self._ranked(counted), leaders)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Match):
            return NotImplemented
        return self._terms() == other._terms() and self._games == other._games

    def __repr__(self) -> str:
        score = "-".join(map(str, self.wins if self._format == "best_of" else self.totals))
        return f"<Match {self._format}={self._goal} {score}>"

    # -- judging --

    def _terms(self) -> tuple[Any, ...]:
        return (
            self._rules,
            self._format,
            self._goal,
            self._decider,
            self._replay_draws,
            self._half_wins,
            self._early_stop,
        )

    def _counted(self) -> list[tuple[Score, ...]]:
        if not self._replay_draws:
            return self._games
        return [scores for scores in self._games if len(self._first(scores)) == 1]

    def _first(self, scores: Sequence[Score]) -> tuple[int, ...]:
        best = min(scores) if self._rules.misere else max(scores)
        return tuple(player for player, score in enumerate(scores, 1) if score == best)

    def _wins(self, games: Iterable[tuple[Score, ...]]) -> tuple[Score, ...]:
        wins = [Fraction(0)] * self.players
        for scores in games:
            first = self._first(scores)
            if len(first) == 1 or self._half_wins:
                for player in first:
                    wins[player - 1] += Fraction(1, len(first))
        return tuple(map(_plain, wins))

    def _ranked(self, games: Iterable[tuple[Score, ...]]) -> tuple[Score, ...]:
        """Return the totals, such that more is better."""
        sign = -1 if self._rules.misere else 1
        return tuple(sign * sum(points) for points in zip(*games, strict=True))

    def _early_winners(self, counted: list[tuple[Score, ...]]) -> tuple[int, ...]:
        """Return the leader at best of, if nobody can draw level with the games left."""
        if self._format != "best_of" or not self._early_stop:
            return ()
        second, first = sorted(self._wins(counted))[-2:]
        if first <= second + self._goal - len(counted):
            return ()
        return _best(self._wins(counted), range(1, self.players + 1))

    def _target_winners(self) -> tuple[int, ...]:
        totals = self.totals
        if max(totals) < self._goal:
            return ()
        leaders = _best(totals, range(1, self.players + 1))
        return leaders if len(leaders) == 1 or self._decider == "none" else ()


def _best(standing: Sequence[Score], players: Iterable[int]) -> tuple[int, ...]:
    """Return those of ``players`` who stand highest."""
    players = tuple(players)
    most = max(standing[player - 1] for player in players)
    return tuple(player for player in players if standing[player - 1] == most)


def _plain(score: Score) -> Score:
    return int(score) if score.denominator == 1 else score


def _whole(name: str, value: Any) -> int:
    try:
        number = int(value.__index__())
    except (AttributeError, TypeError):
        raise RulesError(f"{name}={clip(str(value))}: expected a whole number") from None
    if number < 1:
        raise RulesError(f"{name}={clip(str(number))}: expected 1 or more")
    return number
