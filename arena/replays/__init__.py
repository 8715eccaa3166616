"""Replays: matches of a data folder as text for people and as values for machines.

    store ────┐
              ├─▶ library ─▶ entry, records ─▶ whole      everything, as the organizer may read it
    journals ─┘                              ├▶ seat      what one seat knew, decision by decision
                                             └▶ stored    plain facts of games played under other rules
    voice, cheat   a game's options, snapshots and redacted parts in words      words   times, faults, reasons

It plays records again and decides nothing: what a seat may know is what the game's `redact` and `snapshot` give it.
"""
