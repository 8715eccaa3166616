"""Cheat as the rest of the package sees it: its questions, how they are put, and what is known against an answer."""

from typing import TYPE_CHECKING

from cheatarena.cheat.decisions import Call, Decline, Doubt, Move, Pass, Play
from cheatarena.cheat.encoding import ActionWriter, read_answer
from cheatarena.cheat.options import TurnOptions
from cheatarena.cheat.ruleset import read_ruleset
from cheatarena.cheat.state import CheatState
from cheatarena.cheat.table import Table
from cheatarena.errors import ProtocolError
from cheatarena.game import Game, Kind
from cheatarena.v1 import decision_pb2

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from cheatarena.cheat.bot import Bot


def _put_turn(bot: "Bot", table: Table, prompt: decision_pb2.Prompt) -> "Move | Awaitable[Move]":
    return bot.turn(table, TurnOptions(prompt.cheat_turn, table))


def _put_window(bot: "Bot", table: Table, prompt: decision_pb2.Prompt) -> "Doubt | Awaitable[Doubt]":
    table.is_final_window = prompt.cheat_window.final
    claim = table.last_claim
    if claim is None:
        raise ProtocolError(f"match {table.match} has a call window, but no move on the pile")
    return bot.call_window(table, claim)


def _why_not(table: Table, play: Play) -> str:
    return "" if table.hand.has(play.cards) else "NOT_IN_HAND"


CHEAT = Game(
    name="cheat",
    state=CheatState,
    table=Table,
    read_ruleset=read_ruleset,
    kinds={
        "cheat_turn": Kind("turn", _put_turn, (Play, Pass)),
        "cheat_window": Kind("call_window", _put_window, (Call, Decline), is_reaction=True, unwritten=Decline()),
    },
    writer=lambda: ActionWriter().write,
    read_answer=read_answer,
    checks={Play: _why_not},
    waits=frozenset({Call}),
)
