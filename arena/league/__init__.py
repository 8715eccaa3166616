"""Leagues, as arithmetic: who meets whom, what counts, who stands where. No files, no clock, no processes, no store.

    field + schedule seed ──▶ formats ──▶ blocks ──▶ (played elsewhere) ──▶ results ──▶ standings, ratings
                                 ▲                                             │
                                 └──────────── a format that waits ◀───────────┘

`model` has the values that all of this is about: entrants, blocks, results.

Of results `points` makes scores; `standings` is the table that decides, `champion` says who has won and by what, with
`tie_breaks` and `meetings`; `rating` tells strength beside it, from the fit in `plackett_luce`. What chance had to do
with any of these figures is worked out in `estimates`.
"""
