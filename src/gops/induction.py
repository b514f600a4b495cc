"""Backward induction for two players: which prize states occur, and the layers of their values.

A position splits into its hands (a word, see `gops._lattice`) and its *prize state*: the prizes
still face down, the pot carried from ties, and for the objective ``win`` the margin so far. Values
of all positions with the same number of rounds to go form a layer; a layer needs only the one
below it.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gops import _lattice
from gops._lattice import Layer, LayerTask

__all__ = ["Effort", "Induction", "PrizeLevel", "Problem", "prize_levels", "rough_effort"]

# A prize state packs into a uint64: 31 bits of face-down prizes, 16 of pot, 17 of margin.
_MARGIN_BITS, _POT_BITS = 17, 16
_MARGIN_ZERO = 1 << (_MARGIN_BITS - 1)
_WON, _LOST = np.uint64(2**64 - 1), np.uint64(2**64 - 2)
_RELATIVE_TOLERANCE = 2e-13


@dataclass(frozen=True)
class Problem:
    """What backward induction needs to know of the rules and of the cards.

    Attributes
    ----------
    word : int
        The pair of hands to start from, see `gops._lattice.word_of`.
    cards : int
        Cards in each hand with `rounds` to go; at most those in `word`.
    prizes : tuple of int
        Prizes still face down then; next first if `order_known`, else ascending.
    order_known : bool
    rounds : int
        Rounds to play, each after a prize of `prizes` is turned.
    carry : bool
        Tied prizes stay for the next round; otherwise nobody gains by them.
    win : bool
        The value is the sign of the final margin rather than the margin.
    """

    word: int
    cards: int
    prizes: tuple[int, ...]
    order_known: bool
    rounds: int
    carry: bool
    win: bool


def _pack(
    masks: NDArray[np.int64], pots: NDArray[np.int64], margins: NDArray[np.int64]
) -> NDArray[np.uint64]:
    packed = (masks << (_POT_BITS + _MARGIN_BITS)) | (pots << _MARGIN_BITS)
    return (packed | (margins + _MARGIN_ZERO)).astype(np.uint64)


def _unpack(
    keys: NDArray[np.uint64],
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    signed = keys.astype(np.int64)
    return (
        signed >> (_POT_BITS + _MARGIN_BITS),
        (signed >> _MARGIN_BITS) & ((1 << _POT_BITS) - 1),
        (signed & ((1 << _MARGIN_BITS) - 1)) - _MARGIN_ZERO,
    )


@dataclass
class PrizeLevel:
    """The prize states with the same number of rounds to go, and the games they lead to.

    A game is what remains when a prize is turned: the prizes left, the stake, the margin. States
    come in the order of the ties that must stand behind their pot, so that hands with little room
    for ties use only the first few; games come by stake, then in the same order. The arrays are
    those of `gops._lattice.LayerTask`.
    """

    rounds: int
    keys: NDArray[np.uint64]
    ties: NDArray[np.int64]
    stakes: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    start: NDArray[np.int64] = field(default_factory=lambda: np.zeros(1, np.int64))
    game_ties: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    column: NDArray[np.int32] = field(default_factory=lambda: np.zeros((3, 0), np.int32))
    average: NDArray[np.int32] = field(default_factory=lambda: np.zeros((0, 0), np.int32))

    def __post_init__(self) -> None:
        self._by_key = np.argsort(self.keys)
        self._sorted = self.keys[self._by_key]

    def places(self, keys: NDArray[np.uint64]) -> NDArray[np.int32]:
        """Where each key stands among the states, int32[...]."""
        return self._by_key[np.searchsorted(self._sorted, keys)].astype(np.int32)

    def parts(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Masks of face-down prizes, pots and margins of the states."""
        return _unpack(self.keys)

    def states_by_slack(self, slack: int) -> NDArray[np.int64]:
        """How many states occur with at most 0, 1, ... `slack` ties behind the pot."""
        return np.searchsorted(self.ties, np.arange(slack + 1), side="right").astype(np.int64)

    @property
    def opposite(self) -> NDArray[np.int32]:
        """Where the state with the margin turned round stands, int32[states]."""
        return self.places(_opposite(self.keys))

    @property
    def without_pot(self) -> int:
        """How many states have no pot; they are the first ones."""
        pots = _unpack(self.keys)[1]
        pots[(self.keys == _WON) | (self.keys == _LOST)] = 0
        return int(np.argmax(np.append(pots, 1) > 0))

    def games_by_slack(self, slack: int) -> NDArray[np.int32]:
        """Count likewise the games of each stake, int32[stakes, slack + 1]."""
        counts = np.zeros((len(self.stakes), slack + 1), np.int32)
        group = np.repeat(np.arange(len(self.stakes)), np.diff(self.start))
        kept = self.game_ties <= slack
        np.add.at(counts, (group[kept], self.game_ties[kept]), 1)
        return np.cumsum(counts, axis=1, dtype=np.int32)


