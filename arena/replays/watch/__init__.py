"""Turns the public messages of a match into something that a person can follow: told lines, and the table as a drawing.

    rpc: WatchClient ──┐
                       ├─▶ PublicMessage ─▶ LiveTable ─▶ told lines, Drawing ──▶ terminal, web page
    recorded_messages ─┘                        │
                          a game's drawing: follows the public state, and draws it

Everything here follows from what spectators are sent, so nothing here can tell a secret. Each game draws itself: its
pack names its `GameDrawing`. The words come from the game's phrasing.

To follow a message takes about 12 us and to draw a table 0.1 ms, so a renderer asks for the newest drawing only as
often as it can show one. A snapshot has no last verdict, so a late spectator sees none until the next call.
"""
