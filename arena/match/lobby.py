"""Matches before they run: seats are offered, bots add to the luck, the cards are shuffled.

    OFFERED ──▶ ENTROPY, if anybody has promised some ──▶ SHUFFLED ──▶ start

The first two end when everybody has answered or their time is over, the last when the deck is ready.
"""

from collections.abc import Callable
from functools import partial

from arena.match.booking import Booking, Guest, Stage
from arena.match.deal import Prepared, is_long, prepare
from arena.match.furnishing import Furnishing
from arena.match.guests import Guests
from arena.match.pace import MS
from arena.match.shoe import Shoe
from arena.match.timers import Timers

OFFER_US = 10_000_000
"""How long an offer stands."""


class Lobby:
    """Brings matches from the offer of their seats to their start."""

    def __init__(
        self,
        furnishing: Furnishing,
        shoe: Shoe,
        guests: Guests,
        timers: Timers,
        start: Callable[[Booking, int, int], None],
    ) -> None:
        """`start` is called for a match that is ready, with `at` and `now`."""
        self._signer = furnishing.sources.signer
        self._background = furnishing.background
        self._shoe = shoe
        self._guests = guests
        self._timers = timers
        self._start = start

    def open(self, booking: Booking, now: int) -> None:
        """Offer the seats of a match; whoever is away is offered its seat when it is back."""
        booking.stage = Stage.OFFERED
        booking.offer_until = now + OFFER_US
        for entrant, guest in self._guests.present(booking):
            guest.offer(booking, entrant, booking.offer_until)
        self._timers.set(booking.number, booking.due)

    def answer(
        self, guest: Guest, number: int, entrant: int, accept: bool, at: int, now: int, promise: bytes = b""
    ) -> None:
        """A guest accepts or declines a seat; an answer to an offer that is gone changes nothing.

        `promise`: the hash of what it will add to the luck. Raises ValueError where that is no hash.
        """
        booking = self._guests.waiting(guest.key, number, entrant, Stage.OFFERED)
        if booking is None or entrant in booking.answers:
            return
        if accept and booking.deal.secret.takes_entropy:
            booking.entropy.promise(entrant, promise)
        booking.answers[entrant] = accept
        if len(booking.answers) == len(booking.keys):
            self._close_offers(booking, at, now)

    def tell_entropy(self, guest: Guest, number: int, entrant: int, entropy: bytes, at: int, now: int) -> None:
        """A guest tells the entropy that it has promised; what comes late, twice or unasked changes nothing."""
        booking = self._guests.waiting(guest.key, number, entrant, Stage.ENTROPY)
        if booking is not None and booking.entropy.tell(entrant, entropy) and booking.entropy.is_complete:
            self._shuffle(booking, at, now)

    def arrive(self, guest: Guest, booking: Booking, entrant: int, at: int) -> None:
        """A guest has come, maybe again: ask it what it has not answered."""
        if booking.entropy.is_wanted_of(entrant):
            guest.ask_entropy(booking, entrant, booking.entropy.until or at)
        elif entrant not in booking.answers:
            guest.offer(booking, entrant, booking.offer_until)

    def leave(self, guest: Guest, booking: Booking, entrant: int, at: int, now: int) -> None:
        """A guest gives up its seat, which it may have accepted before."""
        if booking.stage is Stage.OFFERED:
            booking.answers.pop(entrant, None)
            self.answer(guest, booking.number, entrant, accept=False, at=at, now=now)
        else:
            booking.absent = (*booking.absent, entrant)
            self._guests.let_go(booking, entrant)

    def cancel(self, booking: Booking) -> None:
        """Tell everybody that the match will not be played."""
        for entrant, guest in self._guests.present(booking):
            guest.close_offer(booking, entrant, "match_cancelled")

    def credit(self, booking: Booking, us: int) -> None:
        """The node stood still for so long: there is more time to answer."""
        booking.offer_until += us
        if booking.entropy.until is not None:
            booking.entropy.until += us

    def tick(self, booking: Booking, at: int, now: int) -> None:
        """The time of a stage is over, or a long deck is ready."""
        steps = {Stage.OFFERED: self._close_offers, Stage.ENTROPY: self._shuffle, Stage.SHUFFLED: self._start}
        steps[booking.stage](booking, at, now)

    # ---- from stage to stage

    def _close_offers(self, booking: Booking, at: int, now: int) -> None:
        """Everybody has answered, or the time for it is over: who did not accept forfeits."""
        booking.absent = tuple(e for e in range(len(booking.keys)) if not booking.answers.get(e, False))
        for entrant in booking.absent:
            guest = self._guests.by_key.get(booking.keys[entrant])
            self._guests.let_go(booking, entrant)
            if guest is not None and entrant not in booking.answers:
                guest.close_offer(booking, entrant, "offer_expired")
        if booking.entropy.promises:
            self._ask_entropy(booking, now)
        else:
            self._shuffle(booking, at, now)

    def _ask_entropy(self, booking: Booking, now: int) -> None:
        """Ask whoever promised entropy for it; they have as long as for a turn."""
        booking.stage = Stage.ENTROPY
        booking.entropy.until = until = now + booking.terms.pace.turn_ms * MS
        for entrant in booking.entropy.promises:
            if (guest := self._guests.by_key.get(booking.keys[entrant])) is not None:
                guest.ask_entropy(booking, entrant, until)
        self._timers.set(booking.number, booking.due)

    def _shuffle(self, booking: Booking, at: int, now: int) -> None:
        """Make the deal ready, elsewhere if it takes long, and start."""
        booking.stage = Stage.SHUFFLED
        contributions = booking.entropy.contributions()
        self._shoe.is_added_to = bool(contributions)
        work = partial(prepare, booking.deal.secret, contributions, booking.terms, self._signer)
        if is_long(booking.terms):
            booking.shuffled_from = at
            self._background(work, partial(self._go_on, booking))
        else:
            booking.deal.open((None if contributions else booking.laid.prepared) or work())
            self._start(booking, at, now)

    def _go_on(self, booking: Booking, prepared: Prepared) -> None:
        """A long deck is ready: its match is due, unless it is over by now."""
        booking.deal.open(prepared)
        self._timers.set(booking.number, booking.due)
