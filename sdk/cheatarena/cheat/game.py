"""Defines Cheat as a `Game`: its questions, how a bot is asked, and how answers are checked before they are sent."""

from typing import TYPE_CHECKING

from cheatarena.cheat.call_or_move import ask_call_or_move
from cheatarena.cheat.cards import count_cards
from cheatarena.cheat.claim import Claim
from cheatarena.cheat.dealing import ChooseOptions, CutOptions, read_choose, read_cut
from cheatarena.cheat.decisions import Believe, Call, Choose, Cut, Decline, Doubt, Move, Pass, Play
from cheatarena.cheat.encoding import read_answer, write_action
from cheatarena.cheat.legal import LegalTurn, read_turn
from cheatarena.cheat.options import TurnOptions
from cheatarena.cheat.ruleset import read_ruleset
from cheatarena.cheat.state import FACT_HANDLERS, CheatState, read_event
from cheatarena.cheat.table import Table
from cheatarena.errors import BotError, ProtocolError
from cheatarena.game import Breach, Game, QuestionKind, not_in_hand
from cheatarena.v1 import cheat_pb2

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from cheatarena.cheat.bot import Bot

PLAY_OF_TEXTS = "turn() returned a play without cards or rank; Play.of('KS KD', 'K') makes one from text"
"""Says what is wrong with a play such as Play("KS KD", "K")."""

WindowOptions = tuple[bool, bool]
"""Options of a call window: whether it is final, and whether the move may be believed."""


def _ask_turn(bot: "Bot", table: Table, legal: LegalTurn) -> "Move | Awaitable[Move]":
    options = TurnOptions(legal, table)
    if not legal.can_call:
        return bot.turn(table, options)
    table.is_final_window, table.can_believe = False, legal.can_believe
    return ask_call_or_move(bot, table, _last_claim(table), options)


def _explain_turn(table: Table, legal: LegalTurn, answer: object) -> str:
    options = TurnOptions(legal, table)
    why = options.why_illegal(answer) if isinstance(answer, Play) else ""
    return f"{why}; legal: {options}" if why else f"legal: {options}"


def _explain_window(_table: Table, legal: WindowOptions, _answer: object) -> str:
    _, can_believe = legal
    return "legal: call, decline or believe" if can_believe else "legal: call or decline"


def _explain_cut(_table: Table, cut: CutOptions, _answer: object) -> str:
    return f"legal: {cut.packet_count} packets of at least 1 card, {cut.card_count} cards in all"


def _explain_choose(_table: Table, choose: ChooseOptions, _answer: object) -> str:
    return f"legal: packet {' or '.join(map(str, choose.free))}"


def _ask_window(bot: "Bot", table: Table, legal: WindowOptions) -> "Doubt | Awaitable[Doubt]":
    table.is_final_window, table.can_believe = legal
    return bot.call_window(table, _last_claim(table))


def _ask_cut(bot: "Bot", table: Table, options: CutOptions) -> "Cut | Awaitable[Cut]":
    table.mark_as_dealer()
    return bot.cut(table, options)


def _ask_choose(bot: "Bot", table: Table, options: ChooseOptions) -> "Choose | Awaitable[Choose]":
    return bot.choose(table, options)


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


def _check_play(table: Table, play: Play) -> Breach | None:
    hand = table.hand
    try:
        has_cards = hand.has(play.cards)
    except TypeError as error:
        raise BotError(f"{PLAY_OF_TEXTS}: {play!r}") from error
    if not isinstance(play.rank, int):
        raise BotError(f"{PLAY_OF_TEXTS}: {play!r}")
    if has_cards:
        return None
    counts = count_cards(play.cards)
    missing = {
        card: number if hand.has([card]) else 1 for card, number in counts.items() if not hand.has([card] * number)
    }
    return not_in_hand(play, missing, hand)


CHEAT = Game(
    name="cheat",
    state=CheatState,
    table=Table,
    fact_handlers=FACT_HANDLERS,
    read_event=read_event,
    read_ruleset=read_ruleset,
    kinds={
        "cheat_turn": QuestionKind(
            "turn",
            _ask_turn,
            (Play, Pass),
            is_required=True,
            extras=_extra_moves,
            read=read_turn,
            explain=_explain_turn,
        ),
        "cheat_window": QuestionKind(
            "call_window",
            _ask_window,
            (Call, Decline),
            is_reaction=True,
            default_answer=Decline(),
            extras=_extra_doubts,
            read=_read_window,
            explain=_explain_window,
        ),
        "cheat_cut": QuestionKind("cut", _ask_cut, (Cut,), read=read_cut, explain=_explain_cut),
        "cheat_choose": QuestionKind("choose", _ask_choose, (Choose,), read=read_choose, explain=_explain_choose),
    },
    write_action=write_action,
    read_answer=read_answer,
    checks={Play: _check_play},
    waits=frozenset({Call, Believe}),
)
