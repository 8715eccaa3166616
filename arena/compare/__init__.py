"""Whether one bot is better than another, as arithmetic: scores of blocks, a sequential test, an estimate afterwards.

    results of blocks ──▶ scores ──▶ sequential: yes, no, or go on ──▶ estimate, expectation

It knows of leagues' blocks and nothing of how they are played.
"""
