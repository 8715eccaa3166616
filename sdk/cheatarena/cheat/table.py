"""A bot's view of its match and its game of Cheat."""

from collections.abc import Mapping
from operator import index

from cheatarena.cheat.cards import CARDS, RANKS, Card, Hand, Rank
from cheatarena.cheat.claim import Claim
from cheatarena.cheat.dealing import Packet
from cheatarena.cheat.decisions import Believe, Call, Decline, Doubt
from cheatarena.cheat.describing import describe_cards, describe_claims
from cheatarena.cheat.inference import chance_of_holding, could_be_true
from cheatarena.cheat.reading import read_word
from cheatarena.cheat.ruleset import Ruleset
from cheatarena.cheat.state import CheatState
from cheatarena.clock import ServerClock
from cheatarena.game import Game
from cheatarena.match_table import MatchTable, describe_card_count


class Table(MatchTable):
    """A bot's view of its match.

    Seats are counted clockwise from 0. An entrant may change seats between games, but its index among the entrants
    stays the same.
    """

    _state: CheatState

    def __init__(self, game: Game, match: int, entrant: int, clock: ServerClock) -> None:
        super().__init__(game, match, entrant, clock)
        self.is_final_window = False
        """In a call window: whether the mover's win becomes final unless a seat calls."""
        self.can_believe = False
        """In a call window: whether Believe is a legal answer."""

    @property
    def ruleset(self) -> Ruleset:
        """All options of the ruleset."""
        ruleset: Ruleset = self.terms.ruleset
        return ruleset

    # ---- the game

    @property
    def hand(self) -> Hand:
        """This bot's cards. The object changes during the game."""
        return self._current_state.known.hand

    @property
    def hand_sizes(self) -> tuple[int | None, ...]:
        """Number of cards by seat. If the rules hide a number, it is None. An empty hand is never hidden."""
        return tuple(self._current_state.known.sizes)

    @property
    def pile_size(self) -> int | None:
        """Number of cards on the pile, including cards of seats that left; None if the rules hide the number.

        This counts the cards that were laid; `pile_claimed` counts the cards that were claimed.
        """
        return self._current_state.known.pile_size

    @property
    def pile_claimed(self) -> int:
        """Sum of the claimed numbers on the pile. Cards of seats that left are added if their number is known."""
        known = self._current_state.known
        return sum(claim.count for claim in known.pile) + sum(count or 0 for count in known.abandoned.values())

    @property
    def banished_size(self) -> int | None:
        """Number of cards that are out of the game; None if the rules hide sizes."""
        return self._current_state.known.banished_size if self.ruleset.sizes_visible else None

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The moves on the pile, bottom first."""
        return tuple(self._current_state.known.pile)

    @property
    def previous(self) -> Claim | None:
        """The claim that the next move must follow; None at the start of a trick.

        The claimed cards may have been taken.
        """
        return self._current_state.previous

    @property
    def required_rank(self) -> Rank | None:
        """The rank that the next move must claim, if `Ruleset.rotates`; otherwise None."""
        return RANKS[(self._current_state.last_rank + 1) % len(RANKS)] if self.ruleset.rotates else None

    @property
    def dealer(self) -> int | None:
        """The seat that deals this game; None until the deck is cut or the cards are dealt."""
        return self._current_state.dealer

    @property
    def packets(self) -> tuple[Packet, ...]:
        """The packets in the order of the cut. They exist from the cut until the cards are dealt."""
        return self._current_state.packets

    @property
    def last_claim(self) -> Claim | None:
        """The top move on the pile, whether or not it can still be called; None if there is no move on the pile."""
        return self._current_state.known.last_claim

    # ---- what this bot knows

    def is_impossible(self, claim: Claim) -> bool:
        """Return whether a claim on the pile cannot be true, whatever the unseen cards are.

        If the result is True, the claim is certainly false. The method considers:

        * this bot's cards
        * cards that calls have shown, and where they may be now
        * the sizes of all hands
        * the number of packs and jokers; a joker fits every claim
        * with `count_lies`: the number of cards laid, if it is known

        If the result is False, the claim may be true. With equal cards (jokers or several packs) or hidden sizes, the
        method may miss an impossible claim. The result is also False if the cards of the claim were taken and this bot
        does not know them.
        """
        return not could_be_true(claim, self._current_state.known, self.ruleset)

    def chance(self, claim: Claim) -> float:
        """Return the chance that the mover could tell the truth: that it had enough cards for a claim on the pile.

        This is the chance that the claim is true if the mover never lies without need. The hand that it had before the
        move consists of the cards that this bot knows to have been in it and of cards drawn at random from all cards
        that may have been in it. Jokers fit every claim. With M such cards, g of them fitting, u drawn, and r still
        missing to the claim, the chance is the sum over j from r to u of C(g, j) C(M - g, u - j) / C(M, u).

        The result is 0.0 if the claim is impossible, and 1.0 if this bot knows that it is true. The cards count as
        equally likely to be drawn, also those that the mover may have laid in an earlier move. If the rules hide the
        size of the hand, it counts as the mover's share of the M cards, and as no smaller than the claim needs.
        """
        return chance_of_holding(claim, self._current_state.known, self.ruleset)

    def never_seen(self, rank: int) -> int:
        """Return how many cards of a rank this bot has never held and never seen. Jokers do not count.

        This is not the number of cards that other seats may hold: a card that was seen once still moves from hand to
        hand, and the number shrinks to 0 in a long game. So do not compare it with a claim; `is_impossible` and
        `chance` judge claims. Some of these cards may be out of the game (`banished_size`).
        """
        return self.ruleset.copies - self._current_state.known.count_located(rank)

    def unseen(self, rank: int) -> int:
        """Return the same as `never_seen`, whose name says what it counts."""
        return self.never_seen(rank)

    def known_cards(self, seat: int) -> tuple[Card, ...]:
        """Return the cards that another seat certainly holds."""
        return _sorted_cards(self._current_state.known.elsewhere.certain_cards(1 << index(seat)))

    def seen_cards(self, seat: int) -> tuple[Card, ...]:
        """Return the cards that another seat is known to have had and may still hold."""
        return _sorted_cards(self._current_state.known.elsewhere.possible_cards(1 << index(seat)))

    @property
    def known_pile(self) -> tuple[Card, ...]:
        """The cards certainly on the pile: those that this bot laid, and those that can be inferred from calls."""
        known = self._current_state.known
        return _sorted_cards(known.elsewhere.certain_cards(-2 << known.gone))

    @property
    def known_banished(self) -> tuple[Card, ...]:
        """The cards that are certainly out of the game."""
        known = self._current_state.known
        return _sorted_cards(known.elsewhere.certain_cards(1 << known.gone))

    # ---- as text

    def parse_doubt(self, text: str) -> Doubt:
        """Parse an answer to a call window: ``call``, ``decline`` or, where it is legal, ``believe``.

        Raises NotationError for any other text, and says what is legal.
        """
        legal: tuple[Doubt, ...] = (Call(), Decline(), Believe()) if self.can_believe else (Call(), Decline())
        return read_word(text, legal)

    def _summarize(self) -> str:
        hand = f"hand {describe_cards(tuple(self.hand))}"
        pile = "pile hidden" if self.pile_size is None else f"pile {self.pile_size}"
        return f"{hand}; {pile}{f'; {self.last_claim}' if self.last_claim else ''}"

    def _describe_seat(self, seat: int) -> str:
        if seat == self.seat:
            return f"{describe_card_count(len(self.hand))}: {describe_cards(tuple(self.hand))}"
        size = describe_card_count(self.hand_sizes[seat])
        known = self.known_cards(seat)
        return f"{size}{f', among them {describe_cards(known)}' if known else ''}"

    def _describe_cards(self) -> list[str]:
        lines = [f"pile: {describe_card_count(self.pile_size)}; claims, bottom first: {describe_claims(self.claims)}"]
        if self.known_pile:
            lines.append(f"known cards on the pile: {describe_cards(self.known_pile)}")
        lines.append(f"claim to follow: {self.previous or 'none, a new trick starts'}")
        if self.required_rank is not None:
            lines.append(f"required rank: {self.required_rank}")
        last = self.last_claim
        if last is not None and last.seat != self.seat and self.is_impossible(last):
            lines.append("the last claim cannot be true")
        return lines

    # ---- updates

    def mark_as_dealer(self) -> None:
        """Record that this seat is the dealer: only the dealer is asked to cut the deck."""
        self._current_state.dealer = self.seat

    @property
    def _current_state(self) -> CheatState:
        if self._pending:
            self._apply_pending_facts()
        state = self._state
        if state.known.taker is not None:
            state.known.move_pile()
        return state


def _sorted_cards(counts: Mapping[int, int]) -> tuple[Card, ...]:
    return tuple(CARDS[code] for code in sorted(counts) for _ in range(counts[code]))
