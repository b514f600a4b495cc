"""``gops play``: a person against the computer, in a terminal or through a pipe."""

import sys
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from gops.cards import clip, format_set, parse_list, resolve_aces
from gops.cli.options import Quiet, Seed, Threads, Tie, read_lines
from gops.cli.sink import Sink
from gops.errors import GopsError, NotationError

T = TypeVar("T")

if TYPE_CHECKING:
    from numpy.random import Generator

    from gops.game import Game
    from gops.rules import Rules
    from gops.strategies import Strategy
    from gops.view import Bid

EXACT_UP_TO = 9
"""Largest hand against which the exact player answers without a wait."""

HELP = """\
  a card        bid it, by rank (11) or letter (J); several as 4+11
  hint          what the exact player would bid in your place
  q             leave the game
Bids are secret: your rival has chosen before you are asked."""


class _LeftError(Exception):
    """The person leaves the game."""


def play(
    name: Annotated[
        str, typer.Option("--rules", metavar="NAME", help="A preset; `gops rules` lists them.")
    ] = "classic",
    cards: Annotated[
        int | None,
        typer.Option("--cards", min=1, max=31, metavar="N", help="Cards in each hand."),
    ] = None,
    tie: Annotated[Tie | None, typer.Option("--tie", help="What happens to tied prizes.")] = None,
    rival: Annotated[
        str | None,
        typer.Option(
            "--rival",
            metavar="STRATEGY",
            help="random, match, above, proportional, lookahead or exact; exact up to 9 cards and "
            "lookahead above if left out.",
            show_default=False,
        ),
    ] = None,
    seed: Seed = None,
    threads: Threads = None,
    quiet: Quiet = False,
) -> None:
    """Play a game against the computer: you are player 1.

    Bids are typed by rank or letter; ? tells what else can be typed. The rival sees what you may
    see, and its bid is chosen before yours is read.
    """
    import numpy as np

    from gops.game import Game
    from gops.rules import Rules

    changes = {"cards": cards, "tie": tie and tie.value}
    rules = Rules.preset(name, **{key: value for key, value in changes.items() if value})
    rivals = [_rival(rival, rules, threads) for _ in range(rules.players - 1)]
    deal, *streams = np.random.SeedSequence(seed).spawn(rules.players)
    game = Game(rules, rng=np.random.default_rng(deal))
    table = _Table(game, rivals, [np.random.default_rng(stream) for stream in streams])
    with Sink(quiet=quiet) as sink:
        sink.say(f"You play against {rivals[0].name}. Type a card to bid it, or ? for help.")
        try:
            while not game.is_over:
                table.play_round(sink)
        except (_LeftError, KeyboardInterrupt) as leaving:
            sink.text("You left the game.")
            if isinstance(leaving, KeyboardInterrupt):
                raise
        else:
            sink.text(table.result())


def _rival(name: str | None, rules: "Rules", threads: int | None) -> "Strategy":
    from gops import strategies

    if name is None:
        name = "proportional"
        unusual = rules.bids > 1 or rules.lot > 1 or rules.open or rules.hidden or rules.misere
        if rules.players == 2 and not unusual and rules.early_stop == "none":
            name = "exact" if rules.cards <= EXACT_UP_TO else "lookahead"
    if name in ("exact", "lookahead"):
        return strategies.get(name, threads=threads)
    return strategies.get(name)


class _Table:
    """One game between a person, who is player 1, and rivals."""

    def __init__(self, game: "Game", rivals: "list[Strategy]", streams: "list[Generator]") -> None:
        self._game = game
        self._rivals = list(zip(rivals, streams, strict=True))
        self._lines = read_lines(sys.stdin.buffer)
        if len(rivals) == 1:
            self._names = ["you", rivals[0].name]
        else:
            self._names = ["you", *(f"{rival.name} {n}" for n, rival in enumerate(rivals, 2))]

    def play_round(self, sink: Sink) -> None:
        """Let everybody bid, the rivals first, and tell what came of it."""
        from gops.display import outcome_text, round_text

        game = self._game
        bids = [
            rival.bid(game.view(player), player, rng)
            for player, (rival, rng) in enumerate(self._rivals, 2)
        ]
        sink.text(round_text(game, 1, self._names))
        legal = game.legal_bids(1)
        if len(legal) == 1:
            sink.line(f"Your last bid: {_written(legal[0])}")
            mine = legal[0]
        else:
            mine = self._ask(sink, "Your bid: ", {_cards(bid): bid for bid in legal})
        game.play([mine, *bids])
        while game.to_pick is not None:
            self._pick(sink, game.to_pick)
        view = game.view(1)
        sink.line(outcome_text(getattr(view, "history", game.history)[-1], self._names))

    def _pick(self, sink: Sink, player: int) -> None:
        game = self._game
        if player == 1:
            choices = {_cards(prize): prize for prize in game.legal_picks()}
            prize = self._ask(sink, f"Your pick of {format_set(game.legal_picks())}: ", choices)
        else:
            rival, rng = self._rivals[player - 2]
            prize = rival.pick(game.view(player), player, rng)
        game.pick(prize)

    def _ask(self, sink: Sink, prompt: str, choices: "dict[tuple[int, ...], T]") -> "T":
        while True:
            sink.prompt(prompt)
            word = self._read(sink)
            if word == "?":
                sink.line(HELP)
            elif word.lower() == "hint":
                sink.line(self._hint())
            elif word:
                choice = choices.get(_read_cards(word, self._game.rules.ace == "high"))
                if choice is not None:
                    return choice
                most = max(map(len, choices))
                several = f"{most} of " if most > 1 else ""
                cards = format_set({card for cards in choices for card in cards})
                sink.line(f"{clip(word, 20)} will not do: {several}{cards}, or ? for help.")

    def _read(self, sink: Sink) -> str:
        _, line = next(self._lines, (0, "q"))
        word = "?" if line is None else line
        if not sys.stdin.isatty():
            sink.line(word[:20])  # nobody typed it in view: keep what was read legible
        if word.lower() in ("q", "quit", "exit"):
            raise _LeftError
        return word

    def _hint(self) -> str:
        from gops.analysis import analyse
        from gops.display import mix_text
        from gops.position import Position

        view = self._game.view(1)
        if not isinstance(view, Position) or len(view.hands[0]) > EXACT_UP_TO:
            return f"There are hints with open bids and at most {EXACT_UP_TO} cards in hand."
        try:
            return f"Exact play: {mix_text(analyse(view).bids[1])}"
        except GopsError as error:
            return f"No hint: {error}"

    def result(self) -> str:
        """Tell how the game ended."""
        from gops.display import scores_text

        game = self._game
        winners = [self._names[winner - 1] for winner in game.winners]
        if winners == ["you"]:
            verdict = "You win."
        elif len(winners) == len(self._names):
            verdict = "A draw."
        else:
            verdict = f"Won by {' and '.join(winners)}."
        return f"Final score: {scores_text(game, self._names)}. {verdict}"


def _cards(bid: "Bid") -> tuple[int, ...]:
    return bid if isinstance(bid, tuple) else (bid,)


def _written(bid: "Bid") -> str:
    return "+".join(map(str, _cards(bid)))


def _read_cards(text: str, ace_high: bool) -> tuple[int, ...]:
    """Read cards, ascending; nothing, which nobody can bid, if that is not what they are."""
    items = ",".join(text.replace("+", " ").replace(",", " ").split())
    try:
        cards = parse_list(items, field="bid", offset=0, highest=1000)
    except NotationError:
        return ()
    return tuple(sorted(resolve_aces(cards, high=ace_high)))
