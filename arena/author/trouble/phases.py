"""Plays the phases of a practice: the same games again and again, each time with another kind of trouble."""

import asyncio
import secrets
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any, Final

from arena.author.trouble.costs import Cost, measure_cost, with_gaps
from arena.author.trouble.proxy import Proxy
from arena.author.trouble.rude_lines import rude_taps
from arena.author.trouble.server import PhaseServer, SeatedBot, seat_bots, start_match, unseat_ended
from arena.author.trouble.tls_trouble import make_tls_context, trust_authority
from arena.author.trouble.trouble import SERVER_PAUSE_S, Disturbance, Trouble
from arena.errors import ArenaError
from arena.fleet.runner.bot_entrant import BotEntrant
from arena.games.catalogue import games
from arena.match.referee.match_order import MatchOrder, MatchReport
from arena.match.referee.pace import Pace
from arena.match.referee.ports import MatchId
from arena.plurals import format_count
from arena.server.node.event_loop import NodeClock, StampingSelector
from arena.server.rpc.local_authority import LocalAuthority
from arena.server.rpc.play_relay import PlayRelay

PATIENCE_S: Final = 5.0
"""Seconds within which a bot has to be back after its line is open again. The SDK dials at least this often."""


@dataclass(frozen=True, slots=True)
class PhaseResult:
    """What happened in a phase, and what it cost the bot."""

    trouble: Trouble
    counts: Mapping[str, int]
    """How often each kind of trouble happened."""
    cost: Cost
    report: MatchReport
    outputs: Mapping[str, Path]
    """The output file of each bot, by name."""
    end: str
    """How the bot ended by itself, as words that follow its name; empty if it did not."""

    @property
    def is_passed(self) -> bool:
        """Whether the bot played on and had no strikes of its own."""
        return not (self.end or self.cost.own_strike_count)


@dataclass(frozen=True, slots=True)
class Practice:
    players: Sequence[BotEntrant]
    """All bots at the table; the first is the one that practises."""
    order: MatchOrder
    """The match of each phase. Its seed gives all phases the same cards."""
    data: Path
    """The data folder of the server."""


async def play_phase(practice: Practice, trouble: Trouble, clock: NodeClock, selector: StampingSelector) -> PhaseResult:
    """Play one phase, on a server and with processes of its own. Raises BotStartError if a bot does not start."""
    random = Random(practice.order.seed + trouble.encode())  # noqa: S311  no secret
    rudeness: Counter[str] = Counter()
    resumes = trouble is Trouble.SERVER
    async with PhaseServer(practice.data, clock, selector, resumes=resumes) as server, AsyncExitStack() as stack:
        players, far_end = practice.players, server.host.address
        if trouble is Trouble.TLS:
            authority = LocalAuthority(practice.data / "chaos-tls")
            far_end = (await stack.enter_async_context(Proxy(far_end, tls=make_tls_context(authority)))).address
            players = [trust_authority(players[0], authority), *players[1:]]
        line = await stack.enter_async_context(Proxy(far_end, random))
        launcher = await stack.enter_async_context(server.host.open_launcher(practice.data / "bots" / trouble))
        addresses = [server.host.address] * (len(players) - 1)
        if trouble is Trouble.NEIGHBOURS:
            taps = rude_taps(len(addresses), practice.order.game_count, rudeness, random)
            relays = [await stack.enter_async_context(PlayRelay(server.host.address, tap)) for tap in taps]
            addresses = [relay.address for relay in relays]
        bots = await seat_bots(server, launcher, players, [line.address, *addresses])

        async def restart_server(on_restart: Callable[[], None]) -> None:
            gaps = len(line.gaps_s)
            await server.restart(SERVER_PAUSE_S)
            with suppress(TimeoutError):  # a bot that stays away was disturbed too
                async with asyncio.timeout(PATIENCE_S):
                    await line.wait_for_gaps(gaps + 1)
            on_restart()

        disturbance = Disturbance(trouble, line, random, bots[0].restart, restart_server, practice.order.game_count)
        report = await _play_match(server, bots, practice.order, disturbance)
        end = bots[0].describe_end()
        row, records = await server.read_match(report.match_id)
    name = practice.players[0].name
    patience_s = bots[0].process.start_time_s if trouble is Trouble.RESTARTS else PATIENCE_S
    cost = measure_cost(report, row, records, games(), name, patience_s)
    if trouble is Trouble.SERVER:  # the match stands still, so its records have no lost connection
        cost = with_gaps(cost, line.gaps_s)
    return PhaseResult(
        trouble=trouble,
        counts={**disturbance.counts, **rudeness},
        cost=cost,
        report=report,
        outputs={bot.player.name: bot.process.output_path for bot in bots},
        end=end,
    )


