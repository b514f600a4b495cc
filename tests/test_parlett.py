"""Jazzy GOPS and Throps: the engines against their slow twins, and what holds for every deal."""

import contextlib
import copy
import pickle
import random
import re
from pathlib import Path

import numpy as np
import pytest
import twin_parlett as slow
from hypothesis import given
from hypothesis import strategies as st
from twin_parlett import PRIORITY, RANKS, JazzyTwin, ThropsTwin

from gops import Game, GopsError, IllegalBidError, Position, Rules, RulesError, perft, playouts

SEEDS = st.integers(0, 2**32)
PACK = [rank + suit for suit in "SCHD" for rank in RANKS]
JAZZY_OPTIONS = st.fixed_dictionaries(
    {
        "aces_tie_by_card": st.booleans(),
        "queen_excluded": st.booleans(),
        "lone_court": st.sampled_from(("zero", "face")),
        "spent_triple": st.sampled_from(("first", "last", "none")),
        "three_level": st.sampled_from(("zero", "all")),
    }
)


@st.composite
def jazzy(draw, most=13):
    """Draw options, hands and a stack, often the full ones."""
    options = draw(JAZZY_OPTIONS)
    hands, stack = [range(1, 14)] * 3, draw(st.permutations(range(14)))
    if most < 13 or draw(st.booleans()):
        size = draw(st.integers(1, min(most, 4)))
        one = st.lists(st.integers(1, 13), min_size=size, max_size=size, unique=True)
        # Few ranks, so that three often tie.
        low = st.lists(st.integers(1, size), min_size=size, max_size=size, unique=True)
        hands = draw(st.one_of(st.tuples(low, low, low), st.tuples(one, one, one)))
        stack = stack[: draw(st.integers(1, most + 1))]
    return options, hands, stack


@st.composite
def throps(draw, most=13):
    options = {"ace_low": draw(st.booleans())}
    pack = draw(st.permutations(PACK))
    size = draw(st.integers(1, most))
    return options, [pack[size * p : size * (p + 1)] for p in range(3)], pack[-size:]


GAMES = {"jazzy": (jazzy, JazzyTwin), "throps": (throps, ThropsTwin)}
EITHER = st.sampled_from(sorted(GAMES)).flatmap(
    lambda name: st.tuples(st.just(name), GAMES[name][0]())
)


def start(name, deal):
    options, hands, stack = deal
    game = Game(Rules.preset(name, **options), hands=hands, pile=stack)
    return game, GAMES[name][1](hands, stack, **options)


def random_bids(game, rng):
    return [rng.choice(game.legal_bids(player)) for player in (1, 2, 3)]


def check(game, twin):
    name = game.rules.game
    assert game.is_over == twin.over
    assert [set(hand) for hand in game.hands] == twin.hands
    assert game.scores == twin.totals()
    assert game.awards == twin.awards()
    won = twin.won
    if name == "jazzy":
        won = [[prize for offer in offers for prize in offer] for offers in twin.won]
        assert list(game.upcards) == twin.offer
        assert sorted(game.void) == sorted(twin.void)
        assert list(game.position.chain) == twin.chain
    else:
        assert list(game.upcards) == [twin.card] * (not twin.over)
    assert [set(cards) for cards in game.position.won] == [set(cards) for cards in won]
    if not twin.over:
        for player in range(3):
            assert sorted(game.legal_bids(player + 1)) == sorted(twin.legal(player))


@given(EITHER, SEEDS)
def test_engine_agrees_with_the_twin(named, seed):
    name, deal = named
    game, twin = start(name, deal)
    rng = random.Random(seed)
    before = [game.copy()]
    check(game, twin)
    while not twin.over:
        bids = random_bids(game, rng)
        twin.play(bids)
        game.play(bids)
        check(game, twin)
        before.append(game.copy())
    for then in before[-2::-1]:
        game.undo()
        assert game == then
        assert game.position == then.position
    with pytest.raises(IllegalBidError, match="nothing to undo"):
        game.undo()


