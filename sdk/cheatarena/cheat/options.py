"""The legal options of a turn, as the server states them, and ready-made choices from them."""

import random
from collections.abc import Iterable

from cheatarena.cheat.cards import CARDS, JOKER, Card, Hand, Rank
from cheatarena.cheat.decisions import Move, Pass, Play
from cheatarena.cheat.legal import LegalTurn
from cheatarena.cheat.table import Table
from cheatarena.v1 import cheat_pb2


class TurnOptions:
    """The legal answers to one turn.

    Choices that may not exist return None, so that they can be chained:
    ``options.largest_honest() or options.pass_() or options.smallest_lie()``.
    """

    __slots__ = ("_legal", "_table")

    def __init__(self, turn: LegalTurn | cheat_pb2.CheatTurn, table: Table) -> None:
        self._legal = turn if isinstance(turn, LegalTurn) else LegalTurn(turn)
        self._table = table

    @property
    def ranks(self) -> tuple[Rank, ...]:
        """The ranks that may be claimed, ascending."""
        return self._legal.ranks

    @property
    def counts(self) -> tuple[int, ...]:
        """The numbers that may be claimed, ascending, without zero. If `laid` is None, the same number is laid."""
        return self._legal.counts

    @property
    def zero(self) -> bool:
        """Whether a play of no cards is legal."""
        return self._legal.zero

    @property
    def laid(self) -> range | None:
        """With `count_lies`: numbers of cards that may be laid under any claim but zero. None: the claimed number."""
        return self._legal.laid

    @property
    def face_up(self) -> bool:
        """Whether the cards will be face up. Then only true plays are legal, and all choices here are true.

        Jokers count as the rank of a card beside them; alone they may only be laid from a hand of jokers.
        """
        return self._legal.face_up

    @property
    def can_pass(self) -> bool:
        """Whether a pass is legal."""
        return self._legal.can_pass

    @property
    def can_call(self) -> bool:
        """Whether the last move may be called instead, by the answer Call."""
        return self._legal.can_call

    @property
    def can_believe(self) -> bool:
        """Whether the last move may be believed instead, by the answer Believe."""
        return self._legal.can_believe

    @property
    def starts_trick(self) -> bool:
        """Whether the move starts a trick."""
        return self._legal.opens

    @property
    def hand(self) -> Hand:
        """This bot's cards."""
        return self._table.hand

    def allows(self, count: int) -> bool:
        """Return whether this number of cards may be claimed."""
        if not count:
            return self.zero
        return any(first <= count <= last for first, last in self._legal.ranges)

    def honest_plays(self) -> list[Play]:
        """Return a true play for each legal rank and number except zero; natural cards first, then jokers.

        Plays that only differ in suits or in the use of jokers are left out, as the others cannot tell them apart.
        """
        counts = self.counts
        plays = []
        for rank in self.ranks:
            fitting = self._fitting_cards(rank)
            plays += [Play(fitting[:count], rank) for count in counts if count <= len(fitting)]
        return plays

    def largest_honest(self, *, jokers: bool = True) -> Play | None:
        """Return the true play with the most cards, or None if there is none with at least one card.

        Ties go to the fewest jokers, then the lowest rank. With ``jokers=False`` jokers stay in the hand.
        """
        hand = self.hand
        wild = hand.jokers if jokers else 0
        needs_natural = self._legal.face_up and len(hand) > hand.jokers
        best_count, best_natural, best_rank = 0, 0, Rank.ACE
        for rank in self._legal.ranks:
            natural = hand.count(rank)
            most = natural + wild if natural or not needs_natural else 0
            if most > best_count or (most == best_count and natural > best_natural):
                count = self._largest_count(most)
                natural = min(natural, count)
                if (count, natural) > (best_count, best_natural):
                    best_count, best_natural, best_rank = count, natural, rank
        return Play(self._fitting_cards(best_rank)[:best_count], best_rank) if best_count else None

    def smallest_lie(self) -> Move:
        """Return a lie with as few cards as possible that is hard to detect and cheap.

        It claims the rank of which the hand has most, as the others cannot have many; it lays single cards first and
        jokers last, and the claimed number of cards if allowed. It may be true if the hand leaves no choice; if cards
        are face up, it is the smallest true play; if no card may be laid, it is the play of no cards, or else a pass.
        """
        counts = self.counts
        if not counts:
            return self.zero_play() or Pass()
        if self.face_up:
            return min(self.honest_plays(), key=lambda play: len(play.cards))
        hand = self.hand
        rank = max(self.ranks, key=lambda each: (hand.count(each), -each))
        return self._make_play(
            sorted(self._least_useful_first(rank)[: self._nearest_laid_count(counts[0])]), rank, counts[0]
        )

    def plays_of(self, cards: Iterable[int]) -> list[Play]:
        """Return the legal plays of exactly these cards: one for each rank and number that may be claimed."""
        laid = tuple(CARDS[card] for card in cards)
        claims = self._claimable_counts(len(laid))
        ranks = [rank for rank in self.ranks if not self.face_up or self._may_lie_open(laid, rank)]
        return [self._make_play(laid, rank, count) for rank in ranks for count in claims]

    def zero_play(self, rank: Rank | None = None) -> Play | None:
        """Return the play of no cards, claiming ``rank`` or the lowest legal one; None if it is illegal."""
        if not self.zero or not self._legal.ranks:
            return None
        return Play((), self._legal.ranks[0] if rank is None else rank)

    def random_play(self, rng: random.Random) -> Move:
        """Return a legal play with random number, cards and rank; a pass if no play is legal."""
        if self.face_up:
            return rng.choice(self.honest_plays())
        counts = (*self.counts, 0) if self.zero else self.counts
        if not counts:
            return Pass()
        count = rng.choice(counts)
        laid = rng.sample(tuple(self.hand), rng.choice(self.laid) if count and self.laid else count)
        return self._make_play(sorted(laid), rng.choice(self._legal.ranks), count)

    def pass_(self) -> Pass | None:
        """Return a pass, or None if it is illegal."""
        return Pass() if self.can_pass else None

    def _fitting_cards(self, rank: int) -> tuple[Card, ...]:
        """Return the cards for a true claim of ``rank``, jokers last; empty if jokers may not be laid alone."""
        hand = self.hand
        natural, jokers = hand.of(rank), (CARDS[JOKER],) * hand.jokers
        if self._legal.face_up and not natural and len(jokers) < len(hand):
            return ()
        return natural + jokers

    def _largest_count(self, most: int) -> int:
        """Return the largest legal number up to ``most``; 0 if there is none."""
        largest = 0
        for first, last in self._legal.ranges:
            if first <= most:
                largest = min(last, most)
        return largest

    def _nearest_laid_count(self, count: int) -> int:
        """Return the legal number of cards to lay that is nearest to the claimed one."""
        laid = self.laid
        return min(max(count, laid[0]), laid[-1]) if laid else count

    def _may_lie_open(self, laid: tuple[Card, ...], rank: Rank) -> bool:
        """Return whether the cards are a true set that may be laid face up."""
        has_natural = not all(card.is_joker for card in laid)
        return all(card.fits(rank) for card in laid) and (has_natural or self.hand.jokers == len(self.hand))

    def _claimable_counts(self, laid: int) -> tuple[int, ...]:
        """Return the numbers that may be claimed when this many cards are laid."""
        if self.laid is None or not laid:
            return (laid,) if self.allows(laid) else ()
        return self.counts if laid in self.laid else ()

    @staticmethod
    def _make_play(laid: Iterable[Card], rank: Rank, count: int) -> Play:
        """Return a play that states its count only if it differs from the number of cards."""
        cards = tuple(laid)
        return Play(cards, rank, count=None if count == len(cards) else count)

    def _least_useful_first(self, claimed: int) -> list[Card]:
        """Return the hand, least useful first: single cards, larger sets, the claimed rank, then jokers."""
        hand = self.hand
        return sorted(hand, key=lambda card: (card == JOKER, card >> 2 == claimed, hand.count(card >> 2), card))
