"""The rules of the games, as pure functions: what is legal, what happens, who may know it, how a game ends.

    game.py         the protocol through which the rest of the arena sees any game
    cheat/          the Cheat family
    cheater/        CHEATER
    options.py      reading options, for both games
    value_class.py  the decorator of the values that rules exchange

Nothing here reads a clock, draws at random, or does input or output. Only `arena.errors` is imported from outside.
"""
