"""Checks whether a bot follows the protocol, by playing with it and watching every frame.

    lab             a real server, house bots, and the checked bot, whose streams go through a relay
    relay (rpc)     passes frames on; a step's interference reads, changes, adds and drops them on the way
    conduct         watches what the bot gets and sends, and notes each sentence of the protocol guide that it breaks
    step, steps_*   one step for each thing to check: a table, an interference, and what must have happened
    report          the results as text, JSON and JUnit

The games are real: a real server deals, asks and judges, and the house bots answer it. So everything that the bot is
told is consistent, whatever its strategy, and a step does not need a script of a whole game. Only the path of the
frames is under the step's control. That suffices to lose connections at any moment, to join and split frames, to add
facts that no bot knows, or to have a decision refused.
"""
