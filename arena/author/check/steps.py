"""The steps of a check, in the order in which they run."""

from collections.abc import Sequence
from functools import partial
from typing import Final

from arena.author.check.exit_check import (
    NOT_SECURE,
    REFUSED,
    TOKEN_REFUSED,
    check_own_end,
    check_refused,
    check_stop,
    check_unreachable,
)
from arena.author.check.interferences.answers import HoldAnswers, LoseEntropyQuestion, RefuseDecisions, WithdrawOffers
from arena.author.check.interferences.broken_lines import (
    DropMessage,
    EnterPool,
    LoseConnection,
    LoseEverythingSent,
    RefuseVersion,
    RenumberAfterRestart,
    ReplaceSession,
    ShutDown,
)
from arena.author.check.interferences.frames import (
    AddUnknown,
    AskForPongs,
    CloseAtOnce,
    JoinFrames,
    SendStrangeMessages,
    ShiftClock,
    SplitFrames,
)
from arena.author.check.interferences.other_node import MoveTable
from arena.author.check.step import CheckTable, ExitStep, Step
from arena.games.catalogue import PACKS
from arena.games.pack import CheckedRules
from cheatarena.v1 import decision_pb2, play_pb2

LIVE_PACE: Final = {"turn_ms": 5_000, "call_ms": 2_000, "intermission_ms": 0}


def _offers(frame: play_pb2.PlayResponse) -> bool:
    return any(notice.HasField("offered") for notice in frame.notices)


def _assigns(frame: play_pb2.PlayResponse) -> bool:
    return any(notice.HasField("assigned") for notice in frame.notices)


def _asks(frame: play_pb2.PlayResponse) -> bool:
    return any(message.prompts for message in frame.messages)


def _has_event(kind: str, frame: play_pb2.PlayResponse) -> bool:
    return any(event.WhichOneof("fact") == kind for message in frame.messages for event in message.events)


def _accepts(frame: play_pb2.PlayResponse) -> bool:
    return any(message.answers for message in frame.messages)


def _holds(frame: play_pb2.PlayResponse) -> bool:
    held = decision_pb2.DECISION_STATUS_HELD
    return any(answer.status == held for message in frame.messages for answer in message.answers)


def _decides(frame: play_pb2.PlayRequest) -> bool:
    return bool(frame.decisions)


def _answers_offer(frame: play_pb2.PlayRequest) -> bool:
    return any(notice.HasField("offer_answer") for notice in frame.notices)


_SHORT_TABLE: Final = CheckTable()
_TWO_GAMES: Final = CheckTable(games=2)
_BREAKS: Final = CheckTable(games=3, pace={"intermission_ms": 3_000}, is_tiny=True)
_QUICK_TURNS: Final = CheckTable(pace={"turn_ms": 1_000, "call_ms": 1_000, "max_auto_moves": 0}, is_tiny=True)
_SLOW_TURNS: Final = CheckTable(pace={"turn_ms": 4_000, "call_ms": 2_000, "max_auto_moves": 0}, games=3)
_MANY_MATCHES: Final = CheckTable(seats=2, matches=40, is_tiny=True)
_HUNDREDS: Final = CheckTable(pace={"turn_ms": 10_000, "call_ms": 10_000}, seats=2, matches=120, is_tiny=True)
_PATIENT: Final = CheckTable(pace={"turn_ms": 10_000, "call_ms": 10_000})
_HOLDING_GAME: Final = next(
    game for game, pack in PACKS.items() for rules in pack.check_rules.steps if "lands_us" in rules.features
)
"""The game in which moves are held until they land."""
_HELD_MOVES: Final = CheckTable(_HOLDING_GAME, options={"max_turns": "5"}, style="live", pace=LIVE_PACE)
_UNKNOWN_TOKEN: Final = "cat_" + "0" * 40
_LOST: Final = "the connection was never lost at this moment"
_UNTOLD: Final = "the bot got no message"
_UNHELD: Final = "no answer was held back"


def _step_for(game: str, rules: CheckedRules) -> Step:
    style, pace = ("live", LIVE_PACE) if rules.is_live else ("sealed", {})
    table = CheckTable(game, rules.preset, rules.options, style, pace, rules.seats, rules.games, is_tiny=rules.is_live)
    return Step(rules.step, rules.title, table=table, features=rules.features)


