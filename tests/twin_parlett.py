"""The rules of Jazzy GOPS and Throps, slow and obvious: the oracle of the property tests.

Shares no code with the package.
"""


class JazzyTwin:
    def __init__(
        self,
        hands,
        stack,
        aces_tie_by_card=False,
        queen_excluded=False,
        lone_court="zero",
        spent_triple="first",
        three_level="zero",
    ):
        self.hands = [set(hand) for hand in hands]
        self.stack = list(stack)
        self.aces_tie_by_card = aces_tie_by_card
        self.queen_excluded = queen_excluded
        self.lone_court = lone_court
        self.spent_triple = spent_triple
        self.three_level = three_level
        self.offer = []
        self.chain = []
        self.won = [[], [], []]  # offers, each a diamond or the joker and a diamond
        self.void = []
        self.over = False
        self.start_trick()

    def start_trick(self):
        """Turn the top card, and another after the joker."""
        self.offer = []
        if self.stack == [0]:
            self.void.append(self.stack.pop())
        if not self.stack or not self.hands[0]:
            self.over = True
            return
        self.offer.append(self.stack.pop(0))
        if self.offer == [0]:
            self.offer.append(self.stack.pop(0))

    def legal(self, player):
        bids = sorted(self.hands[player])
        return [*bids, 14] if 1 in bids else bids

    def play(self, bids):
        for hand, bid in zip(self.hands, bids, strict=True):
            hand.remove(1 if bid == 14 else bid)
        ranks = [1 if bid == 14 and self.aces_tie_by_card else bid for bid in bids]
        if len(set(ranks)) == 1:
            self.chain.append(1 if ranks[0] == 14 else ranks[0])
            if not self.hands[0]:
                self.nobody_wins()
            return
        if len(set(ranks)) == 2:
            winner = next(p for p in range(3) if ranks.count(ranks[p]) == 1)
        else:
            winner = bids.index(max(bids))
        self.won[winner].append(tuple(self.offer))
        self.return_triples(self.chain)
        self.start_trick()

    def nobody_wins(self):
        self.void += self.offer
        if self.spent_triple == "first":
            self.return_triples(self.chain[1:])
        elif self.spent_triple == "last":
            self.return_triples(self.chain[:-1])
        else:
            self.return_triples(self.chain)
        self.start_trick()

    def return_triples(self, ranks):
        for hand in self.hands:
            hand.update(ranks)
        self.chain = []

    def total(self, player):
        diamonds = [offer[-1] for offer in self.won[player]]
        base = {d: d for d in diamonds if d <= 10}
        if 12 in diamonds and not self.queen_excluded:
            base[12] = 0
        worth = {**base, 12: 0}
        if base:
            worth[11], worth[13] = min(base.values()), max(base.values())
        elif self.lone_court == "face":
            worth[11], worth[13] = 11, 13
        else:
            worth[11] = worth[13] = 0
        return sum(worth[offer[-1]] * len(offer) for offer in self.won[player])

    def totals(self):
        return tuple(map(self.total, range(3)))

    def awards(self):
        totals = self.totals()
        if len(set(totals)) == 1:
            return totals if self.three_level == "all" else (0, 0, 0)
        if len(set(totals)) == 2:
            return tuple(t if totals.count(t) == 1 else 0 for t in totals)
        return tuple(0 if t == sorted(totals)[1] else t for t in totals)


PRIORITY = {"S": "SCHD", "H": "HDSC", "C": "CSDH", "D": "DHCS"}
RANKS = ["2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"]
POINTS = {**{str(n): n for n in range(2, 11)}, "J": 10, "Q": 10, "K": 10, "A": 11}


class ThropsTwin:
    def __init__(self, hands, stock, ace_low=False):
        self.hands = [set(hand) for hand in hands]
        self.stock = list(stock)
        self.ranks = ["A", *RANKS[:-1]] if ace_low else RANKS
        self.won = [[], [], []]
        self.start_trick()

    def start_trick(self):
        self.card = self.stock.pop(0) if self.stock and self.hands[0] else None
        self.over = self.card is None

    def legal(self, player):
        return sorted(self.hands[player])

    def play(self, bids):
        for hand, bid in zip(self.hands, bids, strict=True):
            hand.remove(bid)
        ranks = [self.ranks.index(bid[:-1]) for bid in bids]
        top = [p for p in range(3) if ranks[p] == max(ranks)]
        order = PRIORITY[self.card[-1]]
        winner = min(top, key=lambda p: order.index(bids[p][-1]))
        self.won[winner].append(self.card)
        self.start_trick()

    def totals(self):
        scores = []
        for cards in self.won:
            suits = [sum(POINTS[c[:-1]] for c in cards if c[-1] == suit) for suit in "SHCD"]
            scores.append(max(best - (sum(suits) - best) for best in suits))
        return tuple(scores)

    awards = totals


def perft(twin_of, moves, depth):
    """Count sequences of ``depth`` joint bids by replaying ``moves`` from the start each time."""
    if depth == 0:
        return 1
    twin = twin_of()
    for bids in moves:
        twin.play(bids)
    if twin.over:
        return 0
    return sum(
        perft(twin_of, [*moves, (a, b, c)], depth - 1)
        for a in twin.legal(0)
        for b in twin.legal(1)
        for c in twin.legal(2)
    )
