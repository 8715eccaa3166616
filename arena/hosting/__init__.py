"""Playing a league or a comparison: from its file to the last game, whatever happens to bots, nodes or the runner.

    file ──▶ seal ──▶ play ──▶ view ──▶ compare
                        └────▶ plan

`file` reads the league file, `seal` fixes it and keeps the ledger and the schedule, `play` runs blocks on nodes, `plan`
estimates from a trial, `view` gathers what a report shows, `compare` plays two programs against each other.
`arena.league` says who meets whom and what counts; here is everything that has files, processes and a store.
"""
