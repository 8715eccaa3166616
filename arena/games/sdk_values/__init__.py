"""Turns values of the arena into values of the SDK and back, without messages, for bots in the same process.

The `wire` of a game does the same for bots at the other end of a connection. Tests compare the two.
"""