class _PrizeRules:
    """How the prize states of a problem follow from each other."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.values = np.array(problem.prizes, np.int64)
        count = len(problem.prizes)
        # Of equal prizes the highest bit is turned first, so each multiset has one mask.
        self.alike = np.array(
            [sum(1 << j for j in range(count) if problem.prizes[j] == p) for p in problem.prizes],
            np.int64,
        )
        self.repeated = len(set(problem.prizes)) < count

    def key(self, mask: int, pot: int, margin: int, rounds: int) -> np.uint64:
        """Pack one prize state with that many rounds to go."""
        keys = self.keys(
            np.array([mask], np.int64),
            np.array([pot], np.int64),
            np.array([margin], np.int64),
            rounds,
        )
        return np.uint64(keys[0])

    def keys(
        self,
        masks: NDArray[np.int64],
        pots: NDArray[np.int64],
        margins: NDArray[np.int64],
        rounds: int,
    ) -> NDArray[np.uint64]:
        """Pack prize states; what no longer matters is dropped, decided ones become one."""
        if not self.problem.win:
            margins = np.zeros_like(margins)
        if rounds == 0:
            masks, pots = np.zeros_like(masks), np.zeros_like(pots)
        packed = _pack(masks, pots, np.clip(margins, 1 - _MARGIN_ZERO, _MARGIN_ZERO - 1))
        if self.problem.win:
            left = pots + self.most_left(masks, rounds)
            packed[margins > left] = _WON
            packed[margins < -left] = _LOST
        return packed

    def most_left(self, masks: NDArray[np.int64], rounds: int) -> NDArray[np.int64]:
        """Most points that the prizes of that many rounds can hold."""
        if self.problem.order_known:
            turned = self.problem.rounds - rounds
            return np.full_like(masks, self.values[turned : turned + rounds].sum())
        total, taken = np.zeros_like(masks), np.zeros_like(masks)
        for place in reversed(range(len(self.values))):
            take = ((masks >> place) & 1) * (taken < rounds)
            total += take * self.values[place]
            taken += take
        return total

    def reveals(
        self, masks: NDArray[np.int64], rounds: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Masks left and prizes turned, int64[states, reveals] each."""
        if len(masks) == 0:  # every state is decided
            return np.zeros((0, 1), np.int64), np.zeros((0, 1), np.int64)
        if self.problem.order_known:
            prize = self.values[self.problem.rounds - rounds]
            return masks[:, None], np.full((len(masks), 1), prize)
        held = (masks[:, None] >> np.arange(len(self.values))) & 1 == 1
        bits = np.nonzero(held)[1].reshape(len(masks), -1)
        if self.repeated:
            group = masks[:, None] & self.alike[bits]
            removed = 1 << np.floor(np.log2(group)).astype(np.int64)
        else:
            removed = np.int64(1) << bits
        return masks[:, None] ^ removed, self.values[bits]


