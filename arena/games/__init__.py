"""The games of the arena. Each game has one folder, and in it one pack, which names all parts of the game.

    rules, wire, phrasing, drawing, analysis, lessons, knowledge ──▶ pack ──▶ catalogue ──▶ fleet, cli, organizer …

What runs games does not know which there are. It receives the parts of a game that it needs. A pack imports heavy parts
only on demand. So listing the rules does not import protobuf, and a node does not import the analytics.

    pack         the type of a pack
    sdk_values   values of the arena as values of the SDK, for bots in the same process
    scenarios    runs scenario files, which check the rules case by case
    secrecy      twin matches that differ only in what a viewer may not know
"""
