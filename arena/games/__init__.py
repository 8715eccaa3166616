"""The games of the arena. One pack for each game names all its parts.

    rules, wire, replays, analytics, scenarios, secrecy ──▶ pack: cheat, cheater ──▶ catalogue ──▶ app, cli, hosting …

The rooms further in do not know which games exist: they receive the part that they need. Each pack imports its heavy
parts only on demand. So listing the rules does not import protobuf, and a node does not import the analytics.
"""
