"""The worked examples of Jazzy GOPS (J) and Throps (TH); their names are in the tests' ids."""

import pytest

from gops import Game, Match, Position, Rules

JAZZY, THROPS = Rules.preset("jazzy"), Rules.preset("throps")
A, HIGH, J, Q, K = 1, 14, 11, 12, 13


def worth(won, rules=""):
    return Position(f"-/-/- - - {won} game=jazzy{rules}").scores


def trick(hands, offer, *bids, rules="", pile="-"):
    """Start with ``offer`` on the table and make some bids."""
    game = Game(position=f"{hands} {offer} {pile} -/-/- game=jazzy{rules}", rng=1)
    for three in bids:
        game.play(three)
    return game


@pytest.mark.parametrize(
    ("won", "scores"),
    [
        pytest.param("3,K/10,2,J/9,Q", (6, 14, 9), id="J1"),
        pytest.param("4,9,0+J/-/-", (21, 0, 0), id="J2"),
        pytest.param("0+J/-/-", (0, 0, 0), id="J3"),
        pytest.param("K/J/-", (0, 0, 0), id="J4-alone"),
        pytest.param("J,K/-/-", (0, 0, 0), id="J4-jack-king"),
        pytest.param("J,Q/K/-", (0, 0, 0), id="J4-jack-queen"),
        pytest.param("K,Q/J/-", (0, 0, 0), id="J4-king-queen"),
        pytest.param("7,J,K/-/-", (21, 0, 0), id="J4-seven-jack-king"),
        pytest.param("5,8,0+K/-/-", (29, 0, 0), id="J4-joker-king"),
        pytest.param("0+10/-/-", (20, 0, 0), id="J4-joker-ten"),
        pytest.param("0+Q,6/-/-", (6, 0, 0), id="J4-joker-queen"),
        pytest.param("Q,J,K,5/-/-", (10, 0, 0), id="J4-courts"),
        pytest.param("A-9,J-K,0+10/-/-", (75, 0, 0), id="J5"),
    ],
)
def test_value(won, scores):
    assert worth(won) == scores


@pytest.mark.parametrize(
    ("won", "rules", "scores"),
    [
        ("J,Q/K/-", ",queen_excluded=yes", (0, 0, 0)),
        ("J,Q,5/K/-", ",queen_excluded=yes", (10, 0, 0)),
        ("J,Q,5/K/-", "", (5, 0, 0)),
        ("J/K/-", ",lone_court=face", (11, 13, 0)),
        ("J,K/5/-", ",lone_court=face", (24, 5, 0)),
        ("0+J/K,5/-", ",lone_court=face", (22, 10, 0)),
        ("J,Q/K/-", ",lone_court=face", (0, 13, 0)),
    ],
)
def test_value_options(won, rules, scores):
    assert worth(won, rules) == scores


@pytest.mark.parametrize(
    ("bids", "winner", "rules"),
    [
        pytest.param((HIGH, K, Q), 1, "", id="J6"),
        pytest.param((A, 2, 2), 1, "", id="J7"),
        pytest.param((HIGH, HIGH, 5), 3, "", id="J8"),
        pytest.param((HIGH, A, K), 1, "", id="J9"),
        pytest.param((HIGH, A, K), 3, ",aces_tie_by_card=yes", id="J9-aces_tie_by_card"),
        pytest.param((K, K, 2), 3, "", id="J10"),
    ],
)
def test_trick(bids, winner, rules):
    game = trick("A-K/A-K/A-K", "9", bids, rules=rules, pile="2")
    assert game.history[0].winner == winner
    assert game.scores[winner - 1] == sum(game.scores) == 9
    assert game.rounds_left == 1


def test_aces_of_both_kinds_chain():
    bids = (HIGH, A, HIGH), (2, 3, 4)
    game = trick("A-K/A-K/A-K", "9", bids[0], rules=",aces_tie_by_card=yes")
    assert game.position.chain == (1,)
    assert 14 not in game.legal_bids(1)


