"""The games, pure: what is legal, what happens, who may know it, how it ends.

    game.py    what the rest of the arena knows of any game
    cheat/     the Cheat family

Nothing here reads a clock, draws at random, or does input and output. It stands at the inner end of all imports.
"""
