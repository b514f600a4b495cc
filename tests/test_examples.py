"""Every worked example of the rules; the name of the example is in the test's id."""

from fractions import Fraction
from itertools import permutations

import pytest

from gops import Game, IllegalBidError, Rules

F = Fraction


def play(pile, *bids, **rules):
    """Play one game; ``bids`` are each player's cards in the order played."""
    players = len(bids)
    if "hands" not in rules:
        rules.setdefault("cards", max(len(pile), len(bids[0])))
    game = Game(Rules(players=players, **rules), pile=pile)
    for round_bids in zip(*bids, strict=True):
        game.play(round_bids)
    return game


CARRY, DISCARD, SPLIT = {"tie": "carry"}, {"tie": "discard"}, {"tie": "split"}
UNIQUE = {"tie": "unique"}
C2 = [2, 3, 1], [3, 1, 2], [3, 2, 1]
C3 = [1, 2, 3], [2, 3, 1], [3, 2, 1]
SAME = [3, 1, 2], [3, 1, 2], [3, 2, 1], [1, 2, 3]
ACES = list(range(1, 14))
HIGH = list(range(2, 15))
UP = [*range(2, 14), 1]
D2 = [4, 1, 2, 3], [4, 1, 2, 3], [4, 2, 3, 1]

#: name, deal and bids, rules, scores, value of the void prizes
WHOLE_GAMES = [
    ("C2", C2, CARRY, (1, 5), 0),
    ("C3", C3, CARRY, (2, 1), 3),
    ("C4", ([3, 1, 2], [1, 2, 3], [1, 2, 3]), CARRY, (0, 0), 6),
    ("C5", (ACES, ACES, UP), CARRY, (13, 78), 0),
    ("C5-discard", (ACES, ACES, UP), DISCARD, (13, 78), 0),
    ("C5-split", (ACES, ACES, UP), SPLIT, (13, 78), 0),
    ("C5-unique", (ACES, ACES, UP), UNIQUE, (13, 78), 0),
    ("C5-reversed", (ACES[::-1], ACES[::-1], UP[::-1]), CARRY, (13, 78), 0),
    ("C6", ([3, 1, 2], [3, 1, 2], [1, 2, 3]), CARRY, (3, 3), 0),
    ("D1", C2, DISCARD, (1, 3), 2),
    ("D2", D2, DISCARD, (3, 3), 4),
    ("D2-carry", D2, CARRY, (3, 7), 0),
    ("D3", C3, DISCARD, (2, 1), 3),
    ("S1x", C2, SPLIT, (2, 4), 0),
    ("S2x", C3, SPLIT, (F(7, 2), F(5, 2)), 0),
    ("S3x", (ACES, ACES, ACES), SPLIT, (F(91, 2), F(91, 2)), 0),
    ("H1", (HIGH, HIGH, [*range(3, 15), 2]), {"ace": "high"}, (14, 90), 0),
    ("section6-unique", SAME, UNIQUE, (1, 0, 5), 0),
    ("section6-carry", SAME, CARRY, (0, 0, 6), 0),
    ("section6-discard", SAME, DISCARD, (0, 0, 2), 4),
    ("section6-split", SAME, SPLIT, (F(3, 2), 2, F(5, 2)), 0),
    ("M6-unique", (ACES, *[ACES] * 5), UNIQUE, (0,) * 5, 91),
    ("M6-carry", (ACES, *[ACES] * 5), CARRY, (0,) * 5, 91),
    ("M6-discard", (ACES, *[ACES] * 5), DISCARD, (0,) * 5, 91),
    ("M6-split", (ACES, *[ACES] * 5), SPLIT, (F(91, 5),) * 5, 0),
    ("X1", ([1, 2, 3], [1, 2, 3], [2, 3, 1]), {"order": "ascending"}, (3, 3), 0),
    ("X2", ([3, 2, 1], [1, 3, 2], [3, 2, 1]), {"order": "descending"}, (3, 3), 0),
    ("X3", ([2, 1, 3], [2, 1, 3], [2, 3, 1]), {"order": (2, 1, 3)}, (3, 3), 0),
]


