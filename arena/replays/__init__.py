"""Turns the matches of a data folder into text for people and values for machines.

    store ────┐
              ├─▶ library ─▶ entry, records ─▶ whole      everything, as the organizer may read it
    journals ─┘                              ├▶ seat      what one seat knew, decision by decision
                                             └▶ stored    plain facts of games played under other rules
    phrasing, cheat_phrasing   a game's options, snapshots and redacted parts in words
    text_format, strike_text   durations, strikes and reasons in words

It replays records and makes no decisions of its own: a seat knows what the game's `redact` and `snapshot` return.
"""
