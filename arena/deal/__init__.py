"""Luck that can be checked afterwards: committed before it is used, drawn from one key, opened when it is over.

    seed S ──▶ commitment          what is published first, and the chain that keeps it
      │
      + what bots contribute ──▶ key ──▶ stream    one stream of bytes for each draw ──▶ cards, dice, positions
                                          │
                                          └─▶ merkle ──▶ receipt    what a seat keeps before its first card

It knows what a draw is (`arena.rules.game.Chance`) and nothing of matches, programs or files. It has no random source
of its own: seeds come in from outside. Every hash's input is defined to the byte, in the module that makes it.
"""
