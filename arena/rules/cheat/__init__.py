"""The Cheat family: one engine, house rules as options (spec part A).

    options ──▶ ruleset ──▶ law                what is legal, worked out once a game
    actions ──▶ legality ──▶ transition, leaving ──▶ state + events ──▶ views ──▶ who may see what
                state ──▶ questions, automatic
    notation, telling, tally                   actions and events as text, and what is counted of them
    position, scenario                         tables set up by hand

`game.CHEAT` is the door; everything else is behind it.
"""
