"""Tables of one deal at nodes, with bots that stay there; a table that is cut off goes on at another node."""

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from arena.cli.match.order import find_players
from arena.errors import NotConnectedError
from arena.fleet.runner.bot_entrant import BotEntrant
from arena.fleet.runner.connection import LineCutError
from arena.fleet.runner.runner import Runner, open_runner
from arena.fleet.runner.runner_node import RunnerNode
from arena.games.catalogue import games
from arena.match.referee.deal import SHARED_DEAL_PREFIX, DealSecret, rules_hash_of_terms
from arena.match.referee.inputs import Answer, Begin, Drawn, read_record
from arena.match.referee.match_record import group_by_match
from arena.match.referee.pace import Pace
from arena.match.referee.ports import GameRow, MatchId, MatchRow
from arena.match.referee.terms import Seating, Terms
from arena.organizer.play.block_results import table_result_of
from arena.organizer.play.void_check import StoredMatch
from arena.server.node.deals import SharedTable
from arena.server.store.journal_file import read_records
from tests.support.commands import find_user
from tests.support.wire_bot import WireBot

pytestmark = pytest.mark.skipif(os.name != "posix", reason="a node inherits its line")

CHEAT = games()["cheat"]
SLOW_BOT = """\
import asyncio
from cheatarena import (Bot, Call, Decline, run)

class Slow(Bot):
    async def turn(self, table, options):
        await asyncio.sleep(0.002)
        return options.largest_honest() or options.smallest_lie()

    def call_window(self, table, claim):
        return Call() if claim.count > 2 else Decline()

if __name__ == "__main__":
    run(Slow)
"""
"""Its answers depend on what it is asked alone."""


@pytest.fixture
async def runner(tmp_path) -> AsyncIterator[Runner]:
    async with open_runner(tmp_path / "data", 2) as runner:
        yield runner


@pytest.fixture
def bots(tmp_path: Path) -> Path:
    (tmp_path / "slow.py").write_text(SLOW_BOT)
    return tmp_path


def as_json(rows: tuple[MatchRow, Sequence[GameRow]] | None) -> str:
    """Rows as text: the line between runner and node makes tuples of lists."""
    assert rows is not None
    return json.dumps([asdict(rows[0]), [asdict(game) for game in rows[1]]], default=bytes.hex, sort_keys=True)


def table_order(number: int, names: Sequence[str], records: Sequence[bytes] = (), **others: Any) -> SharedTable:
    """Table `number` of the one deal of these tests."""
    terms = Terms(
        CHEAT, "standard", CHEAT.build_ruleset("standard", {"max_turns": 150}), Pace.sealed_defaults(), tuple(names),
        seating=Seating.FIXED,
    )  # fmt: skip
    salts = tuple(bytes([number, seat]) * 16 for seat in range(len(names)))
    secret = DealSecret(f"{SHARED_DEAL_PREFIX}L.1.0", rules_hash_of_terms(terms), bytes([7]) * 32, salts, number)
    return SharedTable(MatchId(f"{number:026}"), terms, secret, 1.0, "one", records=records, **others)


async def connect_slow_bots(node: RunnerNode, folder: Path, *names: str) -> None:
    """Have copies of the slow bot stay at a node."""
    player = find_players([str(folder / "slow.py")] * 2)[0]
    for name in names:
        await node.start_bot(BotEntrant(name, player.program), "one", "cheat", "standard")


def hands_at_start(records: Sequence[bytes]) -> list[tuple[int, ...]]:
    return [entry.values for entry in map(read_record, records) if isinstance(entry, Drawn)]


def journal_of(data: Path, match: str) -> list[bytes]:
    """The longest record of a match in any journal."""
    found = [
        records
        for path in (data / "journals").iterdir()
        for records in group_by_match(read_records(path)).values()
        if len(records) > 1 and isinstance(begin := read_record(records[1]), Begin) and begin.match_id == match
    ]
    return max(found, key=len, default=[])


