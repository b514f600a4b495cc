"""Batches against games played one by one."""

from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from gops import Batch, Game, GopsError, IllegalBidError, Rules, RulesError

PLAYABLE = [
    Rules(),
    Rules(cards=4),
    Rules(tie="split", players=3, cards=6),
    Rules(players=7, cards=5),
    Rules(players=4, fallback="split", cards=5),
    Rules(ace="high", tie="discard", rounds=4),
    Rules(bids=2),
    Rules(bids=2, lot=3, last="none", cards=9),
    Rules(order="descending", cards=8),
    Rules(cards=6, prizes=[5, 5, 5, 900, 900, 1, 1, 1]),
    Rules(hands=[[3, 7, 31], [1, 8, 30]], prizes=[2, 2]),
    Rules(open=2, auto_pick="highest", cards=7),
    Rules(open=3, picks=1, auto_pick="highest", tie="split", players=3, cards=7),
    Rules(early_stop="clinch", cards=7),
    Rules(early_stop=30),
    Rules(hidden=True, cards=5),
    Rules(cards=31),
]


def cards_of(mask: int) -> list[int]:
    return [bit + 1 for bit in range(32) if mask >> bit & 1]


def prizes_of(rules: Rules, mask: int) -> list[int]:
    return [prize for bit, prize in enumerate(rules.prize_values) if mask >> bit & 1]


def turned(history_of: list[tuple[list[int], list[int]]]) -> list[int]:
    """Order in which prizes were turned, from what was face down before each round."""
    order: list[int] = []
    for before, after in history_of:
        rest = list(before)
        for prize in after:
            rest.remove(prize)
        order += rest
    return order


@pytest.mark.parametrize("rules", PLAYABLE, ids=str)
def test_every_row_is_a_game(rules: Rules) -> None:
    """Replay each row as a game; all that the arrays say agrees with it."""
    size = 40
    batch = Batch(rules, size, rng=5)
    steps = []
    while not batch.done.all():
        bids = batch.random_bids()
        seen = {
            name: getattr(batch, name).copy()
            for name in ("hands", "legal", "upcards", "pile", "pot", "rounds_left", "scores")
        }
        rewards, done = batch.step(masks=bids)
        steps.append((seen, bids, rewards.copy(), done.copy()))
    last_piles = batch.pile
    for row in range(size):
        piles = [list(rules.prize_values)]
        piles += [prizes_of(rules, seen["pile"][row]) for seen, *_ in steps]
        piles.append(prizes_of(rules, last_piles[row]))
        pile = turned(list(pairwise(piles))) + piles[-1]
        game = Game(rules, pile=pile)
        for seen, bids, rewards, done in steps:
            if game.is_over:
                assert not seen["legal"][row].any()
                assert not rewards[row].any()
                assert done[row]
                continue
            before = game.scores
            assert [tuple(cards_of(mask)) for mask in seen["hands"][row]] == list(game.hands)
            assert_array_equal(seen["legal"][row], seen["hands"][row])
            assert prizes_of(rules, seen["upcards"][row]) == sorted(game.upcards)
            assert prizes_of(rules, seen["pile"][row]) == sorted(game.position.pile)
            assert seen["pot"][row] == game.pot
            assert seen["rounds_left"][row] == game.rounds_left
            assert seen["scores"][row] == pytest.approx([float(score) for score in before])
            game.play([tuple(cards_of(bid)) for bid in bids[row]])
            assert rewards[row] == pytest.approx(
                [float(b - a) for a, b in zip(before, game.scores, strict=True)]
            )
            assert done[row] == game.is_over
        assert batch.results[row] == pytest.approx([float(score) for score in game.scores])
        assert_array_equal(batch.results[row], batch.scores[row])


def test_cards_are_masks() -> None:
    first, second = (Batch(Rules(cards=8), 100, rng=2) for _ in range(2))
    while not first.done.all():
        masks = first.random_bids()
        cards = np.log2(np.maximum(masks, 1)).astype(np.int8) + 1
        first.step(masks=masks)
        second.step(cards)
        for name in ("hands", "scores", "rewards", "pile", "upcards"):
            assert_array_equal(getattr(first, name), getattr(second, name))