@given(EITHER, SEEDS)
def test_positions_round_trip_and_carry_on(named, seed):
    """A game taken up from its position's text goes on as the game itself does."""
    name, deal = named
    game, twin = start(name, deal)
    rng = random.Random(seed)
    for _ in range(rng.randrange(20)):
        if game.is_over:
            break
        bids = random_bids(game, rng)
        game.play(bids)
        twin.play(bids)
    position = game.position
    text = str(position)
    again = Position(text)
    assert str(again) == text
    assert again == position
    assert hash(again) == hash(position)
    assert type(again) is type(position)
    for attribute in ("hands", "upcards", "pile", "won", "chain", "partner", "scores", "rules",
                      "rounds_left", "turned", "is_over", "is_chance", "pot"):  # fmt: skip
        assert getattr(again, attribute) == getattr(position, attribute)
    assert pickle.loads(pickle.dumps(again)) == again
    assert (
        Position.from_parts(
            again.hands,
            again.upcards,
            again.pile,
            won=again.won,
            partner=again.partner,
            chain=again.chain,
            game=name,
            **deal[0],
        )
        == again
    )
    pile = [card for card in deal[2] if card in set(again.pile)]
    other = Game(position=again, pile=pile)
    assert other.rounds_left == game.rounds_left
    while not game.is_over:
        bids = random_bids(game, rng)
        game.play(bids)
        other.play(bids)
        assert other.position == game.position
    assert other.awards == game.awards


@given(EITHER, SEEDS)
def test_copies_and_pickles(named, seed):
    name, deal = named
    game, _ = start(name, deal)
    rng = random.Random(seed)
    for _ in range(rng.randrange(15)):
        if not game.is_over:
            game.play(random_bids(game, rng))
    for twin in (pickle.loads(pickle.dumps(game)), copy.copy(game), copy.deepcopy(game)):
        assert twin == game
        assert twin.history == game.history
        if not game.is_over:
            bids = random_bids(game, rng)
            twin.play(bids)
            assert twin != game
            twin.undo()
            assert twin == game
    with pytest.raises(TypeError):
        hash(game)


@pytest.mark.parametrize("name", sorted(GAMES))
def test_many_random_games(name, slow):
    """The full deal: every card of the hands and the stack ends where it may."""
    rng = random.Random(name)
    for number in range(100_000 if slow else 300):
        game = Game(Rules.preset(name), rng=number)
        first = game.copy()
        moves = 0
        while not game.is_over:
            left = game.rounds_left
            assert game.round + left == 13
            game.play(random_bids(game, rng))
            moves += 1
            chain = game.position.chain
            assert [len(hand) + len(chain) for hand in game.hands] == [game.rounds_left] * 3
            won = [card for cards in game.position.won for card in cards]
            places = [*won, *game.upcards, *game.position.pile, *game.void]
            assert len(places) == len(set(places)) == (14 if name == "jazzy" else 13)
        assert game.hands == ((),) * 3
        assert game.unplayed == ()
        assert game.winners
        for record in game.history:
            assert sum(map(bool, record.gains)) <= 1 or record.winner
        assert tuple(map(sum, zip(*(r.gains for r in game.history), strict=True))) == game.scores
        if number % 20 == 0:
            for _ in range(moves):
                game.undo()
            assert game == first


def test_throps_priority_is_a_strict_order():
    """Suit, then colour, then parity, straight from the rule."""
    colour = {"S": "black", "C": "black", "H": "red", "D": "red"}
    parity = {"S": "major", "H": "major", "C": "minor", "D": "minor"}
    for suit, order in PRIORITY.items():
        fourth = next(s for s in "SCHD" if colour[s] != colour[suit] and parity[s] != parity[suit])
        assert order[0] == suit
        assert colour[order[1]] == colour[suit]
        assert parity[order[2]] == parity[suit]
        assert order[3] == fourth


@given(st.sampled_from((jazzy(3), throps(3))).flatmap(lambda deals: deals), st.integers(1, 2))
def test_perft(deal, depth):
    name = "jazzy" if "lone_court" in deal[0] else "throps"
    game, _ = start(name, deal)
    options, hands, _ = deal
    if game.is_over:
        assert perft(game.position, depth) == 0
        return
    # With all prizes turned but those of this trick known, only bids remain to be counted.
    one = game.position
    one = Position.from_parts(one.hands, one.upcards, [], game=name, **options)
    up = [*one.upcards]
    expected = slow.perft(lambda: GAMES[name][1](hands, up, **options), [], depth)
    assert perft(one, depth) == expected