@pytest.mark.slow
async def test_two_tables_of_a_deal_have_same_cards_but_own_randomness(runner: Runner, bots: Path, tmp_path):
    node = runner.nodes[0]
    await connect_slow_bots(node, bots, "ann", "bob", "cid", "dot")

    first, second = table_order(0, ["ann", "bob"]), table_order(1, ["cid", "dot"])
    stored = await asyncio.gather(node.play_shared_table(first), node.play_shared_table(second))

    records = [journal_of(tmp_path / "data", each.match_id) for each in (first, second)]
    assert hands_at_start(records[0]) == hands_at_start(records[1]) != []
    assert first.secret.entrant_seeds()[0] != second.secret.entrant_seeds()[0]
    kept = await runner.store.results.matches_with_games([first.match_id, second.match_id])
    assert [as_json(rows) for rows in stored] == [as_json(kept[each.match_id]) for each in (first, second)]


@pytest.mark.slow
async def test_table_of_killed_node_continues_elsewhere_with_same_outcome(runner: Runner, bots: Path, tmp_path):
    """Answers that depend only on the prompt lead to the same game, wherever it is cut."""
    whole, cut = table_order(0, ["ann", "bob", "cid"]), table_order(1, ["ann", "bob", "cid"])
    first, second = runner.nodes
    for node in (first, second):
        await connect_slow_bots(node, bots, "ann", "bob", "cid")
    await second.play_shared_table(whole)

    playing = asyncio.ensure_future(first.play_shared_table(cut))
    while len(journal_of(tmp_path / "data", cut.match_id)) < 60:
        await asyncio.sleep(0.01)
    os.kill(find_user(tmp_path / "data" / "journals" / first.journal), signal.SIGKILL)
    with pytest.raises(LineCutError):
        await playing
    await first.clean_up()
    records = journal_of(tmp_path / "data", cut.match_id)
    await second.play_shared_table(table_order(1, ["ann", "bob", "cid"], records))

    def decisions(match: str) -> list[tuple[int, str]]:
        entries = map(read_record, journal_of(tmp_path / "data", match))
        return [(entry.entrant, entry.text) for entry in entries if isinstance(entry, Answer)]

    assert len(records) < len(journal_of(tmp_path / "data", cut.match_id))
    assert sorted(decisions(cut.match_id)) == sorted(decisions(whole.match_id))


@pytest.mark.slow
async def test_absent_bot_forfeits_from_the_start(runner: Runner, bots: Path, tmp_path):
    node = runner.nodes[0]
    await connect_slow_bots(node, bots, "ann", "bob")

    await node.play_shared_table(table_order(0, ["ann", "eve", "bob"], away=frozenset({"eve"})))

    begin = read_record(journal_of(tmp_path / "data", f"{0:026}")[1])
    assert isinstance(begin, Begin)
    assert begin.absent == (1,)


@pytest.mark.slow
async def test_absent_bots_take_the_last_places_and_others_play_on(runner: Runner, bots: Path):
    node = runner.nodes[0]
    await connect_slow_bots(node, bots, "ann", "bob")

    rows = await node.play_shared_table(table_order(0, ["ann", "eve", "bob", "fay"], away=frozenset({"eve", "fay"})))

    assert rows is not None
    (game,) = rows[1]
    assert (game.places[1], game.places[3]) == (4, 3), "in the order of their seats, the first one last"
    assert {game.places[0], game.places[2]} <= {1, 2}
    assert game.turn_count > 0


@pytest.mark.slow
@pytest.mark.parametrize(("here", "places"), [(["ann"], (1, 3, 2)), ([], (3, 2, 1))])
async def test_table_without_two_bots_is_forfeited(runner: Runner, bots: Path, here, places):
    """If nobody is there, a league with dates lets all share the first place; see `table_result_of`."""
    node, names = runner.nodes[0], ["ann", "bob", "cid"]
    await connect_slow_bots(node, bots, *here)

    rows = await node.play_shared_table(table_order(0, names, away=frozenset(names) - frozenset(here)))

    assert rows is not None
    (game,) = rows[1]
    assert (game.places, game.termination, game.turn_count) == (places, "forfeit", 0)
    result = table_result_of(StoredMatch(*rows), was_awaited=True)
    assert result.places == (places if here else (1, 1, 1))
    assert result.forfeits == frozenset(names) - frozenset(here)
    assert table_result_of(StoredMatch(*rows), was_awaited=False).places == places


