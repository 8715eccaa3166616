"""For organizers: leagues and comparisons from their file to the last game, despite crashes of bots, nodes or runner.

    file ──▶ seal ──▶ play ──▶ plan, compare
               └────▶ view ──▶ report

* `file` reads the league file.
* `seal` seals the league, and keeps its ledger and schedule.
* `play` runs blocks on nodes.
* `plan` estimates a league's length and precision from a trial.
* `view` gathers the content of a report, and `report` writes it.
* `compare` compares two programs.
* `audit` computes every stored result again.
* `seasons` closes the seasons of pools.

`arena.competition` decides which entrants meet and what counts. This wing adds files, processes and the store.
"""
