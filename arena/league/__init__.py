"""Leagues, as arithmetic: who meets whom, what counts, who stands where. No files, no clock, no processes, no store.

    field + schedule seed ──▶ formats ──▶ blocks ──▶ (played elsewhere) ──▶ results ──▶ standings, ratings
                                 ▲                                             │
                                 └──────────── a format that waits ◀───────────┘

`model` has the values that all of this is about: entrants, blocks, results.
"""
