"""The legal options of a turn, as the server states them, and ready-made answers."""

import random
from collections.abc import Iterable

from cheatarena.cheat.cards import CARDS, JOKER, Card, Hand, Rank
from cheatarena.cheat.decisions import Believe, Call, Move, Pass, Play
from cheatarena.cheat.legal import LegalTurn
from cheatarena.cheat.legal_text import describe_plays, explain_illegal_play, may_lie_open
from cheatarena.cheat.lies import find_plausible_lies, least_useful_first
from cheatarena.cheat.reading import read_play, read_word
from cheatarena.cheat.table import Table
from cheatarena.errors import NotationError


class TurnOptions:
    """The legal answers to one turn.

    Some methods return None if no play of their kind is legal. So calls of these methods can be chained:
    ``options.largest_honest() or options.pass_() or options.smallest_lie()``.
    """

    __slots__ = ("_legal", "_table")

    def __init__(self, legal: LegalTurn, table: Table) -> None:
        self._legal = legal
        self._table = table

    @property
    def ranks(self) -> tuple[Rank, ...]:
        """The ranks that may be claimed, ascending."""
        return self._legal.ranks

    @property
    def counts(self) -> tuple[int, ...]:
        """The numbers of cards that may be claimed, ascending, without zero."""
        return self._legal.counts

    @property
    def zero(self) -> bool:
        """Whether a play of no cards is legal."""
        return self._legal.zero

    @property
    def laid(self) -> range | None:
        """The numbers of cards that may be laid with a claim other than zero, if the ruleset has `count_lies`.

        If this is None, a play must lay exactly as many cards as it claims.
        """
        return self._legal.laid

    @property
    def face_up(self) -> bool:
        """Whether the cards of this move will lie face up. If so, only true plays are legal.

        The methods of this class then return only true plays. A joker counts as the rank of the cards laid with it.
        Jokers alone may be laid only if the hand has no other cards.
        """
        return self._legal.face_up

    @property
    def can_pass(self) -> bool:
        """Whether a pass is legal."""
        return self._legal.can_pass

    @property
    def can_call(self) -> bool:
        """Whether this turn may be used to call the last move, with the answer Call."""
        return self._legal.can_call

    @property
    def can_believe(self) -> bool:
        """Whether this turn may be used to believe the last move, with the answer Believe."""
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
        return self._legal.allows(count)

    def honest_plays(self) -> list[Play]:
        """Return one true play for each combination of legal rank and legal number above zero that the hand allows.

        Each play uses natural cards before jokers. Other choices of suits or jokers are left out, because opponents
        cannot tell them apart.
        """
        counts = self.counts
        plays = []
        for rank in self.ranks:
            fitting = self._fitting_cards(rank)
            plays += [Play(fitting[:count], rank) for count in counts if count <= len(fitting)]
        return plays

    def largest_honest(self, *, jokers: bool = True) -> Play | None:
        """Return the true play with the most cards, or None if no true play has at least one card.

        Ties go to the play with the fewest jokers, then to the lowest rank. With ``jokers=False``, jokers stay in the
        hand.
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
        """Return a lie with as few cards as possible. Such a lie is hard to detect and keeps the useful cards.

        The lie claims the most frequent rank of the hand, because the other seats cannot have many cards of this
        rank. It lays as many cards as it claims, if that is legal: single cards first, jokers last. In some cases the
        result is not a lie:

        * If the hand leaves no choice, the claim may be true.
        * If cards must lie face up, the result is the smallest true play.
        * If no card may be laid, the result is the play of no cards or a pass.
        """
        counts = self.counts
        if not counts:
            return self.zero_play() or Pass()
        if self.face_up:
            return min(self.honest_plays(), key=lambda play: len(play.cards))
        hand, laid, count = self.hand, self.laid, counts[0]
        rank = max(self.ranks, key=lambda each: (hand.count(each), -each))
        useless_first = least_useful_first(hand, rank)
        size = min(max(count, laid[0]), laid[-1]) if laid else count
        return self._make_play(sorted(useless_first[:size]), rank, count)

    def plays_of(self, cards: Iterable[int]) -> list[Play]:
        """Return the legal plays of exactly these cards: one for each rank and number that may be claimed."""
        laid = tuple(CARDS[card] for card in cards)
        if self.laid is None or not laid:
            counts: tuple[int, ...] = (len(laid),) if self.allows(len(laid)) else ()
        else:
            counts = self.counts if len(laid) in self.laid else ()
        ranks = [rank for rank in self.ranks if not self.face_up or may_lie_open(laid, rank, self.hand)]
        return [self._make_play(laid, rank, count) for rank in ranks for count in counts]

    def zero_play(self, rank: Rank | None = None) -> Play | None:
        """Return a play of no cards that claims ``rank``, or None if no such play is legal.

        By default, it claims the lowest legal rank.
        """
        if not self.zero or not self._legal.ranks:
            return None
        return Play((), self._legal.ranks[0] if rank is None else rank)

    def random_play(self, rng: random.Random) -> Move:
        """Return a play with a random legal number and rank and with random cards; a pass if no play is legal."""
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

    def plausible_lies(self, limit: int = 10) -> list[Play]:
        """Return lies worth considering, the most plausible first, at most ``limit``.

        There is one lie for each legal rank and each of the eight smallest legal numbers above zero. It lays the cards
        that are least useful: single cards first, then cards of larger sets, then cards of the claimed rank, jokers
        last. A lie is left out if, as far as this bot knows, another seat certainly holds enough cards of the rank
        to refute the claim. The more cards of the claimed rank this bot holds, and the fewer it claims, the
        more plausible a lie is. If cards must lie face up, there is no lie.
        """
        return find_plausible_lies(self._legal, self._table, limit)

    def describe(self) -> str:
        """Return one line that says what is legal, for a log, a debugger or a language model. `parse` reads the answer.

        A large set of ranks or numbers is shortened.
        """
        plays = describe_plays(self._legal)
        return ", or ".join([*([plays] if plays else []), *map(str, self._words())])

    def __str__(self) -> str:
        return self.describe()

    def parse(self, text: str) -> Move:
        """Return the action that a person or a language model wrote, if it is legal.

        It reads the text of every answer, such as ``7H 7S as 7``, ``4D as 2 x K`` and ``pass``, and also ``play 2 7H 7S
        as 7``, where 2 is the claimed number. Case makes no difference, ``10`` is ten, and commas may separate cards.
        ``parse(str(action))`` returns the same action, without its note.

        Raises NotationError if the text cannot be read or the action is illegal. The error says why, and what is legal.
        """
        try:
            play = read_play(text)
            if play is None:
                return read_word(text, self._words())
        except NotationError as error:
            reason = str(error) if "as" in text.lower().split() else f"{text!r} is not an action"
            raise NotationError(f"{reason}; legal: {self.describe()}") from error
        if reason := self.why_illegal(play):
            raise NotationError(f"{str(play)!r} is not legal: {reason}; legal: {self.describe()}")
        return play

    def why_illegal(self, play: Play) -> str:
        """Return why a play is illegal, and what is legal instead; an empty text if the play is legal."""
        return explain_illegal_play(play, self._legal, self.hand)

    def _words(self) -> list[Move]:
        """Return the legal answers that are no plays."""
        legal = self._legal
        answers = ((Pass(), legal.can_pass), (Call(), legal.can_call), (Believe(), legal.can_believe))
        return [answer for answer, is_legal in answers if is_legal]

    def _fitting_cards(self, rank: int) -> tuple[Card, ...]:
        """Return the cards that may be laid for a true claim of ``rank``, jokers last."""
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

    @staticmethod
    def _make_play(laid: Iterable[Card], rank: Rank, count: int) -> Play:
        """Return a play. Set its ``count`` only if the claimed number differs from the number of cards."""
        cards = tuple(laid)
        return Play(cards, rank, count=None if count == len(cards) else count)
