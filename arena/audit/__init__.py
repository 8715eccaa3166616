"""Computes every stored result again from the journals, and names each difference in one sentence.

    journals ── replay ──▶ results as they were played ──┐
                                                         ├──▶ findings
    store ── matches, games, deals, leagues ─────────────┘

A journal proves its own order by its hash chain, the chain of deals proves that no deal was dropped, and the blocks of
a league are compared with the matches that they name. Somebody who may write everything can write a new history that
agrees with itself, except for the cards: their commitments are published, and bots keep signed receipts.

Some values cannot follow from a journal and are not checked: wall-clock times, the conditions that the node measured
for a strike, an organizer's reasons in a ledger, and analytics.
"""
