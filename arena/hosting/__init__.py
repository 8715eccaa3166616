"""The hosting of a league or a comparison, from its file to the last game, despite crashes of bots, nodes or runner.

    file ──▶ seal ──▶ play ──▶ view ──▶ compare
                        └────▶ plan

* `file` reads the league file.
* `seal` seals the league, and keeps its ledger and schedule.
* `play` runs blocks on nodes.
* `plan` estimates a league's length and precision from a trial.
* `view` gathers the content of a report.
* `compare` compares two programs.

`arena.league` decides which entrants meet and what counts. This package adds files, processes and the store.
"""
