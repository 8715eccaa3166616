"""Live tables: matches that run, followed once on the server and shown to many viewers.

    WatchMatch ─▶ ServerStreams ─▶ LiveMatch ─▶ LiveView ─▶ fragments ─▶ Event ─▶ Viewer, Viewer, …
                                      ▲                    rendered once    one bytes object for all
                                  LiveTables: which matches are followed, how many viewers there are

A viewer is no task and has no queue: it is the protocol of a connection whose request has been answered. One that does
not read misses events, and later gets the newest state. Everything here follows from what spectators are sent.
"""
