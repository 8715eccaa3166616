"""Starts bot programs, and makes sure that they end.

    BOT, as typed ──▶ programs (manifest, naming) ──▶ BotProgram ──▶ process.Launcher ──▶ BotProcess
                                                                                        │
                                                     starter, output ◀──────────────────┘

`sandbox_note` says that bots run without a sandbox.

Calls that only some systems have are guarded, so that the package can be imported on every system. The package knows
nothing of games, matches or the network: a bot gets an address and a token in its environment.
"""
