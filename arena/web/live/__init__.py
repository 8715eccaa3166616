"""Live tables: matches that run, followed once on the server and shown to many viewers.

    WatchMatch ─▶ ServerStreams ─▶ LiveMatch ─▶ LiveView ─▶ fragments ─▶ Event ─▶ Viewer, Viewer, …
                                      ▲                    rendered once    one bytes object for all
                                  LiveTables: which matches are followed, how many viewers there are

A viewer is no task and has no queue: it is the protocol of a connection whose request has been answered. One that does
not read misses events, and later gets the newest state. Everything here follows from what spectators are sent.

A StreamingResponse for each viewer was measured in its place. For each update it took a viewer 39 us of a processor
instead of 12 (of 2,500 viewers), and 34 kB of memory instead of 5, since it is two tasks and a connection of the server
that goes on. Its tasks also send apart from the match, which could no longer bound the share of a processor that its
updates take. So the viewer is Starlette's only until the head of its answer is sent.
"""
