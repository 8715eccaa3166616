"""Starting bot programs, and seeing that they end.

    BOT, as somebody typed it ──▶ programs (manifest, naming) ──▶ BotProgram ──▶ process.Launcher ──▶ BotProcess
                                                                                        │
                                                     starter, output ◀──────────────────┘

It is the only room with calls that are not the same on every system; each is guarded, so that the room can be imported
on all of them. It knows nothing of games, matches or the network: a bot gets an address and a token in its environment.
"""
