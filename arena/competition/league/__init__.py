"""Leagues as pure computation: schedules, points, standings, ratings. No files, clock, processes or store.

    field + schedule seed ──▶ formats ──▶ blocks ──▶ (played elsewhere) ──▶ results ──▶ standings, ratings
                                 ▲                                             │
                                 └─── formats that depend on results ◀──────────┘

`model` has the basic values: entrants, blocks, results, dates.

`points` turns results into scores, and `standings` computes the order that decides the league, from what
`standings_inputs` collects. `champion` finds who has won and why, with the help of `tie_breaks` and `head_to_head`, and
`certainty` computes how sure that is. `rating` computes strengths from the fit in `plackett_luce`. `estimates` gives
the uncertainty of all these figures. `accomplice_screen` flags who comes last beside whom, and `accomplices` leaves out
what that gives. `one_sided` finds who is left behind too often, and `doubts` what the title does without.
"""