CHAINS = [
    pytest.param([(7, 7, 7), (4, 9, 9)], 1, id="J11"),
    pytest.param([(7, 7, 7), (Q, Q, Q), (3, 5, 6)], 3, id="J12"),
    pytest.param([(HIGH, HIGH, HIGH), (2, 3, 4)], 3, id="J13"),
]


@pytest.mark.parametrize(("bids", "winner"), CHAINS)
def test_chain(bids, winner):
    game = trick("A-K/A-K/A-K", "9", *bids[:-1], pile="2")
    tied = [A if three[0] == HIGH else three[0] for three in bids[:-1]]
    assert game.position.chain == tuple(tied)
    for player in (1, 2, 3):
        assert not {*tied, *([HIGH] if A in tied else [])} & set(game.legal_bids(player))
    assert game.round == 0
    game.play(bids[-1])
    assert game.position.chain == ()
    assert game.history[-1].winner == winner
    assert game.scores[winner - 1] == 9
    for hand, card in zip(game.hands, bids[-1], strict=True):
        assert set(hand) == set(range(1, 14)) - {card}
    assert game.round == 1


@pytest.mark.parametrize(
    "offer", [pytest.param("5", id="J14"), pytest.param("0+5", id="J14-joker")]
)
def test_nobody_wins_the_last_diamond(offer):
    game = trick("8/8/8", offer, (8, 8, 8))
    assert game.is_over
    assert game.scores == (0, 0, 0)
    assert game.void == tuple(map(int, offer.split("+")))
    assert game.history[-1].winner is None


@pytest.mark.parametrize(
    ("option", "left"),
    [
        pytest.param("", (2,), id="J15"),
        pytest.param(",spent_triple=last", (8,), id="J15-last"),
        pytest.param(",spent_triple=none", (2, 8), id="J15-none"),
    ],
)
def test_nobody_can_bid_on(option, left):
    game = trick("2,8/2,8/2,8", "5", (8, 8, 8), (2, 2, 2), rules=option, pile="9")
    assert game.hands == (left,) * 3
    assert game.void == (5,)
    assert game.upcards == (9,)
    for card in left:
        game.play([card] * 3)
    assert game.is_over
    assert game.void == (5, 9)
    assert game.scores == (0, 0, 0)


def test_deals_are_named_by_the_constructor():
    game = Game(JAZZY, hands=[[8, 2]] * 3, pile=[5, 9])
    assert str(game.position) == "2,8/2,8/2,8 5 9 -/-/- game=jazzy"


@pytest.mark.parametrize(
    ("end", "scores", "void"),
    [
        pytest.param([0, 6], (0, 0, 12), (), id="J16-thirteenth"),
        pytest.param([6, 0], (0, 0, 6), (0,), id="J16-fourteenth"),
    ],
)
def test_joker_at_the_end(end, scores, void):
    others = [n for n in range(1, 14) if n != 6]
    game = Game(JAZZY, pile=[*others, *end])
    for n in range(2, 14):
        game.play([n, n, A if n == 2 else n - 1])  # player 3 wins all
    assert game.rounds_left == 1
    taken = game.scores[2]
    assert game.upcards == tuple(prize for prize in end if end[-1] or prize)
    game.play([A, HIGH, K])  # the high ace wins, so that the last trick stands alone
    assert game.is_over
    assert game.void == void
    assert game.scores == (0, scores[2], taken)


