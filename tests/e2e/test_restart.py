"""A server that is killed or stopped and started again takes up its matches where they were."""

import asyncio
import os
import signal
from contextlib import asynccontextmanager, closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import grpc
import pytest

from arena.games.catalogue import games
from arena.match.referee.inputs import Answer, Begin, read_record
from arena.match.referee.match_offer import is_offer
from arena.match.referee.match_record import group_by_match
from arena.match.referee.ports import MatchId
from arena.match.referee.replay import Replay
from arena.server.store.journal_file import JournalFile, read_records
from cheatarena.v1 import lobby_pb2, match_pb2, play_pb2, pool_pb2, pool_pb2_grpc
from tests.support.commands import run_arena, start_command
from tests.support.server import ServerClients, slow_pace, visit_server
from tests.support.wire_bot import WireBot, bearer, new_channel, play_lowest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals are otherwise there")

NAMES = ("ann", "bob", "cid")


@contextmanager
def serve(data: Path, *options: object):
    with start_command("serve", "--data", data, "--grace", 0, *options) as server:
        yield server, server.wait_for_line("READY").split()[1]


@asynccontextmanager
async def running(data: Path, *options: object):
    """Run a server process, and connect clients to it."""
    with serve(data, *options) as (server, address):
        async with visit_server(data, address) as clients:
            yield server, clients


async def state_of(clients: ServerClients, match: match_pb2.Match) -> match_pb2.Match:
    request = match_pb2.GetMatchRequest(match_id=match.match_id)
    found: match_pb2.Match = (await clients.matches.GetMatch(request, metadata=clients.organizing)).match
    return found


async def state_when_taken_up(clients: ServerClients, match: match_pb2.Match) -> match_pb2.Match:
    """Wait until the server has taken up a match of which it has finished games."""
    while not (found := await state_of(clients, match)).games:
        await asyncio.sleep(0.02)
    return found


async def reconnect(clients: ServerClients, tokens: dict[str, str]) -> list[WireBot]:
    """Connect the bots as they were, with the same tokens and instances."""
    clients.tokens |= tokens
    return await clients.connect_bots(*tokens)


async def play_until_cut(bot: WireBot) -> None:
    with suppress(grpc.aio.AioRpcError, AssertionError, asyncio.InvalidStateError):
        await bot.play(play_lowest)


async def play_until(bots: list[WireBot], decisions: int) -> list[asyncio.Task[None]]:
    """Let bots play until this many of their decisions are accepted; they play on."""
    tasks = [asyncio.create_task(play_until_cut(bot)) for bot in bots]
    while sum(len(bot.accepted) for bot in bots) < decisions:
        assert not any(task.done() for task in tasks)
        await asyncio.sleep(0.005)
    return tasks


def recorded_answers(data: Path) -> set[tuple[int, int, int]]:
    """Return entrant, prompt and action id of every decision in all journals."""
    records = [record for path in (data / "journals").iterdir() for record in read_records(path)]
    inputs = [read_record(record) for group in group_by_match(records).values() for record in group]
    return {(each.entrant, each.prompt_id, each.action_id) for each in inputs if isinstance(each, Answer)}


async def stop(server, how: signal.Signals) -> int:
    server.signal(how)
    code: int = await asyncio.to_thread(server.wait_for_exit)
    return code


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM], ids=["killed", "stopped"])
async def test_match_goes_on_after_a_restart(tmp_path, capsys, how):
    """Nobody loses a card, a decision or time; the replay shows one match, and it can be verified."""
    data, file = tmp_path / "data", tmp_path / "replay.json"
    async with running(data) as (server, clients):
        bots = await clients.connect_bots(*NAMES)
        match = await clients.create_match(*NAMES, seed=b"", pace=slow_pace(), game_count=20)
        playing = await play_until(bots, 200)
        code = await stop(server, how)
        await asyncio.gather(*playing)
        tokens = dict(clients.tokens)
    accepted = {decision[1:] for bot in bots for decision in bot.accepted}
    assert accepted <= recorded_answers(data)

    async with running(data) as (_, clients):
        waiting = await state_when_taken_up(clients, match)
        bots = await reconnect(clients, tokens)
        await asyncio.gather(*(bot.play(play_lowest) for bot in bots))
        ended = await clients.wait_for_result(match)
    exported = await asyncio.to_thread(
        run_arena, capsys, "replay", "export", match.match_id, "--to", file, "--data", data
    )
    verified = await asyncio.to_thread(run_arena, capsys, "replay", "verify", file, "--data", data)

    assert code == (0 if how is signal.SIGTERM else -signal.SIGKILL)
    assert waiting.state == match_pb2.MATCH_STATE_RUNNING
    shown = [(game.game, game.places) for game in waiting.games]
    assert shown == [(game.game, game.places) for game in ended.games][: len(shown)], "before the bots were back"
    assert (ended.termination, len(ended.games)) == ("finished", 20)
    assert [*ended.strikes] == [match_pb2.Strikes()] * len(NAMES)
    assert (exported.code, verified.code) == (0, 0), exported.err + verified.out