def test_perft_counts_reveals():
    assert perft("1-3/1-3/1-3 - 0-3 game=jazzy", 1) == 6
    assert perft("2-4/2-4/2-4 - 0-3 game=jazzy", 2) == 6 * 27
    assert perft("1-3/1-3/1-3 - 0-3 game=jazzy", 2) == 6 * 64
    assert perft("2S,3S/4S,5S/6S,7S - 8S,9S game=throps", 4) == 2 * 8
    assert perft("2S,3S/4S,5S/6S,7S - 8S,9S game=throps", 5) == 0


@pytest.mark.parametrize("name", sorted(GAMES))
def test_playouts(name):
    rules = Rules.preset(name)
    scores = playouts(rules, 9000, rng=3)
    assert scores.dtype == np.int32
    assert scores.shape == (9000, 3)
    for threads in (2, 3):
        assert (playouts(rules, 9000, rng=3, threads=threads) == scores).all()
    assert (playouts(rules, 9000, rng=4) != scores).any()
    assert len(playouts(rules, 0)) == 0
    rng = random.Random(1)
    mean = []
    for number in range(1500):
        game = Game(rules, rng=number)
        while not game.is_over:
            game.play(random_bids(game, rng))
        mean.append(game.scores)
    sample = np.array(mean)
    error = np.hypot(scores.std() / np.sqrt(scores.size), sample.std() / np.sqrt(sample.size))
    assert abs(scores.mean() - sample.mean()) < 5 * error
    assert abs(scores.std() / sample.std() - 1) < 0.1


@pytest.mark.parametrize("name", sorted(GAMES))
def test_deals_are_uniform(name):
    """Each prize is first, and each card with each player, about equally often."""
    first = {}
    for seed in range(2800):
        card = Game(Rules.preset(name), rng=seed, reveal="manual").__reduce__()[1][1][0]
        first[card] = first.get(card, 0) + 1
    size = 14 if name == "jazzy" else 52
    mean = 2800 / size
    assert len(first) == size
    assert sum((count - mean) ** 2 / mean for count in first.values()) < 2.2 * size


def test_stock_and_hands_do_not_leak():
    """Deals that differ only in what player 1 may not know look the same to player 1."""
    rng = random.Random(2)
    for _ in range(50):
        pack = rng.sample(PACK, 52)
        mine, stock = pack[:13], pack[39:]
        moves = rng.randrange(6)
        known = {*mine, *stock[: moves + 1]}
        rivals = [pack[13:26], pack[26:39]]
        bids = [list(zip(mine, *rivals, strict=True))[i] for i in range(moves)]
        known.update(card for three in bids for card in three)
        secret = [card for card in pack if card not in known]
        rng.shuffle(secret)
        fill = iter(secret)

        def other(cards, fill=fill, known=known):
            return [card if card in known else next(fill) for card in cards]

        views = []
        for hands, pile in (
            ([mine, *rivals], stock),
            ([mine, *map(other, rivals)], other(stock)),
        ):
            game = Game(Rules.preset("throps"), hands=hands, pile=pile)
            for three in bids:
                game.play(three)
            view = game.view(1)
            with pytest.raises(IllegalBidError) as caught:
                game.play([rivals[0][-1], *bids[0][1:]] if moves else ["?", "?", "?"])
            views.append((view, repr(view), hash(view), pickle.dumps(view), repr(game),
                          str(caught.value)))  # fmt: skip
        assert views[0][:5] == views[1][:5]
        assert views[0][5] == views[1][5]
        assert set(view.pile) == set(secret)


def test_the_documented_positions():
    text = (Path(__file__).parent.parent / "docs" / "notation.md").read_text()
    found = re.findall(r"^\S+ \S+ \S+ \S+ game=\S+$", text, re.MULTILINE)
    assert len(found) == 2
    for line in found:
        assert str(Position(line)) == line


def test_stack_does_not_leak():
    rng = random.Random(2)
    for _ in range(50):
        stack = rng.sample(range(14), 14)
        moves = rng.randrange(5)
        seen = moves + 1 + (0 in stack[: moves + 1])
        looks = []
        for pile in (stack, [*stack[:seen], *sorted(stack[seen:])]):
            game = Game(Rules.preset("jazzy"), pile=pile)
            for n in range(moves):
                game.play([n + 2, n + 3, n + 4])
            looks.append((game.view(1), repr(game.view(2)), hash(game.view(3)), repr(game)))
        assert looks[0] == looks[1]


def test_views_of_throps():
    game = Game(Rules.preset("throps"), hands=[["KC"], ["KH"], ["3D"]], pile=["6S"])
    view = game.view(3)
    assert view.hand == ("3D",)
    assert view.pile == ("KC", "KH")
    assert view.upcards == ("6S",)
    with pytest.raises(IllegalBidError, match="player 4: expected 1 to 3"):
        game.view(4)


