"""All matches of a node, from their making to their end: who has come and gone, what has arrived, whose table is due.

Synchronous; the node's loop calls it with the arrival stamp and the present time, in microseconds on the node's clock.
"""

from collections.abc import Callable, Mapping
from typing import Any

from arena.errors import CapacityError, OptionError
from arena.match.archive import See
from arena.match.booking import Booking, Guest, GuestKey, Stage
from arena.match.deal import MatchDeal, prepare
from arena.match.easing import ease
from arena.match.furnishing import Furnishing
from arena.match.guests import Guests
from arena.match.lobby import Lobby
from arena.match.shared import SharedTable
from arena.match.shoe import LaidDeal
from arena.match.supply import Supply
from arena.match.table import Table
from arena.match.terms import Terms
from arena.match.timers import Timers


class ClosingError(CapacityError):
    """The hall closes and takes no new matches."""


class ChosenCardsError(OptionError):
    """Somebody chose the cards of a match that is to count."""

    def __init__(self) -> None:
        super().__init__("seed", "given", "a match whose cards somebody chose counts nowhere: ask for it unrated")


def _ignore(booking: Booking) -> None:
    """Nobody wants to know."""


class Hall:
    """The matches and guests of a node."""

    def __init__(self, furnishing: Furnishing) -> None:
        self._furnishing = furnishing
        self.guests = Guests()
        self.bookings: dict[int, Booking] = {}
        self._reserved: set[int] = set()
        """Numbers of matches that are made and not offered yet; they count like others."""
        self.supply = Supply(furnishing)
        self.timers = Timers()
        self.lobby = Lobby(furnishing, self.supply.shoe, self.guests, self.timers, self._start)
        self.on_started: Callable[[Booking], None] = _ignore
        self.on_ended: Callable[[Booking], None] = _ignore
        self.is_closing = False
        """No new matches."""

    # ---- guests

    def arrive(self, guest: Guest, positions: Mapping[tuple[int, int], int], at: int, now: int) -> None:
        """A guest has come, maybe again: it takes up the seats that its session holds."""
        self.guests.by_key[guest.key] = guest
        for booking, entrant in self.guests.seats_of(guest.key):
            if booking.is_running:
                self._seat(booking, entrant, guest, positions.get((booking.number, entrant)))
                self.enter(booking, booking.table.back, at, now, entrant)
            else:
                self.lobby.arrive(guest, booking, entrant, at)

    def depart(self, guest: Guest, at: int, now: int, for_good: bool) -> None:
        """A guest's stream has ended; `for_good`: it said goodbye, and leaves its seats."""
        if self.guests.by_key.get(guest.key) is not guest:
            return
        del self.guests.by_key[guest.key]
        for booking, entrant in self.guests.seats_of(guest.key):
            booking.room.dismiss(entrant, guest)
            if booking.is_running:
                self.enter(booking, booking.table.leave if for_good else booking.table.lost, at, now, entrant)
            elif for_good:
                self.lobby.leave(guest, booking, entrant, at, now)

    def give_up(self, key: GuestKey, at: int, now: int) -> None:
        """A session will not come back: it leaves every match that runs."""
        for booking, entrant in self.guests.seats_of(key):
            if booking.is_running:
                self.enter(booking, booking.table.leave, at, now, entrant)

    # ---- matches

    def create(self, terms: Terms, now: int, seed: bytes = b"") -> Booking:
        """Make a match and offer its seats. Raises RequestError where that cannot be."""
        booking = self.reserve(terms, now, seed)
        self.offer(booking, now)
        return booking

    def reserve(self, terms: Terms, now: int, seed: bytes = b"") -> Booking:
        """Make a match and its deal, which goes to the journal; nobody is told before `offer`.

        Raises RequestError where it cannot be played, ChosenCardsError where it is rated and a seed is given.
        """
        self._check_room()
        keys = self.guests.keys_for(terms.check())
        if seed and terms.rated:
            raise ChosenCardsError
        booking = self._book(terms, keys, self.supply.take(terms, now, seed))
        self._reserved.add(booking.number)
        self.guests.hold(booking)
        return booking

    def drop(self, booking: Booking) -> None:
        """A match that was reserved will not be offered: its deal could not be kept."""
        self._reserved.remove(booking.number)
        self.guests.let_all_go(booking)

    def offer(self, booking: Booking, now: int) -> None:
        """Offer the seats of a match that was reserved."""
        self._reserved.discard(booking.number)
        self.bookings[booking.number] = booking
        self.guests.hold(booking)
        self.lobby.open(booking, now)
        if self.is_closing:
            self.cancel(booking.number, now, now, "interrupted")

    def share(self, table: SharedTable, now: int) -> Booking:
        """Open a table of a shared deal, or play on at one that was cut off elsewhere.

        Raises RequestError where somebody who is not away cannot sit there, JournalError for records that are none.
        """
        self._check_room()
        keys = self.guests.keys_for(table.terms.check(), table.away, table.instance)
        booking = self._book(table.terms, keys, self.supply.number(table))
        if table.records:
            self._take_up(booking, table, now)
        else:
            self.supply.record(booking.laid, now)
            booking.answers = {e: False for e, name in enumerate(table.terms.entrants) if name in table.away}
            self.offer(booking, now)
        return booking

    def cancel(self, number: int, at: int, now: int, termination: str = "cancelled") -> None:
        """End a match now; nothing happens to one that is over."""
        booking = self.bookings.get(number)
        if booking is None or booking.is_over:
            return
        if not booking.is_running:
            self.lobby.cancel(booking)
        self.enter(booking, booking.table.cancel, at, now, termination)

    # ---- what arrives and what is due

    def enter(self, booking: Booking, act: Callable[..., None], at: int, now: int, *rest: Any) -> None:
        """Put an input to a table (`act` is one of its methods), then see to its end and its next deadline.

        A match that is over takes nothing: whoever had two seats in it may have ended it with the first.
        """
        if booking.is_over:
            return
        act(at, now, *rest)
        self._look_after(booking)

    def tick(self, upto: int, now: int) -> None:
        """Do all that is due up to an instant. Raises ExceptionGroup for what fails, when the rest is done."""
        faults = []
        for number in self.timers.pop(upto):
            try:
                self._catch_up(number, upto, now)
            except Exception as fault:  # noqa: BLE001  one match must not cost the others their deadlines
                faults.append(fault)
        if faults:
            raise ExceptionGroup("what was due has failed", faults)

    def _catch_up(self, number: int, upto: int, now: int) -> None:
        """Do what is due for one match, and see when something is due next."""
        booking = self.bookings.get(number)
        while booking is not None and booking.due is not None and booking.due <= upto:
            self._act(booking, booking.due, now)
        if booking is not None:
            self.timers.set(number, booking.due)

    def credit(self, us: int, now: int) -> None:
        """The node stood still for so long: nobody's time has run."""
        for booking in self.bookings.values():
            if booking.is_running:
                booking.table.credit(now, now, us)
            else:
                self.lobby.credit(booking, us)

    def leave_shared(self) -> None:
        """Let go of the tables of shared deals where they stand: they go on elsewhere, and nobody's time runs here."""
        self.is_closing = True
        for booking in [each for each in self.bookings.values() if each.deal.secret.is_shared]:
            booking.is_over = True
            del self.bookings[booking.number]
            self.guests.let_all_go(booking)

    def close(self, now: int, termination: str = "interrupted") -> None:
        """End all matches but those of shared deals: the node stops."""
        self.leave_shared()
        for number in list(self.bookings):
            self.cancel(number, now, now, termination)

    # ---- inside

    def _check_room(self) -> None:
        """Raise CapacityError where no more matches are taken."""
        if self.is_closing:
            raise ClosingError("the server is about to stop and takes no new matches")
        count = len(self.bookings) + len(self._reserved)
        if count >= self._furnishing.max_matches:
            raise CapacityError(f"the server plays {count} matches already, its limit")

    def _take_up(self, booking: Booking, table: SharedTable, now: int) -> None:
        """Go on where a match was cut off. Whoever was asked has its full time again, on the same question."""
        replay, records = table.replay_at(booking.number, now)
        booking.deal.open(prepare(table.secret, replay.contributions, table.terms, self._furnishing.sources.signer))
        booking.table.take_up(replay, records)
        booking.is_running = booking.is_taken_up = True
        booking.stage = Stage.SHUFFLED
        booking.absent = replay.absent
        self.bookings[booking.number] = booking
        self.guests.hold(booking)
        self.on_started(booking)
        ease(booking, -1, now)
        self._look_after(booking)
        for entrant, guest in self.guests.present(booking):
            self._seat(booking, entrant, guest, None)
        self._note_presence(booking, now, now)

    def _note_presence(self, booking: Booking, at: int, now: int) -> None:
        """Tell a table who is there and who is not."""
        for entrant, key in enumerate(booking.keys):
            conduct = booking.table.referee.conducts[entrant]
            is_there = key in self.guests.by_key
            if conduct.gone or is_there is (conduct.lost_from is None):
                continue
            self.enter(booking, booking.table.back if is_there else booking.table.lost, at, now, entrant)

    def _seat(self, booking: Booking, entrant: int, guest: Guest, after: int | None) -> None:
        guest.assign(booking.number, entrant)
        booking.room.admit(booking.table.referee, entrant, guest, after)

    def _book(self, terms: Terms, keys: tuple[GuestKey, ...], laid: LaidDeal) -> Booking:
        outside, number, secret = self._furnishing, laid.number, laid.secret
        room = outside.room(number, terms, secret.entrant_seeds())
        deal = MatchDeal(secret, terms.game_count, outside.background)
        see = self._see(keys, number)
        table = Table(number, laid.match_id, terms, outside.journal, deal, room, outside.keeps_records, see)
        table.deal = deal
        return Booking(number, laid.match_id, terms, keys, room, table, outside.sources.wall_clock(), deal, laid)

    def _see(self, keys: tuple[GuestKey, ...], number: int) -> See | None:
        witness = self._furnishing.witness
        if witness is None:
            return None
        return lambda entrant, since, until: witness.see(keys[entrant], number, since, until)

    def _start(self, booking: Booking, at: int, now: int) -> None:
        """Seat everybody and begin."""
        booking.is_running = True
        for entrant, guest in self.guests.present(booking):
            if entrant not in booking.absent:
                self._seat(booking, entrant, guest, 0)
        self.on_started(booking)
        self.enter(booking, booking.table.begin, at, now, booking.absent)
        self._note_presence(booking, at, now)

    def _act(self, booking: Booking, due: int, now: int) -> None:
        if booking.is_running:
            booking.table.tick(due, now)
            if booking.table.referee.ended is not None:
                self._finish(booking)
        else:
            self.lobby.tick(booking, due, now)

    def _look_after(self, booking: Booking) -> None:
        """See to the end of a match, or to what is due next."""
        referee = booking.table.referee
        if referee.ended is not None:
            self._finish(booking)
        else:
            self.timers.set(booking.number, referee.due if booking.is_running else booking.due)

    def _finish(self, booking: Booking) -> None:
        booking.is_over = True
        del self.bookings[booking.number]
        self.guests.let_all_go(booking)
        for entrant, guest in self.guests.present(booking):
            booking.room.dismiss(entrant, guest)
        booking.room.close()
        self.on_ended(booking)
