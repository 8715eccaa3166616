"""The Cheat family: one engine, house rules as options (spec part A).

    options, presets ──▶ ruleset ──▶ law       what is legal, worked out once a game
    dealing, cutting                           the cards come into the hands
    actions ──▶ legality ──▶ transition, calling, leaving ──▶ state + events ──▶ views ──▶ who may see what
                tricks, asking, winning, flow  what follows a move: whose turn, who is asked, who has won
                state ──▶ questions, automatic
    notation, telling, tally                   actions and events as text, and what is counted of them
    position, scenario                         tables set up by hand

`game.CHEAT` is the door; everything else is behind it.
"""
