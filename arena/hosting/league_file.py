"""The file of a league: who takes part, in what, and how. Read whole, checked whole, every fault named at once.

name = "autumn"              # also that of the league in the data folder
format = "season"            # season, round-robin, gauntlet, swiss, knockout, ladder
games = 400                  # or rounds, passes, as the format goes; or budget = "8h"
play_off = 40                # optional: games, if the table does not tell who is best
preset = "standard"          # or game = "cheater"; [rules] says what differs
seats = 4
pace = "sealed"              # [pace_settings] says what differs

[[entrants]]
bot = "sample:counter"       # any BOT; a path is seen from the file's folder
name = "counter"             # optional
owner = "ann"                # optional: bots of one owner are kept apart
environment = { NERVE = "2" }    # optional
"""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from arena.errors import ArenaError, NotationError, OptionError, OptionsError
from arena.hosting.content import content_of
from arena.hosting.forms import LENGTH_OF, PLAY_OFF, form_of
from arena.launch.naming import NAME_RULE, is_name
from arena.launch.programs import BotProgram, RemoteBot, find_bot
from arena.league.formats import FORMATS
from arena.league.model import Entrant
from arena.match.pace import pace_from
from arena.match.terms import Seating, Terms
from arena.rpc.client import MatchOrder, check_order
from arena.rpc.games import what_is_played
from arena.rpc.option_texts import option_text
from arena.runner.player import Player

_SETTINGS: Final = ("games", "rounds", "passes", "bye", "challenger", "tables", PLAY_OFF)
_LENGTH: Final = re.compile(r"(\d+(?:\.\d+)?)\s*(s|m|min|h)")
_SECONDS: Final = {"s": 1, "m": 60, "min": 60, "h": 3600}

Setting = str | int | bool | list[str] | list[int]


class _Bot(BaseModel):
    """An entrant, as it is written."""

    model_config = ConfigDict(extra="forbid", strict=True)

    bot: Annotated[str, Field(min_length=1)]
    name: str = ""
    owner: Annotated[str, Field(max_length=64)] = ""
    environment: dict[str, str] = {}


class _File(BaseModel):
    """A league, as it is written."""

    model_config = ConfigDict(extra="forbid", strict=True)

    name: str
    format: str = ""
    games: Annotated[int, Field(ge=1, le=10_000_000)] | None = None
    rounds: Annotated[int, Field(ge=1, le=100_000)] | None = None
    passes: Annotated[int, Field(ge=1, le=1_000)] | None = None
    bye: Annotated[float, Field(ge=0, le=1)] | None = None
    challenger: str | None = None
    tables: Annotated[int, Field(ge=1, le=64)] | None = None
    play_off: Annotated[int, Field(ge=1, le=100_000)] | None = None
    budget: str | None = None
    seats: Annotated[int, Field(ge=2, le=10)] = 4
    game: str = ""
    preset: str = ""
    rules: dict[str, Setting] = {}
    pace: Literal["sealed", "live"] = "sealed"
    pace_settings: dict[str, int | bool] = {}
    anonymous: bool = False
    decided_by: Literal["points", "rating"] = "points"
    entrants: Annotated[list[_Bot], Field(min_length=2)]


@dataclass(frozen=True, slots=True)
class LeagueFile:
    """A league that can be played."""

    name: str
    text: str
    """The file, word for word."""
    format: str
    """Empty: to be proposed."""
    settings: Mapping[str, Any]
    """Of the format, those that are given."""
    budget_s: float | None
    """How long it may take; None: that is said by the format's settings."""
    seats: int
    terms: Terms
    """Of a table; the entrants are those of the first one."""
    decided_by: str
    entrants: tuple[Entrant, ...]
    players: Mapping[str, Player]
    """By name."""

    def terms_for(self, names: tuple[str, ...]) -> Terms:
        """What is played at a table of these seats."""
        return replace(self.terms, entrants=names)


def read_league(path: Path) -> LeagueFile:
    """Read a league's file and find its bots.

    Raises NotationError for a file that is not TOML, OptionsError naming every fault with its key.
    """
    try:
        text = path.read_text(encoding="utf-8")
        given = tomllib.loads(text)
    except OSError as error:
        raise NotationError(str(path), f"a file that can be read ({error.strerror})") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise NotationError(str(path), f"TOML ({error})") from error
    try:
        written = _File(**given)
    except ValidationError as error:
        raise OptionsError([_fault(dict(each), text) for each in error.errors()]) from error
    return _Reading(written, path.resolve().parent, text).league()