@pytest.mark.parametrize(
    ("deal", "rules", "scores", "void"),
    [pytest.param(*example[1:], id=example[0]) for example in WHOLE_GAMES],
)
def test_whole_game(deal, rules, scores, void):
    game = play(*deal, **rules)
    assert game.is_over
    assert game.scores == game.awards == scores
    assert sum(game.void) == void
    best = max(scores)
    assert game.winners == tuple(p for p, s in enumerate(scores, 1) if s == best)
    assert game.unplayed == ()


def rounds(name, prizes, bids, gains, **rules):
    return pytest.param(prizes, bids, gains, rules, id=name)


@pytest.mark.parametrize(
    ("prizes", "bids", "gains", "rules"),
    [
        rounds("C1", [5, 9], [(6, 6), (8, 10)], (0, 14)),
        rounds("S4x", [10], [(9, 9, 4)], (5, 5, 0), tie="split"),
        rounds("S5x", [10], [(9, 9, 9)], (F(10, 3),) * 3, tie="split"),
        rounds("H2", [13, 2], [(14, 14), (3, 2)], (15, 0), ace="high"),
        rounds("H3", [14, 2, 3], [(3, 2), (2, 3), (14, 14)], (14, 2), ace="high"),
        rounds("M2", [8], [(9, 9, 4)], (0, 0, 8), tie="unique"),
        rounds("M3", [7, 4], [(13, 13, 5, 5), (1, 2, 3, 9)], (0, 0, 0, 11), tie="unique"),
        rounds("M4", [12, 5], [(6, 6, 6, 6), (3, 3, 8, 2)], (0, 0, 17, 0), tie="unique"),
        rounds("M5", [9], [(13, 13, 12, 12, 1)], (0, 0, 0, 0, 9), tie="unique"),
        rounds("M5-carry", [9], [(13, 13, 12, 12, 1)], (0,) * 5, tie="carry"),
        rounds("M7", [10, 6], [(12, 5, 5, 3), (1, 2, 3, 4)], (10, 0, 0, 6), tie="carry"),
    ],
)
def test_rounds(prizes, bids, gains, rules):
    first = 2 if rules.get("ace") == "high" else 1
    pile = prizes + [p for p in range(first, first + 13) if p not in prizes]
    game = Game(Rules(players=len(bids[0]), **rules), pile=pile)
    for round_bids in bids:
        game.play(round_bids)
    assert game.scores == gains
    assert not game.is_over


def test_C1_goes_on_with_an_empty_table():
    game = Game(Rules(), pile=[5, 9, 1, *(p for p in range(2, 14) if p not in (5, 9))])
    game.play([6, 6])
    assert (game.upcards, game.pot) == ((5, 9), 14)
    game.play([8, 10])
    assert (game.upcards, game.pot) == ((1,), 1)


def test_M5_in_the_last_round():
    game = Game(position="13/13/12/12/1 9 - 0:0:0:0:0 tie=carry")
    game.play([13, 13, 12, 12, 1])
    assert (game.scores, game.void) == ((0,) * 5, (9,))


def test_M8():
    game = Game(position="3/3/8/8 6 - 0:0:0:0")
    game.play([3, 3, 8, 8])
    assert (game.scores, game.void, game.winners) == ((0,) * 4, (6,), (1, 2, 3, 4))


