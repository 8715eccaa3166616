"""Luck that can be checked afterwards: seeded shuffles and dice.

    seed (32 bytes) + match id ──▶ key ──▶ one stream of bytes for each draw ──▶ cards, dice, positions

It knows what a draw is (`arena.rules.game.Chance`) and nothing of matches, programs or files. It has no random source
of its own: seeds come in from outside.
"""
