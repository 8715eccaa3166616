"""The commands of `python -m cheatarena`, a file each. The arena's commands for authors use the same functions.

    __main__ ──▶ new, join, login, games, …     a command: its options, what it asks, what it prints
                        │
                        ├──▶ own_server         finds the token, and connects as a bot or as its owner
                        ├──▶ match_text, …      what was found, in words and as values for JSON
                        └──▶ output             prints

Each module has a function `add`, which adds its command to a parser. The functions above it print nothing, so that the
arena presents in its own way what they return.
"""
