"""Cheat for bot authors: cards, what a seat knows, what it may do and what it answers. `cheatarena` offers all of it.

``game`` is the door through which the rest of the package sees it.
"""