class _Reading:
    """One file that is well formed, on its way to a league; faults are gathered."""

    def __init__(self, written: _File, folder: Path, text: str) -> None:
        self._written = written
        self._folder = folder
        self._text = text
        self._faults: list[OptionError] = []

    def league(self) -> LeagueFile:
        """Give the league. Raises OptionsError."""
        written = self._written
        if not is_name(written.name):
            self._refuse("name", written.name, NAME_RULE)
        budget_s = self._seconds(written.budget)
        found = [self._entrant(index, bot) for index, bot in enumerate(written.entrants)]
        entrants = [each for each in found if each is not None]
        players = {entrant.name: player for entrant, player in entrants}
        terms = self._terms(list(players))
        self._check_names([entrant.name for entrant, _ in entrants])
        settings = self._settings()
        if self._faults or terms is None:
            raise OptionsError(self._faults)
        return LeagueFile(
            name=written.name,
            text=self._text,
            format=written.format,
            settings=settings,
            budget_s=budget_s,
            seats=written.seats,
            terms=terms,
            decided_by=written.decided_by,
            entrants=tuple(entrant for entrant, _ in entrants),
            players=players,
        )

    def _refuse(self, key: str, value: object, expected: str) -> None:
        self._faults.append(OptionError(key, value, expected))

    def _seconds(self, budget: str | None) -> float | None:
        """Read a length such as `8h`, `90m` or `45s`."""
        if budget is None:
            return None
        found = _LENGTH.fullmatch(budget.strip())
        if found is None or float(found[1]) <= 0:
            self._refuse("budget", budget, "expected a length such as 8h, 90m or 45s")
            return None
        return float(found[1]) * _SECONDS[found[2]]

    def _settings(self) -> Mapping[str, Any]:
        """What is said about the format."""
        written = self._written
        given = {name: getattr(written, name) for name in _SETTINGS if getattr(written, name) is not None}
        if written.format:
            try:
                form_of(written.format, given, written.decided_by)
            except OptionsError as error:
                self._faults += error.faults
        elif given.keys() - {"games", "tables"}:
            self._refuse("format", "", f"{', '.join(given)}: say of which format, one of {', '.join(FORMATS)}")
        if written.budget is not None and (length := LENGTH_OF.get(written.format, "games")) in given:
            self._refuse("budget", written.budget, f"{length} says already how long the league is")
        return given

    def _entrant(self, index: int, written: _Bot) -> tuple[Entrant, Player] | None:
        """Find a bot. What is wrong with it is gathered."""
        key = f"entrants[{index}]"
        try:
            program = find_bot(_seen_from(self._folder, written.bot))
            if isinstance(program, BotProgram):
                program = replace(program, environment={**program.environment, **written.environment})
            name = written.name or program.name
            content = content_of(program) if isinstance(program, BotProgram) else ""
        except (ArenaError, OSError) as error:
            self._refuse(f"{key}.bot", written.bot, str(error))
            return None
        if not is_name(name):
            self._refuse(f"{key}.name", name, NAME_RULE)
        if isinstance(program, RemoteBot) and name != program.name:
            self._refuse(f"{key}.name", name, "a bot that dials in has the name that it dials in with")
        version = program.version if isinstance(program, BotProgram) else ""
        return Entrant(name, written.owner, version, content), Player(name, program)

    def _check_names(self, names: list[str]) -> None:
        for name in sorted({name for name in names if names.count(name) > 1}):
            self._refuse("entrants", name, "each entrant once: give a copy another name")
        if self._written.challenger and self._written.challenger not in names:
            self._refuse("challenger", self._written.challenger, f"expected an entrant: {', '.join(names)}")
        if len(names) < self._written.seats and not self._faults:
            self._refuse("seats", self._written.seats, f"there are {len(names)} entrants for a table")

    def _terms(self, names: list[str]) -> Terms | None:
        """What is played at a table."""
        written = self._written
        try:
            game, preset = what_is_played(written.game, written.preset)
            pace = pace_from(written.pace, dict(written.pace_settings))
            seated = tuple([*names, *(f"seat{seat}" for seat in range(written.seats))][: written.seats])
            order = MatchOrder(
                seated, game, preset, {name: option_text(value) for name, value in written.rules.items()}, pace,
                seating=Seating.FIXED,
            )  # fmt: skip
            return replace(check_order(order), anonymous=written.anonymous)
        except OptionsError as error:
            self._faults += error.faults
        except ArenaError as error:
            self._refuse("rules", written.preset or written.game, str(error))
        return None


def _seen_from(folder: Path, bot: str) -> str:
    """A path is seen from the file's folder; everything else means what it means on a command line."""
    path = folder / Path(bot).expanduser()
    return str(path) if ":" not in bot and path.exists() else bot


def _fault(error: Mapping[str, Any], text: str) -> OptionError:
    """Say where a fault stands: by its key, and its line where that is found."""
    parts = error["loc"]
    key = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in parts).lstrip(".")
    last = next((part for part in reversed(parts) if isinstance(part, str)), "")
    lines = [number for number, line in enumerate(text.splitlines(), 1) if line.strip().startswith(last)]
    where = f"{key} (line {lines[0]})" if len(lines) == 1 and last else key
    if error["type"] == "extra_forbidden":
        return OptionError(where, error["input"], "unknown key")
    if error["type"] == "missing":
        return OptionError(where, None, "it has to be there")
    return OptionError(where, error["input"], str(error["msg"]).lower())
