"""Rules explained in a screenful, put together from what they say."""

from textwrap import fill

from gops.cards import format_set
from gops.display.parlett import rules_parts
from gops.rules import Rules

WIDTH = 78

_LEVEL = {
    "carry": "the prize stays on the table, the next one joins it, and the next winner takes all",
    "discard": "nobody wins the prize, and it is out of the game",
    "split": "the players who tied share the points of the prize equally",
}


def rules_text(name: str, rules: Rules) -> str:
    """Explain rules to somebody who has never seen the game.

    Parameters
    ----------
    name
        What the rules are called, for the heading.
    rules
        The rules to explain.
    """
    parts = (
        rules_parts(rules)
        if rules.game != "gops"
        else [
            ("Set-up", _setup(rules)),
            ("Round", _round(rules)),
            ("Ties", _ties(rules)),
            ("End", _end(rules)),
        ]
    )
    paragraphs = [
        fill(text, WIDTH, initial_indent=f"{head:<8}", subsequent_indent=" " * 8)
        for head, text in parts
    ]
    about = Rules.presets().get(name, "")
    if about and rules != Rules.preset(name):
        about = "with changes"
    heading = f"{name}: {about}" if about else name
    return "\n\n".join([heading, *paragraphs])


def _setup(rules: Rules) -> str:
    hands = set(rules.first_hands)
    if len(hands) == 1:
        held = f"Each of {rules.players} players holds {_cards(rules.first_hands[0])}."
    else:
        held = " ".join(
            f"Player {player} holds {_cards(hand)}."
            for player, hand in enumerate(rules.first_hands, 1)
        )
    prizes = (
        f"The prizes {format_set(rules.prize_values)}, {sum(rules.prize_values)} points in all,"
    )
    if not rules.order_known:
        order = f"{prizes} are shuffled and lie face down."
    elif isinstance(rules.order, str):
        order = f"{prizes} come in {rules.order} order, as everybody knows."
    else:
        order = f"{prizes} come in a known order: {', '.join(map(str, rules.first_pile))}."
    return f"{held} {order}"


def _cards(cards: tuple[int, ...]) -> str:
    if cards == tuple(range(1, 14)):
        return "the cards ace (1) to king (13)"
    if cards == tuple(range(2, 15)):
        return "the cards 2 to king (13) and ace (14)"
    return f"the cards {format_set(cards)}"


def _round(rules: Rules) -> str:
    if rules.open:
        turned = f"Prizes are turned up until {rules.open} are on display."
    elif rules.lot > 1:
        turned = f"The next {rules.lot} prizes are turned up, as one lot."
    else:
        turned = "The next prize is turned up."
    bid = "Everybody bids one card in secret."
    if rules.bids > 1:
        bid = f"Everybody bids {rules.bids} cards in secret; their sum counts."
        if rules.cards % rules.bids and rules.last == "short":
            bid += f" In the last round only {rules.cards % rules.bids} can be bid."
    picked = "takes the best prize left" if rules.auto_pick == "highest" else "picks one prize"
    if not rules.open:
        won = f"the highest wins the {'lot' if rules.lot > 1 else 'prize'}."
    elif rules.picks == 1:
        won = f"the highest {picked} from the display."
    else:
        won = f"from the highest bid down, each player {picked} from the display"
        won += f", {rules.picks} prizes in all." if rules.picks else "."
    if not rules.hidden or rules.announce == "all":
        won = f"All bids are shown at once, and {won}"
    elif rules.announce == "winner_and_bid":
        won = f"{won.capitalize()} Only the winning bid is shown; the others stay secret."
    else:
        won = f"{won.capitalize()} Only the winner is announced; all bids stay secret."
    left = ""
    if rules.open:
        stay = "stay on display" if rules.leftover == "stay" else "are out of the game"
        left = f" Prizes that nobody took {stay}."
    spent = "Cards that were bid are out of the game, win or lose"
    spent += "." if rules.spent_visible else ", and lie face down."
    left = ""
    if rules.open:
        stay = "stay on display" if rules.leftover == "stay" else "are out of the game"
        left = f" Prizes that nobody took {stay}."
    return f"{turned} {bid} {won}{left} {spent}"


_LEVEL_OPEN = {
    "carry": "picking stops, and the prizes left stay on display",
    "discard": "picking stops, and the prizes left are out of the game",
    "split": "the players who tied share equally the best prizes left, one for each of them",
}


def _ties(rules: Rules) -> str:
    level = _LEVEL_OPEN if rules.open else _LEVEL
    if rules.tie != "unique":
        when = "At a group of level bids" if rules.open else "When the highest bids are level"
        return f"{when}, {level[rules.tie]}."
    if rules.open:
        return (
            "Players whose bids are level are passed over while the others pick. Then "
            f"{level[rules.fallback]}."
        )
    bids = "Cards of a rank" if rules.bids == 1 else "Bids of a sum"
    return (
        f"{bids} that two or more players bid drop out, and the highest that is left "
        f"wins. If none is left, {level[rules.fallback]}."
    )


def _end(rules: Rules) -> str:
    rounds = rules.rounds or rules.max_rounds
    most = "lowest" if rules.misere else "highest"
    carries = "carry" in (rules.tie, rules.fallback if rules.tie == "unique" else "")
    last = " What nobody wins in the last round is lost." if carries else ""
    stop = ""
    if rules.early_stop == "clinch":
        stop = " It ends early when the leader cannot be caught."
    elif rules.early_stop != "none":
        stop = f" It ends early when somebody has {rules.early_stop} points."
    at_most = "at most " if rules.open else ""
    return (
        f"The game lasts {at_most}{rounds} rounds.{stop}{last} The {most} total of points wins; "
        "equal totals share the place."
    )
