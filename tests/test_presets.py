"""Many random games of every preset: points accounted for, hands in step, undo, the twin."""

import random

import pytest
from twin import Twin

from gops import Game, Rules

LOTS = [name for name in Rules.presets() if Rules.preset(name).game == "gops"]


@pytest.mark.parametrize("name", LOTS)
def test_random_games(name, slow):
    rules = Rules.preset(name)
    total = sum(rules.prize_values)
    rng = random.Random(name)
    for number in range(100_000 if slow else 200):
        game = Game(rules, rng=number)
        start = game.copy()
        moves = 0
        for _ in range(2 * 13 + 13):
            if game.is_over:
                break
            if game.to_pick:
                game.pick(rng.choice(game.legal_picks()))
            else:
                players = range(1, rules.players + 1)
                game.play([rng.choice(game.legal_bids(player)) for player in players])
            moves += 1
            left = sum(game.position.pile)
            assert sum(game.scores) + sum(game.void) + game.pot + left == total
            assert len(set(map(len, game.hands))) == 1
        assert game.is_over
        assert game.winners
        assert sum(game.unplayed) == left
        if number % 20 == 0:
            agrees_with_the_twin(game)
            for _ in range(moves):
                game.undo()
            assert game == start


def agrees_with_the_twin(game):
    rules = game.rules
    pile = game.__reduce__()[1][2] or rules.first_pile
    names = ("tie", "fallback", "rounds", "bids", "last", "lot", "open", "picks")
    twin = Twin(rules.first_hands, pile, **{name: getattr(rules, name) for name in names})
    for record in game.history:
        twin.turn()
        assert record.upcards == tuple(twin.table)
        twin.play([bid if rules.bids > 1 else (bid,) for bid in record.bids])
        for _player, prize in record.picks:
            if twin.queue:
                twin.pick(prize)
    assert twin.over
    assert game.scores == tuple(twin.scores)
    assert sorted(game.void) == sorted(twin.void)
