"""Converts Cheat's values in the rules to its values in the SDK, and answers of bots to actions."""

from collections.abc import Callable, Mapping
from dataclasses import fields
from enum import Enum
from functools import lru_cache
from operator import index
from typing import Any, Final

from arena.games.cheat.rules import actions, events, view_types
from arena.games.cheat.rules.cards import MAX_NUMBER, NO_CARD, NO_RANK, Hand, cards_from_hand, sort_cards
from arena.games.cheat.rules.cut_and_choose import ChooseOptions, CutOptions
from arena.games.cheat.rules.game import CHEAT
from arena.games.cheat.rules.questions import WindowOptions
from arena.games.cheat.rules.ruleset import RankStart, Ruleset
from arena.games.cheat.rules.state import TurnOptions
from arena.games.sdk_values import SdkValues
from arena.match.referee.terms import Terms
from cheatarena.cheat import dealing, decisions, facts
from cheatarena.cheat.cards import CARDS, RANKS, Rank
from cheatarena.cheat.legal import LegalTurn
from cheatarena.cheat.ruleset import Ruleset as BotRuleset
from cheatarena.cheat.ruleset import build_ruleset
from cheatarena.facts import Fact

_CARD_OF_CODE = CARDS.__getitem__
_RANK_WORDS: Mapping[Enum, str] = {RankStart.ACE: "a", RankStart.KING: "k"}
"""The words of the choices whose words are not their names."""
_UNKNOWN_TO_BOTS = {"players_min", "players_max"}
"""The options that bots of Cheat are not told."""


def _cards(codes: bytes) -> facts.Cards:
    return facts.Cards(map(_CARD_OF_CODE, codes))


def _held_cards(hand: Hand) -> facts.Cards:
    return facts.Cards(map(_CARD_OF_CODE, cards_from_hand(hand)))


def _cards_if_shown(codes: bytes | None) -> facts.Cards:
    return facts.HIDDEN if codes is None else _cards(codes)


def _rest_if_shown(hand: Hand | None) -> facts.Cards:
    return facts.HIDDEN if hand is None else _held_cards(hand)


# ---- facts


def _dealt_fact(part: view_types.DealtView) -> facts.CheatDealt:
    return facts.CheatDealt(part.sizes or (), part.first, part.dealer)


def _played_fact(part: view_types.PlayedView) -> facts.CheatPlayed:
    laid = None if part.laid == part.count else part.laid
    return facts.CheatPlayed(
        part.seat, RANKS[part.rank], part.count, part.emptied, part.to_move, laid, _cards_if_shown(part.cards)
    )


def _called_fact(part: view_types.CalledView) -> facts.CheatCalled:
    return facts.CheatCalled(
        caller=part.caller,
        accused=part.accused,
        right=part.right,
        taker=part.taker,
        taken_count=part.taken or 0,
        to_move=part.to_move,
        shown=_cards_if_shown(part.cards),
        rest=_rest_if_shown(part.rest),
    )


def _believed_fact(part: view_types.BelievedView) -> facts.CheatBelieved:
    return facts.CheatBelieved(
        believer=part.believer,
        mover=part.mover,
        right=part.right,
        pile_size=part.pile_size or 0,
        to_move=part.to_move,
        shown=_cards_if_shown(part.cards),
        rest=_rest_if_shown(part.rest),
    )


