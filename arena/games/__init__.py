"""The games of the arena. Each game has one pack, which names all parts of the game.

    rules, wire, replays, analytics, scenarios, secrecy ──▶ pack: cheat, cheater ──▶ catalogue ──▶ app, cli, hosting …

The packages on the left of the diagram do not know which games exist. Each receives the parts of a game that it needs.
A pack imports heavy parts only on demand. So listing the rules does not import protobuf, and a node does not import
the analytics.
"""
