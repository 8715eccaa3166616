"""Whether one bot is better than another, as arithmetic: scores of blocks, a sequential test, an estimate afterwards.

    block results ──▶ scores ──▶ sequential test: yes, no, or open ──▶ estimate

It knows the blocks of a league and nothing about how they are played.
"""
