"""One match without sockets: timed inputs go in, orders come out, and the same inputs give the same orders.

    Table ── journals every input before it publishes anything, draws chance, hands orders to its audience
      └─ Referee ── the games of a match: entrants, seats, readiness, strikes, connections
           └─ GameReferee ── one game: prompts, deadlines, held moves; knows the rules only through `Game`

The package reads no clock and knows no message format. All times are whole microseconds on the node's clock.
"""
