"""Stand-alone programs that check a replay or a league without the arena. They are short, so that you can read them.

They use only the standard library and each other, so that a copy of this folder runs on its own.
"""
