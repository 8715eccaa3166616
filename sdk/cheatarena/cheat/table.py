"""A bot's view of its match and its game of Cheat."""

from collections.abc import Mapping

from cheatarena.cheat.cards import CARDS, RANKS, Card, Hand, Rank
from cheatarena.cheat.claim import Claim
from cheatarena.cheat.dealing import Packet
from cheatarena.cheat.inference import could_be_true
from cheatarena.cheat.ruleset import Ruleset
from cheatarena.cheat.state import CheatState
from cheatarena.clock import ServerClock
from cheatarena.game import Game
from cheatarena.match_table import MatchTable


class Table(MatchTable):
    """One seat's view of its match. Seats are 0-based and clockwise; an entrant is the same program all match long."""

    _state: CheatState

    def __init__(self, game: Game, match: int, entrant: int, clock: ServerClock) -> None:
        super().__init__(game, match, entrant, clock)
        self.is_final_window = False
        """In a call window: whether the mover's win becomes final without a call."""
        self.can_believe = False
        """In a call window: whether Believe is a legal answer."""

    @property
    def ruleset(self) -> Ruleset:
        """All options of the ruleset."""
        ruleset: Ruleset = self.terms.ruleset
        return ruleset

    # The game.

    @property
    def hand(self) -> Hand:
        """This bot's cards. Changes during the game."""
        return self._current_state.known.hand

    @property
    def hand_sizes(self) -> tuple[int | None, ...]:
        """Number of cards by seat. None if the rules hide it; an empty hand is never hidden."""
        return tuple(self._current_state.known.sizes)

    @property
    def pile_size(self) -> int | None:
        """Number of cards on the pile, those of seats that left included. None where the rules hide it.

        These are the cards that lie there; where numbers may be lies, `pile_claimed` says something else.
        """
        return self._current_state.known.pile_size

    @property
    def pile_claimed(self) -> int:
        """Number of cards on the pile by what was claimed; cards of seats that left are counted where that is told."""
        known = self._current_state.known
        return sum(claim.count for claim in known.pile) + sum(count or 0 for count in known.abandoned.values())

    @property
    def banished_size(self) -> int | None:
        """Number of cards that are out of the game. None where the rules hide sizes."""
        return self._current_state.known.banished_size if self.ruleset.sizes_visible else None

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The moves on the pile, bottom first."""
        return tuple(self._current_state.known.pile)

    @property
    def previous(self) -> Claim | None:
        """The claim that the next move has to follow; it stays when its cards are taken. None: a trick starts."""
        return self._current_state.previous

    @property
    def required_rank(self) -> Rank | None:
        """Where one rank goes round for the whole table: the one that has to be claimed next. None: no rank does."""
        return RANKS[(self._current_state.last_rank + 1) % len(RANKS)] if self.ruleset.rotates else None

    @property
    def dealer(self) -> int | None:
        """The seat that deals this game. None: before a seat hears of it, with the cut or with the cards."""
        return self._current_state.dealer

    @property
    def packets(self) -> tuple[Packet, ...]:
        """The packets in the order of the cut, from the cut until the cards are dealt; empty otherwise."""
        return self._current_state.packets

    @property
    def last_claim(self) -> Claim | None:
        """The last card move while it lies on the pile, callable or not. None: nobody has moved, or it was taken."""
        return self._current_state.known.last_claim

    # What can be known.

    def is_impossible(self, claim: Claim) -> bool:
        """Return whether a claim on the pile cannot be true, whatever the unseen cards are.

        Exact: it weighs the own hand, all cards that calls have shown and where they may have gone since, the sizes
        of all hands, packs and jokers (a joker fits every claim). With equal cards, that is jokers or several packs,
        or hidden sizes it may miss a little, but what it calls impossible is impossible. Where numbers may be lies, a
        claim of another number than was laid is never true. A claim whose cards were taken: False.
        """
        return not could_be_true(claim, self._current_state.known, self.ruleset)

    def unseen(self, rank: int) -> int:
        """Count the cards of a rank that may be anywhere: not in the own hand, not laid by it, never shown.

        Some of them may be out of the game (`banished_size`).
        """
        return self.ruleset.copies - self._current_state.known.count_located(rank)

    def known_cards(self, seat: int) -> tuple[Card, ...]:
        """List the cards that another seat certainly holds."""
        return _sorted_cards(self._current_state.known.elsewhere.certain_cards(1 << seat))

    def seen_cards(self, seat: int) -> tuple[Card, ...]:
        """List the cards that a seat was seen to have and may still hold."""
        return _sorted_cards(self._current_state.known.elsewhere.possible_cards(1 << seat))

    @property
    def known_pile(self) -> tuple[Card, ...]:
        """The cards that certainly lie on the pile: those that the own seat laid, and what follows from calls."""
        known = self._current_state.known
        return _sorted_cards(known.elsewhere.certain_cards(-2 << known.gone))

    @property
    def known_banished(self) -> tuple[Card, ...]:
        """The cards that are certainly out of the game."""
        known = self._current_state.known
        return _sorted_cards(known.elsewhere.certain_cards(1 << known.gone))

    # For the questions.

    def mark_as_dealer(self) -> None:
        """Take in that the own seat is the dealer: it is asked to cut the deck."""
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