def _opposite(keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Turn the margin of prize states round."""
    masks, pots, margins = _unpack(keys)
    return np.select(
        [keys == _WON, keys == _LOST], [_LOST, _WON], _pack(masks, pots, -margins)
    ).astype(np.uint64)


def _sorted_level(
    rounds: int, keys: NDArray[np.uint64], ties: NDArray[np.int64], win: bool
) -> PrizeLevel:
    """Make a level of the distinct keys, each with the fewest ties it was met with."""
    if win:
        fixed = np.array([_WON, _LOST], np.uint64)
        keys = np.concatenate((keys, _opposite(keys), fixed))
        ties = np.concatenate((ties, ties, np.zeros(2, np.int64)))
    distinct, inverse = np.unique(keys, return_inverse=True)
    fewest = np.full(len(distinct), np.iinfo(np.int64).max)
    np.minimum.at(fewest, inverse, ties)
    masks, pots, margins = _unpack(distinct)
    pots[(distinct == _WON) | (distinct == _LOST)] = -1  # before all others
    order = np.lexsort((masks, margins, pots, fewest))
    return PrizeLevel(rounds, distinct[order], fewest[order])


def prize_levels(
    problem: Problem, keys: NDArray[np.uint64], ties: NDArray[np.int64]
) -> list[PrizeLevel]:
    """Work out all prize states that can follow the given ones.

    Returns
    -------
    list of PrizeLevel
        By rounds to go: 0, 1, ..., ``problem.rounds``.
    """
    rules = _PrizeRules(problem)
    levels = [_sorted_level(problem.rounds, keys, ties, problem.win)]
    for rounds in range(problem.rounds, 0, -1):
        level = levels[-1]
        live = (level.keys != _WON) & (level.keys != _LOST)
        masks, pots, margins = _unpack(level.keys[live])
        left, prizes = rules.reveals(masks, rounds)
        reveals = left.shape[1]
        stakes = (pots[:, None] + prizes).ravel()
        game_keys = _pack(left.ravel(), stakes, np.repeat(margins, reveals))
        distinct, inverse = np.unique(game_keys, return_inverse=True)
        ties = np.full(len(distinct), np.iinfo(np.int64).max)
        np.minimum.at(ties, inverse, np.repeat(level.ties[live], reveals))
        masks, stakes, margins = _unpack(distinct)
        order = np.lexsort((masks, margins, ties, stakes))
        masks, stakes, margins, ties = masks[order], stakes[order], margins[order], ties[order]
        place = np.empty(len(order), np.int64)
        place[order] = np.arange(len(order))

        none = np.zeros_like(stakes)
        carried = stakes if problem.carry else none
        outcomes = [
            rules.keys(masks, none, margins + stakes, rounds - 1),
            rules.keys(masks, carried, margins, rounds - 1),
            rules.keys(masks, none, margins - stakes, rounds - 1),
        ]
        below = _sorted_level(
            rounds - 1,
            np.concatenate(outcomes),
            np.concatenate((none, ties + 1 if problem.carry else none, none)),
            problem.win,
        )
        level.stakes, first = np.unique(stakes, return_index=True)
        level.start = np.append(first, len(stakes)).astype(np.int64)
        level.game_ties = ties
        level.column = np.array([below.places(out) for out in outcomes], np.int32).reshape(3, -1)
        level.average = np.zeros((len(level.keys), reveals), np.int32)
        level.average[live] = place[inverse].reshape(-1, reveals)
        levels.append(below)
    return levels[::-1]


@dataclass
class Effort:
    """What an induction takes: a forecast before it runs, the account afterwards.

    Attributes
    ----------
    states : int
        Values computed: hands (up to swap and rank compression) times prize states.
    games : int
        Matrix games to solve.
    memory : int
        Bytes held at the peak, by the largest two neighbouring layers.
    by_round : list of int
        Of the games, those with 0, 1, ... rounds to go.
    tried : int
        Guessed bases tried on games, all told.
    cold : int
        Games that no guessed basis solved.
    worst : float
        Largest gap of any game solved.
    """

    states: int = 0
    games: int = 0
    memory: int = 0
    by_round: list[int] = field(default_factory=lambda: [0])
    tried: int = 0
    cold: int = 0
    worst: float = 0.0


class Induction:
    """Layers of values that lie below some prize states, from the last round up.

    Parameters
    ----------
    problem : Problem
    starts : sequence of (mask, pot, margin, ties)
        Prize states to know the values of, with ``problem.rounds`` to go; a mask has bit i set
        for ``problem.prizes[i]``, `ties` is how many ties must stand behind the pot.
    """

    def __init__(self, problem: Problem, starts: Sequence[tuple[int, int, int, int]]) -> None:
        self.problem = problem
        self.prizes = _PrizeRules(problem)
        masks, pots, margins, ties = np.array(starts, np.int64).T
        keys = self.prizes.keys(masks, pots, margins, problem.rounds)
        self.levels = prize_levels(problem, keys, ties)
        self.letters = int(_lattice.lengths(np.array([problem.word], np.uint64))[0])
        self._hands = [self._hands_at(rounds) for rounds in range(problem.rounds + 1)]
        self.effort = self._forecast()

    def _hands_at(self, rounds: int) -> tuple[NDArray[np.uint64], NDArray[np.uint8]]:
        """Words of a layer and the slack of each; after the last round hands do not matter."""
        if rounds == 0:
            return np.ones(1, np.uint64), np.zeros(1, np.uint8)
        cards = self.problem.cards - (self.problem.rounds - rounds)
        words = _lattice.subwords(self.problem.word, cards)
        return words, (self.letters - _lattice.lengths(words)).astype(np.uint8)

    def _states(self, rounds: int) -> NDArray[np.int64]:
        if rounds == 0:
            return np.array([len(self.levels[0].keys)], np.int64)
        return self.levels[rounds].states_by_slack(int(self._hands[rounds][1].max()))

    def _forecast(self) -> Effort:
        effort = Effort()
        below = 0
        for rounds in range(1, self.problem.rounds + 1):
            slack = self._hands[rounds][1]
            values = int(self._states(rounds)[slack].sum())
            effort.states += values
            games = self.levels[rounds].games_by_slack(int(slack.max())).sum(axis=0)
            effort.by_round.append(int(games[slack].sum()))
            effort.memory = max(effort.memory, 8 * (values + below))
            below = values
        effort.games = sum(effort.by_round)
        return effort

    def _bottom(self, replies: bool) -> Layer:
        level = self.levels[0]
        values = np.zeros(len(level.keys))
        values[level.keys == _WON] = 1.0
        values[level.keys == _LOST] = -1.0
        return self.make_layer(0, values, replies)

    def layers(
        self,
        threads: int,
        *,
        resume: tuple[int, Layer] | None = None,
        allocate: Callable[[int, int], NDArray[np.float64]] | None = None,
        progress: Callable[[int, float], None] | None = None,
        check: Callable[[int], NDArray[np.floating[Any]] | None] | None = None,
    ) -> Iterator[tuple[int, Layer]]:
        """Yield the layers with 0, 1, ..., ``problem.rounds`` to go.

        A layer that the caller does not keep is freed. The values are the same for any number
        of threads. On an interrupt the threads stop before the exception goes on.

        Parameters
        ----------
        threads : int
        resume : (rounds, Layer), optional
            A layer finished earlier; the first one yielded is the next.
        allocate : callable, optional
            ``allocate(rounds, size)`` gives the float64 array to fill; default: fresh memory.
        progress : callable, optional
            ``progress(rounds, share)`` is called now and then with the share of that layer done.
        check : callable, optional
            Check mixes instead of making values: each layer yielded has ``high`` and ``low``, what
            best replies get against the mixes that follow from the values. ``check(rounds)``
            gives the values of a layer to go on from, or None for those computed.
        """
        replies = check is not None
        if resume is None:
            resume = 0, self._bottom(replies)
            yield resume
        done, layer = resume
        self.effort.tried = self.effort.cold = 0
        self.effort.worst = 0.0
        for rounds in range(done + 1, self.problem.rounds + 1):
            values = allocate(rounds, self.layer_size(rounds)) if allocate else None
            below, layer = layer, self.make_layer(rounds, values, replies)
            task = self._task(rounds, layer, below)
            _run(task, threads, None if progress is None else partial(progress, rounds))
            self.effort.cold += task.cold
            self.effort.tried += task.tried
            self.effort.worst = max(self.effort.worst, task.worst)
            stored = check(rounds) if check else None
            if stored is not None:
                layer.values[:] = stored
            yield rounds, layer

    @property
    def work(self) -> float:
        """Time that all layers take, in units of about the time of one game of one card."""
        return sum(self._work())

    def _work(self) -> list[float]:
        # The time of a game grows about as the square of the cards in hand.
        spare = self.problem.cards - self.problem.rounds + 3
        return [games * (spare + at) ** 2 / 16 for at, games in enumerate(self.effort.by_round)]

    def so_far(self, rounds: int, share: float) -> tuple[int, float]:
        """Return the games solved, and the share of the time, when a layer has come that far."""
        games, work = (
            sum(parts[:rounds]) + share * parts[rounds]
            for parts in (self.effort.by_round, self._work())
        )
        return int(games), work / max(self.work, 1.0)

    def layer_size(self, rounds: int) -> int:
        """Values in the layer with that many rounds to go."""
        return int(self._states(rounds)[self._hands[rounds][1]].sum())

    def make_layer(
        self, rounds: int, values: NDArray[np.float64] | None = None, replies: bool = False
    ) -> Layer:
        """Lay out a layer over the given values, or over fresh zeros."""
        return Layer(*self._hands[rounds], self._states(rounds), values, replies)

    def _task(self, rounds: int, layer: Layer, below: Layer) -> LayerTask:
        problem, level = self.problem, self.levels[rounds]
        slack = self._hands[rounds][1]
        span = 2.0 if problem.win else 2.0 * self._points()
        decided = np.array([_WON, _LOST] if problem.win else [], np.uint64)
        return LayerTask(
            layer,
            below,
            cards=problem.cards - (problem.rounds - rounds),
            last=rounds == 1,
            antisymmetric=not problem.win,
            stakes=level.stakes.astype(np.float64) * (not problem.win),
            start=level.start,
            games=level.games_by_slack(int(slack.max())),
            column=level.column,
            opposite=self.levels[rounds - 1].opposite if problem.win else None,
            places=self.levels[rounds - 1].without_pot,
            average=level.average,
            states=self._states(rounds),
            fixed=level.places(decided),
            fixed_values=np.array([1.0, -1.0])[: len(decided)],
            tolerance=_RELATIVE_TOLERANCE * span,
            span=span,
        )

    def _points(self) -> int:
        """Most points that can still change hands."""
        level = self.levels[-1]
        masks, pots, _ = _unpack(level.keys[(level.keys != _WON) & (level.keys != _LOST)])
        left = pots + self.prizes.most_left(masks, self.problem.rounds)
        return int(left.max(initial=1))

    def value(
        self, layer: Layer, rounds: int, word: int, mask: int, pot: int, margin: int
    ) -> float:
        """Look up the value of a position in its layer, for player 1."""
        key = self.prizes.key(mask, pot, margin, rounds)
        if rounds == 0:
            word = 1
        row, swapped = layer.row(word)
        if swapped:
            opposite = _opposite(np.array([key]))
            return -float(row[self.levels[rounds].places(opposite)[0]])
        return float(row[self.levels[rounds].places(np.array([key]))[0]])


def _run(task: LayerTask, threads: int, progress: Callable[[float], None] | None = None) -> None:
    """Run a task on that many threads; stop them all on an interrupt or an error."""
    with ThreadPoolExecutor(threads) as pool:
        futures = [pool.submit(task.run) for _ in range(threads)]
        try:
            while progress and wait(futures, timeout=0.2).not_done:
                progress(task.share)
            for future in futures:
                future.result()
        except BaseException:
            task.stop()
            raise


def rough_effort(problem: Problem) -> Effort:
    """Estimate an induction within a factor of two or so, whatever its size, at once.

    Hands and sets of prizes are counted exactly; the pots and margins that occur among them are
    estimated from the sizes that were met with full suits.
    """
    effort = Effort()
    words = _count_words(problem.word, problem.cards)
    sets = _count_sets(problem)
    total = sum(sorted(problem.prizes)[-problem.rounds :])
    below = 0.0
    for rounds in range(1, problem.rounds + 1):
        played = problem.rounds - rounds
        pairs = words[problem.cards - played] / 2 + 0.5
        reveals = 1 if problem.order_known else len(problem.prizes) - played
        states, games = pairs * sets[played], pairs * sets[played] * reveals
        if problem.carry:
            states, games = states * (1 + played), games * 2
        if problem.win:
            states, games = states * (1 + total * played / 15), games * (1 + total / 4)
        effort.states += int(states)
        effort.games += int(games)
        effort.memory = max(effort.memory, int(8 * (states + below)))
        below = states
    return effort


def _count_words(word: int, cards: int) -> NDArray[np.float64]:
    """Count the pairs of hands with 0, 1, ... `cards` cards each that `word` contains."""
    letters = [(word >> (2 * place)) & 3 for place in range(32) if word >> (2 * place)]
    # ways[a, b]: distinct words of a cards of player 1 and b of player 2 from this place on, by
    # the greedy leftmost embedding; after[letter]: the same behind the next place with it.
    ways = np.zeros((cards + 1, cards + 1))
    ways[0, 0] = 1.0
    after: dict[int, NDArray[np.float64]] = {}
    for held in reversed(letters):
        for letter in (1, 2, 3):
            if held & letter == letter:
                after[letter] = ways
        ways = np.zeros((cards + 1, cards + 1))
        ways[0, 0] = 1.0
        for letter, rest in after.items():
            one, two = letter & 1, letter >> 1
            ways[one:, two:] += rest[: cards + 1 - one, : cards + 1 - two]
    return np.diagonal(ways).copy()


def _count_sets(problem: Problem) -> list[float]:
    """Count the sets of face-down prizes after 0, 1, ... rounds."""
    if problem.order_known:
        return [1.0] * (problem.rounds + 1)
    gone = [1.0]
    for prize in set(problem.prizes):
        gone = list(np.convolve(gone, [1.0] * (problem.prizes.count(prize) + 1)))
    return [float(count) for count in gone[: problem.rounds + 1]]
