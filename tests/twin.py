"""The rules of lot-style games, slow and obvious: the oracle of the property tests.

Shares no code with the package: scores are fractions, hands are sets, nothing is clever.
"""

from collections import Counter
from fractions import Fraction
from itertools import combinations, product
from math import ceil


class Twin:
    def __init__(
        self,
        hands,
        deck,
        tie="carry",
        fallback="carry",
        rounds=None,
        bids=1,
        last="short",
        lot=1,
        open=0,
        picks=None,
        auto_pick="none",
        leftover="stay",
        early_stop="none",
    ):
        self.hands = [set(hand) for hand in hands]
        self.pile = list(deck)
        self.tie, self.fallback = tie, fallback
        self.bids, self.lot, self.open = bids, lot, open
        self.picks = picks or open
        self.auto_pick, self.leftover, self.early_stop = auto_pick, leftover, early_stop
        size = len(self.hands[0])
        by_cards = ceil(size / bids) if last == "short" else size // bids
        by_prizes = by_cards if open else ceil(len(deck) / lot)
        self.rounds_left = min(by_cards, by_prizes)
        if rounds is not None:
            self.rounds_left = min(self.rounds_left, rounds)
        self.table = []
        self.scores = [Fraction(0)] * len(hands)
        self.void = []
        self.queue = []  # groups of players still to pick
        self.picks_left = 0
        self.log = []
        self.over = False
        self.turned = False
        self.start_round()

    # -- one round --

    def start_round(self):
        self.turned = False
        if self.rounds_left == 0 or not (self.table or self.pile) or self.decided():
            self.over = True
            self.rounds_left = 0
            self.void += self.table
            self.table = []
        elif self.due() == 0:
            self.turned = True

    def due(self):
        wanted = self.open - len(self.table) if self.open else self.lot
        return min(wanted, len(self.pile))

    def turn(self, prizes=None):
        """Turn the prizes due: the next, or those named."""
        for prize in prizes or self.pile[: self.due()]:
            self.pile.remove(prize)
            self.table.append(prize)
        self.turned = True

    def legal(self, player):
        size = min(self.bids, len(self.hands[player]))
        return list(combinations(sorted(self.hands[player]), size))

    def play(self, bids):
        """Resolve bids, each a tuple of cards."""
        for hand, bid in zip(self.hands, bids, strict=True):
            hand -= set(bid)
        self.rounds_left -= 1
        strengths = [sum(bid) for bid in bids]
        if self.open:
            self.queue_up(strengths)
            self.serve()
            return
        everyone = range(len(bids))
        top = [p for p in everyone if strengths[p] == max(strengths)]
        winner, tie = None, self.tie
        if len(top) == 1:
            winner = top[0]
        elif tie == "unique":
            unique = [p for p in everyone if strengths.count(strengths[p]) == 1]
            if unique:
                winner = max(unique, key=lambda p: strengths[p])
            tie = self.fallback
        if winner is not None:
            self.scores[winner] += sum(self.table)
            self.table = []
        elif tie == "discard":
            self.void += self.table
            self.table = []
        elif tie == "split":
            for p in top:
                self.scores[p] += Fraction(sum(self.table), len(top))
            self.table = []
        self.log.append((tuple(bids), winner))
        self.start_round()

    # -- open prizes --

    def queue_up(self, strengths):
        groups = []
        for value in sorted(set(strengths), reverse=True):
            groups.append([p for p, s in enumerate(strengths) if s == value])
        if self.tie == "unique":
            tied = [group for group in groups if len(group) > 1]
            groups = [group for group in groups if len(group) == 1] + tied[:1]
        self.queue = groups
        self.picks_left = self.picks

    def serve(self):
        """Go on with the picks as far as nobody has to choose."""
        stay = False
        while self.queue and self.picks_left and self.table:
            group = self.queue[0]
            if len(group) == 1:
                if len(self.table) > 1 and self.auto_pick == "none":
                    return
                self.take(group, max(self.table))
                continue
            self.queue.pop(0)
            tie = self.fallback if self.tie == "unique" else self.tie
            if tie == "carry":
                stay = True
                break
            if tie == "discard":
                self.void += self.table
                self.table = []
            for _ in range(min(len(group), self.picks_left, len(self.table))):
                self.give(group, max(self.table))
                self.picks_left -= 1
        self.queue = []
        self.picks_left = 0
        if self.leftover == "discard" and not stay:
            self.void += self.table
            self.table = []
        self.start_round()

    def give(self, group, prize):
        self.table.remove(prize)
        for p in group:
            self.scores[p] += Fraction(prize, len(group))

    def take(self, group, prize):
        self.queue.pop(0)
        self.picks_left -= 1
        self.give(group, prize)

    def pick(self, prize):
        self.take(self.queue[0], prize)
        self.serve()

    # -- the end --

    def decided(self):
        if self.early_stop == "none":
            return False
        ranked = sorted(self.scores, reverse=True)
        if self.early_stop != "clinch":
            return ranked[0] >= self.early_stop
        if self.open:
            most = sum(sorted(self.table + self.pile)[::-1][: self.rounds_left])
        else:
            best = sorted(self.pile)[::-1][: self.rounds_left * self.lot]
            most = sum(self.table) + sum(best)
        return ranked[0] - ranked[1] > most


def perft(twin_of, moves, depth, known):
    """Count sequences of ``depth`` steps by replaying ``moves`` from the start each time."""
    if depth == 0:
        return 1
    twin = twin_of()
    for kind, what in moves:
        getattr(twin, kind)(what)
    if twin.over:
        return 0
    if twin.queue:
        steps = [("pick", prize) for prize in set(twin.table)]
    elif not twin.turned:
        if known:
            steps = [("turn", tuple(twin.pile[: twin.due()]))]
        else:
            steps = [
                ("turn", prizes) for prizes in set(combinations(sorted(twin.pile), twin.due()))
            ]
    else:
        steps = [("play", bids) for bids in product(*map(twin.legal, range(len(twin.hands))))]
    return sum(perft(twin_of, [*moves, step], depth - 1, known) for step in steps)


def accounted(twin, total):
    """Whether every point is somewhere."""
    where = [*twin.void, *twin.table, *twin.pile]
    return sum(twin.scores) + sum(where) == total and Counter(where) is not None