_FACTS: Mapping[type, Callable[[Any], Fact]] = {
    view_types.DealtView: _dealt_fact,
    view_types.PlayedView: _played_fact,
    view_types.CalledView: _called_fact,
    view_types.BelievedView: _believed_fact,
    view_types.SeatLeftView: lambda part: facts.CheatLeft(part.seat, part.card_count or 0, part.place, part.to_move),
    view_types.HandCheckedView: lambda part: facts.CheatHandChecked(part.seat, part.is_true, part.taken or 0),
    view_types.PileBanishedView: lambda part: facts.CheatBanished(part.card_count or 0),
    events.DeckCut: lambda part: facts.CheatDeckCut(part.dealer, part.sizes),
    events.PacketChosen: lambda part: facts.CheatPacketChosen(part.seat, part.packet),
    events.WindowClosed: lambda part: facts.CheatWindowClosed(part.settled, part.to_move),
    events.Passed: lambda part: facts.CheatPassed(part.seat, part.to_move),
    events.TrickEnded: lambda part: facts.CheatTrickEnded(part.leader),
    events.FinalWindowOpened: lambda part: facts.CheatFinalWindow(part.mover),
    events.SeatPlaced: lambda part: facts.CheatPlaced(part.seat, part.place),
    events.Overruled: lambda _: facts.CheatOverruled(),
    view_types.HandDealt: lambda part: facts.CheatHand(_held_cards(part.hand)),
    view_types.CardsLaid: lambda part: facts.CheatLaid(_cards(part.cards)),
    view_types.CardsShown: lambda part: facts.CheatShown(_cards(part.cards)),
    view_types.CardsTaken: lambda part: facts.CheatTaken(_held_cards(part.cards)),
}


# ---- legal options


@lru_cache
def _ranks(ranks: bytes) -> tuple[Rank, ...]:
    return tuple(RANKS[rank] for rank in ranks)


def _legal_turn(options: TurnOptions) -> LegalTurn:
    laid = options.laid
    return LegalTurn(
        _ranks(options.ranks),
        options.counts,
        options.zero,
        options.can_pass,
        options.opens,
        None if laid is None else range(laid[0], laid[1] + 1),
        options.face_up,
        options.can_call,
        options.can_believe,
    )


_LEGAL_OPTIONS: Mapping[type, tuple[str, Callable[[Any], Any]]] = {
    TurnOptions: ("cheat_turn", _legal_turn),
    WindowOptions: ("cheat_window", lambda options: (options.final, options.can_believe)),
    CutOptions: ("cheat_cut", lambda options: dealing.CutOptions(options.packet_count, options.card_count)),
    ChooseOptions: ("cheat_choose", lambda options: dealing.ChooseOptions(options.sizes, options.free)),
}


def _ruleset(terms: Terms) -> BotRuleset:
    options = {
        field.name: _option_value(getattr(terms.ruleset, field.name))
        for field in fields(Ruleset)
        if field.name not in _UNKNOWN_TO_BOTS
    }
    return build_ruleset(terms.preset, CHEAT.version, options, len(terms.entrants))


def _option_value(value: Any) -> Any:
    """Return an option's value for bots: words in lower case, sets of words, and 0 for a number that is not set."""
    if isinstance(value, tuple):
        return frozenset(map(_option_value, value))
    if isinstance(value, Enum):
        return _RANK_WORDS.get(value) or value.name.lower()
    return 0 if value is None else value


# ---- answers: a bot may put anything into one, so nothing here is typed as the SDK says


def _play(answer: Any) -> actions.Play:
    cards = sort_cards(bytes(answer.cards))
    if cards and cards[-1] > NO_CARD:
        cards = bytes([min(code, NO_CARD) for code in cards])
    count, rank = answer.count, int(answer.rank)
    return actions.Play(cards, len(cards) if count is None else _clamp(count), rank if 0 <= rank < NO_RANK else NO_RANK)


def _clamp(number: Any) -> int:
    """Return a number from a bot. Raises TypeError if it is none."""
    whole = index(number)
    return whole if 0 <= whole <= MAX_NUMBER else MAX_NUMBER


_ACTIONS: Mapping[type, Callable[[Any], actions.Action]] = {
    decisions.Play: _play,
    decisions.Pass: lambda _: actions.PASS,
    decisions.Call: lambda _: actions.CALL,
    decisions.Decline: lambda _: actions.DECLINE,
    decisions.Believe: lambda _: actions.BELIEVE,
    decisions.Cut: lambda answer: actions.Cut(tuple(map(_clamp, answer.sizes))),
    decisions.Choose: lambda answer: actions.Choose(_clamp(answer.packet)),
}


CHEAT_VALUES: Final = SdkValues(
    game=CHEAT, facts=_FACTS, legal_options=_LEGAL_OPTIONS, ruleset=_ruleset, actions=_ACTIONS
)
