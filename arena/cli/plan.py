"""What `arena match` was asked for, checked before anything is started: who plays, what, and how."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from arena.cli.ruleset_file import read_rules
from arena.errors import OptionError, OptionsError
from arena.launch.naming import numbered
from arena.launch.programs import BotProgram, RemoteBot, find_bot
from arena.match.pace import Pace, pace_from
from arena.match.terms import Seating
from arena.rpc.client import MatchOrder, check_order
from arena.rpc.games import what_is_played
from arena.runner.player import Player
from arena.runner.runner import usable_cores
from arena.runner.shares import split

GAMES_A_NODE = 25
"""Fewer quick games are over sooner than one more node has started, with its bots: 2 to 5 s of a core."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """What was asked for, as it was typed."""

    game: str
    """Empty: that of the preset."""
    preset: str
    """Empty: the first one of the game."""
    options: Sequence[str]
    """option=value."""
    pace: str
    pace_settings: Mapping[str, int | bool | None]
    """None: not given."""
    game_count: int
    seating: str
    seed: str
    is_rated: bool


def find_players(bots: Sequence[str], fill: str = "", seats: int = 0) -> tuple[Player, ...]:
    """Find the program of each bot and name it. Raises OptionError, and what `find_bot` raises."""
    if seats and not fill:
        raise OptionError("seats", seats, "seats are filled by --fill BOT")
    if fill and seats < len(bots):
        raise OptionError("seats", seats, f"--fill needs the number of seats, {len(bots)} or more")
    programs = [find_bot(text) for text in (*bots, *[fill] * (seats - len(bots)))]
    if len(programs) < 2:
        raise OptionError("bot", list(bots), "a match needs two bots or more")
    return tuple(map(Player, _names(programs), programs))


def _names(programs: Sequence[BotProgram | RemoteBot]) -> list[str]:
    names = numbered([program.name for program in programs])
    for name, program in zip(names, programs, strict=True):
        if isinstance(program, RemoteBot) and name != program.name:
            raise OptionError("bot", f"remote:{program.name}", "a bot that dials in needs a name of its own")
    return names


def make_order(wishes: Wishes, players: Sequence[Player]) -> MatchOrder:
    """Give the checked order. Raises OptionsError naming every fault, UnknownNameError for game or preset."""
    faults: list[OptionError] = []
    rules = read_rules(wishes.preset)
    game, preset = what_is_played(wishes.game, rules.preset)
    pace, seed = Pace.sealed(), b""
    try:
        given = {name: value for name, value in wishes.pace_settings.items() if value is not None}
        pace = pace_from(wishes.pace, given)
    except OptionsError as error:
        faults += error.faults
    options = {**rules.options, **read_settings(wishes.options, faults)}
    try:
        seed = read_seed(wishes.seed)
    except OptionError as error:
        faults.append(error)
    order = MatchOrder(
        entrants=tuple(player.name for player in players),
        game=game,
        preset=preset,
        options=options,
        pace=pace,
        game_count=wishes.game_count,
        seating=Seating(wishes.seating),
        seed=seed,
        is_rated=wishes.is_rated and not wishes.seed and not pace.no_deadlines,
    )
    try:
        check_order(order)
    except OptionsError as error:
        faults += error.faults
    if faults:
        raise OptionsError(faults)
    return order


def nodes_for(wanted: int | None, order: MatchOrder, players: Sequence[Player], server: str = "", port: int = 0) -> int:
    """How many nodes play; by default all cores, as far as that pays. Raises OptionError where only one can."""
    reason = _why_one(order, players, server, port)
    if reason and wanted is not None and wanted > 1:
        raise OptionError("nodes", wanted, reason)
    most = min(usable_cores(), order.game_count // GAMES_A_NODE) if wanted is None else wanted
    return 1 if reason or most < 2 else len(split(order, most))


def _why_one(order: MatchOrder, players: Sequence[Player], server: str, port: int) -> str:
    """Why no second node can play; empty: it can."""
    if server:
        return f"the server at {server} plays, and it is one node"
    if port:
        return "each node has a free port of its own, so that --port goes with one"
    if order.seed:
        return "a seed decides the cards of one match, which one node plays"
    if any(player.is_remote for player in players):
        return "a bot that dials in is on one node"
    return "" if os.name == "posix" else "this system can run one"


def read_settings(texts: Sequence[str], faults: list[OptionError]) -> dict[str, str]:
    """Read options of the form option=value; what cannot be read is added to the faults."""
    settings: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name:
            faults.append(OptionError("set", text, "expected option=value"))
        elif name in settings:
            faults.append(OptionError("set", text, f"{name} is set twice"))
        else:
            settings[name] = value
    return settings


def read_seed(text: str) -> bytes:
    """Read a seed: up to 64 hexadecimal digits, one number of 32 bytes. Raises OptionError."""
    try:
        return int(text, 16).to_bytes(32, "big") if text else b""
    except (ValueError, OverflowError) as error:
        raise OptionError("seed", text, "expected up to 64 hexadecimal digits") from error
