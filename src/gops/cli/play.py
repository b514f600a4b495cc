"""``gops play``: a person against the computer, in a terminal or through a pipe."""

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gops.cards import MAX_PRIZE, clip, format_set, parse_list, resolve_aces
from gops.cli.options import Quiet, Seed, Threads, read_lines
from gops.cli.parts import Parts, by_part, make_rules
from gops.cli.sink import Sink
from gops.errors import GopsError, IllegalBidError, NotationError

if TYPE_CHECKING:
    from numpy.random import Generator

    from gops.game import Game
    from gops.match import Match
    from gops.rules import Rules
    from gops.strategies import Strategy
    from gops.view import Bid

EXACT_UP_TO = 9
"""Largest hand for which a hint comes without a wait."""

A_CARD = {
    "gops": "by rank (11) or letter (J); several as 4+11",
    "jazzy": "by rank (11) or letter (J); the ace as 1, low, or as 14 or A, high",
    "throps": "rank and suit: 10H, KC",
}
HELP = """\
  a card        bid it, {}
  rules         how this game is played
  hint          what the exact player would do in your place
  q             leave the game
Bids are secret: your rivals have chosen before you are asked."""


class _LeftError(Exception):
    """The person leaves the game."""


@by_part
def play(
    name: Annotated[
        str, typer.Option("--rules", metavar="NAME", help="A preset; `gops rules` lists them.")
    ] = "classic",
    *,
    parts: Parts,
    rival: Annotated[
        list[str] | None,
        typer.Option(
            "--rival",
            metavar="STRATEGY",
            help="random, match, above, proportional, lookahead or exact; the strongest for the "
            "game if left out. Once for all rivals, or once for each.",
            show_default=False,
        ),
    ] = None,
    best_of: Annotated[
        int | None,
        typer.Option(
            "--best-of", min=1, metavar="N", help="A match: most of N games.", show_default=False
        ),
    ] = None,
    cumulative: Annotated[
        int | None,
        typer.Option(
            "--cumulative",
            min=1,
            metavar="N",
            help="A match: most points of N games.",
            show_default=False,
        ),
    ] = None,
    target: Annotated[
        int | None,
        typer.Option(
            "--target", min=1, metavar="N", help="A match: first to N points.", show_default=False
        ),
    ] = None,
    seed: Seed = None,
    threads: Threads = None,
    quiet: Quiet = False,
) -> None:
    """Play a game or a match against the computer: you are player 1.

    Any rules will do: take a preset and change it part by part. Bids are typed by rank or letter;
    ? tells what else can be typed. Rivals see what players in their place may see, and their bids
    are chosen before yours is read.
    """
    import numpy as np

    from gops.display import rules_text
    from gops.match import Match

    rules = make_rules(name, parts)
    rivals = _rivals(rival or [], rules, threads)
    deal, *streams = np.random.SeedSequence(seed).spawn(rules.players)
    formats = {"best_of": best_of, "cumulative": cumulative, "target": target}
    several: dict[str, Any] = {name: goal for name, goal in formats.items() if goal is not None}
    one = {"best_of": 1, "decider": "none"}
    match = Match(rules, **(several or one), rng=np.random.default_rng(deal))
    table = _Table(
        match.deal(),
        rivals,
        [np.random.default_rng(stream) for stream in streams],
        rules_text(name, rules),
    )
    with Sink(quiet=quiet) as sink:
        against = " and ".join(dict.fromkeys(rival.name for rival in rivals))
        sink.say(f"You play against {against}. Type a card to bid it, or ? for help.")
        try:
            table.play_game(sink)
            match.add(table.game)
            while several and not match.is_over:
                sink.text(table.standing(match))
                table.game = match.deal()
                table.play_game(sink)
                match.add(table.game)
        except (_LeftError, KeyboardInterrupt) as leaving:
            sink.text("You left the game.")
            if isinstance(leaving, KeyboardInterrupt):
                raise
        else:
            if several:
                sink.text(table.standing(match))


def _rivals(chosen: list[str], rules: "Rules", threads: int | None) -> "list[Strategy]":
    from gops import strategies

    count = rules.players - 1
    if len(chosen) not in (0, 1, count):
        raise typer.BadParameter(f"{len(chosen)} strategies for {count} rivals")
    if len(chosen) < count:
        chosen = (chosen or [strategies.strongest(rules)]) * count
    return [
        strategies.get(name, **({"threads": threads} if name in ("exact", "lookahead") else {}))
        for name in chosen
    ]


