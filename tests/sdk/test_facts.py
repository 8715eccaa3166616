"""Hooks and tables hand out typed values; bots that were written for protobuf messages keep working."""

import copy
import pickle
from dataclasses import fields
from typing import Any

import pytest

from cheatarena import Bot, Card, Rank
from cheatarena.cheat import facts as cheat_facts
from cheatarena.cheater import facts as cheater_facts
from cheatarena.testing import Rehearsal, Script
from cheatarena.v1 import cheat_pb2, cheater_pb2, error_reason_pb2, event_pb2

GAMES = {"cheat": (cheat_facts, cheat_pb2), "cheater": (cheater_facts, cheater_pb2)}


def facts_of(prefix):
    return [field for field in event_pb2.Event.DESCRIPTOR.fields if field.name.startswith(f"{prefix}_")]


@pytest.mark.parametrize("game", GAMES)
def test_every_fact_of_the_contract_has_a_typed_value_with_the_same_fields(game):
    """A server leaves out fields that are at their default."""
    module, messages = GAMES[game]
    found = facts_of(game)

    assert found
    for field in found:
        message = getattr(messages, field.message_type.name)()
        if "attack" in field.message_type.fields_by_name:
            message.attack = cheater_pb2.CHEATER_ATTACK_TAKE  # the only field that is never at its default
        value = module.read_fact(message)
        assert type(value).__module__ == module.__name__
        assert {each.name for each in fields(value)} == {each.name for each in field.message_type.fields}


def test_bot_sees_plain_values():
    seen = []

    class Watching(Bot):
        def saw(self, table, event):
            seen.append(event)

    rehearsal = Rehearsal(Watching)
    for message in Script(3, 0).deal("KS 2C").plays(1, "K", 2).calls(0, lie=True, shown="3D JK"):
        rehearsal.take(message)
    dealt, hand, played, called = seen

    assert dealt.hand_sizes == (2, 2, 2)
    assert tuple(hand.cards) == (Card.of("2C"), Card.of("KS"))
    assert (played.rank, played.count, played.laid, played.to_move) == (Rank.KING, 2, None, 2)
    assert played.cards.is_hidden
    assert tuple(called.shown) == (Card.of("3D"), Card.of("JK"))
    assert called.rest.is_hidden
    with pytest.raises(AttributeError):
        played.count = 3


def test_bot_written_for_messages_still_recognizes_and_reads_facts():
    value: Any = cheat_facts.read_fact(
        cheat_pb2.CheatCalled(caller=1, accused=2, right=True, shown=cheat_pb2.CheatCards(cards=bytes([5, 52])))
    )

    kinds: list[type] = [cheat_pb2.CheatCalled, cheat_pb2.CheatPlayed, cheat_facts.CheatCalled, cheat_facts.CheatPlayed]
    assert [isinstance(value, kind) for kind in kinds] == [True, False, True, False]
    assert (list(value.shown.cards), list(value.rest.cards)) == ([5, 52], [])
    assert (value.HasField("shown"), value.HasField("rest"), value.HasField("to_move")) == (True, False, False)


def test_cards_of_many_packs_are_listed_copy_by_copy():
    """Many cards come as pairs of a card and its number."""
    value = cheat_facts.read_fact(cheat_pb2.CheatHand(cards=cheat_pb2.CheatCards(counted=[5, 2, 52, 1])))

    assert list(value.cards) == [5, 5, 52]


def test_shown_play_of_no_cards_differs_from_a_hidden_one():
    value = cheat_facts.read_fact(cheat_pb2.CheatCalled(shown=cheat_pb2.CheatCards()))

    assert not value.shown
    assert not value.shown.is_hidden
    assert value.HasField("shown")


def test_facts_can_be_copied_and_stored():
    value = cheater_facts.read_fact(
        cheater_pb2.CheaterAttacked(seat=1, target=2, attack=cheater_pb2.CHEATER_ATTACK_TAKE, card=24)
    )

    assert copy.deepcopy(value) == value
    assert pickle.loads(pickle.dumps(value)) == value
    assert {value: 1}[value] == 1


def test_strikes_and_results_are_values_of_the_table():
    rehearsal = Rehearsal(Bot)
    fault = event_pb2.Fault(
        kind=event_pb2.FAULT_KIND_ILLEGAL, prompt_id=7, reason=error_reason_pb2.ERROR_REASON_NOT_IN_HAND
    )
    story = Script(3, 0).deal("KS").tell(event_pb2.Event(fault=fault)).ends_game([1, 2, 3]).starts_game(1)
    for message in story.deal("KS").ends_game([3, 2, 1], game=1):
        rehearsal.take(message)
    table = rehearsal.table

    [strike] = table.strikes
    assert (strike.kind, strike.reason, strike.prompt_id, strike.game) == ("illegal", "NOT_IN_HAND", 7, 0)
    assert [(each.game, each.places, each.termination) for each in table.results] == [
        (0, (1, 2, 3), "finished"),
        (1, (3, 2, 1), "finished"),
    ]


def test_strike_of_a_newer_server_has_a_word():
    rehearsal = Rehearsal(Bot)
    for message in Script(3, 0).tell(event_pb2.Event(fault=event_pb2.Fault(kind=event_pb2.FaultKind.ValueType(99)))):
        rehearsal.take(message)

    assert rehearsal.table.strikes[0].kind == "kind 99"
