"""Fuzzed messages to every method of a real server: `python -m tests.faults.fuzz [--messages N] [--seconds S]`.

Messages are mutated from real ones, and come in orders that no bot would use, with tokens that are valid, unknown or
for something else. A server may refuse them with a documented reason only, and its log has no error afterwards.
"""

import argparse
import asyncio
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import grpc
from google.protobuf.message import Message
from grpc_health.v1 import health_pb2

from arena.match.referee.scalars import EntrantIndex
from arena.server.wire.notices import make_offer_id
from cheatarena.v1 import (
    cheat_pb2,
    decision_pb2,
    error_reason_pb2,
    lobby_pb2,
    match_pb2,
    play_pb2,
    ruleset_pb2,
    session_pb2,
    watch_pb2,
)
from tests.faults.mutation import mutate
from tests.faults.processes import logged_errors, running_server
from tests.support.server import SEED, SHORT_GAME, ServerClients, slow_pace
from tests.support.wire_bot import PLAY_METHOD, CallOutcome, WireBot, bearer, expect_refusal, new_channel, play_lowest

PLAYERS = ("ann", "bob")
STREAM_MESSAGES = 45
"""Messages of one stream: fewer than the 50 that a session may send unasked, so that most of them are read."""
PLAY_WORKERS, UNARY_WORKERS = 12, 16
PATIENCE_S = 0.2
"""How long a call that may wait for something is waited for."""
_STREAMS = ("CreateMatches", "WatchMatch")
"""The methods that send many responses."""
_MATCH, _WATCH = "/cheatarena.v1.MatchService/", "/cheatarena.v1.WatchService/"
NOT_REFUSED = {grpc.StatusCode.OK, grpc.StatusCode.CANCELLED, grpc.StatusCode.DEADLINE_EXCEEDED}
"""How a call may end without a reason; the last two are the client's own doing."""
OWN_ERROR = "Internal error from Core"
"""The text with which gRPC's client reports a write to a call that has ended: the server has not sent it."""
_REASONS = {name.removeprefix("ERROR_REASON_") for name in error_reason_pb2.ErrorReason.keys()}  # noqa: SIM118  an enum of protobuf is no mapping


@dataclass
class Findings:
    """What was sent, and how the server answered."""

    wanted: int
    sent: Counter[str] = field(default_factory=Counter)
    """Messages, by method."""
    ends: Counter[str] = field(default_factory=Counter)
    """Ends of calls, by code and reason."""
    undocumented: list[str] = field(default_factory=list)

    @property
    def is_enough(self) -> bool:
        """Whether all wanted messages were sent."""
        return self.sent.total() >= self.wanted

    def note_end(self, method: str, end: CallOutcome) -> None:
        """Note how a call ended."""
        if end.text == OWN_ERROR:
            return
        self.ends[f"{end.code.name} {end.reason}".strip()] += 1
        is_health = "Health" in method and end.code is grpc.StatusCode.NOT_FOUND
        is_documented = end.reason in _REASONS or end.code in NOT_REFUSED or is_health
        if not is_documented or end.code in {grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN}:
            self.undocumented.append(f"{method}: {end.code.name} {end.reason} {end.text}")


def play_frames(random: Random, seat: tuple[int, int]) -> list[bytes]:
    """Return frames with one notice or decision each, of every kind; joined, they are a frame with all of them."""
    number, entrant = seat
    offer_id = make_offer_id(number, EntrantIndex(entrant))
    promise = lobby_pb2.OfferAnswer(offer_id=offer_id, accept=True, entropy_promise=bytes(32))
    notices = [
        play_pb2.BotNotice(offer_answer=promise),
        play_pb2.BotNotice(entropy=lobby_pb2.Entropy(offer_id=offer_id, entropy=bytes(32))),
        play_pb2.BotNotice(ready=lobby_pb2.Ready(match=number, entrant=entrant)),
        play_pb2.BotNotice(leave=lobby_pb2.Leave(match=random.randrange(1 << 31), entrant=entrant)),
        play_pb2.BotNotice(pong=session_pb2.Pong(nonce=random.randrange(1 << 31))),
    ]
    frames = [play_pb2.PlayRequest(notices=[each]) for each in notices]
    for prompt_id in range(1, 60):
        decision = decision_pb2.Decision(match=number, entrant=entrant, prompt_id=prompt_id, note="why")
        decision.action_id = random.randrange(1, 100)
        kind = random.choice(cheat_pb2.CheatActionKind.values())
        action = cheat_pb2.CheatAction(kind=kind, cards=random.randbytes(3), rank=random.randrange(20), count=3)
        decision.cheat.CopyFrom(action)
        if prompt_id % 10 == 0:
            decision.cheater.SetInParent()
        frames.append(play_pb2.PlayRequest(decisions=[decision]))
    return [frame.SerializeToString() for frame in frames]


