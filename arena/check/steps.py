"""The steps of a check, in the order in which they run."""

from collections.abc import Sequence
from functools import partial
from typing import Final

from arena.check.broken_lines import (
    HoldAnswers,
    LoseConnection,
    RefuseDecisions,
    RenumberAfterRestart,
    ReplaceSession,
    ShutDown,
)
from arena.check.interference import (
    AddUnknown,
    AskForPongs,
    JoinFrames,
    SendStrangeMessages,
    ShiftClock,
    SplitFrames,
)
from arena.check.step import CheckTable, ExitStep, Step
from cheatarena.v1 import play_pb2

SHORT: Final = {"max_turns": "40"}
LIVE_PACE: Final = {"turn_ms": 5_000, "call_ms": 2_000, "intermission_ms": 0}
_LIVE_OPTIONS: Final = {"max_turns": "8"}


def _offers(frame: play_pb2.PlayResponse) -> bool:
    return any(notice.HasField("offered") for notice in frame.notices)


def _assigns(frame: play_pb2.PlayResponse) -> bool:
    return any(notice.HasField("assigned") for notice in frame.notices)


def _asks(kind: str, frame: play_pb2.PlayResponse) -> bool:
    return any((prompt.WhichOneof("options") or "").endswith(kind) for m in frame.messages for prompt in m.prompts)


def _has_event(kind: str, frame: play_pb2.PlayResponse) -> bool:
    return any(event.HasField(kind) for message in frame.messages for event in message.events)  # type: ignore[arg-type]


def _accepts(frame: play_pb2.PlayResponse) -> bool:
    return any(message.answers for message in frame.messages)


def _decides(frame: play_pb2.PlayRequest) -> bool:
    return bool(frame.decisions)


def _answers_offer(frame: play_pb2.PlayRequest) -> bool:
    return any(notice.HasField("offer_answer") for notice in frame.notices)


def _cheat(name: str, title: str, preset: str = "standard", seats: int = 3, **options: str) -> Step:
    return Step(name, title, table=CheckTable(preset=preset, seats=seats, options={**SHORT, **options}))


_SHORT_TABLE: Final = CheckTable(options=SHORT)
_TWO_GAMES: Final = CheckTable(options=SHORT, games=2)
_BREAKS: Final = CheckTable(options={"max_turns": "12"}, games=3, pace={"intermission_ms": 3_000})
_QUICK_TURNS: Final = CheckTable(options=SHORT, pace={"turn_ms": 500, "call_ms": 500, "max_auto_moves": 0})
_LOST: Final = "the connection was never lost at this moment"

