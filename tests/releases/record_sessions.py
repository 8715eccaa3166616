"""Records sessions of raw clients with the present server, before a release.

    python -m tests.releases.record_sessions tests/releases/VERSION

One client holds all seats of a match, so that a session does not depend on who is faster.
"""

import asyncio
import base64
import json
import sys
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

from google.protobuf import json_format

from arena.plurals import format_count
from cheatarena.v1 import cheat_pb2, decision_pb2, lobby_pb2, match_pb2, play_pb2, ruleset_pb2, session_pb2
from tests.releases.sessions import STRANGER, RawClient, create_match, open_client
from tests.support import cheater_wire
from tests.support.paces import pace_request_fields
from tests.support.server import SEED, SHORT_GAME, LocalServer, open_server, slow_pace
from tests.support.stamping import stamping_loop
from tests.support.wire_bot import WireBot, play_lowest

QUIET_S = 0.3
"""The server has said everything if it is silent for this long."""
NAME = "solo"
BREAKS = slow_pace(intermission_ms=60_000)
LIVE = ruleset_pb2.Pace(
    style=ruleset_pb2.PACE_STYLE_LIVE, turn_ms=60_000, call_ms=10_000, min_call_ms=10_000, reconnect_grace_ms=10_000
)
KINDS = cheat_pb2.CheatActionKind


class Recorder:
    """Plays and writes down a session."""

    def __init__(self, site: LocalServer, game: str = "cheat") -> None:
        self._site = site
        self._game = game
        self.entries: list[dict[str, Any]] = []
        self._client: RawClient
        self._table = WireBot(site.address, "")
        """Reads the hands and prompts from the messages; it has a stream that is not used."""
        self.node = ""
        self.sequences: dict[int, int] = {}
        """The sequence of each entrant's last message."""
        self.open_prompts: list[tuple[play_pb2.SeatMessage, decision_pb2.Prompt]] = []

    async def open_stream(self, name: str) -> None:
        """Open a stream under a name."""
        self._client = await open_client(self._site, name)
        self.entries.append({"open": name})

    async def open(self, hello: session_pb2.Hello | None = None) -> None:
        """Open a stream, and send a Hello."""
        await self.open_stream(NAME)
        hello = hello or session_pb2.Hello()
        hello.protocol_version = hello.protocol_version or 1
        hello.instance, hello.capacity = "one", 10
        hello.games.add(game=self._game)
        await self.send(play_pb2.BotNotice(hello=hello))

    async def create(self, seats: int, pace: ruleset_pb2.Pace, preset: str = "standard", games: int = 1) -> None:
        """Create a match with several seats of the bot, and accept them."""
        wanted = match_pb2.CreateMatchRequest(
            entrants=[NAME] * seats, game=self._game, preset=preset, game_count=games, seed=SEED, unrated=True,
            options=SHORT_GAME, **pace_request_fields(pace),
        )  # fmt: skip
        request = json_format.MessageToDict(wanted, preserving_proto_field_name=True)
        self.entries.append({"create": request})
        await create_match(self._site, request)
        said = await self._listen()
        offers = [each.offered.offer_id for frame in said for each in frame.notices if each.HasField("offered")]
        answers = [lobby_pb2.OfferAnswer(offer_id=offer_id, accept=True) for offer_id in offers]
        await self.send(*[play_pb2.BotNotice(offer_answer=each) for each in answers])

    async def send(self, *notices: play_pb2.BotNotice, decisions: Sequence[decision_pb2.Decision] = ()) -> None:
        """Send a frame, and listen to what the server says."""
        frame = play_pb2.PlayRequest(notices=notices, decisions=decisions).SerializeToString()
        self.entries.append({"bot": base64.b64encode(frame).decode()})
        await self._client.send(frame)
        await self._listen()

    async def _listen(self) -> list[play_pb2.PlayResponse]:
        """Write down the server's frames until it is silent."""
        said: list[play_pb2.PlayResponse] = []
        while True:
            try:
                async with asyncio.timeout(QUIET_S):
                    frame = await self._client.frames.get()
            except TimeoutError:
                return said
            if frame is None:
                return said
            self.entries.append({"server": base64.b64encode(frame).decode()})
            said.append(play_pb2.PlayResponse.FromString(frame))
            self._learn(said[-1])

    def _learn(self, frame: play_pb2.PlayResponse) -> None:
        for notice in frame.notices:
            self.node = notice.welcome.node or self.node
        for message in frame.messages:
            if not message.HasField("snapshot") and message.sequence <= self.sequences.get(message.entrant, 0):
                continue  # it comes again on a new stream
            self.sequences[message.entrant] = message.sequence
            self._table._record(message)
            closed = {*message.withdrawn, *message.snapshot.answered}
            closed |= {
                each.prompt_id for each in message.answers if each.status != decision_pb2.DECISION_STATUS_REFUSED
            }
            seat = (message.match, message.entrant)
            asked = [(message, each) for each in (*message.snapshot.prompts, *message.prompts)]
            renewed = {prompt.id for _, prompt in asked} | closed
            self.open_prompts = [
                (told, prompt) for told, prompt in self.open_prompts
                if (told.match, told.entrant) != seat or prompt.id not in renewed
            ] + [(told, prompt) for told, prompt in asked if prompt.id not in closed]  # fmt: skip

    def choose_all(self) -> list[decision_pb2.Decision]:
        """Return the simplest legal answer to each open prompt."""
        choose = play_lowest if self._game == "cheat" else cheater_wire.choose
        chosen = []
        for message, prompt in self.open_prompts:
            decision = choose(self._table, message, prompt)
            decision.match, decision.entrant = message.match, message.entrant
            decision.prompt_id, decision.action_id = prompt.id, prompt.id * 16
            chosen.append(decision)
        return chosen

    async def play(self, turns: int = 1000) -> None:
        """Answer everything, for some frames or until nothing is asked."""
        for _ in range(turns):
            if not self.open_prompts:
                return
            await self.send(decisions=self.choose_all())

    async def lose(self) -> None:
        """Lose the connection."""
        await self._client.disconnect()
        self.entries.append({"lost": True})
        await self._site.wait_until_gone(NAME)

    async def end(self) -> None:
        """Write down how the server ended the stream."""
        outcome = await self._client.wait_for_end()
        self.entries.append({"end": [outcome.code.name, outcome.reason]})

    async def say_goodbye(self) -> None:
        """End the session."""
        await self.send(play_pb2.BotNotice(goodbye=session_pb2.Goodbye()))
        await self.end()