@pytest.mark.parametrize("size", [1, 4096, 9000])
def test_threads_change_nothing(size: int) -> None:
    batches = [Batch(Rules(players=3, cards=5), size, rng=9, threads=n) for n in (1, 3)]
    for _ in range(5):
        bids = [batch.random_bids() for batch in batches]
        assert_array_equal(*bids)
        for batch, bid in zip(batches, bids, strict=True):
            batch.step(masks=bid)
        for name in ("hands", "scores", "rewards", "pile", "upcards", "pot", "done", "results"):
            assert_array_equal(*(getattr(batch, name) for batch in batches))


def test_auto_reset() -> None:
    rules = Rules(cards=3)
    batch = Batch(rules, 50, rng=1, auto_reset=True)
    total = np.zeros((50, 2), np.int64)
    deals = set()
    for step in range(1, 31):
        rewards, done = batch.step(masks=batch.random_bids())
        total += rewards
        assert done.all() == done.any() == (step % 3 == 0)
        if done.any():
            assert_array_equal(total, batch.results)
            assert not batch.scores.any()
            assert (batch.hands == 7).all()
            assert (batch.rounds_left == 3).all()
            deals.add(tuple(batch.upcards))
            total[:] = 0
    assert len(deals) == 10


def test_reset_deals_anew() -> None:
    batch = Batch(Rules(), 30, rng=1)
    first = batch.upcards.copy()
    batch.step(masks=batch.random_bids())
    batch.reset()
    assert not batch.scores.any()
    assert not batch.rewards.any()
    assert (batch.hands == 2**13 - 1).all()
    assert (batch.upcards != first).any()


def test_prizes_are_dealt_evenly() -> None:
    upcards = Batch(Rules(cards=5), 20_000, rng=3).upcards
    counts = np.bincount(np.log2(upcards).astype(int))
    assert abs(counts - 4000).max() < 250  # over four standard deviations


def test_arrays_stay_and_cannot_be_written() -> None:
    batch = Batch(Rules(), 2, rng=1)
    hands = batch.hands
    batch.step([[1, 2], [3, 4]])
    assert hands is batch.hands
    assert cards_of(int(hands[1, 1])) == [1, 2, 3, *range(5, 14)]
    with pytest.raises(ValueError, match="read-only"):
        hands[0, 0] = 3
    bids = batch.random_bids()
    bids.flags.writeable = False
    batch.step(masks=bids)


@pytest.mark.parametrize(
    "bids",
    [
        {"cards": [[1, 2], [3, 14]]},
        {"cards": [[1, 2], [3, 0]]},
        {"cards": [[1, 2], [3, -1]]},
        {"cards": [[1, 2], [3, 2**32 + 4]]},
        {"cards": np.array([[1, 2], [3, 2**63 + 4]], np.uint64)},
        {"masks": [[1, 2], [4, 0]]},
        {"masks": [[1, 2], [4, 3]]},
        {"masks": [[1, 2], [4, 2**31]]},
    ],
    ids=str,
)
def test_illegal_bids_change_nothing(bids) -> None:
    batch = Batch(Rules(), 2, rng=1)
    with pytest.raises(IllegalBidError, match=r"row 1: player 2 may not bid .*: expected one of 1"):
        batch.step(**bids)
    assert (batch.hands == 2**13 - 1).all()
    batch.step([[1, 2], [3, 4]])


@pytest.mark.parametrize(
    "bids",
    [{}, {"cards": [[1, 2]]}, {"cards": [[1.0, 2.0]] * 2}, {"cards": "ab"}, {"masks": [[1], [2]]}],
    ids=str,
)
def test_bids_of_the_wrong_shape(bids) -> None:
    with pytest.raises(IllegalBidError, match=r"expected (cards or masks|whole numbers)"):
        Batch(Rules(), 2, rng=1).step(**bids)
    with pytest.raises(IllegalBidError):
        Batch(Rules(), 2, rng=1).step([[1, 2]] * 2, masks=[[1, 2]] * 2)


def test_what_makes_no_batch() -> None:
    with pytest.raises(RulesError, match="auto_pick=highest"):
        Batch(Rules(open=2), 5)
    with pytest.raises(RulesError, match="throps"):
        Batch(Rules.preset("throps"), 5)
    for size in (0, -1, 10**9, 2.5, "many"):
        with pytest.raises(GopsError, match="size="):
            Batch(Rules(), size)
    with pytest.raises(GopsError, match="threads="):
        Batch(Rules(), 5, threads=0)


def test_repr() -> None:
    assert repr(Batch(Rules(), 3)) == "<Batch of 3 games, 3 going on>"
