"""Tells recorded matches: a data folder's matches as text for people and values for machines.

    library ─▶ entry, records ─▶ narrate ┬▶ match_narration   everything, as the organizer may read it
                                         └▶ seat_narration    what one seat knew, decision by decision
    (of games played under other rules, narrate itself tells plain facts)
    narrator, line_builder                       what both have in common
    narrated lines ─▶ move_numbers, seat_names ─▶ brief_narration   one line a move, with names
    phrasing                                     a game's options, snapshots and redacted parts in words
    text_format, strike_text, blame              durations, strikes and their causes in words

This package replays records and decides nothing itself. A seat knows exactly the values that the game's `redact` and
`snapshot` return for that seat.
"""
