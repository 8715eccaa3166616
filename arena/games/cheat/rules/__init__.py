"""The Cheat family: one engine, house rules as options (spec part A).

    ruleset_options, presets ──▶ ruleset ──▶ compiled_rules    what is legal, computed once per game
    dealing, cut_and_choose                                   how the cards reach the hands
    actions ──▶ legality ──▶ transition, call_judging, leaving ──▶ state + events ──▶ views ──▶ who may see what
                tricks, call_rights, winning, flow            what follows a move: whose turn, who may call, who won
                state ──▶ questions                           what is asked, and what happens without an answer
    notation, narration                                       actions and events as text, and what is counted
    scenario_adapter                                          tables set up by hand

`game.CHEAT` is the entry point; everything else is internal.
"""
