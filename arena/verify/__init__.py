"""Stand-alone programs that check a replay or a league without the arena. They are short; anybody can read them whole.

They import nothing but the standard library and each other, so that a copy of this folder runs on its own.
"""
