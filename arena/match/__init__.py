"""One match without sockets: the game's side of it, its deal, its referee, and what each viewer is told.

Nothing here reads a clock, opens a file, or knows a format of messages.
"""
