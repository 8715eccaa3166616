"""Defines CHEATER as a `Game`: its questions, how a bot is asked, and how answers are checked before they are sent."""

from typing import TYPE_CHECKING

from cheatarena.cheater.answers import Allow, Bust, Demand, Discard, Draw, DrawTwo, Hide, Play, Take, TakeTop
from cheatarena.cheater.encoding import read_answer, write_action
from cheatarena.cheater.legal import (
    LegalAct,
    LegalDiscard,
    LegalPick,
    LegalReaction,
    read_act,
    read_discard,
    read_pick,
    read_reaction,
)
from cheatarena.cheater.options import ActOptions, DiscardOptions, PickOptions, ReactionOptions
from cheatarena.cheater.ruleset import read_ruleset
from cheatarena.cheater.state import FACT_HANDLERS, CheaterState, read_event
from cheatarena.cheater.table import Table
from cheatarena.game import Breach, Game, QuestionKind, not_in_hand
from cheatarena.plurals import format_count

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from cheatarena.cheater.answers import Move, Pick, Reaction
    from cheatarena.cheater.bot import CheaterBot


def _ask_act(bot: "CheaterBot", table: Table, act: LegalAct) -> "Move | Awaitable[Move]":
    return bot.act(table, ActOptions(act, table))


def _explain_act(table: Table, act: LegalAct, _answer: object) -> str:
    return f"legal: {ActOptions(act, table)}"


def _explain_discard(table: Table, discard: LegalDiscard, _answer: object) -> str:
    return f"legal: {format_count(discard.count, 'card')} of {table.hand}"


def _explain_reaction(table: Table, reaction: LegalReaction, _answer: object) -> str:
    return f"legal: {ReactionOptions(reaction, table)}"


def _explain_pick(table: Table, pick: LegalPick, _answer: object) -> str:
    return f"legal: {PickOptions(pick, table)}"


def _ask_discard(bot: "CheaterBot", table: Table, discard: LegalDiscard) -> "Discard | Awaitable[Discard]":
    return bot.discard(table, DiscardOptions(discard, table))


def _ask_reaction(bot: "CheaterBot", table: Table, reaction: LegalReaction) -> "Reaction | Awaitable[Reaction]":
    return bot.reaction(table, ReactionOptions(reaction, table))


def _ask_pick(bot: "CheaterBot", table: Table, pick: LegalPick) -> "Pick | Awaitable[Pick]":
    return bot.pick(table, PickOptions(pick, table))


def _check_hand(table: Table, answer: Play | Hide | Discard) -> Breach | None:
    laid, hand = answer.cards if isinstance(answer, Discard) else (answer.card,), table.hand
    missing = {card: laid.count(card) if card in hand else 1 for card in laid if laid.count(card) > hand.count(card)}
    return not_in_hand(answer, missing, hand) if missing else None


CHEATER = Game(
    name="cheater",
    state=CheaterState,
    table=Table,
    fact_handlers=FACT_HANDLERS,
    read_event=read_event,
    read_ruleset=read_ruleset,
    kinds={
        "cheater_act": QuestionKind(
            "act",
            _ask_act,
            (Draw, DrawTwo, TakeTop, Demand, Play),
            is_required=True,
            read=read_act,
            explain=_explain_act,
        ),
        "cheater_discard": QuestionKind(
            "discard", _ask_discard, (Discard,), read=read_discard, explain=_explain_discard
        ),
        "cheater_reaction": QuestionKind(
            "reaction",
            _ask_reaction,
            (Allow, Hide),
            is_reaction=True,
            default_answer=Allow(),
            read=read_reaction,
            explain=_explain_reaction,
        ),
        "cheater_pick": QuestionKind("pick", _ask_pick, (Take, Bust), read=read_pick, explain=_explain_pick),
    },
    write_action=write_action,
    read_answer=read_answer,
    checks=dict.fromkeys((Play, Hide, Discard), _check_hand),
)