@pytest.mark.slow
async def test_other_session_of_same_bot_delays_no_table(runner: Runner, bots: Path, tmp_path):
    """The seats belong to the process started for them, whichever other process has its token."""
    node = runner.nodes[0]
    player = find_players([str(bots / "slow.py")] * 2)[0]
    (bots / "twice.py").write_text(TWICE)
    twice = BotEntrant("ann", find_players([str(bots / "twice.py")] * 2)[0].program)
    await node.start_bot(twice, "one", "cheat", "standard")
    await node.start_bot(BotEntrant("bob", player.program), "one", "cheat", "standard")

    async with asyncio.timeout(60):
        await node.play_shared_table(table_order(0, ["ann", "bob"]))

    assert (await runner.store.results.match(MatchId("0" * 26))).state == "ended"


TWICE = SLOW_BOT.replace(
    "if __name__",
    """import os, subprocess, sys, time
if __name__ == "__main__" and "again" not in sys.argv:
    other = {**os.environ, "CHEATARENA_INSTANCE": "other"}
    subprocess.Popen([sys.executable, __file__, "again"], env=other)
    time.sleep(1)
if __name__""",
)
"""It starts a second process of itself, which comes in first."""


async def test_bot_with_another_instance_is_reported_once(capfd, tmp_path, bots: Path):
    """Otherwise nobody learns why the bot is awaited although it is connected."""
    async with open_runner(tmp_path / "data", 1) as runner:
        (node,) = runner.nodes
        await connect_slow_bots(node, bots, "bob")
        async with WireBot(node.address, await runner.store.tokens.create("ann", ["play"])) as ann:
            await ann.open_session(instance="one")
            for _ in range(2):
                assert list(await node.calls.connected_bots("league", "cheat", "standard")) == []

    said = capfd.readouterr().err
    assert "bob is connected" not in said, "the arena itself started it"
    assert said.count("ann is connected as one, expected CHEATARENA_INSTANCE=league\n") == 1


@pytest.mark.slow
async def test_table_that_needs_everybody_waits_for_a_bot_that_takes_no_seat(runner: Runner, bots: Path):
    """A bot that is connected and takes no seat costs nobody a game, and the table can be played later."""
    node = runner.nodes[0]
    await connect_slow_bots(node, bots, "ann")
    (bots / "shy.py").write_text(SHY)
    shy = BotEntrant("eve", find_players([str(bots / "shy.py")] * 2)[0].program)
    await node.start_bot(shy, "one", "cheat", "standard")
    table = table_order(0, ["ann", "eve"], needs_everybody=True)
    assert sorted(await node.calls.connected_bots("one", "cheat", "standard")) == ["ann", "eve"]
    assert not await node.calls.connected_bots("other", "cheat", "standard")

    with pytest.raises(NotConnectedError) as caught:
        await node.play_shared_table(table)
    assert caught.value.names == ("eve",)
    assert not await runner.store.results.matches_with_games([table.match_id])

    await node.calls.stop_bot("eve")
    await connect_slow_bots(node, bots, "eve")
    rows = await node.play_shared_table(table)
    assert rows is not None
    assert not any(strikes["gone"] for strikes in rows[0].strikes)


SHY = SLOW_BOT.replace(
    "    async def turn",
    """    @classmethod
    def accepts(cls, offer):
        return False

    async def turn""",
)
"""It declines every seat."""


@pytest.mark.slow
async def test_token_of_the_same_name_does_not_take_over_a_local_bot(runner: Runner, bots: Path):
    """Even with the instance for which the league asks: a local bot has its own."""
    node = runner.nodes[0]
    await connect_slow_bots(node, bots, "ann", "bob")

    async with WireBot(node.address, await runner.store.tokens.create("ann", ["play"])) as thief:
        await thief.open_session(instance="one")
        stored = await node.play_shared_table(table_order(0, ["ann", "bob"]))

        assert stored is not None
        assert stored[0].state == "ended"
        assert node.lost_bots.empty()
        assert sorted(await node.calls.connected_bots("one", "cheat", "standard")) == ["ann", "bob"]
