"""Brings matches to their start: offers the seats, collects entropy from bots and shuffles the cards.

`match_stage` draws the stages. The offer, and the request for entropy, end when every bot has answered or at the
deadline; the shuffle ends when the deck is ready.
"""

from collections.abc import Callable
from functools import partial

from arena.match.referee.deal import PreparedDeal, has_long_deck, prepare_deal, receipt_issuer, signs_elsewhere
from arena.match.referee.pace import US_PER_MS
from arena.match.referee.scalars import EntrantIndex, Instant
from arena.server.node.hosted_match import HostedMatch, MatchStage
from arena.server.node.match_builder import MatchBuilder
from arena.server.node.session import Session
from arena.server.node.session_registry import SessionRegistry
from arena.server.node.timers import Timers

OFFER_TIMEOUT_US = 10_000_000
"""How long an offer is valid, in microseconds."""


class Lobby:
    def __init__(
        self,
        builder: MatchBuilder,
        sessions: SessionRegistry,
        timers: Timers,
        start: Callable[[HostedMatch, Instant, Instant], None],
        withdraw: Callable[[HostedMatch, Instant, Instant], None],
    ) -> None:
        """`start` is called with a match that is ready to begin, and with `at` and `now`.

        `withdraw` is called in the same way with a match that does not begin because a required entrant is missing.
        """
        self._withdraw = withdraw
        self._signer = builder.signer
        self._background = builder.background
        self._ready_deals = builder.deal_factory.ready_deals
        self._sessions = sessions
        self._timers = timers
        self._start = start

    def send_offers(self, hosted: HostedMatch, now: Instant) -> None:
        """Offer the seats of a match; a disconnected session gets its offer when it reconnects."""
        hosted.enter(MatchStage.OFFERED)
        hosted.offer_until = Instant(now + OFFER_TIMEOUT_US)
        for entrant, session in self._sessions.connected_entrants(hosted):
            session.offer_seat(hosted.number, hosted.terms, entrant, hosted.offer_until)
        self._timers.schedule(hosted.number, hosted.due)

    def answer_offer(
        self,
        session: Session,
        number: int,
        entrant: EntrantIndex,
        accept: bool,
        at: Instant,
        now: Instant,
        promise: bytes = b"",
    ) -> None:
        """Accept or decline a seat for a session. An answer to a closed offer is ignored.

        `promise` is the hash of the entropy that the bot will contribute; empty if it will contribute none. Raises
        ValueError for any other bytes.
        """
        hosted = self._sessions.find_in_stage(session.key, number, entrant, MatchStage.OFFERED)
        if hosted is None or entrant in hosted.answers:
            return
        if accept and hosted.deal.secret.takes_entropy:
            hosted.entropy.promise(entrant, promise)
        hosted.answers[entrant] = accept
        self._close_if_answered(hosted, at, now)

    def accept_entropy(
        self, session: Session, number: int, entrant: EntrantIndex, entropy: bytes, at: Instant, now: Instant
    ) -> None:
        """Late, repeated or unrequested entropy is ignored."""
        hosted = self._sessions.find_in_stage(session.key, number, entrant, MatchStage.ENTROPY)
        if hosted is not None and hosted.entropy.accept(entrant, entropy) and hosted.entropy.is_complete:
            self._shuffle_and_start(hosted, at, now)

    def resend_requests(self, session: Session, hosted: HostedMatch, entrant: EntrantIndex, at: Instant) -> None:
        """Send a connecting session the requests that it has not answered."""
        if hosted.entropy.is_awaited_from(entrant):
            session.ask_entropy(hosted.number, entrant, hosted.entropy.until or at)
        elif entrant not in hosted.answers:
            session.offer_seat(hosted.number, hosted.terms, entrant, hosted.offer_until)

    def leave_seat(self, hosted: HostedMatch, entrant: EntrantIndex, at: Instant, now: Instant) -> None:
        """Give up a seat, whether or not its session has accepted it."""
        if hosted.stage is MatchStage.OFFERED:
            hosted.answers[entrant] = False
            self._close_if_answered(hosted, at, now)
        else:
            hosted.absent = (*hosted.absent, entrant)
            self._sessions.release_seat(hosted, entrant)

    def cancel(self, hosted: HostedMatch) -> None:
        """Tell every connected session that the match will not be played."""
        for entrant, session in self._sessions.connected_entrants(hosted):
            session.close_offer(hosted.number, entrant, "match_cancelled")

    def credit(self, hosted: HostedMatch, us: int) -> None:
        """Extend the deadlines by `us` microseconds, the time that the node has lost."""
        hosted.offer_until = Instant(hosted.offer_until + us)
        if hosted.entropy.until is not None:
            hosted.entropy.until = Instant(hosted.entropy.until + us)

    def credit_disk_wait(self, hosted: HostedMatch, since: Instant, now: Instant) -> None:
        """Extend the deadline for entropy, once, if the request came after `since` and so could not be sent before."""
        entropy = hosted.entropy
        if hosted.stage is not MatchStage.ENTROPY or entropy.until is None or entropy.is_credited:
            return
        length_us = _entropy_us(hosted)
        if entropy.until - length_us > since:
            entropy.is_credited = True
            entropy.until = Instant(now + length_us)

    def tick(self, hosted: HostedMatch, at: Instant, now: Instant) -> None:
        """Advance a match if the deadline of its stage has passed, or if its long deck is ready."""
        steps = {
            MatchStage.OFFERED: self._close_offers,
            MatchStage.ENTROPY: self._shuffle_and_start,
            MatchStage.SHUFFLED: self._start,
        }
        steps[hosted.stage](hosted, at, now)

    # ---- from stage to stage

    def _close_if_answered(self, hosted: HostedMatch, at: Instant, now: Instant) -> None:
        if len(hosted.answers) == len(hosted.keys):
            self._close_offers(hosted, at, now)

    def _close_offers(self, hosted: HostedMatch, at: Instant, now: Instant) -> None:
        """Close the offers after all answers or the deadline, then ask for promised entropy or start.

        Entrants that did not accept forfeit. If the match requires one of them, it is withdrawn.
        """
        hosted.absent = tuple(e for e in hosted.terms.entrant_indices if not hosted.answers.get(e, False))
        if not hosted.required.isdisjoint(hosted.absent):
            self._withdraw(hosted, at, now)
            return
        for entrant in hosted.absent:
            session = self._sessions.by_key.get(hosted.keys[entrant])
            self._sessions.release_seat(hosted, entrant)
            if session is not None and entrant not in hosted.answers:
                session.close_offer(hosted.number, entrant, "offer_expired")
        if not hosted.entropy.promises:
            self._shuffle_and_start(hosted, at, now)
            return
        hosted.enter(MatchStage.ENTROPY)
        hosted.entropy.until = until = Instant(now + _entropy_us(hosted))
        for entrant in hosted.entropy.promises:
            if (session := self._sessions.by_key.get(hosted.keys[entrant])) is not None:
                session.ask_entropy(hosted.number, entrant, until)
        self._timers.schedule(hosted.number, hosted.due)

    def _shuffle_and_start(self, hosted: HostedMatch, at: Instant, now: Instant) -> None:
        """A long deck is shuffled in the background, as is a deal signed elsewhere; a tick then starts the match."""
        hosted.enter(MatchStage.SHUFFLED)
        contributions = hosted.entropy.contributions()
        self._ready_deals.has_contributions = bool(contributions)
        secret, issuer = hosted.deal.secret, receipt_issuer(self._signer, hosted.match_id, hosted.terms)
        work = partial(prepare_deal, secret, contributions, hosted.terms, issuer)
        is_signed_elsewhere = signs_elsewhere(self._signer) and not secret.is_shared
        if is_signed_elsewhere or has_long_deck(hosted.terms):
            hosted.shuffled_from = at
            self._background(work, partial(self._on_deck_ready, hosted))
        else:
            ahead = None if contributions else hosted.assigned_deal.prepared
            if ahead is not None and issuer is not None:
                ahead = issuer.issue(secret, ahead)  # the deal was prepared for the terms of an earlier match
            hosted.deal.load(ahead or work())
            self._start(hosted, at, now)

    def _on_deck_ready(self, hosted: HostedMatch, prepared: PreparedDeal) -> None:
        """The next tick starts the match; it does nothing if the match has ended meanwhile."""
        hosted.deal.load(prepared)
        self._timers.schedule(hosted.number, hosted.due)


def _entropy_us(hosted: HostedMatch) -> int:
    """Return how long bots have to send the entropy that they promised: the time of a turn."""
    return hosted.terms.pace.turn_ms * US_PER_MS
