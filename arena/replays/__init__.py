"""Turns the matches of a data folder into text for people and values for machines.

    store ────┐
              ├─▶ library ─▶ entry, records ─▶ match_narration    everything, as the organizer may read it
    journals ─┘                              ├▶ seat_narration     what one seat knew, decision by decision
                                             ├▶ stored_narration   plain facts of games played under other rules
                                             ├▶ decision_table ─▶ decision_files   every decision as a row
                                             └▶ export             a file that anyone can verify
    narrated lines ─▶ move_numbers, seat_names ─▶ brief_narration   one line a move, with names
    author_archive ─▶ author_reader ─▶ paged_narration   what the author of a bot reads from afar, in another process
    phrasing, cheat_phrasing, cheater_phrasing   a game's options, snapshots and redacted parts in words
    cheat_moves                                  a move of Cheat in few words, with its marks
    text_format, strike_text, blame              durations, strikes and their causes in words

This package replays records and decides nothing itself. A seat knows exactly the values that the game's `redact` and
`snapshot` return for that seat.
"""
