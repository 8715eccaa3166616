"""Starts bot programs, and makes sure that they end.

    BOT, as typed ──▶ programs (manifest, naming) ──▶ BotProgram ──▶ launcher.Launcher ──▶ process.BotProcess
                                                                │        │
                                        Box from a BoxBackend ◀─┘        └──▶ starter, output

`box_port` has the port of boxes, and the backend without isolation. `program_sets` says which bots run without one.

Calls that only some systems have are guarded, so that the package can be imported on every system. The package knows
nothing of games, matches or the network: a bot gets an address and a token in its environment.
"""