@pytest.mark.parametrize(
    ("won", "totals", "awards"),
    [
        pytest.param("9/4,10/6", (9, 14, 6), (0, 14, 6), id="J17"),
        pytest.param("2,10/3,9/5", (12, 12, 5), (0, 0, 5), id="J18-high"),
        pytest.param("2,10/5/1,4", (12, 5, 5), (12, 0, 0), id="J18-low"),
        pytest.param("-/1,4,7,9,10/2,3,6,8,K", (0, 31, 27), (0, 31, 0), id="J18-nothing"),
        pytest.param("7/3,4/2,5", (7, 7, 7), (0, 0, 0), id="J19"),
    ],
)
def test_awards(won, totals, awards):
    game = Game(position=f"-/-/- - - {won} game=jazzy")
    assert game.scores == totals
    assert game.awards == awards
    best = max(awards)
    assert game.winners == tuple(p for p, award in enumerate(awards, 1) if award == best)


def test_three_level_totals_may_all_score():
    game = Game(position="-/-/- - - 7/3,4/2,5 game=jazzy,three_level=all")
    assert game.awards == (7, 7, 7)


@pytest.mark.parametrize(
    ("before", "won", "after", "winners"),
    [
        pytest.param((88, 95, 60), "4,10/9/6", (102, 95, 66), (1,), id="J20"),
        pytest.param((95, 40, 98), "A,2,8,10/3,9/4", (116, 40, 102), (1,), id="J21"),
        pytest.param((95, 40, 80), "5/3,9/2,8,10", (100, 40, 100), (), id="J22"),
    ],
)
def test_match_to_100(before, won, after, winners):
    match = Match(JAZZY, target=100)
    match.add(before)
    assert not match.is_over
    game = Game(position=f"-/-/- - - {won} game=jazzy")
    match.add(game)
    assert match.totals == after
    assert match.winners == winners


def test_level_at_100_may_share():
    match = Match(JAZZY, target=100, decider="none")
    match.add((100, 40, 100))
    assert match.winners == (1, 3)


@pytest.mark.parametrize(
    ("stock", "bids", "winner"),
    [
        pytest.param("6S", ("KC", "KH", "3D"), 1, id="TH1"),
        pytest.param("6S", ("KH", "KD", "4S"), 1, id="TH2"),
        pytest.param("9D", ("QD", "QS", "QH"), 1, id="TH3"),
        pytest.param("QD", ("QS", "QH", "QC"), 2, id="TH4"),
        pytest.param("5C", ("10S", "10D", "2H"), 1, id="TH5"),
        pytest.param("5C", ("10H", "10D", "2S"), 2, id="TH6"),
        pytest.param("7H", ("9S", "9C", "5H"), 1, id="TH7"),
    ],
)
def test_throps_trick(stock, bids, winner):
    game = Game(THROPS, hands=[[bid] for bid in bids], pile=[stock])
    game.play(bids)
    assert game.history[0].winner == winner
    assert game.is_over
    assert game.position.won[winner - 1] == (stock,)


@pytest.mark.parametrize(
    ("won", "score"),
    [
        pytest.param("10S,KS,AH,4D", 5, id="TH8"),
        pytest.param("7S,7H", 0, id="TH9"),
        pytest.param("5S,6H,7D", -4, id="TH10"),
        pytest.param("-", 0, id="TH11"),
        pytest.param("AC", 11, id="TH12-ace"),
        pytest.param("2C,3C", 5, id="TH12-clubs"),
        pytest.param("JS,QH,KD,10C", -20, id="TH12-four-suits"),
        pytest.param("KS,QS,2S,9C", 13, id="TH12-courts"),
    ],
)
def test_throps_score(won, score):
    assert Position(f"-/-/- - - {won}/-/- game=throps").scores == (score, 0, 0)


def test_nothing_beats_less_than_nothing():
    game = Game(position="-/-/- - - 5S,6H,7D/-/8S,8H,8C,8D game=throps")
    assert game.scores == (-4, 0, -16)
    assert game.winners == (2,)


def test_ace_low():
    deal = {"hands": [["AS"], ["2C"], ["KD"]], "pile": ["6S"]}
    for low, winner in ((False, 1), (True, 3)):
        game = Game(Rules.preset("throps", ace_low=low), **deal)
        game.play(["AS", "2C", "KD"])
        assert game.history[0].winner == winner
