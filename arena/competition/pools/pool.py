"""A pool as its settings describe it: what is played, who may enter, and when its season ends."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any, Final

from arena.competition.pools.pool_settings import PoolSettings
from arena.errors import OptionError, OptionsError, UnknownNameError
from arena.ids import WallTime
from arena.match.game import Game
from arena.match.options import format_option
from arena.match.referee.match_order import RequestedTerms, build_terms
from arena.match.referee.terms import Seating, Terms, describe_terms
from arena.match.value_class import value_class
from arena.names import MAX_NAME_LENGTH, fold_look_alikes, is_readable_name
from arena.plain_data import canonical_json

_DAY_S: Final = 86_400.0


@value_class()
class HouseBot:
    name: str
    """Its name at the table."""
    games: Collection[str] = ()
    """The games that its manifest names; empty if unknown."""


@value_class()
class Pool:
    """A pool whose settings are valid."""

    name: str
    settings: PoolSettings
    terms: Terms
    """What is played at a table; the entrants are placeholders."""
    house_names: tuple[str, ...] = ()
    """The names of the house bots at the table, in the order of the settings."""

    @property
    def seats(self) -> int:
        return self.settings.seats

    @property
    def rules_digest(self) -> str:
        """SHA-256, hex, over what ratings depend on: ruleset, pace and seats. It stays the same in a season."""
        described = dict(describe_terms(self.terms)) | {"seats": self.seats}
        for name in ("entrants", "game_count", "rules_version"):
            del described[name]
        return sha256(canonical_json(described)).hexdigest()

    def request_terms(self, entrants: Sequence[str]) -> RequestedTerms:
        return _request_terms(self.settings, (self.terms.game.name, self.terms.preset), entrants)

    def admits(self, owner: str | None) -> bool:
        """Return whether bots of this owner may enter."""
        return not self.settings.owners or owner in self.settings.owners

    def season_end(self, started_at: WallTime) -> WallTime | None:
        """Return when a season that began at this time ends; None if it never ends."""
        settings = self.settings
        if settings.season_days is not None:
            return started_at + settings.season_days * _DAY_S
        return None if settings.season_ends is None else settings.season_ends.timestamp()

    def describe(self) -> Mapping[str, Any]:
        """Return the terms and settings of the pool as plain values, for people."""
        terms = dict(describe_terms(self.terms))
        del terms["entrants"]
        return {"terms": terms, "seats": self.seats, "house_bots": list(self.house_names)}


def build_pools(
    written: Iterable[PoolSettings],
    games: Mapping[str, Game],
    resolve: Callable[[str, str], tuple[str, str]],
    house_bots: Mapping[str, HouseBot],
) -> Mapping[str, Pool]:
    """Return the pools by name, in order.

    `resolve` fills in the game or the preset if the settings leave it out. `house_bots` has the house bot of each
    program in the settings. Raises OptionsError with every setting that makes no sense.
    """
    faults: list[OptionError] = []
    pools: dict[str, Pool] = {}
    skeletons: set[str] = set()
    for number, settings in enumerate(written):
        found = _find_faults(settings, skeletons)
        skeletons.add(fold_look_alikes(settings.name))
        terms = None
        try:
            terms = _build_terms(settings, games, resolve)
        except OptionsError as error:
            found += error.faults
        except OptionError as error:
            found.append(error)
        except UnknownNameError as error:
            found.append(OptionError(error.kind, error.name, f"expected one of {', '.join(error.known)}"))
        if terms is not None:
            found += _find_house_faults(settings, terms.game.name, house_bots)
        faults += [
            OptionError(f"pools[{number}].{_find_key(settings, each.field)}", each.value, each.allowed)
            for each in found
        ]
        if terms is not None and not found:
            house = tuple(house_bots[program].name for program in settings.house_bots or ())
            pools[settings.name] = Pool(settings.name, settings, terms, house)
    if faults:
        raise OptionsError(faults)
    return pools


def _find_key(settings: PoolSettings, field: str) -> str:
    tables = {"rules": settings.rules, "pace_settings": settings.pace_settings}
    return next((f"{table}.{field}" for table, values in tables.items() if field in values), field)


def _find_faults(settings: PoolSettings, skeletons: set[str]) -> list[OptionError]:
    """Return an error for each setting that does not fit, without those of the terms."""
    faults = []
    if not is_readable_name(settings.name):
        allowed = f"1 to {MAX_NAME_LENGTH} letters and digits, spaces or . _ + # -, with a letter or digit at both ends"
        faults.append(OptionError("name", settings.name, allowed))
    elif fold_look_alikes(settings.name) in skeletons:
        faults.append(OptionError("name", settings.name, "another pool has this name, or one that looks like it"))
    if settings.season_ends is not None and settings.season_ends.tzinfo is None:
        allowed = "a date and time with its offset, such as 2026-12-01 18:00:00+01:00"
        faults.append(OptionError("season_ends", str(settings.season_ends), allowed))
    if settings.season_ends is not None and settings.season_days is not None:
        faults.append(OptionError("season_days", settings.season_days, "set season_ends or season_days, not both"))
    house_bots = settings.house_bots or ()
    if len(set(house_bots)) < len(house_bots):
        faults.append(OptionError("house_bots", list(house_bots), "each program once"))
    return faults


def _find_house_faults(settings: PoolSettings, game: str, house_bots: Mapping[str, HouseBot]) -> Iterator[OptionError]:
    """Yield an error for each house bot that does not play the game of the pool."""
    for program in settings.house_bots or ():
        played = house_bots[program].games
        if played and game not in played:
            yield OptionError("house_bots", program, f"it plays {' and '.join(sorted(played))}, and the pool {game}")


def _build_terms(
    settings: PoolSettings, games: Mapping[str, Game], resolve: Callable[[str, str], tuple[str, str]]
) -> Terms:
    """Return the terms of a table. Raises OptionsError, OptionError, UnknownNameError."""
    seated = [f"seat{seat}" for seat in range(settings.seats)]
    requested = _request_terms(settings, resolve(settings.game, settings.preset), seated)
    return build_terms(requested, games, has_remote_bots=True).check()


def _request_terms(settings: PoolSettings, rules: tuple[str, str], entrants: Sequence[str]) -> RequestedTerms:
    """Return the terms of a match. `rules` names the game and the preset."""
    return RequestedTerms(
        game=rules[0],
        preset=rules[1],
        entrants=tuple(entrants),
        options=tuple((name, format_option(value)) for name, value in settings.rules.items()),
        pace_style=settings.pace,
        pace_options=tuple((name, format_option(value)) for name, value in settings.pace_settings.items()),
        game_count=settings.games,
        seating=Seating.ROTATED,
        seed_length=0,
        is_rated=settings.rated,
        is_anonymous=settings.anonymous,
    )
