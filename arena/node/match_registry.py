"""All matches of a node, from their making to their end: who has come and gone, what has arrived, whose table is due.

Synchronous; the node's loop calls it with the arrival stamp and the present time, in microseconds on the node's clock.
"""

from collections.abc import Mapping, Sequence

from arena.errors import CapacityError, OptionError
from arena.match.deal import MatchDeal, prepare_deal
from arena.match.inputs import Begin, Cancel, Credit, Disconnect, Input, Leave, Reconnect, Tick
from arena.match.match_record import ObserveEntrant
from arena.match.scalars import EntrantIndex, Instant, StreamSequence
from arena.match.table import Table
from arena.match.terms import Terms, describe_terms
from arena.node.deal_factory import DealFactory
from arena.node.disk_credit import credit_disk_wait
from arena.node.hosted_match import BotSession, HostedMatch, LobbyStage, SessionKey
from arena.node.lobby import Lobby
from arena.node.node_ports import MatchObserver, NodePorts
from arena.node.ready_deals import AssignedDeal
from arena.node.session_registry import SessionRegistry
from arena.node.shared_table import SharedTable
from arena.node.timers import Timers


class ShuttingDownError(CapacityError):
    """The hall closes and takes no new matches."""


class ChosenCardsError(OptionError):
    """Somebody chose the cards of a match that is to count."""

    def __init__(self) -> None:
        super().__init__("seed", "given", "a match whose cards somebody chose counts nowhere: ask for it unrated")


