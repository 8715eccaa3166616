"""Who meets whom, and who is better, as pure computation: no files, processes or sockets.

    league    points, standings, ratings and champions
    formats   which entrants meet, at which tables and in which seats
    compare   whether one bot is better than another
    pools     who sits with whom in a pool that never ends

`arena.organizer` plays what is computed here.
"""
