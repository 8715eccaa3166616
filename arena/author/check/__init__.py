"""Checks whether a bot follows the protocol, by playing with it and watching every frame.

    lab             a real server, house bots, and the checked bot, whose streams go through a relay
    relay (rpc)     passes frames on; a step's interference reads, changes, adds and drops them on the way
    conduct         watches what the bot gets and sends, and notes each rule of the protocol guide that it breaks
    step, steps     one step for each thing to check: a table, an interference, what must have happened, the verdict
    interferences   what steps do to the frames
    report          the results as text and plain values

The games are real: a real server deals, asks and judges, and the house bots answer it. So everything that the bot is
told is consistent, whatever its strategy, and a step does not need a script of a whole game. Only the path of the
frames is under the step's control. That suffices to lose connections at any moment, to join and split frames, to add
facts that no bot knows, to have a decision refused, or to move a table to another node.
"""