class MatchRegistry:
    """The matches and guests of a node."""

    def __init__(self, ports: NodePorts, sessions: SessionRegistry) -> None:
        self._ports = ports
        self.sessions = sessions
        self.matches: dict[int, HostedMatch] = {}
        self._reserved: set[int] = set()
        """Numbers of matches that are made and not offered yet; they count like others."""
        self.deal_factory = DealFactory(ports)
        self.timers = Timers()
        self.lobby = Lobby(ports, self.deal_factory.ready_deals, self.sessions, self.timers, self._start_match)
        self.is_closing = False
        """No new matches."""

    # ---- guests

    def on_session_connected(
        self, guest: BotSession, positions: Mapping[tuple[int, EntrantIndex], StreamSequence], at: Instant, now: Instant
    ) -> None:
        """A guest has come, maybe again: it takes up the seats that its session holds."""
        self.sessions.by_key[guest.key] = guest
        for booking, entrant in self.sessions.seats_of(guest.key):
            if booking.is_running:
                self._seat_entrant(booking, entrant, guest, positions.get((booking.number, entrant)))
                self.apply_input(booking, Reconnect(at, now, entrant))
            else:
                self.lobby.resend_requests(guest, booking, entrant, at)

    def on_session_closed(self, guest: BotSession, at: Instant, now: Instant, for_good: bool) -> None:
        """A guest's stream has ended; `for_good`: it said goodbye, and leaves its seats."""
        if self.sessions.by_key.get(guest.key) is not guest:
            return
        del self.sessions.by_key[guest.key]
        for booking, entrant in self.sessions.seats_of(guest.key):
            booking.room.dismiss(entrant, guest)
            if booking.is_running:
                self.apply_input(booking, (Leave if for_good else Disconnect)(at, now, entrant))
            elif for_good:
                self.lobby.leave_seat(guest, booking, entrant, at, now)

    def leave_all_matches(self, key: SessionKey, at: Instant, now: Instant) -> None:
        """A session will not come back: it leaves every match that runs."""
        for booking, entrant in self.sessions.seats_of(key):
            if booking.is_running:
                self.apply_input(booking, Leave(at, now, entrant))

    # ---- matches

    def create(self, terms: Terms, now: Instant, seed: bytes = b"") -> HostedMatch:
        """Make a match and offer its seats. Raises RequestError where that cannot be."""
        booking = self.reserve(terms, now, seed)
        self.offer_seats(booking, now)
        return booking

    def reserve(self, terms: Terms, now: Instant, seed: bytes = b"") -> HostedMatch:
        """Make a match and its deal, which goes to the journal; nobody is told before `offer`.

        Raises RequestError where it cannot be played, ChosenCardsError where it is rated and a seed is given.
        """
        self._check_capacity()
        keys = self.sessions.resolve_session_keys(terms.check())
        if seed and terms.rated:
            raise ChosenCardsError
        booking, _ = self._build_match(terms, keys, self.deal_factory.take_deal(terms, now, seed))
        self._reserved.add(booking.number)
        self.sessions.hold_seats(booking)
        return booking

    def drop_reservation(self, booking: HostedMatch) -> None:
        """A match that was reserved will not be offered: its deal could not be kept."""
        self._reserved.remove(booking.number)
        self.sessions.release_all_seats(booking)

    def offer_seats(self, booking: HostedMatch, now: Instant) -> None:
        """Offer the seats of a match that was reserved."""
        self._reserved.discard(booking.number)
        self.matches[booking.number] = booking
        self.sessions.hold_seats(booking)
        self.lobby.send_offers(booking, now)
        if self.is_closing:
            self.cancel(booking.number, now, now, "interrupted")

    def open_shared_table(self, shared: SharedTable, now: Instant) -> HostedMatch:
        """Open a table of a shared deal, or play on at one that was cut off elsewhere.

        Raises RequestError where somebody who is not away cannot sit there, JournalError for records that are none.
        """
        self._check_capacity()
        keys = self.sessions.resolve_session_keys(shared.terms.check(), shared.away, shared.instance)
        booking, table = self._build_match(shared.terms, keys, self.deal_factory.number_shared_deal(shared))
        if shared.records:
            self._resume_match(booking, table, shared, now)
        else:
            self.deal_factory.journal_deal(booking.assigned_deal, now)
            booking.answers = {
                EntrantIndex(e): False for e, name in enumerate(shared.terms.entrants) if name in shared.away
            }
            self.offer_seats(booking, now)
        return booking

    def cancel(self, number: int, at: Instant, now: Instant, termination: str = "cancelled") -> None:
        """End a match now; nothing happens to one that is over."""
        booking = self.matches.get(number)
        if booking is None or booking.is_over:
            return
        if not booking.is_running:
            self.lobby.cancel(booking)
        self.apply_input(booking, Cancel(at, now, termination))

    # ---- what arrives and what is due

    def apply_input(self, booking: HostedMatch, entry: Input) -> None:
        """Put an input to a table, then see to its end and its next deadline.

        A match that is over takes nothing: a session with two seats in it may have ended it with the first.
        """
        if booking.is_over:
            return
        booking.table.apply(entry)
        self._finish_or_schedule(booking)

    def tick(self, upto: Instant, now: Instant) -> None:
        """Do all that is due up to an instant. Raises ExceptionGroup for what fails, when the rest is done."""
        faults = []
        for number in self.timers.pop_due(upto):
            try:
                self._tick_match(number, upto, now)
            except Exception as fault:  # noqa: BLE001  one match must not cost the others their deadlines
                faults.append(fault)
        if faults:
            raise ExceptionGroup("what was due has failed", faults)

    def _tick_match(self, number: int, upto: Instant, now: Instant) -> None:
        """Do what is due for one match, and see when something is due next."""
        booking = self.matches.get(number)
        while booking is not None and (due := booking.due) is not None and due <= upto:
            if not booking.is_running:
                self.lobby.tick(booking, due, now)
                continue
            booking.table.apply(Tick(due, now))
            if booking.table.referee.ended is not None:
                self._finish_match(booking)
        if booking is not None:
            self.timers.schedule(number, booking.due)

    def credit(self, us: int, now: Instant) -> None:
        """The node stood still for so long: nobody's time has run."""
        for booking in self.matches.values():
            if booking.is_running:
                booking.table.apply(Credit(now, now, us))
            else:
                self.lobby.credit(booking, us)

    def release_shared_tables(self) -> None:
        """Let go of the tables of shared deals where they stand: they go on elsewhere, and nobody's time runs here."""
        self.is_closing = True
        for booking in [each for each in self.matches.values() if each.deal.secret.is_shared]:
            booking.is_over = True
            del self.matches[booking.number]
            self.sessions.release_all_seats(booking)

    def close(self, now: Instant, termination: str = "interrupted") -> None:
        """End all matches but those of shared deals: the node stops."""
        self.release_shared_tables()
        for number in list(self.matches):
            self.cancel(number, now, now, termination)

    # ---- inside

    def _check_capacity(self) -> None:
        """Raise CapacityError where no more matches are taken."""
        if self.is_closing:
            raise ShuttingDownError("the server is about to stop and takes no new matches")
        count = len(self.matches) + len(self._reserved)
        if count >= self._ports.max_matches:
            raise CapacityError(f"the server plays {count} matches already, its limit")

    def _resume_match(self, booking: HostedMatch, table: Table, shared: SharedTable, now: Instant) -> None:
        """Go on where a match was cut off. Whoever was asked has its full time again, on the same question."""
        replay, records = shared.rebase_replay(booking.number, now)
        signer = self._ports.sources.signer
        booking.deal.load(prepare_deal(shared.secret, replay.begin.contributions, shared.terms, signer))
        table.resume(replay, records)
        booking.is_running = booking.is_resumed = True
        booking.stage = LobbyStage.SHUFFLED
        booking.absent = replay.begin.absent
        self.matches[booking.number] = booking
        self.sessions.hold_seats(booking)
        for observer in self._observers_of(booking):
            observer.on_match_started(booking)
        credit_disk_wait(booking, Instant(-1), now)
        self._finish_or_schedule(booking)
        for entrant, guest in self.sessions.connected_entrants(booking):
            self._seat_entrant(booking, entrant, guest, None)
        self._sync_presence(booking, now, now)

    def _sync_presence(self, booking: HostedMatch, at: Instant, now: Instant) -> None:
        """Tell a table who is there and who is not."""
        for conduct, key in zip(booking.table.referee.entrant_records, booking.keys, strict=True):
            is_there = key in self.sessions.by_key
            if conduct.gone or is_there is (conduct.disconnected_since is None):
                continue
            self.apply_input(booking, (Reconnect if is_there else Disconnect)(at, now, conduct.entrant))

    def _seat_entrant(
        self, booking: HostedMatch, entrant: EntrantIndex, guest: BotSession, after: StreamSequence | None
    ) -> None:
        guest.assign_seat(booking.number, entrant)
        booking.room.admit(booking.table.referee, entrant, guest, after)

    def _build_match(self, terms: Terms, keys: tuple[SessionKey, ...], laid: AssignedDeal) -> tuple[HostedMatch, Table]:
        outside, number, secret = self._ports, laid.number, laid.secret
        room = outside.build_room(number, terms, secret.entrant_seeds())
        deal = MatchDeal(secret, terms.game_count, outside.background)
        see = self._build_observer(keys, number)
        table = Table(number, laid.match_id, terms, outside.journal, deal, room, outside.keeps_records, see)
        created_at = outside.sources.wall_clock()
        return HostedMatch(number, laid.match_id, terms, keys, room, table, created_at, deal, laid), table

    def _build_observer(self, keys: tuple[SessionKey, ...], number: int) -> ObserveEntrant | None:
        witness = self._ports.witness
        if witness is None:
            return None
        return lambda entrant, since, until: witness.observe_conditions(keys[entrant], number, since, until)

    def _start_match(self, booking: HostedMatch, at: Instant, now: Instant) -> None:
        """Seat everybody and begin."""
        booking.is_running = True
        for entrant, guest in self.sessions.connected_entrants(booking):
            if entrant not in booking.absent:
                self._seat_entrant(booking, entrant, guest, StreamSequence(0))
        for observer in self._observers_of(booking):
            observer.on_match_started(booking)
        prepared = booking.deal.prepared
        contributions = () if prepared is None else prepared.contributions
        terms = describe_terms(booking.terms)
        self.apply_input(booking, Begin(at, now, booking.match_id, terms, booking.absent, contributions))
        self._sync_presence(booking, at, now)

    def _finish_or_schedule(self, booking: HostedMatch) -> None:
        """See to the end of a match, or to what is due next."""
        referee = booking.table.referee
        if referee.ended is not None:
            self._finish_match(booking)
        else:
            self.timers.schedule(booking.number, referee.due if booking.is_running else booking.due)

    def _finish_match(self, booking: HostedMatch) -> None:
        booking.is_over = True
        del self.matches[booking.number]
        self.sessions.release_all_seats(booking)
        for entrant, guest in self.sessions.connected_entrants(booking):
            booking.room.dismiss(entrant, guest)
        booking.room.close()
        for observer in self._observers_of(booking):
            observer.on_match_ended(booking)

    def _observers_of(self, booking: HostedMatch) -> Sequence[MatchObserver]:
        return () if booking.is_rerun else self._ports.observers