STEPS: Final[Sequence[Step | ExitStep]] = (
    # The rules of each game.
    *(_step_for(game, rules) for game, pack in PACKS.items() for rules in pack.check_rules.steps),
    Step("breaks", "sends Ready in breaks", table=_BREAKS),
    Step("many-matches", "holds forty seats on one stream", table=_MANY_MATCHES),
    # The frames.
    Step("split-frames", "reads frames with one message each", SplitFrames, _SHORT_TABLE, "no frame could be split"),
    Step(
        "joined-frames",
        "reads frames with more than a hundred messages, and answers each in one frame",
        JoinFrames,
        _HUNDREDS,
        "no frame had a hundred messages",
    ),
    Step("unknown", "ignores fields, facts and notices that it does not know", AddUnknown, _SHORT_TABLE, _UNTOLD),
    Step("unnumbered", "ignores messages with sequence 0", SendStrangeMessages, _SHORT_TABLE, "the bot got no prompt"),
    Step("closed-at-once", "does not answer a prompt that the same message closes", CloseAtOnce, _SHORT_TABLE,
         "the bot got no prompt"),
    Step("missing-message", "notices that a message is missing, and reconnects", DropMessage, _PATIENT,
         "no message could be dropped"),
    Step("clock", "computes deadlines on the server's clock", ShiftClock, _QUICK_TURNS, "no prompt had a deadline"),
    Step("pings", "answers pings", AskForPongs, _SHORT_TABLE, "no ping was sent"),
    # Offers and tables.
    Step("withdrawn-offer", "goes on when an offer is withdrawn", WithdrawOffers, _SHORT_TABLE, "no seat was offered"),
    Step("entropy", "sends the entropy that it promised, also when the question was lost", LoseEntropyQuestion,
         _SHORT_TABLE, "the server did not ask for the entropy", environment={"CHEATARENA_ENTROPY": "1"}),
    Step("other-node", "plays at the node that Assigned names", MoveTable, _PATIENT, "the match did not begin"),
    # Decisions that fail.
    Step(
        "refused",
        "answers again under a new action id after a refusal, whatever its reason",
        RefuseDecisions,
        CheckTable(pace={"turn_ms": 4_000, "call_ms": 4_000}),
        "no decision was refused",
    ),
    Step("late", "forgets a prompt that was closed before its answer arrived", HoldAnswers, _QUICK_TURNS, _UNHELD),
    Step("leaver", "plays on when another seat leaves", table=_TWO_GAMES, has_leaver=True),
    # Connections that are lost.
    Step("lost-before-offer", "comes back when an offer was lost", partial(LoseConnection, at_server_frame=_offers),
         _SHORT_TABLE, _LOST),
    Step("lost-at-offer", "comes back when its answer to an offer was lost",
         partial(LoseConnection, at_bot_frame=_answers_offer), _SHORT_TABLE, _LOST),
    Step("lost-at-start", "comes back when the start of the match was lost",
         partial(LoseConnection, at_server_frame=_assigns, times=1), _SHORT_TABLE, _LOST),
    Step("lost-question", "comes back when a prompt was lost",
         partial(LoseConnection, at_server_frame=_asks), _SHORT_TABLE, _LOST),
    Step("lost-answer", "answers again when its decision was lost",
         partial(LoseConnection, at_bot_frame=_decides), _SHORT_TABLE, _LOST),
    Step("lost-acceptance", "comes back when the result of its decision was lost",
         partial(LoseConnection, at_server_frame=_accepts), _SHORT_TABLE, _LOST),
    Step("lost-after-question", "comes back when the connection is lost right after a prompt",
         partial(LoseConnection, at_server_frame=_asks, is_delivered=True), _SHORT_TABLE, _LOST),
    Step("lost-held-move", "comes back when the connection is lost while its move is held",
         partial(LoseConnection, at_server_frame=_holds, is_delivered=True), _HELD_MOVES, "no move was held"),
    Step("lost-in-break", "comes back in a break",
         partial(LoseConnection, at_server_frame=partial(_has_event, "intermission_started")), _BREAKS, _LOST),
    Step("lost-game-end", "comes back when the end of a game was lost",
         partial(LoseConnection, at_server_frame=partial(_has_event, "game_ended"), times=1), _TWO_GAMES, _LOST),
    Step("lost-match-end", "comes back when the end of the match was lost",
         partial(LoseConnection, at_server_frame=partial(_has_event, "match_ended"), times=1), _SHORT_TABLE, _LOST),
    Step("lost-often", "plays on when the connection is lost eight times",
         partial(LoseConnection, at_bot_frame=_decides, at_server_frame=_accepts, times=8), _TWO_GAMES, _LOST),
    Step("dead-line", "opens a new stream when all that it sends is lost", LoseEverythingSent, _SLOW_TURNS,
         "the bot sent no decision"),
    # Streams that the server ends.
    Step("shutdown", "comes back with growing pauses when the server stops", ShutDown, _TWO_GAMES, "no game began"),
    Step("restart", "forgets seats and positions when the server was restarted", RenumberAfterRestart, _SHORT_TABLE,
         _LOST),
    Step("replaced", "stops with exit code 75 when a newer stream has taken over", ReplaceSession, _TWO_GAMES,
         "no game began", has_to_stop=True),
    # Starts and ends.
    Step("finish", "plays its matches to the end and takes no new seats when it gets SIGINT in a pool", EnterPool,
         _TWO_GAMES, environment={"CHEATARENA_POOLS": "practice"}, has_to_finish=True),
    ExitStep("stop", "says Goodbye and ends with exit code 0 when asked to stop", check_stop),
    ExitStep("wrong-token", "stops with one line and exit code 77 if its token is refused",
             partial(check_refused, codes=TOKEN_REFUSED), token=_UNKNOWN_TOKEN),
    ExitStep("other-version", "stops with one line and exit code 76 if the server has another version",
             partial(check_refused, codes=REFUSED), RefuseVersion),
    ExitStep("no-server", "stops or keeps trying, and says which, if no server listens", check_unreachable,
             has_server=False),
    ExitStep("plaintext", "stops with one line and exit code 76 or 69 if it speaks TLS to a plaintext port",
             partial(check_own_end, codes=NOT_SECURE), uses_tls=True),
)  # fmt: skip
"""All steps. Names are stable, because people give them on the command line and in CI."""