async def _play_match(
    server: PhaseServer, bots: Sequence[SeatedBot], order: MatchOrder, disturbance: Disturbance
) -> MatchReport:
    """Play the match, with trouble from its beginning to its end. If this task is cancelled, the match is too."""
    match_id = await start_match(server, bots, replace(order, key=secrets.token_hex(16)))
    causing, watching = map(asyncio.ensure_future, (disturbance.run(), unseat_ended(bots)))
    try:
        return await _wait_for_result(server, match_id, causing)
    except asyncio.CancelledError:
        with suppress(ArenaError, asyncio.InvalidStateError):  # the server may be about to start
            await server.host.organizer.cancel_match(match_id)
        raise
    finally:
        for task in (causing, watching):
            task.cancel()
        await asyncio.gather(causing, watching, return_exceptions=True)


async def _wait_for_result(server: PhaseServer, match_id: MatchId, causing: "asyncio.Future[None]") -> MatchReport:
    """Return the report of the match when it has ended. Raise the error of the disturbance if it fails."""
    waiting = asyncio.ensure_future(server.wait_for_result(match_id))
    both: set[asyncio.Future[Any]] = {waiting, causing}
    try:
        await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        if not waiting.done():
            causing.result()
        return await waiting
    finally:
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)


_SLOW_SHARE: Final = 0.5
"""A decision that takes more than this share of its time limit counts as slow."""
_WORSE_PLACES: Final = 0.5
"""How many places worse a mean place has to be to deserve a sentence."""

_WHEN_AWAY: Final = {
    Trouble.DROPS: "dial again at once when a connection is lost, with the same instance, and resume the seats",
    Trouble.TLS: "after one Welcome, dial again whatever fails, also a TLS handshake that is cut or gets no answer",
    Trouble.RESTARTS: "start faster, and resume the seats that Welcome lists, from a snapshot",
    Trouble.SERVER: "dial again after SHUTTING_DOWN or a lost connection, and resume the seats that Welcome lists",
}


def advise(result: PhaseResult, quiet: Cost, pace: Pace) -> str:
    """Return what the author should do about one phase. `quiet` is the cost of the phase without trouble."""
    cost = result.cost
    if result.trouble is not Trouble.QUIET and not sum(result.counts.values()):
        return "it did not happen, because the games were too short: play more games"
    if result.end:
        return f"it {result.end} and lost its seat: keep running, and {_when_away(result.trouble)}"
    if cost.longest_away_s > PATIENCE_S:
        return f"it was away for {cost.longest_away_s:.1f} s at a time: {_when_away(result.trouble)}"
    if cost.own_strike_count:
        strikes = format_count(cost.own_strike_count, "fault")
        return f"it had {strikes} of its own while connected: read them below, and mend them first"
    if cost.strike_count:
        strikes = format_count(cost.strike_count, "fault")
        return f"{strikes} came from the trouble itself: less time per decision and a faster return avoid some of them"
    return _advise_faultless(result, quiet, pace)


def _advise_faultless(result: PhaseResult, quiet: Cost, pace: Pace) -> str:
    cost = result.cost
    slow_s, limit_s = cost.decision_quantile_s(0.99), pace.turn_ms / 1000
    if slow_s is not None and slow_s > _SLOW_SHARE * limit_s:
        return f"1 % of its decisions took more than {slow_s:.1f} s of {limit_s:g} s: decide faster, or it is late soon"
    if result.trouble in _WHEN_AWAY and _is_worse(cost, quiet):
        return "no fault, but worse places: luck with few games, and with many a sign that it forgets what it knew"
    return "nothing to do"


def _when_away(trouble: Trouble) -> str:
    return _WHEN_AWAY.get(trouble, "dial again when a connection is lost, and resume the seats")


def _is_worse(cost: Cost, quiet: Cost) -> bool:
    place, before = cost.mean_place, quiet.mean_place
    return place is not None and before is not None and place - before >= _WORSE_PLACES
