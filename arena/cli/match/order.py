"""Checks a request to `arena match` before anything starts, and turns it into an order."""

import os
from collections.abc import Callable, Sequence

from arena.bots.launch.naming import number_duplicates
from arena.bots.launch.program_sets import check_declared_games
from arena.bots.launch.programs import BotProgram, RemoteBot, find_bot
from arena.cli.match.options import MatchRequest, MatchSetup
from arena.cli.ruleset_file import read_rules
from arena.errors import OptionError, OptionsError
from arena.fleet.cluster.cluster_fleet import check_for_cluster as check_bots_for_cluster
from arena.fleet.runner.bot_entrant import BotEntrant
from arena.fleet.runner.split_orders import split_order
from arena.games.catalogue import games, resolve_game_and_preset
from arena.match.referee.match_order import MatchOrder, terms_from_order
from arena.match.referee.pace import Pace, build_pace, fix_windows
from arena.match.referee.terms import Seating

MIN_GAMES_PER_NODE = 25
"""Minimum number of games per node. A node with fewer games is not worth its start.

The start of a node with its bots takes 2 to 5 s of processor time. Fewer games would often take less time than that.
"""


def find_players(
    bots: Sequence[str],
    fill: str = "",
    seats: int = 0,
    find: Callable[[str], BotProgram | RemoteBot] = find_bot,
) -> tuple[BotEntrant, ...]:
    """Give each bot a unique name. `seats` and `fill` add copies of one bot until all seats are taken.

    Raises OptionError, and whatever `find` raises.
    """
    if seats and not fill:
        raise OptionError("seats", seats, "expected --fill BOT as well: it takes the remaining seats")
    if fill and seats < len(bots):
        raise OptionError("seats", seats, f"--fill needs the number of seats, {len(bots)} or more")
    programs = [find(text) for text in (*bots, *[fill] * (seats - len(bots)))]
    if len(programs) < 2:
        raise OptionError("bot", list(bots), "a match needs two bots or more")
    names = number_duplicates([program.name for program in programs])
    for name, program in zip(names, programs, strict=True):
        if isinstance(program, RemoteBot) and name != program.name:
            raise OptionError("bot", f"remote:{program.name}", "a remote bot needs a name of its own")
    return tuple(map(BotEntrant, names, programs))


def build_order(request: MatchRequest, players: Sequence[BotEntrant]) -> MatchOrder:
    """Raises OptionsError with every invalid option, and UnknownNameError."""
    game_options, errors = request.games, list[OptionError]()
    pace, seed = Pace.sealed_defaults(), b""
    rules = read_rules(request.rules.preset)
    game, preset = resolve_game_and_preset(request.rules.game, rules.preset)
    check_declared_games({player.name: player.program for player in players}, game)
    if request.pace.forgiving and request.pace.max_auto_moves:
        allowed = "--forgiving lets a bot miss any number of turns: give only one of them"
        errors.append(OptionError("max-auto-moves", request.pace.max_auto_moves, allowed))
    try:
        pace = build_pace(request.pace.pace, request.pace.settings)
    except OptionsError as error:
        errors += error.faults
    options = {**rules.options, **parse_options(request.rules.set_ or (), errors)}
    try:
        seed = parse_seed(game_options.seed)
    except OptionError as error:
        errors.append(error)
    seating = next((each for each in Seating if each.value == game_options.seating), Seating.ROTATED)
    if seating.value != game_options.seating:
        errors.append(OptionError("seating", game_options.seating, "expected fixed or rotated"))
    is_rated = not (game_options.unrated or game_options.seed or pace.no_deadlines)
    if is_rated and request.pace.fixed_window is None and any(player.is_remote for player in players):
        pace = fix_windows(pace)
    order = MatchOrder(
        entrants=tuple(player.name for player in players),
        game=game,
        preset=preset,
        options=options,
        pace=pace,
        game_count=game_options.games,
        seating=seating,
        seed=seed,
        is_rated=is_rated,
    )
    try:
        terms_from_order(order, games())
    except OptionsError as error:
        errors += error.faults
    if errors:
        raise OptionsError(errors)
    return order


def choose_node_count(
    wanted: int | None,
    order: MatchOrder,
    players: Sequence[BotEntrant],
    server: str,
    port: int,
    match_count: int = 1,
    *,
    cores: int,
) -> int:
    """Return the number of nodes: `wanted`, or by default the number that saves most time, at most one per core.

    Raises OptionError if several nodes are wanted but only one is possible.
    """
    reason = _why_single_node(order, players, server, port, match_count)
    if reason and wanted is not None and wanted > 1:
        raise OptionError("nodes", wanted, reason)
    most = min(cores, order.game_count // MIN_GAMES_PER_NODE) if wanted is None else wanted
    return 1 if reason or most < 2 else len(split_order(order, most))


def check_for_cluster(setup: MatchSetup, players: Sequence[BotEntrant], match_count: int) -> None:
    """Raise OptionError for a match that the cluster of the setup, if there is one, cannot play."""
    if not setup.cluster:
        return
    refused = {
        "server": (setup.server, "the server decides where it plays: leave out --cluster"),
        "port": (setup.port, "no bot can dial a node of a cluster: leave out --port"),
        "matches": (match_count if match_count > 1 else 0, "on a cluster, --games are shared among the nodes"),
        "show-output": (setup.shown_names, "the output of bots stays on the machines of the cluster"),
    }
    for name, (value, reason) in refused.items():
        if value:
            raise OptionError(name, value, reason)
    check_bots_for_cluster(setup.cluster, players)


def _why_single_node(order: MatchOrder, players: Sequence[BotEntrant], server: str, port: int, match_count: int) -> str:
    """Return why only one node can play; empty if several can."""
    if match_count > 1:
        return "one node plays all matches of --matches, several at a time (--at-once)"
    if server:
        return f"the server at {server} is a single node"
    if port:
        return "--port names the port of a single node"
    if order.seed:
        return "a seed determines the cards of a single match, which one node plays"
    if any(player.is_remote for player in players):
        return "a remote bot connects to a single node"
    return "" if os.name == "posix" else "this operating system can run only one"


def parse_options(texts: Sequence[str], errors: list[OptionError]) -> dict[str, str]:
    """The form is option=value. Append an error to `errors` for each text that has another one."""
    settings: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name:
            errors.append(OptionError("set", text, "expected option=value"))
        elif name in settings:
            errors.append(OptionError("set", text, f"{name} is set twice"))
        else:
            settings[name] = value
    return settings


def parse_seed(text: str) -> bytes:
    """Read a seed of up to 64 hexadecimal digits as 32 bytes; no bytes if `text` is empty.

    Raises OptionError for any other text.
    """
    try:
        return int(text, 16).to_bytes(32, "big") if text else b""
    except (ValueError, OverflowError) as error:
        raise OptionError("seed", text, "expected up to 64 hexadecimal digits") from error
