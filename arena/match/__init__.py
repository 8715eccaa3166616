"""One match without sockets: timed inputs go in, orders come out, and the same inputs give the same orders.

    Hall ── the matches of a node, from their making to their end; one timer
      ├─ Guests ── who is connected, and which seats each session holds
      ├─ Supply ── the deals of the matches, made when they are wanted or ahead
      ├─ Lobby ── matches before they run: offers, entropy, the shuffle
      └─ Table ── journals every input before anybody is told, draws chance, hands orders to its audience
           └─ Referee ── the games of a match: entrants, seats, readiness, strikes, connections
                └─ GameReferee ── one game: prompts, deadlines, held moves; knows the rules only as `Game`

It reads no clock and knows no message format. All times are whole microseconds on the node's clock.
"""