def unary_requests(match_id: str) -> list[tuple[str, Message]]:
    """Return one request for each method that takes a single one."""
    create = match_pb2.CreateMatchRequest(
        game="cheat", preset="standard", entrants=PLAYERS, options=SHORT_GAME, game_count=2, seed=SEED, unrated=True,
        idempotency_key="key", pace=ruleset_pb2.PACE_STYLE_LIVE,
        pace_options=[match_pb2.OptionSetting(name="turn_ms", value="1000")],
    )  # fmt: skip
    return [
        (f"{_MATCH}CreateMatch", create),
        (f"{_MATCH}CreateMatches", match_pb2.CreateMatchesRequest(requests=[create] * 3)),
        (f"{_MATCH}GetMatch", match_pb2.GetMatchRequest(match_id=match_id)),
        (f"{_MATCH}ListMatches", match_pb2.ListMatchesRequest(page_size=5, page_token=match_id)),
        (f"{_MATCH}CancelMatch", match_pb2.CancelMatchRequest(match_id=match_id)),
        (f"{_MATCH}WaitForResult", match_pb2.WaitForResultRequest(match_id=match_id)),
        (f"{_WATCH}WatchMatch", watch_pb2.WatchMatchRequest(match_id=match_id, after_sequence=3)),
        ("/grpc.health.v1.Health/Check", health_pb2.HealthCheckRequest(service="cheatarena.v1.PlayService")),
    ]


