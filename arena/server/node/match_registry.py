"""Holds the matches of a node from creation to end, and passes connections, inputs and deadlines on to them.

The registry is synchronous. The node's loop calls it with the arrival stamp `at` and the present time `now`, both in
microseconds on the node's clock.
"""

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType

from arena.errors import CapacityError, OptionError
from arena.match.referee.inputs import Answer, Begin, Cancel, Credit, Disconnect, Input, Leave, Reconnect, Tick
from arena.match.referee.interrupted_match import InterruptedMatch
from arena.match.referee.scalars import EntrantIndex, Instant, SessionKey, StreamSequence
from arena.match.referee.terms import Terms, describe_terms
from arena.plurals import format_count
from arena.server.node.deals import SharedTable
from arena.server.node.hosted_match import HostedMatch, MatchStage
from arena.server.node.lobby import Lobby
from arena.server.node.match_builder import MatchBuilder
from arena.server.node.observers import MatchObserver, NodeObservers
from arena.server.node.session import Session
from arena.server.node.session_registry import SessionRegistry
from arena.server.node.timers import Timers

_NO_INSTANCES: Mapping[str, str] = MappingProxyType({})


class ShuttingDownError(CapacityError):
    """Raised when the registry is closing and accepts no new matches."""


class ChosenCardsError(OptionError):
    """Raised when a seed is given for a rated match."""

    def __init__(self) -> None:
        super().__init__("seed", "given", "a match whose cards somebody chose counts nowhere: ask for it unrated")