STEPS: Final[Sequence[Step | ExitStep]] = (
    # The games.
    _cheat("standard", "plays standard Cheat"),
    _cheat("folk", "plays the preset folk", "folk"),
    _cheat("rank-lock", "plays the preset rank_lock", "rank_lock"),
    _cheat("ascending", "plays the preset ascending", "ascending", 4),
    _cheat("ten-seats", "plays at a table with ten seats", seats=10, max_turns="60"),
    _cheat("two-seats", "plays at a table with two seats", seats=2),
    _cheat("big-hands", "reads hands of thousands of cards", seats=2, decks="251", max_turns="12"),
    _cheat("cut", "cuts the deck and chooses a packet", deal="cut_and_choose"),
    _cheat("believe", "plays where a move may be believed", believe="true"),
    Step("live", "plays the live pace", table=CheckTable(style="live", pace=LIVE_PACE, options=_LIVE_OPTIONS)),
    Step("breaks", "sends Ready in breaks", table=_BREAKS),
    Step("cheater", "plays CHEATER", table=CheckTable(game="cheater", preset="cheater", seats=4)),
    Step(
        "cheater-live",
        "plays CHEATER in the live pace",
        table=CheckTable(game="cheater", preset="cheater", style="live", pace=LIVE_PACE, seats=3),
    ),
    Step("many-matches", "holds forty seats on one stream", table=CheckTable(options=SHORT, seats=2, matches=40)),
    # The frames.
    Step("split-frames", "reads frames with one message each", SplitFrames, _SHORT_TABLE, "no frame could be split"),
    Step(
        "joined-frames",
        "reads frames with hundreds of messages, and answers each in one frame",
        JoinFrames,
        CheckTable(options=SHORT, seats=2, matches=40),
        "no frame could be joined",
    ),
    Step("unknown", "ignores fields, facts and notices that it does not know", AddUnknown, _SHORT_TABLE, "no message"),
    Step("unnumbered", "ignores messages with sequence 0", SendStrangeMessages, _SHORT_TABLE, "the bot got no prompt"),
    Step("clock", "computes deadlines on the server's clock", ShiftClock, _QUICK_TURNS, "no prompt had a deadline"),
    Step("pings", "answers pings", AskForPongs, _SHORT_TABLE, "no ping was sent"),
    # Decisions that fail.
    Step(
        "refused",
        "answers again under a new action id after a refusal, whatever its reason",
        RefuseDecisions,
        CheckTable(options=SHORT, pace={"turn_ms": 4_000, "call_ms": 4_000}),
        "no decision was refused",
    ),
    Step("late", "forgets a prompt that was closed before its answer arrived", HoldAnswers, _QUICK_TURNS, "no answer"),
    Step("leaver", "plays on when another seat leaves", table=_TWO_GAMES, leaver=True),
    # Connections that are lost.
    Step("lost-before-offer", "comes back when an offer was lost", partial(LoseConnection, at_server_frame=_offers),
         _SHORT_TABLE, _LOST),
    Step("lost-at-offer", "comes back when its answer to an offer was lost",
         partial(LoseConnection, at_bot_frame=_answers_offer), _SHORT_TABLE, _LOST),
    Step("lost-at-start", "comes back when the start of the match was lost",
         partial(LoseConnection, at_server_frame=_assigns, times=1), _SHORT_TABLE, _LOST),
    Step("lost-question", "comes back when a turn was lost",
         partial(LoseConnection, at_server_frame=partial(_asks, "turn")), _SHORT_TABLE, _LOST),
    Step("lost-window", "comes back when a window was lost",
         partial(LoseConnection, at_server_frame=partial(_asks, "window")), _SHORT_TABLE, _LOST),
    Step("lost-answer", "answers again when its decision was lost",
         partial(LoseConnection, at_bot_frame=_decides), _SHORT_TABLE, _LOST),
    Step("lost-acceptance", "comes back when the result of its decision was lost",
         partial(LoseConnection, at_server_frame=_accepts), _SHORT_TABLE, _LOST),
    Step("lost-after-question", "comes back when the connection is lost right after a prompt",
         partial(LoseConnection, at_server_frame=partial(_asks, "turn"), is_delivered=True), _SHORT_TABLE, _LOST),
    Step("lost-in-break", "comes back in a break",
         partial(LoseConnection, at_server_frame=partial(_has_event, "intermission_started")), _BREAKS, _LOST),
    Step("lost-game-end", "comes back when the end of a game was lost",
         partial(LoseConnection, at_server_frame=partial(_has_event, "game_ended"), times=1), _TWO_GAMES, _LOST),
    Step("lost-match-end", "comes back when the end of the match was lost",
         partial(LoseConnection, at_server_frame=partial(_has_event, "match_ended"), times=1), _SHORT_TABLE, _LOST),
    Step("lost-often", "plays on when the connection is lost eight times",
         partial(LoseConnection, at_bot_frame=_decides, at_server_frame=_accepts, times=8), _TWO_GAMES, _LOST),
    Step("lost-in-cheater", "comes back in CHEATER",
         partial(LoseConnection, at_bot_frame=_decides, times=4),
         CheckTable(game="cheater", preset="cheater", seats=3), _LOST),
    # Streams that the server ends.
    Step("shutdown", "comes back with growing pauses when the server stops", ShutDown, _TWO_GAMES, "no game began"),
    Step("restart", "forgets seats and positions when the server was restarted", RenumberAfterRestart, _SHORT_TABLE,
         _LOST),
    Step("replaced", "stops when a newer stream has taken over", ReplaceSession, _TWO_GAMES, "no game began",
         is_stopped=True),
    # Starts and ends.
    ExitStep("stop", "says Goodbye and ends with exit code 0 when asked to stop", "stopped"),
    ExitStep("wrong-token", "stops with one line and a non-zero exit code if its token is refused", "token"),
    ExitStep("other-version", "stops with one line and a non-zero exit code if the server has another version",
             "version"),
    ExitStep("no-server", "stops or keeps trying, and says which, if no server listens", "address"),
    ExitStep("plaintext", "stops with one line and a non-zero exit code if it speaks TLS to a plaintext port", "tls"),
)  # fmt: skip
"""All steps. Names are stable, because people give them on the command line and in CI."""
