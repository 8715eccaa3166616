"""Finds the decisions of one entrant that cost it most, by playouts from the positions in which it decided.

    records ─▶ positions ──▶ search ──▶ report
                   │            │          └─ words and plain values
                   │            ├─ screening: short playouts of every alternative of every decision
                   │            └─ measuring: whole playouts of the decisions that look worst, with new deals
                   └─ what the seat knew; the hidden cards are erased here, so nothing after it can use them

    lesson_model                           what a game has to offer for this

A playout deals the hidden cards at random among all ways that fit what the seat knew, takes one of the alternatives,
and plays on to the end of the game with the same player in every seat. All alternatives of a decision get the same
deals and the same random numbers, so what is estimated is a mean of paired differences.
"""