def test_manual_reveals():
    game = Game(position="1-3/1-3/1-3 - 0-3 game=jazzy", pile=[0, 2, 1, 3], reveal="manual")
    assert game.legal_bids(1) == []
    with pytest.raises(IllegalBidError, match="turned first"):
        game.play([1, 2, 3])
    with pytest.raises(IllegalBidError, match=r"prize '5' cannot be turned .* one of 0, 1, 2, 3"):
        game.reveal(5)
    with pytest.raises(IllegalBidError, match="expected no more"):
        game.reveal(2, 0)
    game.reveal(0, 3)
    assert game.upcards == (0, 3)
    assert game.pot == 6
    with pytest.raises(IllegalBidError, match="no prize is to be turned"):
        game.reveal()
    again = pickle.loads(pickle.dumps(game))
    assert again == game
    assert again.position == game.position
    game.undo()
    game.reveal()
    assert game.upcards == (0, 2)
    assert game.pot == 4
    game.undo()
    game.reveal(0)
    assert game.upcards == (0, 2)
    throps = Game(Rules.preset("throps"), rng=1, reveal="manual")
    card = throps.position.pile[-1]
    throps.reveal(card.lower())
    assert throps.upcards == (card,)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1/1 - - game=jazzy", "HANDS, offset 0: expected 3 sets joined by '/'"),
        ("1/1/1 - 0,5,5 game=jazzy", "PILE, offset 8: '5' twice"),
        ("1/1/1 - 0,14 game=jazzy", "PILE, offset 10: expected a card"),
        ("1/1/1 0 5 game=jazzy", "UPCARDS, offset 6: expected one diamond"),
        ("1/1/1 5+6 - game=jazzy", "UPCARDS, offset 6: expected one diamond"),
        ("1/1/2,3 5 - game=jazzy", "HANDS, offset 0: all hands have the same size"),
        ("0/1/2 5 - game=jazzy", "HANDS, offset 0: '0', expected a card"),
        ("-/-/- 5 - game=jazzy", "UPCARDS, offset 6: a prize is turned, but no card"),
        ("1/2/3 5 - 0/-/- game=jazzy", "WON, offset 10: the joker needs the diamond"),
        ("1/2/3 5 - 0+7,7/-/- game=jazzy", "WON, offset 10: '7' twice"),
        ("1/2/3 5 - 5/-/- game=jazzy", "WON, offset 10: 5 is also in UPCARDS"),
        ("1/2/3 5 - game=jazzy,chain=3", "RULES, offset 10: 3 is also in HANDS"),
        ("1/2/3 - 5 game=jazzy,chain=4", "RULES, offset 10: chain, but no prize"),
        ("1/2/3 - 5 game=jazzy,tie=carry", "RULES, offset 21: expected key=value"),
        ("1/2/3 - 5 game=jazzy,lone_court=x", "RULES, offset 10: lone_court='x': expected zero"),
        ("3-1/2/3 - 5 game=jazzy", "HANDS, offset 0: a range runs upward"),
        ("1S/2S/2S - - game=throps", "HANDS, offset 0: expected a card such as KC"),
        ("2S/2S/3S - - game=throps", "HANDS, offset 0: 2S is also in HANDS"),
        ("2S/3S/4S 5S+6S - game=throps", "UPCARDS, offset 9: expected one card"),
        ("2S/3S/4S - 2S game=throps", "PILE, offset 11: 2S is also in HANDS"),
        ("2S-4S/- - - game=throps", "HANDS, offset 0: expected 3 sets"),
        ("game=throps", "position: expected HANDS UPCARDS PILE [WON] game=throps"),
        ("1/2/3 - 5 game=chess", "RULES, offset 10: expected key=value"),
    ],
)
def test_errors_of_positions(text, message):
    with pytest.raises(GopsError) as caught:
        Position(text)
    assert message in str(caught.value)
    assert len(str(caught.value)) < 300