@pytest.mark.parametrize(
    ("cards", "count", "pile", "bids", "rules", "scores", "void", "unplayed"),
    [
        pytest.param(
            4, 2, None, [(4, 3), (1, 4)], {"order": "descending"}, (4, 3), (), (1, 2), id="T1"
        ),
        pytest.param(
            4, 2, None, [(4, 4), (3, 3)], {"order": "descending"}, (0, 0), (4, 3), (1, 2), id="T2"
        ),
        pytest.param(
            5, 3, None, [(1, 2), (2, 1), (5, 4)], {"order": "ascending"}, (5, 1), (), (4, 5),
            id="T3",
        ),
        pytest.param(4, 2, [2, 3], [(4, 3), (1, 4)], {}, (2, 3), (), (1, 4), id="T1-random"),
    ],
)  # fmt: skip
def test_limited_turns(cards, count, pile, bids, rules, scores, void, unplayed):
    game = Game(Rules(cards=cards, rounds=count, **rules), pile=pile)
    for round_bids in bids:
        game.play(round_bids)
    assert game.is_over
    assert (game.scores, game.void, game.unplayed) == (scores, void, unplayed)
    assert len(game.hands[0]) == cards - count


# -- bids of several cards -----------------------------------------------------------------------

K1_BIDS = [((5, 1), (4, 2)), ((2, 3), (1, 5)), ((4,), (3,))]


@pytest.mark.parametrize(
    ("rules", "pile", "count", "scores", "unplayed", "left"),
    [
        pytest.param({}, [4, 2, 5], 3, (5, 6), (1, 3), ((), ()), id="K1"),
        pytest.param({"last": "none"}, [4, 2], 2, (0, 6), (1, 3, 5), ((4,), (3,)), id="K2"),
        pytest.param({"lot": 2}, [4, 2, 5, 1, 3], 3, (3, 12), (), ((), ()), id="K3"),
    ],
)
def test_two_card_bids(rules, pile, count, scores, unplayed, left):
    game = Game(Rules(cards=5, bids=2, **rules), pile=pile)
    for bids in K1_BIDS[:count]:
        assert all(tuple(sorted(bid)) in game.legal_bids(p) for p, bid in enumerate(bids, 1))
        game.play(bids)
    assert game.is_over
    assert (game.scores, game.unplayed, game.hands) == (scores, unplayed, left)
    assert game.history[0].bids == ((1, 5), (2, 4))


def test_K4():
    game = Game(Rules(cards=4, bids=2), pile=[3, 4])
    game.play([(4, 1), (2, 3)])
    game.play([(2, 3), (1, 4)])
    assert (game.scores, game.void, game.is_over) == ((0, 0), (3, 4), True)


def test_a_high_ace_counts_14_in_a_sum():
    game = Game(Rules(bids=2, ace="high"), pile=HIGH)
    game.play([(14, 2), (13, 4)])
    assert game.scores == (0, 2)


def test_first_round_of_two_card_bids_has_78_pairs():
    game = Game(Rules.preset("two-card"), rng=1)
    assert len(game.legal_bids(1)) == 78
    with pytest.raises(IllegalBidError, match=r"expected one of \(1, 2\), \(1, 3\)"):
        game.play([(1, 1), (2, 3)])
    with pytest.raises(IllegalBidError, match="player 2 may not bid"):
        game.play([(1, 2), 3])


# -- open prizes ---------------------------------------------------------------------------------

OPEN = {"open": 2}


def picking(pile, moves, **rules):
    """Play bids (sequences) and picks (numbers) and return the game."""
    game = Game(Rules(**{**OPEN, **rules}), pile=pile)
    for move in moves:
        if isinstance(move, int):
            game.pick(move)
        else:
            game.play(move)
    return game


def deal(*first):
    return [*first, *(p for p in range(1, 14) if p not in first)]