class Fuzzer:
    """Sends fuzzed messages to one server."""

    def __init__(self, clients: ServerClients, findings: Findings, random: Random) -> None:
        self._clients = clients
        self._findings = findings
        self._random = random
        self._instances = 0
        self._match_id = ""
        self._frames: dict[tuple[int, int], list[bytes]] = {}
        """Real frames for each seat, to be mutated."""

    async def run(self) -> None:
        """Send until there were enough. An unexpected error of a worker ends everything."""
        self._tokens = [await self._clients.create_token(f"fuzz{index}") for index in range(PLAY_WORKERS // 3)]
        both = await self._clients.create_token("both", "organize", "spectate")
        self._wrong = [both, "", "cat_unknown", self._tokens[0][:-1]]
        self._service_tokens = [both, both, both, both, self._tokens[0], "", "x" * 3000]
        workers = [self._fuzz_streams() for _ in range(PLAY_WORKERS)] + [
            self._fuzz_calls() for _ in range(UNARY_WORKERS)
        ]
        workers += [self._fuzz_seats()]
        async with asyncio.TaskGroup() as group:
            for worker in workers:
                group.create_task(worker)

    # ---- streams without seats

    async def _fuzz_streams(self) -> None:
        async with new_channel(self._clients.address) as channel:
            while not self._findings.is_enough:
                is_known = self._random.random() < 0.95
                token = self._random.choice(self._tokens if is_known else self._wrong)
                call: Any = channel.stream_stream(PLAY_METHOD)(metadata=bearer(token), timeout=20)
                with suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
                    await self._fuzz_stream(call)
                self._findings.note_end(PLAY_METHOD, await _outcome(call))

    async def _fuzz_stream(self, call: Any) -> None:
        self._instances += 1
        support = [session_pb2.GameSupport(game="cheat")]
        hello = session_pb2.Hello(protocol_version=1, instance=str(self._instances), games=support, capacity=8)
        frame = play_pb2.PlayRequest(notices=[play_pb2.BotNotice(hello=hello)]).SerializeToString()
        await call.write(mutate(frame, self._random) if self._random.random() < 0.1 else frame)
        reading = asyncio.ensure_future(_read_to_end(call))
        for _ in range(STREAM_MESSAGES):
            if call.done():
                break
            await call.write(self._fuzzed_frame())
            self._findings.sent[PLAY_METHOD] += 1
        await call.done_writing()
        await reading

    def _fuzzed_frame(self, seat: tuple[int, int] = (1, 0)) -> bytes:
        if seat not in self._frames:
            self._frames = {seat: play_frames(self._random, seat)} | self._frames
        parts = self._random.choices(self._frames[seat], k=self._random.choice((1, 1, 2, 5)))
        return mutate(b"".join(parts), self._random)

    # ---- streams with seats

    async def _fuzz_seats(self) -> None:
        """Play match after match, with fuzzed decisions before each proper one."""
        while not self._findings.is_enough:
            bots = [await self._clients.open_stream(name) for name in PLAYERS]
            try:
                for bot in bots:
                    await bot.open_session()
                match = await self._clients.create_match(*PLAYERS, pace=slow_pace(), game_count=2)
                self._match_id = match.match_id
                with suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError, AssertionError, TimeoutError):
                    await asyncio.gather(*(self._fuzz_seat(bot) for bot in bots))
            except grpc.aio.AioRpcError as error:
                self._findings.note_end("a seat", await expect_refusal(_raise(error)))
            for bot in bots:
                await bot.disconnect()

    async def _fuzz_seat(self, bot: WireBot) -> None:
        """Play one match."""
        playing = asyncio.ensure_future(bot.play(play_lowest))
        try:
            while not playing.done() and not self._findings.is_enough:
                seat = max(bot.hands, default=(1, 0))
                await bot.send_raw(self._fuzzed_frame(seat))
                self._findings.sent["a seat"] += 1
                await asyncio.sleep(0.02)
        finally:
            playing.cancel()
            await asyncio.gather(playing, return_exceptions=True)

    # ---- single calls

    async def _fuzz_calls(self) -> None:
        async with new_channel(self._clients.address) as channel:
            while not self._findings.is_enough:
                method, request = self._random.choice(unary_requests(self._match_id))
                raw = mutate(request.SerializeToString(), self._random)
                metadata: Any = bearer(self._random.choice(self._service_tokens))
                self._findings.sent[method] += 1
                streams = method.rpartition("/")[2] in _STREAMS
                open_call: Any = channel.unary_stream(method) if streams else channel.unary_unary(method)
                call = open_call(raw, metadata=metadata, timeout=PATIENCE_S)
                with suppress(grpc.aio.AioRpcError):
                    await (_read_to_end(call) if streams else call)
                self._findings.note_end(method, await _outcome(call))


async def _read_to_end(call: Any) -> None:
    with suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
        while await call.read() is not grpc.aio.EOF:
            pass


async def _raise(error: grpc.aio.AioRpcError) -> None:
    raise error


async def _outcome(call: Any) -> CallOutcome:
    """Return how a call ended."""
    error = grpc.aio.AioRpcError(
        await call.code(), grpc.aio.Metadata(), await call.trailing_metadata(), await call.details()
    )
    return await expect_refusal(_raise(error))


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of it."""

    findings: Findings
    seconds: float
    errors: Sequence[str]
    """Errors and tracebacks in the server's log."""
    is_sound: bool
    """Whether an ordinary match could be played afterwards."""


async def fuzz(folder: Path, messages: int, seconds: float, seed: int = 1) -> Outcome:
    """Send fuzzed messages to a server of their own, until all are sent or the time is over."""
    async with running_server(folder, "--log-level", "warning") as (server, clients):
        findings, started = Findings(messages), time.monotonic()
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await Fuzzer(clients, findings, Random(seed)).run()
        took_s = time.monotonic() - started
        bots = await clients.connect_bots("honest", "other")
        match = await clients.create_match("honest", "other", pace=slow_pace())
        await asyncio.gather(*(bot.play(play_lowest) for bot in bots))
        ended = await clients.wait_for_result(match)
        is_sound = server.is_running and ended.termination == "finished"
        return Outcome(findings, took_s, logged_errors(server.err), is_sound)


def main() -> int:
    """Fuzz, print what came of it, and return the exit code."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--messages", type=int, default=200_000)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        outcome = asyncio.run(fuzz(Path(folder), wanted.messages, wanted.seconds, wanted.seed))
    findings = outcome.findings
    print(f"{findings.sent.total()} messages in {outcome.seconds:.1f} s, seed {wanted.seed}")
    for title, counted in (("sent to", findings.sent), ("ended with", findings.ends)):
        print(f"{title}:", ", ".join(f"{name} {count}" for name, count in counted.most_common()))
    for line in (*findings.undocumented[:20], *outcome.errors[:20]):
        print("BAD", line.rstrip()[:2000])
    is_well = outcome.is_sound and not findings.undocumented and not outcome.errors
    return 0 if is_well and findings.is_enough else 1


if __name__ == "__main__":
    sys.exit(main())
