"""What one node runs: matches, sessions of connected bots, deadlines, deals, and the event loop that stamps arrivals.

    Node ── one event loop
      ├─ GuardedJournal ── the journal and its gate; syncs the journal and retries failed writes
      ├─ DeadlineTimer, StallCredit, CoreWaits, Pinger, BackgroundWorker
      ├─ MatchRegistry ── the matches of a node, from their creation to their end
      │    ├─ SessionRegistry ── the connected sessions and the seats that each session holds
      │    ├─ MatchBuilder ── what matches are made with; DealFactory makes their deals, on demand or ahead
      │    └─ Lobby ── matches before they start: offers, entropy, the shuffle
      ├─ Session ── one stream of a bot: its seats and its outbox
      ├─ FrameHandler ── reads the frames of a session and applies them
      ├─ ReadPause ── stops reading a session while too much of it waits to be handled
      ├─ Inbox ── frames that wait to be handled, in order of arrival
      └─ ConditionsObserver ── measures how busy the host and the bot were when a strike happened

All times are whole microseconds on the node's clock.
"""
