"""CHEATER: dice and letter cards (spec part B).

    ruleset                                     house rules
    chance ──▶ dealing, flow                    cards, dice and shuffles come in as values
    actions ──▶ legality ──▶ transition, attacks, leaving ──▶ state + events ──▶ views ──▶ who may see what
                flow, winning                   owed draws, ends of turns, winning hands
                state ──▶ questions         what is asked, and what happens without an answer
    notation, narration                         actions and events as text, and what is counted
    scenario_adapter                            tables set up by hand

`game.CHEATER` is the entry point; everything else is internal.
"""