async def record_cheat(site: LocalServer) -> Recorder:
    """Sealed: two games with a break, and a decision of each kind that is refused."""
    solo = Recorder(site)
    await solo.open()
    await solo.create(3, BREAKS, games=2)
    (turn,) = solo.choose_all()
    for action_id, change in (
        (1, {"cards": b"\xff"}), (2, {"count": 3}), (3, {"kind": KINDS.CHEAT_ACTION_KIND_CALL}), (0, {}),
    ):  # fmt: skip
        wrong = decision_pb2.Decision()
        wrong.CopyFrom(turn)
        wrong.action_id = action_id
        wrong.cheat.MergeFrom(cheat_pb2.CheatAction(**change))
        await solo.send(decisions=[wrong])
    await solo.send(decisions=[turn])
    await solo.send(decisions=[turn])
    stranger = decision_pb2.Decision(match=9, prompt_id=1, action_id=1, cheat=turn.cheat)
    await solo.send(decisions=[stranger])
    await solo.play()
    await solo.send(*[play_pb2.BotNotice(ready=lobby_pb2.Ready(match=1, entrant=each)) for each in range(3)])
    gave_up = decision_pb2.NoAnswer(cause=decision_pb2.NO_ANSWER_CAUSE_GAVE_UP, text="tired")
    (turn,) = solo.choose_all()
    turn.no_answer.CopyFrom(gave_up)
    await solo.send(decisions=[turn])
    await solo.play()
    await solo.say_goodbye()
    return solo


async def record_live(site: LocalServer) -> Recorder:
    """Live: a call that comes too early, a decline, a held move, and one that replaces it before a seat leaves."""
    solo = Recorder(site)
    await solo.open()
    await solo.create(3, LIVE)
    await solo.play(1)
    windows = [each for each in solo.choose_all() if each.cheat.kind != KINDS.CHEAT_ACTION_KIND_PLAY]
    moves = [each for each in solo.choose_all() if each.cheat.kind == KINDS.CHEAT_ACTION_KIND_PLAY]
    windows[0].cheat.kind = KINDS.CHEAT_ACTION_KIND_CALL
    windows[1].cheat.kind = KINDS.CHEAT_ACTION_KIND_DECLINE
    await solo.send(decisions=[windows[0]])
    await solo.send(decisions=[windows[1]])
    await solo.send(decisions=moves)
    moves[0].action_id += 1
    await solo.send(decisions=moves)
    await solo.send(play_pb2.BotNotice(leave=lobby_pb2.Leave(match=1, entrant=2)))
    await solo.say_goodbye()
    return solo


async def record_cheater(site: LocalServer) -> Recorder:
    """CHEATER: a whole match of three seats."""
    solo = Recorder(site, "cheater")
    await solo.open()
    await solo.create(3, slow_pace(), preset="cheater")
    await solo.play()
    await solo.say_goodbye()
    return solo


async def record_returns(site: LocalServer) -> Recorder:
    """Lost connections: back with positions, with positions that are behind, and with none."""
    solo = Recorder(site)
    await solo.open()
    await solo.create(2, slow_pace())
    await solo.play(6)
    for sequences in ((solo.sequences[0], solo.sequences[1]), (2, 3), ()):
        await solo.lose()
        positions = [
            session_pb2.Position(match=1, entrant=entrant, sequence=sequence)
            for entrant, sequence in enumerate(sequences)
        ]
        await solo.open(session_pb2.Hello(positions=positions, node=solo.node))
        await solo.play(2)
    await solo.say_goodbye()
    return solo


async def record_refusals(site: LocalServer) -> Recorder:
    """Streams that the server refuses: an unknown token, another version, a Hello that says nothing."""
    solo = Recorder(site)
    await solo.open_stream(STRANGER)
    await solo.end()  # the refusal comes before any frame is read
    await solo.open(session_pb2.Hello(protocol_version=2))
    await solo.end()
    await solo.open(session_pb2.Hello(label="x" * 65))
    await solo.end()
    return solo


SESSIONS: dict[str, Callable[[LocalServer], Awaitable[Recorder]]] = {
    "cheat": record_cheat,
    "live": record_live,
    "cheater": record_cheater,
    "returns": record_returns,
    "refusals": record_refusals,
}


async def main(folder: Path) -> None:
    """Record every session, each with a server of its own."""
    for name, record in SESSIONS.items():
        with tempfile.TemporaryDirectory() as data:
            async with open_server(Path(data)) as site:
                solo = await record(site)
        write_session(folder / f"session-{name}.jsonl", solo.entries)


def write_session(path: Path, entries: list[dict[str, Any]]) -> None:
    """Write the entries of a session."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(each) + "\n" for each in entries), encoding="utf-8")
    print(f"{path}: {format_count(len(entries), 'entry')}")


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=stamping_loop) as runner:
        runner.run(main(Path(sys.argv[1])))
