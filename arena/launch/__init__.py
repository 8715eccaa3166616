"""The start of bot programs, and their end in every case.

    BOT, as typed ──▶ programs (manifest, naming) ──▶ BotProgram ──▶ process.Launcher ──▶ BotProcess
                                                                                        │
                                                     starter, output ◀──────────────────┘

`sandbox_note` says that bots run without a sandbox.

Only this package has platform-dependent calls; each is guarded, so that it can be imported on every system. It knows
nothing of games, matches or the network: a bot gets an address and a token in its environment.
"""
