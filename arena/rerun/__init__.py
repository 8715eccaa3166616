"""A bot put back into one place of a match that was played, to see what it would say now.

    case          which match, which place, which questions
    records ─▶ moments ─┬─▶ asked      what one entrant was asked, and what became of it
                        └─▶ place      the same match once more, with the bot in that entrant's place
    judge         what the bot says: legal or not, and the same answer for the same decision
    table, room   the place as its node and the bot see it
    verdict       both beside each other, for people and for machines

The recorded inputs alone move the match. What the bot says is judged, noted and acknowledged, and leads to nothing.
"""
