"""For organizers: leagues and comparisons from their file to the last game, despite crashes of bots, nodes or runner.

    file ──▶ seal ──▶ play ──▶ plan, compare
               └────▶ view ──▶ report

`arena.competition` decides which entrants meet and what counts. This wing adds files, processes and the store.
"""