@given(
    st.lists(
        st.sampled_from(
            [*"0123456789AKQJShd+-/,> =", "game=jazzy", "game=throps", "chain=", " - ",
             "1-3/1-3/1-3", "KC/2S/AH", "-/-/-", "0+7", "9999999999", "\ud800", "é", "x" * 5000]
        ),
        max_size=14,
    )
)  # fmt: skip
def test_any_text_is_read_or_refused(parts):
    text = "".join(parts)
    with contextlib.suppress(GopsError):
        position = Position(f"{text} game=jazzy")
        assert Position(str(position)) == position
        assert len(str(position)) < 1000
    with contextlib.suppress(GopsError):
        assert Position(str(Position(text))) == Position(text)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"rules": Rules.preset("jazzy"), "pile": [1, 2, 3]}, "pile: prize 4 is missing"),
        ({"rules": Rules.preset("jazzy"), "pile": [*range(14), 5]}, "PILE: '5' twice"),
        ({"rules": Rules.preset("jazzy"), "pile": [*range(1, 15)]}, "PILE: '14', expected a card"),
        ({"rules": Rules.preset("jazzy"), "hands": [[1], [2]]}, "HANDS: expected 3"),
        ({"position": "1/2/3 - 5 game=jazzy", "pile": [6]}, "expected an order of 5"),
        ({"position": "1/2/3 - 5 game=jazzy", "pile": [[5]]}, "expected an order of 5"),
        ({"rules": Rules.preset("jazzy"), "pile": [*range(13), [13]]}, "pile: prize 13 is missing"),
        ({"position": "1/2/3 - 5 game=jazzy", "hands": []}, "give only one of them"),
        ({"rules": Rules.preset("throps"), "pile": ["2S", "2S"]}, "PILE: '2S' twice"),
        ({"rules": Rules.preset("throps"), "hands": [["2S"], ["2S"], ["3S"]]}, "also in HANDS"),
        ({"rules": Rules.preset("throps"), "hands": [["ZZ"], ["2S"], ["3S"]]}, "'ZZ', expected"),
        (
            {"rules": Rules.preset("throps"), "hands": [["2H"], ["2S"], ["3S"]], "pile": []},
            "0 cards given, 1 can be turned",
        ),
        ({"rules": Rules.preset("throps"), "reveal": "never"}, "reveal='never'"),
    ],
)
def test_errors_of_games(arguments, message):
    with pytest.raises(RulesError) as caught:
        Game(**arguments)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("name", "changes", "message"),
    [
        ("jazzy", {"tie": "carry"}, "tie: not an option of jazzy"),
        ("jazzy", {"cards": 5}, "cards: not an option of jazzy"),
        ("jazzy", {"players": 4}, "players=4: expected 3"),
        ("jazzy", {"ace_low": True}, "ace_low: not an option of jazzy"),
        ("throps", {"hidden": True}, "hidden: not an option of throps, which takes ace_low"),
        ("throps", {"players": 2}, "players=2: expected 3"),
        ("throps", {"lone_court": "x"}, "lone_court='x': expected zero or face"),
    ],
)
def test_errors_of_rules(name, changes, message):
    with pytest.raises(RulesError) as caught:
        Rules.preset(name, **changes)
    assert message in str(caught.value)


def test_options_of_other_games_have_no_effect():
    assert Rules(ace_low=True, lone_court="face") == Rules()


@pytest.mark.parametrize("name", sorted(GAMES))
def test_illegal_bids_change_nothing(name):
    game = Game(Rules.preset(name), rng=1)
    before = game.copy()
    legal = game.legal_bids(1)[0]
    for bids in ([legal], [legal] * 4, [None] * 3, ["1S"] * 3, [15] * 3, [0] * 3, [10**30] * 3):
        with pytest.raises(IllegalBidError):
            game.play(bids)
        assert game == before
    with pytest.raises(IllegalBidError, match="player 0"):
        game.legal_bids(0)
    assert game.legal_picks() == []
    with pytest.raises(IllegalBidError, match="no pick"):
        game.pick(1)


@pytest.mark.parametrize(("spent", "most"), [("first", 91), ("last", 91), ("none", 169)])
def test_deep_chains_fit_the_log(spent, most):
    """All three bid alike from first to last: the longest game there can be."""
    game = Game(Rules.preset("jazzy", spent_triple=spent), rng=1, reveal="manual")
    bids = 0
    while not game.is_over:
        if not game.upcards:
            game.reveal()
        card = game.legal_bids(1)[0]
        game.play([card] * 3)
        bids += 1
    assert bids == most
    assert len(pickle.loads(pickle.dumps(game)).history) == most
    assert game.scores == (0, 0, 0)
    assert len(game.void) == 14
