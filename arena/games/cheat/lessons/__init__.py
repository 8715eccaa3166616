"""How to play on from a recorded position of Cheat.

    model ─▶ knowledge, deals, policy, script

`arena.replays.lessons` finds the lessons, for any game that has such a model.
"""
