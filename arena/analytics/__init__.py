"""What bots do at the table, from finished games as the store keeps them: lies, calls, attacks, luck, who spares whom.

    rows ──match──▶ reading ──▶ cheat, cheater ──▶ counts of a seat (small, kept) ──▶ gathered ──▶ figures
                                     │  luck, sparing                                    │
                                     └───────── calls between seats ─────────────────────┴──▶ screen

A game is read once, when it is over and every card is known. What is kept of it adds up, so that a season is summed and
not read again.
"""