class _Table:
    """One game between a person, who is player 1, and rivals."""

    def __init__(
        self, game: "Game", rivals: "list[Strategy]", streams: "list[Generator]", rules: str
    ) -> None:
        self.game = game
        self._rivals = list(zip(rivals, streams, strict=True))
        self._rules = rules
        self._highest = game.rules.suit[-1]
        self._lines = read_lines(sys.stdin.buffer)
        if len(rivals) == 1:
            self._names = ["you", rivals[0].name]
        else:
            self._names = ["you", *(f"{rival.name} ({n})" for n, rival in enumerate(rivals, 2))]

    def play_game(self, sink: Sink) -> None:
        """Play the game on the table to its end."""
        while not self.game.is_over:
            self.play_round(sink)
        self.tell_result(sink)

    def play_round(self, sink: Sink) -> None:
        """Let everybody bid, the rivals first, and tell what came of it."""
        from gops.display import outcome_text, round_text

        game = self.game
        bids = [
            rival.bid(game.view(player), player, rng)
            for player, (rival, rng) in enumerate(self._rivals, 2)
        ]
        sink.text(round_text(game, 1, self._names, unicode=sink.unicode))
        hand = game.hands[0]
        size = min(game.rules.bids, len(hand))
        last = game.legal_bids(1) if len(hand) == size else []
        if len(last) == 1:
            (mine,) = last
            sink.line(f"Your last bid: {'+'.join(map(str, hand))}")
            game.play([mine, *bids])
        else:
            allowed = f"{size} of {format_set(hand)}" if size > 1 else _listed(game)
            self._ask(sink, "Your bid: ", allowed, lambda bid: game.play([bid, *bids]))
        while (player := game.to_pick) is not None:
            if player == 1:
                prizes = format_set(game.legal_picks())
                self._ask(sink, f"Your pick of {prizes}: ", prizes, game.pick)
            else:
                rival, rng = self._rivals[player - 2]
                prize = rival.pick(game.view(player), player, rng)
                game.pick(prize)
                sink.line(f"{self._names[player - 1]} picks {prize}.")
        view = game.view(1)
        record = getattr(view, "history", game.history)[-1]
        sink.line(outcome_text(record, self._names, self._highest))

    def _ask(self, sink: Sink, prompt: str, allowed: str, act: "Callable[[Any], None]") -> None:
        """Ask for cards until ``act`` accepts them."""
        while True:
            sink.prompt(prompt)
            word = self._read(sink)
            if word == "?":
                sink.line(HELP.format(A_CARD[self.game.rules.game]))
            elif word.lower() == "hint":
                sink.line(self._hint())
            elif word.lower() == "rules":
                sink.line(self._rules)
            elif word:
                try:
                    act(_read_cards(word, self.game.rules))
                except IllegalBidError:
                    sink.line(f"{clip(word, 20)} will not do: {allowed}, or ? for help.")
                else:
                    return

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

        view = self.game.view(1)
        if not isinstance(view, Position) or len(view.hands[0]) > EXACT_UP_TO:
            return f"There are hints with open bids and at most {EXACT_UP_TO} cards in hand."
        try:
            return f"Exact play: {mix_text(analyse(view).bids[1])}"
        except GopsError as error:
            return f"No hint: {error}"

    def tell_result(self, sink: Sink) -> None:
        """Tell how the game ended, and what was bid in secret."""
        from gops.display import bids_text, scores_text

        game = self.game
        if game.rules.hidden:
            sink.text(f"What was bid:\n{bids_text(game.history, self._names)}")
        final = f"Final score: {scores_text(game, self._names)}."
        if game.awards != game.scores:
            awards = zip(self._names, game.awards, strict=True)
            final += f" That counts {', '.join(f'{name} {award}' for name, award in awards)}."
        sink.text(f"{final} {self._verdict(game.winners)}")

    def standing(self, match: "Match") -> str:
        """Tell how a match stands or ended."""
        wins = ", ".join(f"{name} {n}" for name, n in zip(self._names, match.wins, strict=True))
        totals = ", ".join(f"{name} {n}" for name, n in zip(self._names, match.totals, strict=True))
        verdict = f" {self._verdict(match.winners)}" if match.is_over else ""
        return f"Match: games won {wins}; points {totals}.{verdict}"

    def _verdict(self, winners: "Sequence[int]") -> str:
        names = [self._names[winner - 1] for winner in winners]
        if names == ["you"]:
            return "You win."
        if len(names) == len(self._names):
            return "A draw."
        return f"Won by {' and '.join(names)}."


def _listed(game: "Game") -> str:
    """Name the bids of the person, each of one card."""
    legal = game.legal_bids(1)
    return " ".join(legal) if game.rules.game == "throps" else format_set(legal)


def _read_cards(text: str, rules: "Rules") -> "Bid":
    """Read a card, or several as a tuple; no cards at all if that is not what they are."""
    if rules.game == "throps":
        return text
    items = ",".join(text.replace("+", " ").replace(",", " ").split())
    try:
        cards = parse_list(items, field="bid", offset=0, highest=MAX_PRIZE)
    except NotationError:
        return ()
    bid = resolve_aces(cards, high=rules.ace == "high" or rules.game == "jazzy")
    return bid[0] if len(bid) == 1 else bid
