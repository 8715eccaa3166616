"""What a bot knows of its match and its game of Cheat."""

from collections.abc import Mapping

from cheatarena.cheat.cards import CARDS, Card, Hand
from cheatarena.cheat.inference import could_be_true
from cheatarena.cheat.ruleset import Claim, Ruleset
from cheatarena.cheat.state import CheatState
from cheatarena.clock import ServerClock
from cheatarena.game import Game
from cheatarena.match_table import MatchTable


class Table(MatchTable):
    """One seat's view of its match. Seats are 0-based and clockwise; entrants are the same programs all match long."""

    _state: CheatState

    def __init__(self, game: Game, match: int, entrant: int, clock: ServerClock) -> None:
        super().__init__(game, match, entrant, clock)
        self.is_final_window = False
        """In a call window: whether the mover's win becomes final if nobody calls."""

    @property
    def ruleset(self) -> Ruleset:
        """All options of the ruleset."""
        ruleset: Ruleset = self.terms.ruleset
        return ruleset

    # The game.

    @property
    def hand(self) -> Hand:
        """The own cards. Changes as the game goes on."""
        return self._now.known.hand

    @property
    def hand_sizes(self) -> tuple[int, ...]:
        """Number of cards by seat."""
        return tuple(self._now.known.sizes)

    @property
    def pile_size(self) -> int:
        """Number of cards on the pile, those of seats that left included."""
        return self._now.known.pile_size

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The moves on the pile, bottom first."""
        return tuple(self._now.known.pile)

    @property
    def previous(self) -> Claim | None:
        """The claim that the next move has to follow; it stays when its cards are taken. None: a trick starts."""
        return self._now.previous

    @property
    def last_claim(self) -> Claim | None:
        """The last card move while it lies on the pile, callable or not. None: nobody has moved, or it was taken."""
        return self._now.last

    # What can be known.

    def is_impossible(self, claim: Claim) -> bool:
        """Tell whether a claim on the pile cannot be true, whatever the unseen cards are.

        Exact: it weighs the own hand, all cards that calls have shown and where they may have gone since, the sizes
        of all hands, packs and jokers (a joker fits every claim). With equal cards, that is jokers or several packs,
        it may miss a little, but what it calls impossible is impossible. A claim whose cards were taken: False.
        """
        return not could_be_true(claim, self._now.known, self.ruleset)

    def unseen(self, rank: int) -> int:
        """Count the cards of a rank that may be anywhere: not in the own hand, not laid by it, never shown."""
        return self.ruleset.copies - self._now.known.located(rank)

    def known_cards(self, seat: int) -> tuple[Card, ...]:
        """List the cards that another seat certainly holds."""
        return _listed(self._now.known.elsewhere.certain(1 << seat))

    def seen_cards(self, seat: int) -> tuple[Card, ...]:
        """List the cards that a seat was seen to have and may still hold."""
        return _listed(self._now.known.elsewhere.possible(1 << seat))

    @property
    def known_pile(self) -> tuple[Card, ...]:
        """The cards that certainly lie on the pile: those that the own seat laid, and what follows from calls."""
        known = self._now.known
        return _listed(known.elsewhere.certain(~((1 << len(known.sizes)) - 1)))

    @property
    def _now(self) -> CheatState:
        if self._waiting:
            self._catch_up()
        state = self._state
        if state.known.taker is not None:
            state.known.settle()
        return state


def _listed(counts: Mapping[int, int]) -> tuple[Card, ...]:
    return tuple(CARDS[code] for code in sorted(counts) for _ in range(counts[code]))