class MatchRegistry:
    """The matches of a node and the sessions that play them."""

    def __init__(self, builder: MatchBuilder, observers: NodeObservers, sessions: SessionRegistry) -> None:
        self._builder = builder
        self._observers = observers
        self.sessions = sessions
        self.matches: dict[int, HostedMatch] = {}
        self._reserved: set[int] = set()
        """The numbers of matches that are reserved and not offered yet; they count towards the limit."""
        self.deal_factory = builder.deal_factory
        self.timers = Timers()
        self.lobby = Lobby(builder, self.sessions, self.timers, self._start_match, self._withdraw)
        self.is_closing = False

    # ---- sessions

    def on_session_connected(
        self,
        session: Session,
        positions: Mapping[tuple[int, EntrantIndex], StreamSequence],
        at: Instant,
        now: Instant,
    ) -> None:
        """Register a session that has connected or reconnected, and restore the seats that it holds."""
        if (before := self.sessions.by_key.get(session.key)) is not None:
            self._note_silence(before)
        self.sessions.by_key[session.key] = session
        for hosted, entrant in self.sessions.seats_of(session.key):
            if hosted.is_running:
                self._seat_entrant(hosted, entrant, session, positions.get((hosted.number, entrant)))
                self.apply_input(hosted, Reconnect(at, now, entrant))
            else:
                self.lobby.resend_requests(session, hosted, entrant, at)
        session.confirm_resumption()
        for observer in self._observers.sessions:
            observer.on_session_connected(session)

    def on_session_closed(self, session: Session, at: Instant, now: Instant, for_good: bool) -> None:
        """Remove a session whose stream has ended.

        If the session said goodbye (`for_good`), it also leaves its seats.
        """
        if self.sessions.by_key.get(session.key) is not session:
            return
        del self.sessions.by_key[session.key]
        self._note_silence(session)
        for observer in self._observers.sessions:
            observer.on_session_closed(session)
        for hosted, entrant in self.sessions.seats_of(session.key):
            self._unseat_entrant(hosted, entrant, session)
            if hosted.is_running:
                self.apply_input(hosted, (Leave if for_good else Disconnect)(at, now, entrant))
            elif for_good:
                self.lobby.leave_seat(hosted, entrant, at, now)

    def _note_silence(self, session: Session) -> None:
        """Tell matches when the last frame came from a stream that has ended: its line may have been dead."""
        for hosted, entrant in self.sessions.seats_of(session.key):
            if hosted.table.recorder is not None:
                hosted.table.recorder.note_silence(entrant, session.heard_at)

    def leave_all_matches(self, key: SessionKey, at: Instant, now: Instant) -> None:
        """Leave every match, running or offered, of a session that will not come back."""
        for hosted, entrant in self.sessions.seats_of(key):
            if hosted.is_running:
                self.apply_input(hosted, Leave(at, now, entrant))
            else:
                self.lobby.leave_seat(hosted, entrant, at, now)

    # ---- matches

    def reserve(
        self, terms: Terms, now: Instant, seed: bytes = b"", instances: Mapping[str, str] = _NO_INSTANCES
    ) -> HostedMatch:
        """Journal the deal and hold the seats, which are not offered before `offer_seats`.

        `instances` has, by name, the instance that an entrant's session must have. Raises RequestError if the match
        cannot be played, and ChosenCardsError if a rated match is given a seed.
        """
        self._check_capacity()
        keys = self.sessions.resolve_session_keys(terms.check(), (), instances)
        if seed and terms.rated:
            raise ChosenCardsError
        hosted = self._builder.build(terms, keys, self.deal_factory.take_deal(terms, now, seed))
        self._reserved.add(hosted.number)
        self.sessions.hold_seats(hosted)
        return hosted

    def drop_reservation(self, hosted: HostedMatch) -> None:
        """Drop a reserved match whose deal could not be committed."""
        self._reserved.remove(hosted.number)
        self.sessions.release_all_seats(hosted)

    def offer_seats(self, hosted: HostedMatch, now: Instant) -> None:
        """If the registry is closing, end or release the match immediately."""
        self._reserved.discard(hosted.number)
        self.matches[hosted.number] = hosted
        self.sessions.hold_seats(hosted)
        if not hosted.is_resumed:
            self._builder.journal_offer(hosted, now)
        self.lobby.send_offers(hosted, now)
        if self.is_closing and self._builder.limits.leaves_matches:
            self._release(hosted)
        elif self.is_closing:
            self.cancel(hosted.number, now, now, "interrupted")

    def open_shared_table(self, shared: SharedTable, now: Instant) -> HostedMatch:
        """Open a table of a shared deal, or resume one that was interrupted on another node.

        Raises RequestError if an entrant that is not away cannot play, JournalError for invalid records.
        """
        self._check_capacity()
        instances = {name: shared.instance_of(name) for name in shared.terms.entrants}
        keys = self.sessions.resolve_session_keys(shared.terms.check(), shared.away, instances)
        assigned = self.deal_factory.number_deal(shared.match_id, shared.secret, shared.created_at)
        if shared.records:
            hosted = self._builder.restore(shared.terms, keys, assigned, shared.records, now)
            self._open_resumed_table(hosted, now)
            return hosted
        hosted = self._builder.build(shared.terms, keys, assigned)
        self.deal_factory.journal_deal(assigned, now)
        hosted.answers = {EntrantIndex(e): False for e, name in enumerate(shared.terms.entrants) if name in shared.away}
        if shared.needs_everybody:
            hosted.required = frozenset(shared.terms.entrant_indices) - hosted.answers.keys()
        self.offer_seats(hosted, now)
        return hosted

    def take_up(self, match: InterruptedMatch, now: Instant) -> HostedMatch:
        """Journal an interrupted match under a new number. The match stands still until `continue_match`.

        Raises JournalError for invalid records.
        """
        assigned = self.deal_factory.number_deal(match.offer.match_id, match.secret, match.offer.created_at)
        if match.is_started:
            hosted = self._builder.restore(match.terms, match.offer.sessions, assigned, match.records, now)
        else:
            hosted = self._builder.build(match.terms, match.offer.sessions, assigned)
            self.deal_factory.journal_deal(assigned, now)
        hosted.created_at, hosted.is_resumed = match.offer.created_at, True
        if match.offer.needs_everybody:
            hosted.required = frozenset(match.terms.entrant_indices)
        self._builder.journal_offer(hosted, now)
        return hosted

    def continue_match(self, hosted: HostedMatch, since: Instant, now: Instant) -> None:
        """Continue a match that was taken up at `since`; the time until `now` costs nobody."""
        if not hosted.is_running:
            self.offer_seats(hosted, now)
            return
        hosted.table.apply(Credit(now, now, now - since))
        self._open_resumed_table(hosted, now)

    def cancel(self, number: int, at: Instant, now: Instant, termination: str = "cancelled") -> None:
        """A match that has ended is left alone."""
        hosted = self.matches.get(number)
        if hosted is None or hosted.is_over:
            return
        if not hosted.is_running:
            self.lobby.cancel(hosted)
        self.apply_input(hosted, Cancel(at, now, termination))

    # ---- what arrives and what is due

    def apply_input(self, hosted: HostedMatch, entry: Input) -> None:
        """Apply an input to a table, then finish the match or schedule its next deadline.

        A match that has ended ignores inputs: a session with two seats may have ended the match by leaving its first
        seat.
        """
        if hosted.is_over:
            return
        waits = self._observers.core_waits
        if waits is not None and type(entry) is Answer and self.timers.is_after_due(hosted.number, entry.at):
            hosted.credits.credit_late_answer(waits, entry.at, entry.now)
        hosted.table.apply(entry)
        self._finish_or_schedule(hosted)

    def tick(self, upto: Instant, now: Instant) -> None:
        """Run everything that is due up to an instant. Raises ExceptionGroup at the end if some of it failed."""
        errors = []
        for number in self.timers.pop_due(upto):
            try:
                self._tick_match(number, upto, now)
            except Exception as error:  # noqa: BLE001  an error in one match must not stop the others
                errors.append(error)
        if errors:
            raise ExceptionGroup("what was due has failed", errors)

    def _tick_match(self, number: int, upto: Instant, now: Instant) -> None:
        hosted = self.matches.get(number)
        waits = self._observers.core_waits
        while hosted is not None and (due := hosted.due) is not None and due <= upto:
            if not hosted.is_running:
                self.lobby.tick(hosted, due, now)
                continue
            if waits is not None and hosted.credits.credit_deadline(waits, now):
                break
            hosted.table.apply(Tick(due, now))
            if hosted.table.referee.ended is not None:
                self._finish_match(hosted)
        if hosted is not None:
            self.timers.schedule(number, hosted.due)

    def credit(self, us: int, now: Instant) -> None:
        """The node has lost `us` microseconds up to `now`."""
        for hosted in self.matches.values():
            if hosted.is_running:
                hosted.table.apply(Credit(now, now, us))
            else:
                self.lobby.credit(hosted, us)

    def credit_disk_wait(self, synced: Collection[int], since: Instant, now: Instant) -> None:
        """Credit what was issued after `since` and waited for the disk until now.

        `synced` has the numbers of the matches whose records a sync of the journal wrote. Matches that have not begun
        are credited in any case.
        """
        for hosted in self.matches.values():
            if not hosted.is_running:
                self.lobby.credit_disk_wait(hosted, since, now)
            elif hosted.number in synced:
                hosted.credits.credit_disk_wait(since, now)

    def release_shared_tables(self) -> None:
        """Release the tables of shared deals without ending them: another node resumes them."""
        self.is_closing = True
        for hosted in [each for each in self.matches.values() if each.deal.secret.is_shared]:
            self._release(hosted)

    def _release(self, hosted: HostedMatch) -> None:
        hosted.enter(MatchStage.RELEASED)
        del self.matches[hosted.number]
        self.sessions.release_all_seats(hosted)

    def _withdraw(self, hosted: HostedMatch, at: Instant, now: Instant) -> None:
        """Take back a match that lacks a required entrant. The league that shares its deal plays it again."""
        if hosted.deal.secret.is_shared:
            self.lobby.cancel(hosted)
            self._release(hosted)
        else:
            self.cancel(hosted.number, at, now, "withdrawn")

    def close(self, now: Instant, termination: str = "interrupted") -> None:
        """End all matches, or release them for the next server."""
        self.release_shared_tables()
        if self._builder.limits.leaves_matches:
            for hosted in list(self.matches.values()):
                self._release(hosted)
        for number in list(self.matches):
            self.cancel(number, now, now, termination)

    # ---- inside

    def _check_capacity(self) -> None:
        """Raises CapacityError if no further match is accepted."""
        if self.is_closing:
            raise ShuttingDownError("the server is about to stop and takes no new matches")
        count = len(self.matches) + len(self._reserved)
        if count >= self._builder.limits.matches:
            raise CapacityError(f"the server already plays {format_count(count, 'match')}, the most allowed")

    def _open_resumed_table(self, hosted: HostedMatch, now: Instant) -> None:
        """Seat the connected entrants at a table whose records have been replayed, and set the table's deadline."""
        self.matches[hosted.number] = hosted
        self.sessions.hold_seats(hosted)
        for observer in self._observers_of(hosted):
            observer.on_match_started(hosted)
        hosted.credits.credit_disk_wait(Instant(-1), now)
        self._finish_or_schedule(hosted)
        for entrant, session in self.sessions.connected_entrants(hosted):
            self._seat_entrant(hosted, entrant, session, None)
        self._sync_presence(hosted, now, now)

    def _sync_presence(self, hosted: HostedMatch, at: Instant, now: Instant) -> None:
        """Tell a table which entrants are connected now."""
        for record, key in zip(hosted.table.referee.entrant_records, hosted.keys, strict=True):
            is_connected = key in self.sessions.by_key
            if record.gone or is_connected is (record.clock.disconnected_since is None):
                continue
            self.apply_input(hosted, (Reconnect if is_connected else Disconnect)(at, now, record.entrant))

    def _seat_entrant(
        self, hosted: HostedMatch, entrant: EntrantIndex, session: Session, after: StreamSequence | None
    ) -> None:
        """The session gets the messages after `after`, or a snapshot if it is None."""
        session.assign_seat(hosted.number, entrant)
        session.hold_seat(hosted.number, entrant)
        hosted.feed.attach(hosted.table.referee, entrant, session.outbox, after)

    def _unseat_entrant(self, hosted: HostedMatch, entrant: EntrantIndex, session: Session) -> None:
        """The feed stays with another session that has already taken the place of this one."""
        hosted.feed.detach(entrant, session.outbox)
        session.release_seat(hosted.number, entrant)

    def _start_match(self, hosted: HostedMatch, at: Instant, now: Instant) -> None:
        hosted.enter(MatchStage.RUNNING)
        for entrant, session in self.sessions.connected_entrants(hosted):
            if entrant not in hosted.absent:
                self._seat_entrant(hosted, entrant, session, StreamSequence(0))
        for observer in self._observers_of(hosted):
            observer.on_match_started(hosted)
        prepared = hosted.deal.prepared
        contributions = () if prepared is None else prepared.contributions
        terms = describe_terms(hosted.terms)
        round_trips = hosted.known_round_trips(self.sessions.by_key)
        self.apply_input(hosted, Begin(at, now, hosted.match_id, terms, hosted.absent, contributions, round_trips))
        self._sync_presence(hosted, at, now)

    def _finish_or_schedule(self, hosted: HostedMatch) -> None:
        referee = hosted.table.referee
        if referee.ended is not None:
            self._finish_match(hosted)
        else:
            self.timers.schedule(hosted.number, hosted.due)

    def _finish_match(self, hosted: HostedMatch) -> None:
        hosted.enter(MatchStage.ENDED if hosted.is_running else MatchStage.DROPPED)
        del self.matches[hosted.number]
        self.sessions.release_all_seats(hosted)
        for entrant, session in self.sessions.connected_entrants(hosted):
            self._unseat_entrant(hosted, entrant, session)
        hosted.feed.close()
        for observer in self._observers_of(hosted):
            observer.on_match_ended(hosted)

    def _observers_of(self, hosted: HostedMatch) -> Sequence[MatchObserver]:
        return () if hosted.is_rerun else self._observers.matches
