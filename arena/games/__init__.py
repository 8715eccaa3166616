"""The games that there are, each as one pack that names all its parts.

    rules, wire, replays, analytics, scenarios, secrecy ──▶ pack: cheat, cheater ──▶ catalogue ──▶ app, cli, hosting …

Rooms further in do not know which games there are: they are handed the part that they need. Heavy parts are loaded when
they are asked for, so that looking at rules needs no protobuf, and a node no analytics.
"""
