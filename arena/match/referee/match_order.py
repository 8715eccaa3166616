"""A match order, the terms that follow from it, and the report on the match's state."""

import secrets
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import field
from functools import lru_cache
from typing import Final, TypeVar

from arena.errors import OptionError, OptionsError, UnknownNameError
from arena.match.deal.stream import SEED_BYTES
from arena.match.game import Game, Style
from arena.match.options import parse_option_text
from arena.match.referee.pace import Pace, build_pace, describe_pace, fix_windows, pace_settings
from arena.match.referee.ports import GameSummary, MatchId
from arena.match.referee.terms import REMEMBERED_TERMS, Seating, Terms
from arena.match.value_class import value_class

MAX_ITEMS: Final = 100
"""The maximum number of entrants, and of options, in one request."""
MAX_GAME_COUNT: Final = 10_000

Settings = tuple[tuple[str, str], ...]
"""Names and values as text, in their original order."""
Value = TypeVar("Value")


@value_class()
class MatchOrder:
    entrants: tuple[str, ...]
    """Names of the bots, as in their tokens."""
    game: str = "cheat"
    preset: str = "standard"
    options: Mapping[str, str] = field(default_factory=dict)
    """The rules' options that differ from the preset, as text."""
    pace: Pace = field(default_factory=Pace.sealed_defaults)
    game_count: int = 1
    seating: Seating = Seating.ROTATED
    seed: bytes = b""
    """The seed that determines all cards, 32 bytes. If it is empty, the server draws a seed."""
    is_rated: bool = True
    key: str = field(default_factory=lambda: secrets.token_hex(16))
    """Makes the order idempotent: the same key returns the same match."""


@value_class()
class MatchReport:
    match_id: MatchId
    state: str
    """`offered`, `running` or `ended`."""
    games: tuple[GameSummary, ...]
    termination: str
    """Why the match ended; empty before its end."""
    strikes: tuple[Mapping[str, int], ...]
    """By entrant: how many strikes of each kind (late, illegal, missing, gone)."""
    figures: tuple[Mapping[str, float], ...]
    """By entrant: statistics such as the number of lies; empty before the end."""


@value_class()
class RequestedTerms:
    """Requested terms, unchecked: names and texts may refer to things that do not exist."""

    game: str
    preset: str
    entrants: tuple[str, ...]
    options: Settings
    """The rules' options that differ from the preset. An option that occurs twice is refused."""
    pace_style: str
    pace_options: Settings
    """Settings that differ from the style's defaults. If a setting occurs twice, the last value counts."""
    game_count: int
    seating: Seating | int
    """The seating; a plain number if this version does not know the requested one."""
    seed_length: int
    """Length of the seed in bytes; 0 if there is no seed."""
    is_rated: bool = True
    is_anonymous: bool = False


def terms_from_order(order: MatchOrder, games: Mapping[str, Game]) -> Terms:
    """Return an order's terms if this version can play them.

    Raises the errors with which a server would refuse the order: UnknownNameError for an unknown game or preset,
    OptionsError or OptionError for everything else.
    """
    return build_terms(request_terms(order), games).check()


def request_terms(order: MatchOrder) -> RequestedTerms:
    """Return the terms that an order requests, with its pace as text."""
    pace = describe_pace(order.pace)
    style = str(pace.pop("style"))
    return RequestedTerms(
        game=order.game,
        preset=order.preset,
        entrants=order.entrants,
        options=tuple(order.options.items()),
        pace_style=style,
        pace_options=tuple((name, str(value).lower()) for name, value in pace.items()),
        game_count=order.game_count,
        seating=order.seating,
        seed_length=len(order.seed),
        is_rated=order.is_rated,
    )


def build_terms(requested: RequestedTerms, games: Mapping[str, Game], *, has_remote_bots: bool = False) -> Terms:
    """Return the requested terms. `Terms.check` checks whether they can be played.

    `has_remote_bots`: whether a bot takes part that the arena did not start. Windows are then fixed in a rated match,
    unless the request says otherwise.

    Raises OptionsError naming every refused option, UnknownNameError for an unknown game or preset.
    """
    game = games.get(requested.game)
    if game is None:
        raise UnknownNameError("game", requested.game, list(games))
    return _build_game_terms(game, requested, has_remote_bots)


@lru_cache(REMEMBERED_TERMS)
def _build_game_terms(game: Game, requested: RequestedTerms, has_remote_bots: bool) -> Terms:
    """Return the terms. They are cached, because most requests repeat an earlier one; refused requests are not."""
    defaults = game.ruleset_options(game.build_ruleset(requested.preset, {}))
    options = {name: parse_option_text(defaults.get(name), text) for name, text in requested.options}
    for what, items in (("entrants", requested.entrants), ("options", requested.options)):
        if len(items) > MAX_ITEMS:
            raise OptionError(what, f"{len(items)} of them", f"at most {MAX_ITEMS}")
    counts = sorted(Counter([name for name, _ in requested.options]).items())
    faults = [OptionError(name, "twice", "each option once") for name, count in counts if count > 1]
    ruleset = _collect_faults(faults, lambda: game.build_ruleset(requested.preset, options))
    pace = _collect_faults(faults, lambda: pace_from_texts(requested.pace_style, requested.pace_options))
    faults += _find_number_faults(requested)
    if faults or pace is None or not isinstance(requested.seating, Seating):
        raise OptionsError(faults)
    if has_remote_bots and requested.is_rated and "fixed_window" not in dict(requested.pace_options):
        pace = fix_windows(pace)
    return Terms(
        game=game,
        preset=requested.preset,
        ruleset=ruleset,
        pace=pace,
        entrants=requested.entrants,
        game_count=requested.game_count,
        seating=requested.seating,
        rated=requested.is_rated,
        anonymous=requested.is_anonymous,
    )


def pace_from_texts(style: str, settings: Settings) -> Pace:
    """Return a pace from its style and the settings that differ from the defaults. Raises OptionsError."""
    defaults = pace_settings(Pace.live_defaults() if style == Style.LIVE.value else Pace.sealed_defaults())
    return build_pace(style, {name: parse_option_text(defaults.get(name), text) for name, text in settings})


def _find_number_faults(requested: RequestedTerms) -> list[OptionError]:
    """Return an error for each of seating, seed and game count that is invalid."""
    faults = []
    if not isinstance(requested.seating, Seating):
        faults.append(OptionError("seating", requested.seating, "expected fixed or rotated"))
    if requested.seed_length not in (0, SEED_BYTES):
        faults.append(OptionError("seed", f"{requested.seed_length} bytes", f"expected {SEED_BYTES} bytes, or none"))
    if not 1 <= requested.game_count <= MAX_GAME_COUNT:
        faults.append(OptionError("game_count", requested.game_count, f"expected 1 to {MAX_GAME_COUNT}"))
    return faults


def _collect_faults(faults: list[OptionError], make: Callable[[], Value]) -> Value | None:
    try:
        return make()
    except OptionsError as error:
        faults += error.faults
    except OptionError as error:
        faults.append(error)
    return None
