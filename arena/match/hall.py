"""All matches of a node, from their making to their end: who has come and gone, what has arrived, whose table is due.

Synchronous; the node's loop calls it with the arrival stamp and the present time, in microseconds on the node's clock.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from arena.errors import CapacityError, OptionError
from arena.match.booking import Booking, Guest
from arena.match.deal import MatchDeal
from arena.match.furnishing import Furnishing
from arena.match.guests import Guests
from arena.match.lobby import Lobby
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
                guest.assign(booking.number, entrant)
                after = positions.get((booking.number, entrant))
                booking.room.admit(booking.table.referee, entrant, guest, after)
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
        if self.is_closing:
            raise ClosingError("the server is about to stop and takes no new matches")
        count = len(self.bookings) + len(self._reserved)
        if count >= self._furnishing.max_matches:
            raise CapacityError(f"the server plays {count} matches already, its limit")
        guests = self.guests.wanted_by(terms.check())
        if seed and terms.rated:
            raise ChosenCardsError
        booking = self._book(terms, guests, self.supply.take(terms, now, seed))
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

    def close(self, now: int, termination: str = "interrupted") -> None:
        """End all matches: the node stops."""
        self.is_closing = True
        for number in list(self.bookings):
            self.cancel(number, now, now, termination)

    # ---- inside

    def _book(self, terms: Terms, guests: Sequence[Guest], laid: LaidDeal) -> Booking:
        outside, number, secret = self._furnishing, laid.number, laid.secret
        room = outside.room(number, terms, laid.seeds)
        deal = MatchDeal(secret, terms.game_count, outside.background)
        table = Table(number, laid.match_id, terms, outside.journal, deal, room, outside.keeps_records)
        table.deal = deal
        keys, made_at = tuple(guest.key for guest in guests), outside.sources.wall_clock()
        return Booking(number, laid.match_id, terms, keys, room, table, made_at, deal, laid)

    def _start(self, booking: Booking, at: int, now: int) -> None:
        """Seat everybody and begin."""
        booking.is_running = True
        for entrant, guest in self.guests.present(booking):
            if entrant not in booking.absent:
                guest.assign(booking.number, entrant)
                booking.room.admit(booking.table.referee, entrant, guest, 0)
        self.on_started(booking)
        self.enter(booking, booking.table.begin, at, now, booking.absent)
        for entrant, key in enumerate(booking.keys):
            if key not in self.guests.by_key and entrant not in booking.absent and not booking.is_over:
                self.enter(booking, booking.table.lost, at, now, entrant)

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
