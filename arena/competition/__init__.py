"""Who meets whom, and who is better, as pure computation: no files, processes or sockets.

`arena.organizer` plays what is computed here.
"""
