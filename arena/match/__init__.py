"""One match without sockets: the game's side of it, its deal, its referee, and what each viewer is told.

    game, options, value_class   the protocol through which the arena sees any game, and what rules are written with
    deal ──▶ referee ──▶ feed    cards that can be checked; timed inputs in, orders out; a stream for each viewer

Nothing here reads a clock, opens a file, or knows a format of messages.
"""
