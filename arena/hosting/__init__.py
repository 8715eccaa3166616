"""Playing a league: from its file to the last game, whatever happens to bots, nodes or us in between.

    file ──▶ LeagueFile ──▶ seal, secret ──▶ Schedule ──▶ Conductor ──▶ Tables at benches: bots at nodes
              players                           ▲             │            │ kept; spoilt or not
                                                └── Ledger ◀──┴────────────┘ blocks begun, done, void; other acts

`arena.league` says who meets whom and what counts; here is everything that has files, processes and a store.
"""
