"""Turns what a bot of Cheat sees in the SDK into values of the rules, and actions of the rules into its answers.

What the bot does not see is empty, or NO_CARD. `sdk_values` is the way there, where everything is known.
"""

from collections.abc import Callable, Mapping
from dataclasses import fields
from enum import Enum
from typing import Any, Final

from arena.games.cheat.rules import actions, events
from arena.games.cheat.rules.cards import EMPTY_HAND, NO_CARD
from arena.games.cheat.rules.ruleset import RankStart, Ruleset
from arena.games.cheat.rules.state import Claim, TurnOptions
from arena.match.game import Seat
from cheatarena.cheat import decisions, facts
from cheatarena.cheat.cards import CARDS, RANKS
from cheatarena.cheat.claim import Claim as BotClaim
from cheatarena.cheat.legal import LegalTurn
from cheatarena.cheat.ruleset import Ruleset as BotRuleset
from cheatarena.facts import Fact

PRIVATE: Final = (facts.CheatLaid, facts.CheatShown, facts.CheatTaken)
"""Facts of cards that this bot alone sees. They belong to the fact before them."""
OwnCards = Mapping[type, bytes]
"""The cards of such facts, by their type."""

_RANK_WORDS: Final[Mapping[Any, Enum]] = {"a": RankStart.ACE, "k": RankStart.KING}
_ANSWERS: Final[Mapping[actions.Action, decisions.Answer]] = {
    actions.PASS: decisions.Pass(),
    actions.CALL: decisions.Call(),
    actions.BELIEVE: decisions.Believe(),
    actions.DECLINE: decisions.Decline(),
}


def read_ruleset(seen: BotRuleset) -> Ruleset:
    """Return a ruleset. Bots are not told the limits of players, which keep their defaults."""
    told = [field for field in fields(Ruleset) if hasattr(seen, field.name)]
    return Ruleset(**{field.name: _read_option(getattr(seen, field.name), field.default) for field in told})


def _read_option(value: Any, example: Any) -> Any:
    """Return the value of an option; `example` is its default."""
    if isinstance(example, tuple):
        return tuple([_read_option(word, example[0]) for word in sorted(value)])
    if isinstance(example, Enum):
        return _RANK_WORDS.get(value) or type(example)[value.upper()]
    return value


def read_claim(seen: BotClaim | None) -> Claim | None:
    return None if seen is None else Claim(Seat(seen.seat), int(seen.rank), seen.count)


def read_turn(legal: LegalTurn) -> TurnOptions:
    return TurnOptions(
        bytes(legal.ranks),
        legal.ranges,
        legal.zero,
        legal.can_pass,
        legal.opens,
        None if legal.laid is None else (legal.laid[0], legal.laid[-1]),
        legal.face_up,
        legal.can_call,
        legal.can_believe,
    )


def write_answer(action: actions.Action) -> decisions.Answer:
    if isinstance(action, actions.Play):
        cards = tuple([CARDS[code] for code in action.cards])
        return decisions.Play(cards, RANKS[action.rank], count=action.count)
    return _ANSWERS[action]


# ---- facts


def read_fact(fact: Fact, own: OwnCards, rules: Ruleset) -> events.Event | None:
    """Return a fact as an event, without the hands and piles in it; None if the arrays need no such event."""
    read = _EVENTS.get(type(fact))
    return None if read is None else read(fact, own, rules)


def _read_play(fact: facts.CheatPlayed, own: OwnCards, rules: Ruleset) -> events.Played:
    """Return a move. A card that this bot does not see is NO_CARD."""
    hidden = bytes((NO_CARD,)) * (fact.count if fact.laid is None else fact.laid)
    is_open = not fact.cards.is_hidden
    cards = own.get(facts.CheatLaid, bytes(fact.cards) if is_open else hidden)
    seat, rank = Seat(fact.seat), int(fact.rank)
    return events.Played(seat, cards, rank, fact.count, fact.emptied, None, is_open, rules.sizes_visible)


def _read_call(fact: facts.CheatCalled, own: OwnCards, rules: Ruleset) -> events.Called:
    cards = own.get(facts.CheatShown, bytes(fact.shown))
    caller, accused, taker = Seat(fact.caller), Seat(fact.accused), Seat(fact.taker)
    return events.Called(caller, accused, fact.right, cards, rules.check, taker, EMPTY_HAND, None, rules.sizes_visible)


def _read_belief(fact: facts.CheatBelieved, own: OwnCards, rules: Ruleset) -> events.Believed:
    cards = own.get(facts.CheatShown, bytes(fact.shown))
    believer, mover = Seat(fact.believer), Seat(fact.mover)
    return events.Believed(believer, mover, fact.right, cards, rules.check, EMPTY_HAND, None, rules.sizes_visible)


_EVENTS: Final[Mapping[type, Callable[[Any, OwnCards, Ruleset], events.Event]]] = {
    facts.CheatPlayed: _read_play,
    facts.CheatCalled: _read_call,
    facts.CheatBelieved: _read_belief,
    facts.CheatHandChecked: lambda fact, _, rules: events.HandChecked(
        Seat(fact.seat), fact.true_claim, EMPTY_HAND, rules.sizes_visible
    ),
    facts.CheatBanished: lambda _, __, rules: events.PileBanished(EMPTY_HAND, rules.sizes_visible),
    facts.CheatPassed: lambda fact, _, __: events.Passed(Seat(fact.seat), None),
    facts.CheatTrickEnded: lambda fact, _, __: events.TrickEnded(Seat(fact.leader)),
    facts.CheatWindowClosed: lambda fact, _, __: events.WindowClosed(fact.settled, None),
    facts.CheatPlaced: lambda fact, _, __: events.SeatPlaced(Seat(fact.seat), fact.place),
    facts.CheatLeft: lambda fact, _, rules: events.SeatLeft(
        Seat(fact.seat), EMPTY_HAND, fact.place, None, rules.sizes_visible
    ),
}
"""The events of facts. `to_move` is None throughout: the table says who is to move."""


def seen_pile(fact: Any, own: OwnCards) -> bytes | None:
    """Return the whole pile that a fact moves, if this bot sees it: it takes the pile, or all seats see it."""
    if facts.CheatTaken in own:
        return own[facts.CheatTaken]
    rest = getattr(fact, "rest", facts.HIDDEN)
    return None if rest.is_hidden else bytes((*fact.shown, *rest))
