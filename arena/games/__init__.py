"""The games of the arena. Each game has one folder, and in it one pack, which names all parts of the game.

What runs games does not know which there are. It receives the parts of a game that it needs. A pack imports heavy parts
only on demand. So listing the rules does not import protobuf, and a node does not import the analytics.
"""
