"""The arithmetic that decides whether one bot is better than another: scores, a sequential test, an estimate.

    block results ──▶ scores ──▶ sequential test: yes, no, or open ──▶ estimate

This package knows the blocks of a league, and nothing about how they are played.
"""
