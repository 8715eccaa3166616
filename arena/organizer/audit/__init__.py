"""Computes every stored result again from the journals, and names each difference in one sentence.

    journals ── replay ──▶ results as they were played ──┐
                                                         ├──▶ findings
    store ── matches, games, deals, leagues ─────────────┘

The hash chain of a journal proves the order of the journal's records. The chain of deals proves that no deal was
dropped. The blocks of a league are compared with the matches that they name.

Somebody who may write all files can make up a new history that agrees with itself. Only the cards cannot be made up:
their commitments are published, and bots keep signed receipts. Deals that no match has used leave no trace but their
links, so it goes unnoticed if they are removed from the end of the chain.

Some values cannot follow from a journal and are not checked: wall-clock times, the conditions that the node measured
for a strike, an organizer's reasons in a ledger, and analytics.
"""
