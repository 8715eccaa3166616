"""Asks a bot about a turn that allows a call: first whether it calls, and if it does not, which move it makes."""

from collections.abc import Awaitable
from typing import TYPE_CHECKING

from cheatarena.cheat.claim import Claim
from cheatarena.cheat.decisions import Believe, Call, Decline, Doubt, Move
from cheatarena.cheat.options import TurnOptions
from cheatarena.cheat.table import Table
from cheatarena.errors import BotError
from cheatarena.game import describe_types

if TYPE_CHECKING:
    from cheatarena.cheat.bot import Bot


def ask_call_or_move(bot: "Bot", table: Table, claim: Claim, options: TurnOptions) -> Move | Awaitable[Move]:
    """Return the answer of `Bot.call_window`. If that is Decline, return the answer of `Bot.turn` instead."""
    doubt = bot.call_window(table, claim)
    if isinstance(doubt, Awaitable):
        return _ask_call_or_move_async(bot, table, doubt, options)
    return _call_from_doubt(doubt, options) or bot.turn(table, options)


async def _ask_call_or_move_async(bot: "Bot", table: Table, waiting: Awaitable[Doubt], options: TurnOptions) -> Move:
    call = _call_from_doubt(await waiting, options)
    if call is not None:
        return call
    move = bot.turn(table, options)
    return await move if isinstance(move, Awaitable) else move


def _call_from_doubt(doubt: Doubt, options: TurnOptions) -> Call | Believe | None:
    """Return Call and Believe unchanged, and None for Decline. Raises BotError for any other value."""
    answers = (Call, Decline, Believe) if options.can_believe else (Call, Decline)
    if type(doubt) not in answers:
        raise BotError(f"call_window() returned {doubt!r}, expected {describe_types(answers)}")
    return None if isinstance(doubt, Decline) else doubt