@pytest.mark.slow
async def test_match_survives_kill_after_kill(tmp_path):
    """Each server takes it up from the journal of the one before it."""
    accepted, tokens, match = set(), dict[str, str](), None
    for _ in range(4):
        async with running(tmp_path) as (server, clients):
            if match is None:
                bots = await clients.connect_bots(*NAMES)
                match = await clients.create_match(*NAMES, pace=slow_pace(), game_count=100)
                tokens = dict(clients.tokens)
            else:
                bots = await reconnect(clients, tokens)
            playing = await play_until(bots, 100)
            await stop(server, signal.SIGKILL)
            await asyncio.gather(*playing)
            accepted |= {decision[1:] for bot in bots for decision in bot.accepted}
    assert match is not None

    assert len(accepted) >= 400
    row_journal = await _journal_of(tmp_path, match)
    groups = group_by_match(read_records(tmp_path / "journals" / row_journal[0]))
    inputs = [read_record(record) for record in groups[row_journal[1]]]
    assert accepted <= {(i.entrant, i.prompt_id, i.action_id) for i in inputs if isinstance(i, Answer)}
    for _ in Replay(groups[row_journal[1]], games()).moments():
        pass


async def _journal_of(data: Path, match: match_pb2.Match) -> tuple[str, int]:
    async with visit_server(data, "127.0.0.1:1") as clients:
        row = await clients.store.results.match(MatchId(match.match_id))
        deal = await clients.store.deals.deal(MatchId(match.match_id))
    assert deal is not None
    assert (deal.journal, deal.match_number) == (row.journal, row.number)
    return row.journal, row.number


@pytest.mark.slow
async def test_match_whose_records_cannot_be_replayed_is_closed(tmp_path):
    """It ends as interrupted, its deal is revealed, and the next start knows nothing of it."""
    async with running(tmp_path) as (server, clients):
        bots = await clients.connect_bots("ann", "bob")
        match = await clients.create_match("ann", "bob", pace=slow_pace(), game_count=100)
        playing = await play_until(bots, 20)
        await stop(server, signal.SIGKILL)
        await asyncio.gather(*playing)
    (journal,) = (tmp_path / "journals").glob("*.journal")
    drop_beginning(journal)

    async with running(tmp_path) as (server, clients):
        closed = await clients.wait_for_result(match)
        deal = await clients.store.deals.deal(MatchId(match.match_id))
        await stop(server, signal.SIGTERM)
    async with running(tmp_path) as (again, clients):
        still = await state_of(clients, match)
        await stop(again, signal.SIGTERM)

    assert (closed.state, closed.termination) == (match_pb2.MATCH_STATE_ENDED, "interrupted")
    assert still == closed
    assert deal is not None
    assert deal.revealed is not None
    logged = "".join(server.err)
    assert "interrupted match cannot be resumed" in logged
    assert "Traceback" not in logged
    assert "cannot be resumed" not in "".join(again.err)


def drop_beginning(path: Path) -> None:
    """Write a journal again without the record with which its first match begins."""
    records = list(read_records(path))
    path.unlink()
    dropped = next(each for each in records if not is_offer(each) and isinstance(read_record(each), Begin))
    with closing(JournalFile(path)) as journal:
        for record in records:
            if record is not dropped:
                journal.append(record)
        journal.flush()


