"""One match without sockets: timed inputs go in, orders come out, and the same inputs give the same orders.

    Table ── journals every input before it publishes anything, draws chance, hands orders to its audience
      └─ Referee ── the games of a match: entrants, seats, readiness, strikes, connections
           └─ GameReferee ── one game: judges answers, acts at deadlines; knows the rules only through `Game`
                ├─ OpenPrompts ── which seats are asked what, and until when they may answer
                └─ StrikeIssuer ── which conduct at a prompt earns a strike

The package reads no clock and knows no message format. All times are whole microseconds on the node's clock.
"""
