"""Matches before they run: seats are offered, bots add to the luck, the cards are shuffled.

    OFFERED ──▶ ENTROPY, if anybody has promised some ──▶ SHUFFLED ──▶ start

The first two end when everybody has answered or their time is over, the last when the deck is ready.
"""

from collections.abc import Callable
from functools import partial

from arena.match.deal import PreparedDeal, has_long_deck, prepare_deal
from arena.match.pace import US_PER_MS
from arena.match.scalars import EntrantIndex, Instant
from arena.node.hosted_match import BotSession, HostedMatch, LobbyStage
from arena.node.node_ports import NodePorts
from arena.node.ready_deals import ReadyDeals
from arena.node.session_registry import SessionRegistry
from arena.node.timers import Timers

OFFER_TIMEOUT_US = 10_000_000
"""How long an offer stands."""


class Lobby:
    """Brings matches from the offer of their seats to their start."""

    def __init__(
        self,
        furnishing: NodePorts,
        shoe: ReadyDeals,
        guests: SessionRegistry,
        timers: Timers,
        start: Callable[[HostedMatch, Instant, Instant], None],
    ) -> None:
        """`start` is called for a match that is ready, with `at` and `now`."""
        self._signer = furnishing.sources.signer
        self._background = furnishing.background
        self._ready_deals = shoe
        self._sessions = guests
        self._timers = timers
        self._start = start

    def send_offers(self, booking: HostedMatch, now: Instant) -> None:
        """Offer the seats of a match; whoever is away is offered its seat when it is back."""
        booking.stage = LobbyStage.OFFERED
        booking.offer_until = Instant(now + OFFER_TIMEOUT_US)
        for entrant, guest in self._sessions.connected_entrants(booking):
            guest.offer_seat(booking, entrant, booking.offer_until)
        self._timers.schedule(booking.number, booking.due)

    def answer_offer(
        self,
        guest: BotSession,
        number: int,
        entrant: EntrantIndex,
        accept: bool,
        at: Instant,
        now: Instant,
        promise: bytes = b"",
    ) -> None:
        """A guest accepts or declines a seat; an answer to an offer that is gone changes nothing.

        `promise`: the hash of what it will add to the luck. Raises ValueError where that is no hash.
        """
        booking = self._sessions.find_in_stage(guest.key, number, entrant, LobbyStage.OFFERED)
        if booking is None or entrant in booking.answers:
            return
        if accept and booking.deal.secret.takes_entropy:
            booking.entropy.promise(entrant, promise)
        booking.answers[entrant] = accept
        if len(booking.answers) == len(booking.keys):
            self._close_offers(booking, at, now)

    def accept_entropy(
        self, guest: BotSession, number: int, entrant: EntrantIndex, entropy: bytes, at: Instant, now: Instant
    ) -> None:
        """A guest tells the entropy that it has promised; what comes late, twice or unasked changes nothing."""
        booking = self._sessions.find_in_stage(guest.key, number, entrant, LobbyStage.ENTROPY)
        if booking is not None and booking.entropy.accept(entrant, entropy) and booking.entropy.is_complete:
            self._shuffle_and_start(booking, at, now)

    def resend_requests(self, guest: BotSession, booking: HostedMatch, entrant: EntrantIndex, at: Instant) -> None:
        """A guest has come, maybe again: ask it what it has not answered."""
        if booking.entropy.is_awaited_from(entrant):
            guest.ask_entropy(booking, entrant, booking.entropy.until or at)
        elif entrant not in booking.answers:
            guest.offer_seat(booking, entrant, booking.offer_until)

    def leave_seat(
        self, guest: BotSession, booking: HostedMatch, entrant: EntrantIndex, at: Instant, now: Instant
    ) -> None:
        """A guest gives up its seat, which it may have accepted before."""
        if booking.stage is LobbyStage.OFFERED:
            booking.answers.pop(entrant, None)
            self.answer_offer(guest, booking.number, entrant, accept=False, at=at, now=now)
        else:
            booking.absent = (*booking.absent, entrant)
            self._sessions.release_seat(booking, entrant)

    def cancel(self, booking: HostedMatch) -> None:
        """Tell everybody that the match will not be played."""
        for entrant, guest in self._sessions.connected_entrants(booking):
            guest.close_offer(booking, entrant, "match_cancelled")

    def credit(self, booking: HostedMatch, us: int) -> None:
        """The node stood still for so long: there is more time to answer."""
        booking.offer_until = Instant(booking.offer_until + us)
        if booking.entropy.until is not None:
            booking.entropy.until = Instant(booking.entropy.until + us)

    def tick(self, booking: HostedMatch, at: Instant, now: Instant) -> None:
        """The time of a stage is over, or a long deck is ready."""
        steps = {
            LobbyStage.OFFERED: self._close_offers,
            LobbyStage.ENTROPY: self._shuffle_and_start,
            LobbyStage.SHUFFLED: self._start,
        }
        steps[booking.stage](booking, at, now)

    # ---- from stage to stage

    def _close_offers(self, booking: HostedMatch, at: Instant, now: Instant) -> None:
        """Everybody has answered, or the time for it is over: who did not accept forfeits."""
        booking.absent = tuple(e for e in booking.terms.entrant_indices if not booking.answers.get(e, False))
        for entrant in booking.absent:
            guest = self._sessions.by_key.get(booking.keys[entrant])
            self._sessions.release_seat(booking, entrant)
            if guest is not None and entrant not in booking.answers:
                guest.close_offer(booking, entrant, "offer_expired")
        if booking.entropy.promises:
            self._ask_entropy(booking, now)
        else:
            self._shuffle_and_start(booking, at, now)

    def _ask_entropy(self, booking: HostedMatch, now: Instant) -> None:
        """Ask whoever promised entropy for it; they have as long as for a turn."""
        booking.stage = LobbyStage.ENTROPY
        booking.entropy.until = until = Instant(now + booking.terms.pace.turn_ms * US_PER_MS)
        for entrant in booking.entropy.promises:
            if (guest := self._sessions.by_key.get(booking.keys[entrant])) is not None:
                guest.ask_entropy(booking, entrant, until)
        self._timers.schedule(booking.number, booking.due)

    def _shuffle_and_start(self, booking: HostedMatch, at: Instant, now: Instant) -> None:
        """Make the deal ready, elsewhere if it takes long, and start."""
        booking.stage = LobbyStage.SHUFFLED
        contributions = booking.entropy.contributions()
        self._ready_deals.has_contributions = bool(contributions)
        work = partial(prepare_deal, booking.deal.secret, contributions, booking.terms, self._signer)
        if has_long_deck(booking.terms):
            booking.shuffled_from = at
            self._background(work, partial(self._on_deck_ready, booking))
        else:
            booking.deal.load((None if contributions else booking.assigned_deal.prepared) or work())
            self._start(booking, at, now)

    def _on_deck_ready(self, booking: HostedMatch, prepared: PreparedDeal) -> None:
        """A long deck is ready: its match is due, unless it is over by now."""
        booking.deal.load(prepared)
        self._timers.schedule(booking.number, booking.due)
