"""Computes statistics of bots, such as lies and luck, from stored finished games. Also screens the bots for collusion.

    rows ──▶ match_analytics ──▶ the analyzer of a game ──▶ counts (small, stored) ──▶ bot_figures
                                     │  expected_calls                  │
                                     └───────── calls between seats ────┴──▶ collusion_screen

A game is read once, when it is over and every card is known. The stored counts can be added up, so the sums of a season
need no second reading of its games.
"""
