"""Stand-alone programs that check a replay or a league without the arena: short, to be read from top to bottom.

They import the standard library and each other, nothing else, so that a stranger can run a copy of this folder alone.
"""
