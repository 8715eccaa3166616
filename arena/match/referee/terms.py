"""The terms of a match: agreed before the first card and never changed afterwards."""

from collections.abc import Mapping, Sequence
from enum import Enum
from functools import lru_cache
from typing import Any

from arena.errors import OptionError, OptionsError
from arena.match.game import Game, Seat
from arena.match.referee.pace import Pace, build_pace, describe_pace
from arena.match.referee.scalars import EntrantIndex
from arena.match.value_class import value_class
from arena.plain_data import from_plain


class Seating(Enum):
    """How entrants change seats between the games of a match."""

    FIXED = "fixed"
    ROTATED = "rotated"


@value_class()
class Terms:
    """Everything that determines a match, except randomness and the decisions of its bots."""

    game: Game
    preset: str
    ruleset: Any
    pace: Pace
    entrants: tuple[str, ...]
    """Names by entrant."""
    game_count: int = 1
    """The number of games, 1 to 10 000."""
    seating: Seating = Seating.ROTATED
    rated: bool = True
    anonymous: bool = False
    """Whether the name of each bot is hidden from the other bots."""

    def __hash__(self) -> int:
        """Return a hash of the fields that usually differ, and of no others.

        Terms are keys of caches. To hash a whole ruleset would take more time than such a cache saves.
        """
        return hash((self.preset, self.entrants, self.game_count))

    def check(self) -> "Terms":
        """Return the terms if they can be played. Raises OptionsError, OptionError."""
        faults = []
        if not 1 <= self.game_count <= 10_000:
            faults.append(OptionError("game_count", self.game_count, "expected 1 to 10000"))
        doubles = sorted({name for name in self.entrants if self.entrants.count(name) > 1})
        if doubles and self.rated:
            faults.append(OptionError("entrants", doubles, "each bot sits in a rated match once"))
        if faults:
            raise OptionsError(faults)
        self.game.check_seats(self.ruleset, len(self.entrants), self.pace.style)
        return self

    @property
    def entrant_indices(self) -> Sequence[EntrantIndex]:
        return tuple(map(EntrantIndex, range(len(self.entrants))))

    def seat_of(self, entrant: EntrantIndex, number: int) -> Seat:
        """Return the seat of an entrant in a game; `number` is the game's 0-based number."""
        shift = number if self.seating is Seating.ROTATED else 0
        return Seat((entrant + shift) % len(self.entrants))

    def seating_of(self, number: int) -> tuple[EntrantIndex, ...]:
        """Return the entrant of each seat in a game; `number` is the game's 0-based number."""
        by_seat = {self.seat_of(entrant, number): entrant for entrant in self.entrant_indices}
        return tuple(by_seat[Seat(seat)] for seat in range(len(by_seat)))


REMEMBERED_TERMS = 64
"""Size of the caches whose keys are terms. Most matches are created with the same few terms."""


@lru_cache(REMEMBERED_TERMS)
def describe_terms(terms: Terms) -> Mapping[str, Any]:
    """Return terms as plain values for a journal; `terms_from_plain` reads them back. Equal terms share one result."""
    return {
        "game": terms.game.name,
        "rules_version": terms.game.version,
        "preset": terms.preset,
        "ruleset": dict(terms.game.ruleset_options(terms.ruleset)),
        "pace": describe_pace(terms.pace),
        "entrants": list(terms.entrants),
        "game_count": terms.game_count,
        "seating": terms.seating.value,
        "rated": terms.rated,
        "anonymous": terms.anonymous,
    }


@value_class()
class _PlainTerms:
    """The types of what `describe_terms` returns, without game and version."""

    preset: str
    ruleset: dict[str, Any]
    pace: dict[str, Any]
    entrants: tuple[str, ...]
    game_count: int
    seating: Seating
    rated: bool
    anonymous: bool


def terms_from_plain(values: Mapping[str, Any], games: Mapping[str, Game]) -> Terms:
    """Return terms from values of `describe_terms`. Raises KeyError or an OptionError if another version wrote them."""
    game = games[values["game"]]
    try:
        plain = from_plain(values, _PlainTerms)
    except ValueError as error:
        raise OptionError("terms", str(error), "they are of another version or damaged") from error
    pace = dict(plain.pace)
    return Terms(
        game=game,
        preset=plain.preset,
        ruleset=game.build_ruleset(plain.preset, plain.ruleset),
        pace=build_pace(str(pace.pop("style")), pace),
        entrants=plain.entrants,
        game_count=plain.game_count,
        seating=plain.seating,
        rated=plain.rated,
        anonymous=plain.anonymous,
    )
