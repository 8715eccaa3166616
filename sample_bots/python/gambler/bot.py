"""gambler: likes to lie, more boldly while the pile is small. The bot calls by a rough estimate of probability.

The environment variable NERVE, from 0 to 4, sets how boldly it lies; the default is 1. With 0, it lies only if it must.
"""

import os

from cheatarena import Bot, Call, Claim, Decline, Doubt, Move, Play, Table, TurnOptions, run

NERVE = float(os.environ.get("NERVE", "1"))
if not 0 <= NERVE <= 4:
    raise SystemExit(f"NERVE is {NERVE}: expected a number from 0 to 4")


class Gambler(Bot):
    def turn(self, table: Table, options: TurnOptions) -> Move:
        nerve = min(1, NERVE / (1 + table.pile_claimed / 10))  # 0.5 if NERVE is 1 and the pile has ten cards
        lie = self.choose_lie(table, options, nerve) if not options.face_up and table.random.random() < nerve else None
        wait = options.pass_() or options.zero_play(table.random.choice(options.ranks))
        return lie or options.largest_honest() or wait or options.smallest_lie()

    def choose_lie(self, table: Table, options: TurnOptions, nerve: float) -> Play | None:
        """Return a lie of up to four cards, or None. The lie never lays all cards: such a move is always called."""
        hand, most = table.hand, min(1 + 3 * nerve, len(table.hand) - 1)
        lies = [(count, rank) for rank in options.ranks for count in options.counts if count <= most]
        believable = [(count, rank) for count, rank in lies if count <= hand.count(rank) + table.unseen(rank)]
        if not believable:
            return None
        count, rank = table.random.choice(believable)
        useless_first = sorted(hand, key=lambda card: (card.fits(rank), table.random.random()))
        return Play(tuple(sorted(useless_first[:count])), rank)

    def call_window(self, table: Table, claim: Claim) -> Doubt:
        """Call more often if few cards could make the claim true, and less often if the pile is large."""
        if table.is_impossible(claim) or table.is_final_window:
            return Call()
        fitting = sum(card.fits(claim.rank) for card in table.seen_cards(claim.seat)) + table.unseen(claim.rank)
        suspicion = (claim.count / (fitting + 1)) ** 2 / (1 + table.pile_claimed / 20)
        return Call() if table.random.random() < suspicion else Decline()


if __name__ == "__main__":
    run(Gambler)
