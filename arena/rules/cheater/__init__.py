"""CHEATER: dice and letter cards (spec part B).

    options ──▶ ruleset                         house rules
    chance ──▶ dealing, flow                    cards, dice and shuffles come in as values
    actions ──▶ legality ──▶ transition, attacking, leaving ──▶ state + events ──▶ views ──▶ who may see what
                flow, winning                   draws that are owed, turns that end, hands that spell it
                state ──▶ questions, automatic
    notation, telling, tally                    actions and events as text, and what is counted of them
    position, scenario                          tables set up by hand

`game.CHEATER` is the door; everything else is behind it.
"""
