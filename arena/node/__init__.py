"""What one node runs: matches, sessions of connected bots, deadlines, deals, and the event loop that stamps arrivals.

    Node ── one event loop
      ├─ GuardedJournal ── the journal and its gate: synced, tried again after a fault
      ├─ DeadlineTimer, Pinger, BackgroundWorker
      ├─ MatchRegistry ── the matches of a node, from their creation to their end
      │    ├─ SessionRegistry ── who is connected, and which seats each session holds
      │    ├─ DealFactory ── the deals of the matches, made on demand or ahead
      │    └─ Lobby ── matches before they start: offers, entropy, the shuffle
      ├─ Session ── one stream of a bot: its seats, its outbox
      ├─ FrameHandler ── what the frames of a session lead to
      ├─ Inbox ── frames that were read and wait to be handled, in order of arrival
      └─ ConditionsObserver ── how busy host and bot were when a strike happened

Times are whole microseconds on the node's clock.
"""
