"""Verifiable randomness: committed before use, drawn from one key, opened after the last game.

    seed S ──▶ commitment          the hash published first, and the chain of commitments
      │
      + entropy of bots ──▶ key ──▶ stream    one stream of bytes for each draw ──▶ cards, dice, positions
                                          │
                                          └─▶ receipt    the proof a seat holds before its first card

This package knows what a draw is (`arena.match.game.ChanceRequest`), but nothing about matches, programs or files. It
has no source of randomness; other packages pass the seeds in. Each module defines the exact bytes that it hashes.
"""
