"""Cheat for bot authors: cards, table, options and answers. `cheatarena` exports all of these.

The module ``game`` is the interface to the rest of the package.
"""
