"""Plays a bot under trouble, on a real server, and measures what each kind of trouble costs it.

    trouble       the kinds of trouble, and what causes each: at the line, at the bot's process or at the server
    phases        plays a phase: the same games again, with one kind of trouble; says what an author should do about it
    proxy         the line of the bot: delays what passes, holds it back, cuts the connection
    rude_lines    the lines of rude neighbours: sample bots whose frames are held, repeated, spoiled and cut
    server        the server of a phase, which can be restarted in the middle of a match, and its bots
    costs         what a phase cost the bot, computed from the records of its match

Each phase plays the same cards in the same seats. A quiet phase comes first, and the others are compared with it.
Trouble comes after a number of messages, not at a certain time, so a fast bot gets as much of it as a slow one.
"""
