"""Defines Cheat as a `Game`: its questions, how a bot is asked, and how answers are checked before they are sent."""

from typing import TYPE_CHECKING

from cheatarena.cheat.call_or_move import ask_call_or_move
from cheatarena.cheat.cards import count_cards
from cheatarena.cheat.claim import Claim
from cheatarena.cheat.dealing import ChooseOptions, CutOptions
from cheatarena.cheat.decisions import Believe, Call, Choose, Cut, Decline, Doubt, Move, Pass, Play
from cheatarena.cheat.encoding import read_answer, write_action
from cheatarena.cheat.legal import LegalTurn
from cheatarena.cheat.options import TurnOptions
from cheatarena.cheat.ruleset import read_ruleset
from cheatarena.cheat.state import CheatState
from cheatarena.cheat.table import Table
from cheatarena.errors import ProtocolError
from cheatarena.game import Breach, Game, QuestionKind, not_in_hand
from cheatarena.v1 import cheat_pb2

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from cheatarena.cheat.bot import Bot

WindowOptions = tuple[bool, bool]
"""Options of a call window: whether it is final, and whether the move may be believed."""


def _ask_turn(bot: "Bot", table: Table, legal: LegalTurn) -> "Move | Awaitable[Move]":
    options = TurnOptions(legal, table)
    if not legal.can_call:
        return bot.turn(table, options)
    table.is_final_window, table.can_believe = False, legal.can_believe
    return ask_call_or_move(bot, table, _last_claim(table), options)


def _ask_window(bot: "Bot", table: Table, legal: WindowOptions) -> "Doubt | Awaitable[Doubt]":
    table.is_final_window, table.can_believe = legal
    return bot.call_window(table, _last_claim(table))


def _ask_cut(bot: "Bot", table: Table, cut: cheat_pb2.CheatCut) -> "Cut | Awaitable[Cut]":
    table.mark_as_dealer()
    return bot.cut(table, CutOptions(cut))


def _ask_choose(bot: "Bot", table: Table, choose: cheat_pb2.CheatChoose) -> "Choose | Awaitable[Choose]":
    return bot.choose(table, ChooseOptions(choose))


def _last_claim(table: Table) -> Claim:
    claim = table.last_claim
    if claim is None:
        raise ProtocolError(f"match {table.match} asks for a call, but there is no move on the pile")
    return claim


def _extra_moves(legal: LegalTurn) -> tuple[type, ...]:
    if not legal.can_call:
        return ()
    return (Call, Believe) if legal.can_believe else (Call,)


def _extra_doubts(legal: WindowOptions) -> tuple[type, ...]:
    _, can_believe = legal
    return (Believe,) if can_believe else ()


def _read_window(window: cheat_pb2.CheatWindow) -> WindowOptions:
    return window.final, window.can_believe


def _check_hand(table: Table, play: Play) -> Breach | None:
    hand = table.hand
    if hand.has(play.cards):
        return None
    counts = count_cards(play.cards)
    missing = [card for card in counts if not hand.has([card] * counts[card])]
    return not_in_hand(play, missing, hand)


CHEAT = Game(
    name="cheat",
    state=CheatState,
    table=Table,
    read_ruleset=read_ruleset,
    kinds={
        "cheat_turn": QuestionKind(
            "turn", _ask_turn, (Play, Pass), is_required=True, extras=_extra_moves, read=LegalTurn
        ),
        "cheat_window": QuestionKind(
            "call_window",
            _ask_window,
            (Call, Decline),
            is_reaction=True,
            default_answer=Decline(),
            extras=_extra_doubts,
            read=_read_window,
        ),
        "cheat_cut": QuestionKind("cut", _ask_cut, (Cut,)),
        "cheat_choose": QuestionKind("choose", _ask_choose, (Choose,)),
    },
    write_action=write_action,
    read_answer=read_answer,
    checks={Play: _check_hand},
    waits=frozenset({Call, Believe}),
)