@pytest.mark.parametrize(
    ("pile", "moves", "rules", "scores", "upcards"),
    [
        pytest.param(deal(10, 3), [(7, 5), 10], {}, (10, 3), (1, 2), id="O1"),
        pytest.param(deal(10, 3), [(7, 5), 3], {}, (3, 10), (1, 2), id="O1-other"),
        pytest.param(deal(13, 4), [(9, 9, 6), 13], UNIQUE, (0, 0, 13), (4, 1), id="O2-unique"),
        pytest.param(deal(13, 4), [(9, 9, 6)], CARRY, (0, 0, 0), (13, 4), id="O2-carry"),
        pytest.param(deal(13, 4), [(9, 9, 6)], DISCARD, (0, 0, 0), (1, 2), id="O2-discard"),
        pytest.param(deal(13, 4), [(9, 6, 6), 13], CARRY, (13, 0, 0), (4, 1), id="O3"),
        pytest.param(
            deal(12, 7, 1), [(11, 5, 8), 12, 7], {"open": 3, "players": 3}, (12, 1, 7), (2, 3, 4),
            id="O4",
        ),
        pytest.param(deal(8, 2), [(6, 6)], {}, (0, 0), (8, 2), id="O5-tie"),
        pytest.param(deal(8, 2), [(6, 6), (9, 4), 8], {}, (8, 2), (1, 3), id="O5"),
    ],
)  # fmt: skip
def test_open_prizes(pile, moves, rules, scores, upcards):
    rules.setdefault("players", len(next(move for move in moves if not isinstance(move, int))))
    game = picking(pile, moves, **rules)
    assert (game.scores, game.upcards, game.to_pick) == (scores, upcards, None)
    assert sum(game.void) == (17 if rules.get("tie") == "discard" else 0)


O6 = [(3, 2), 4, (5, 4), 5, (1, 5)]
O7 = [(3, 3), (4, 2), 4, (1, 5), 5, (5, 4)]


@pytest.mark.parametrize(
    ("moves", "count", "left"),
    [
        pytest.param(O6, 3, ((2, 4), (1, 3)), id="O6"),
        pytest.param(O7, 4, ((2,), (1,)), id="O7"),
    ],
)
def test_open_prizes_to_the_end(moves, count, left):
    game = picking([4, 1, 5, 2, 3], moves, cards=5)
    assert game.is_over
    assert (game.scores, game.round, game.hands) == ((9, 6), count, left)
    assert (game.void, game.unplayed) == ((), ())


def test_O8():
    game = picking([3, 1, 2], [(1, 1), (2, 2), (3, 3)], cards=3)
    assert (game.scores, game.void, game.unplayed) == ((0, 0), (3, 1), (2,))
    assert game.is_over


def test_O9():
    game = picking([3, 1, 2], [(2, 3), 3, (3, 1), 2, (1, 2)], cards=3, picks=1)
    assert (game.scores, game.is_over) == ((2, 4), True)


def test_O10():
    game = Game(Rules(**OPEN, auto_pick="highest"), rng=1)
    while not game.is_over:
        hands = [game.legal_bids(1), game.legal_bids(2)]
        bid = hands[0][-1]
        game.play([bid, next(card for card in hands[1] if card != bid)])
    assert game.round == 7
    assert sum(game.scores) == 91


def test_picks_are_recorded():
    game = picking(deal(10, 3), [(7, 5), 3])
    record = game.history[-1]
    assert (record.upcards, record.winner) == ((10, 3), 1)
    assert (record.gains, record.picks) == ((3, 10), ((1, 3), (2, 10)))
    half = picking(deal(10, 3), [(7, 5)])
    assert (half.to_pick, half.legal_picks(), half.history[-1].picks) == (1, [3, 10], ())
    with pytest.raises(
        IllegalBidError, match=r"player 1 may not pick '4' .*: expected one of 3, 10"
    ):
        half.pick(4)
    with pytest.raises(IllegalBidError, match="player 1 is to pick a prize"):
        half.play([1, 2])


# -- hidden bids ---------------------------------------------------------------------------------

HB1 = [3, 1, 4, 2], [3, 1, 2, 4], [1, 2, 4, 3]


