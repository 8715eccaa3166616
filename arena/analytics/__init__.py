"""Computes statistics of bots from stored finished games: lies, calls, attacks and luck. Screens them for collusion.

    rows ──▶ match_analytics ──▶ cheat_analyzer, cheater_analyzer ──▶ counts (small, stored) ──▶ bot_figures
                                     │  deal_luck, expected_calls              │
                                     └───────── calls between seats ───────────┴──▶ collusion_screen

A game is read once, when it is over and every card is known. The stored counts can be added up, so nobody has to read
the games of a season again to get its sums.
"""
