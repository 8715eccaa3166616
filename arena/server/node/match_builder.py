"""Builds hosted matches, new ones and those that another node has begun."""

from collections.abc import Callable, Sequence

from arena.match.feed.match_feed import MatchFeed
from arena.match.referee.deal import MatchDeal, ReceiptIssuer, prepare_deal
from arena.match.referee.interrupted_match import rebase_records
from arena.match.referee.match_offer import MatchOffer, write_offer
from arena.match.referee.ports import BackgroundRunner, Journal
from arena.match.referee.replay import Replay
from arena.match.referee.scalars import Instant, SessionKey
from arena.match.referee.strike_record import ConditionsSource
from arena.match.referee.table import Table
from arena.match.referee.terms import Terms, describe_terms
from arena.server.node.deals import AssignedDeal, DealFactory, Sources
from arena.server.node.hosted_match import HostedMatch, MatchStage
from arena.server.node.limits import Limits
from arena.server.node.time_credits import MatchCredits

BuildFeed = Callable[[int, Terms, Sequence[bytes]], MatchFeed]
"""Builds the feed of a match from its number, its terms and each entrant's seed."""


class MatchBuilder:
    """Holds what the matches of a node are made with."""

    def __init__(
        self,
        journal: Journal,
        build_feed: BuildFeed,
        sources: Sources,
        limits: Limits,
        background: BackgroundRunner,
        conditions: ConditionsSource,
    ) -> None:
        """`conditions` observes the conditions of a session when it gets a strike."""
        self.limits = limits
        self.background = background
        self.signer = sources.signer
        self.deal_factory = DealFactory(journal, sources)
        self._journal = journal
        self._build_feed = build_feed
        self._wall_clock = sources.wall_clock
        self._conditions = conditions

    def build(self, terms: Terms, keys: tuple[SessionKey, ...], assigned: AssignedDeal) -> HostedMatch:
        """The seats of the match are not offered yet."""
        return self._build(terms, keys, assigned)[0]

    def restore(
        self,
        terms: Terms,
        keys: tuple[SessionKey, ...],
        assigned: AssignedDeal,
        records: Sequence[bytes],
        now: Instant,
    ) -> HostedMatch:
        """Return a running match that another node has begun.

        Open prompts keep their ids and get their full time again. Raises JournalError for invalid records.
        """
        hosted, table = self._build(terms, keys, assigned)
        rebased = rebase_records(records, hosted.number, now)
        replay = Replay(rebased, {terms.game.name: terms.game})
        begin = replay.begin
        issuer = None if self.signer is None else ReceiptIssuer(self.signer, begin.match_id, begin.terms)
        hosted.deal.load(prepare_deal(assigned.secret, begin.contributions, terms, issuer))
        table.resume(replay, rebased, hosted.feed.restore)
        hosted.is_resumed = True
        hosted.enter(MatchStage.RUNNING)
        hosted.absent = begin.absent
        return hosted

    def journal_offer(self, hosted: HostedMatch, now: Instant) -> None:
        """Record who plays, if a later server is to take up the matches that this one leaves unfinished."""
        if self.limits.leaves_matches and not hosted.deal.secret.is_shared:
            terms = describe_terms(hosted.terms)
            offer = MatchOffer(hosted.match_id, terms, hosted.keys, hosted.created_at, bool(hosted.required))
            self._journal.append(write_offer(hosted.number, now, offer))

    def _build(self, terms: Terms, keys: tuple[SessionKey, ...], assigned: AssignedDeal) -> tuple[HostedMatch, Table]:
        number, match_id, secret, conditions = assigned.number, assigned.match_id, assigned.secret, self._conditions
        feed = self._build_feed(number, terms, secret.entrant_seeds())
        deal = MatchDeal(secret, terms.game_count, self.background)
        table = Table(
            number,
            match_id,
            terms,
            self._journal,
            deal,
            feed,
            self.limits.keeps_records,
            lambda entrant, since, until: conditions.observe_conditions(keys[entrant], number, since, until),
        )
        created_at, credited = self._wall_clock(), MatchCredits(table)
        return HostedMatch(number, match_id, terms, keys, feed, table, credited, created_at, deal, assigned), table