def test_HB1():
    game = play(*HB1, hidden=True)
    assert [record.winner for record in game.history] == [1, 2, 2, 1]
    assert game.scores == (5, 5)
    # The bid histories of player 2 that player 1 cannot tell from the true one.
    counts = []
    for length in range(1, 5):
        own = HB1[1][:length]
        seen = [Game(Rules(cards=4, hidden=True), pile=HB1[0])]
        seen += [seen[0].copy() for _ in range(24)]
        for bids in zip(own, HB1[2], strict=False):
            seen[0].play(bids)
        views = {}
        for other, rivals in zip(seen[1:], permutations([1, 2, 3, 4]), strict=True):
            for bids in zip(own, rivals, strict=False):
                other.play(bids)
            views[rivals[:length]] = other.view(1)
        counts.append(sum(view == seen[0].view(1) for view in views.values()))
    assert counts == [2, 5, 6, 5]


def test_HB2():
    for outcome, rivals in ((None, [1]), (2, [2, 3, 4])):
        possible = []
        for rival in range(1, 5):
            game = Game(Rules(cards=4, hidden=True), pile=[3, 1, 4, 2])
            game.play([1, rival])
            if game.view(1).history[-1].winner == outcome:
                possible.append(rival)
        assert possible == rivals


def test_HB3():
    views = []
    for bids in ((9, 9, 4), (9, 7, 4), (9, 9, 4), (4, 9, 9), (12, 12, 4), (9, 12, 12)):
        game = Game(Rules(players=3, tie="carry", hidden=True), pile=deal(8))
        game.play(bids)
        views.append([game.view(player) for player in (1, 2, 3)])
    tied, won, _, _, higher, above = views
    for view in tied:
        assert (view.history[-1].winner, sum(view.upcards)) == (None, 9)
        assert view.history[-1].upcards == (8,)
    assert tied[2] == higher[2]
    assert tied[0] == above[0]
    assert tied[2] != won[2]


def test_hidden_views_hold_no_secret():
    game = Game(Rules(cards=4, hidden=True), pile=[3, 1, 4, 2])
    game.play([3, 2])
    view = game.view(2)
    assert (view.hand, view.player, view.scores, view.pile) == ((1, 3, 4), 2, (3, 0), (2, 4))
    assert view.history[0].bids == (None, 2)
    other = Game(Rules(cards=4, hidden=True), pile=[3, 1, 2, 4])
    other.play([4, 2])
    assert other.view(2) == view
    assert repr(other.view(2)) == repr(view)
    assert hash(other.view(2)) == hash(view)
    assert repr(other) == repr(game)
    for one in (game, other):
        with pytest.raises(IllegalBidError) as error:
            one.play([1, 2])
        assert "1-3/" not in str(error.value)
        assert "expected one of 1, 3, 4" in str(error.value)


@pytest.mark.parametrize(
    ("announce", "bids"),
    [("winner", (None, 2)), ("winner_and_bid", (3, 2)), ("all", (3, 2))],
)
def test_announcements(announce, bids):
    game = Game(Rules(cards=4, hidden=True, announce=announce), pile=[3, 1, 4, 2])
    game.play([3, 2])
    assert game.view(2).history[0].bids == bids
    game.play([1, 1])
    assert game.view(2).history[1].bids == ((1, 1) if announce == "all" else (None, 1))


# -- house rules ---------------------------------------------------------------------------------


def test_early_stop_at_a_score():
    game = Game(Rules(early_stop=46), pile=ACES[::-1])
    for card in (13, 12, 11):
        game.play([card, card - 1])
    assert not game.is_over
    game.play([10, 13])
    game.play([9, 1])
    game.play([8, 2])
    assert (game.scores, game.is_over, game.winners) == ((53, 10), True, (1,))
    assert game.unplayed == tuple(range(1, 8))
    assert game.legal_bids(1) == []


def test_early_stop_when_decided():
    game = Game(Rules(cards=4, early_stop="clinch"), pile=[4, 3, 2, 1])
    game.play([4, 3])
    assert not game.is_over
    game.play([3, 2])
    assert (game.scores, game.is_over) == ((7, 0), True)


def test_misere():
    game = play(*C2, misere=True)
    assert (game.scores, game.winners) == ((1, 5), (1,))
