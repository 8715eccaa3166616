"""Raw clients of each release play on the present server: what it answers means what it meant to them."""

import base64
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cheatarena.v1 import play_pb2
from tests.releases.sessions import Contract, play_again, read_session
from tests.support.server import LocalServer

SESSIONS = sorted(Path(__file__).parent.glob("*/session-*.jsonl"))
LATEST = SESSIONS[-1].parent


def changed(entry: dict[str, Any], change: Callable[[play_pb2.PlayResponse], object]) -> dict[str, Any]:
    """Return an entry of a session; if it is a frame of the server, a changed one."""
    if "server" not in entry:
        return entry
    frame = play_pb2.PlayResponse.FromString(base64.b64decode(entry["server"]))
    change(frame)
    return {"server": base64.b64encode(frame.SerializeToString()).decode()}


@pytest.mark.parametrize("session", SESSIONS, ids=lambda path: f"{path.parent.name} {path.stem}")
async def test_session_of_a_release_is_answered_as_it_was(site: LocalServer, session: Path):
    await play_again(site, read_session(session), Contract(session.parent / "contract.binpb"))


@pytest.mark.parametrize(
    "change",
    [
        lambda frame: [answer.ClearField("reason") for each in frame.messages for answer in each.answers],
        lambda frame: [each.ClearField("withdrawn") for each in frame.messages],
        lambda frame: [prompt.ClearField("deadline_us") for each in frame.messages for prompt in each.prompts],
        lambda frame: [each.ClearField("resumed") for each in frame.notices],
    ],
    ids=["reason", "withdrawn", "presence of a deadline", "notice"],
)
async def test_another_meaning_is_noticed(site: LocalServer, change):
    """So the test above can fail."""
    session = [changed(entry, change) for entry in read_session(LATEST / "session-cheat.jsonl")]

    with pytest.raises(AssertionError, match="entry"):
        await play_again(site, session, Contract(LATEST / "contract.binpb"))