@pytest.mark.slow
async def test_match_that_was_only_offered_is_offered_again(tmp_path):
    """Its creation was answered, so the next server knows it, with the same committed deal."""
    async with running(tmp_path) as (server, clients):
        await clients.connect_bots("ann", "bob")
        match = await clients.create_match("ann", "bob", pace=slow_pace())
        await stop(server, signal.SIGKILL)
        tokens = dict(clients.tokens)

    async with running(tmp_path) as (_, clients):
        known = await state_of(clients, match)
        bots = await reconnect(clients, tokens)
        await asyncio.gather(*(bot.play(play_lowest) for bot in bots))
        ended = await clients.wait_for_result(match)

    assert known.deal.commitment == ended.deal.commitment == match.deal.commitment
    assert ended.termination == "finished"
    assert [*ended.strikes] == [match_pb2.Strikes()] * 2


@pytest.mark.slow
async def test_challenge_that_was_only_offered_is_still_withdrawn_if_one_declines(tmp_path):
    """A match that needs everybody needs them after a restart too: otherwise the others would win by forfeit."""
    async with running(tmp_path) as (server, clients):
        for name in ("ann", "bob"):
            await clients.connect_bot(name, challenges=pool_pb2.CHALLENGE_POLICY_EVERYBODY)
        async with new_channel(clients.address) as channel:
            stub: Any = pool_pb2_grpc.PoolServiceStub(channel)
            request = pool_pb2.ChallengeRequest(opponents=["bob"])
            made = await stub.Challenge(request, metadata=bearer(clients.tokens["ann"]))
        await stop(server, signal.SIGKILL)
        tokens = dict(clients.tokens)

    async with running(tmp_path) as (_, clients):
        ann, bob = await reconnect(clients, tokens)
        await ann.answer_offer()
        await bob.answer_offer(accept=False)
        ended = await clients.wait_for_result(match_pb2.Match(match_id=made.match_id))

    assert ended.termination == "withdrawn"
    assert not ended.games


@pytest.mark.slow
async def test_interrupted_match_can_be_cancelled(tmp_path):
    """Its deal is revealed then, and fits the receipts that its bots have."""
    async with running(tmp_path) as (server, clients):
        bots = await clients.connect_bots("ann", "bob")
        match = await clients.create_match("ann", "bob", seed=b"", pace=slow_pace())
        for bot in bots:
            offered = (await bot.wait_for_notice("offered")).offered
            await bot.send(
                play_pb2.BotNotice(offer_answer=lobby_pb2.OfferAnswer(offer_id=offered.offer_id, accept=True))
            )
        receipts = [(await bot.wait_for_event("deal_receipt")).deal_receipt for bot in bots]
        await stop(server, signal.SIGKILL)

    async with running(tmp_path) as (_, clients):
        before = await clients.store.deals.deal(MatchId(match.match_id))
        request = match_pb2.CancelMatchRequest(match_id=match.match_id)
        await clients.matches.CancelMatch(request, metadata=clients.organizing, timeout=10)
        ended = await clients.wait_for_result(match)
        after = await clients.store.deals.deal(MatchId(match.match_id))

    assert before is not None
    assert after is not None
    assert (before.revealed, ended.termination) == (None, "cancelled")
    assert after.revealed is not None
    assert [each["digest"] for each in after.revealed["receipts"]] == [each.digest.hex() for each in receipts]


@pytest.mark.slow
async def test_bots_that_do_not_come_back_lose_by_their_own_absence(tmp_path):
    """The match waits for them, then goes on as if they had disconnected now."""
    async with running(tmp_path) as (server, clients):
        pace = slow_pace(turn_ms=200, call_ms=200, reconnect_grace_ms=100, max_auto_moves=2)
        bots = await clients.connect_bots("ann", "bob")
        match = await clients.create_match("ann", "bob", pace=pace, game_count=1000)
        playing = [asyncio.create_task(play_until_cut(bot)) for bot in bots]
        await asyncio.wait(playing, timeout=0.3)
        await stop(server, signal.SIGKILL)
        await asyncio.gather(*playing)

    async with running(tmp_path, "--bot-return", 0.5) as (_, clients):
        ended = await clients.wait_for_result(match)

    assert ended.games[0].termination == "max_turns"
    assert ended.games[-1].termination == "forfeit"
