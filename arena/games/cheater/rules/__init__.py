"""CHEATER: dice and letter cards (spec part B).

    ruleset_options ──▶ ruleset                  house rules
    chance ──▶ dealing, flow                    cards, dice and shuffles come in as values
    actions ──▶ legality ──▶ transition, attacks, leaving ──▶ state + events ──▶ views ──▶ who may see what
                flow, winning                   owed draws, ends of turns, winning hands
                state ──▶ questions, automatic_action
    notation, narration, event_statistics       actions and events as text, and what is counted
    position, scenario_adapter                  tables set up by hand

`game.CHEATER` is the entry point; everything else is internal.
"""
