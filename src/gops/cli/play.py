"""``gops play``: a person against the computer, in a terminal or through a pipe."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from gops.cards import clip, format_set, parse_list, resolve_aces
from gops.cli.options import Quiet, Seed, Threads, Tie, read_lines
from gops.cli.sink import Sink
from gops.errors import GopsError, NotationError

if TYPE_CHECKING:
    from numpy.random import Generator

    from gops.game import Game
    from gops.rules import Rules
    from gops.strategies import Strategy

EXACT_UP_TO = 9
"""Largest hand against which the exact player answers without a wait."""

HELP = """\
  a card        bid it, by rank (11) or letter (J)
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
        sink.text(f"You are player 1, against {rivals[0].name}. ? for help.")
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
        plain = rules.players == 2 and rules.bids == 1 and not rules.open and not rules.hidden
        if not plain:
            name = "proportional"
        else:
            name = "exact" if rules.cards <= EXACT_UP_TO else "lookahead"
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
        sink.text(round_text(game, self._names))
        legal = game.legal_bids(1)
        if len(legal) == 1:
            sink.text(f"Your last card is {legal[0]}.")
            mine = legal[0]
        else:
            mine = self._ask(sink, legal)
        game.play([mine, *bids])
        sink.text(outcome_text(game.history[-1], self._names))

    def _ask(self, sink: Sink, legal: "list[int]") -> int:
        while True:
            sink.prompt("Your bid: ")
            word = self._read(sink)
            if word == "?":
                sink.line(HELP)
            elif word.lower() == "hint":
                sink.line(self._hint())
            elif word:
                bid = _card(word, self._game.rules.ace == "high")
                if bid in legal:
                    return bid
                sink.line(f"{clip(word, 20)} is not in your hand: {format_set(legal)}.")

    def _read(self, sink: Sink) -> str:
        _, line = next(self._lines, (0, "q"))
        word = "" if line is None else line
        if not sys.stdin.isatty():
            sink.line(word[:20])  # nobody typed it in view: keep what was read legible
        if word.lower() in ("q", "quit", "exit"):
            raise _LeftError
        return word

    def _hint(self) -> str:
        from gops.analysis import analyse
        from gops.display import mix_text

        view = self._game.view(1)
        if self._game.rules.players != 2 or max(map(len, view.hands)) > EXACT_UP_TO:
            return f"Hints need two players and at most {EXACT_UP_TO} cards in hand."
        try:
            mix = analyse(view).bids[1]
        except GopsError as error:
            return f"No hint here: {error}"
        return "Exact play: " + mix_text(mix)

    def result(self) -> str:
        """Tell how the game ended."""
        game = self._game
        scores = ", ".join(
            f"{name} {score}" for name, score in zip(self._names, game.scores, strict=True)
        )
        if game.winners == (1,):
            verdict = "You win."
        elif 1 in game.winners:
            verdict = "A draw." if len(game.winners) == game.rules.players else "You share the win."
        else:
            verdict = f"Won by {' and '.join(self._names[winner - 1] for winner in game.winners)}."
        return f"Final score: {scores}. {verdict}"


def _card(word: str, ace_high: bool) -> int:
    """Read a card; 0, which no hand holds, if it is none."""
    try:
        cards = resolve_aces(parse_list(word, field="bid", offset=0, highest=31), high=ace_high)
    except NotationError:
        return 0
    return cards[0] if len(cards) == 1 else 0
