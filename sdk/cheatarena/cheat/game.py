"""Cheat as the rest of the package sees it: its questions, how they are put, and what is known against an answer."""

from typing import TYPE_CHECKING

from cheatarena.cheat.claim import Claim
from cheatarena.cheat.dealing import ChooseOptions, CutOptions
from cheatarena.cheat.decisions import Believe, Call, Choose, Cut, Decline, Doubt, Move, Pass, Play
from cheatarena.cheat.encoding import ActionWriter, read_answer
from cheatarena.cheat.options import TurnOptions
from cheatarena.cheat.ruleset import read_ruleset
from cheatarena.cheat.state import CheatState
from cheatarena.cheat.table import Table
from cheatarena.cheat.turning import call_or_move
from cheatarena.errors import ProtocolError
from cheatarena.game import Game, Kind
from cheatarena.v1 import decision_pb2

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from cheatarena.cheat.bot import Bot


def _put_turn(bot: "Bot", table: Table, prompt: decision_pb2.Prompt) -> "Move | Awaitable[Move]":
    turn = prompt.cheat_turn
    options = TurnOptions(turn, table)
    if not turn.can_call:
        return bot.turn(table, options)
    table.is_final_window, table.can_believe = False, turn.can_believe
    return call_or_move(bot, table, _last_claim(table), options)


def _put_window(bot: "Bot", table: Table, prompt: decision_pb2.Prompt) -> "Doubt | Awaitable[Doubt]":
    window = prompt.cheat_window
    table.is_final_window, table.can_believe = window.final, window.can_believe
    return bot.call_window(table, _last_claim(table))


def _put_cut(bot: "Bot", table: Table, prompt: decision_pb2.Prompt) -> "Cut | Awaitable[Cut]":
    table.deals()
    return bot.cut(table, CutOptions(prompt.cheat_cut))


def _put_choose(bot: "Bot", table: Table, prompt: decision_pb2.Prompt) -> "Choose | Awaitable[Choose]":
    return bot.choose(table, ChooseOptions(prompt.cheat_choose))


def _last_claim(table: Table) -> Claim:
    claim = table.last_claim
    if claim is None:
        raise ProtocolError(f"match {table.match} lets a move be called, but there is none on the pile")
    return claim


def _more_moves(prompt: decision_pb2.Prompt) -> tuple[type, ...]:
    turn = prompt.cheat_turn
    if not turn.can_call:
        return ()
    return (Call, Believe) if turn.can_believe else (Call,)


def _more_doubts(prompt: decision_pb2.Prompt) -> tuple[type, ...]:
    return (Believe,) if prompt.cheat_window.can_believe else ()


def _why_not(table: Table, play: Play) -> str:
    return "" if table.hand.has(play.cards) else "NOT_IN_HAND"


CHEAT = Game(
    name="cheat",
    state=CheatState,
    table=Table,
    read_ruleset=read_ruleset,
    kinds={
        "cheat_turn": Kind("turn", _put_turn, (Play, Pass), extras=_more_moves),
        "cheat_window": Kind(
            "call_window", _put_window, (Call, Decline), is_reaction=True, unwritten=Decline(), extras=_more_doubts
        ),
        "cheat_cut": Kind("cut", _put_cut, (Cut,)),
        "cheat_choose": Kind("choose", _put_choose, (Choose,)),
    },
    writer=lambda: ActionWriter().write,
    read_answer=read_answer,
    checks={Play: _why_not},
    waits=frozenset({Call, Believe}),
)
