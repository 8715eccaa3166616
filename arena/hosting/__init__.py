"""Playing a league: from its file to the last game, whatever happens to bots, nodes or us in between.

    league file ──▶ LeagueFile ──▶ Sealed ──▶ Schedule ──▶ Conductor ──▶ benches: bots at nodes
                     players                    ▲              │
                                                └── Ledger ◀───┴── blocks begun, done, void; what happened besides

`arena.league` says who meets whom and what counts; here is everything that has files, processes and a store.
"""
