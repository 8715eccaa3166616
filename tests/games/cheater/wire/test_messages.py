"""CHEATER's values as messages: every fact, question, snapshot and action, field by field."""

from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

import pytest
from google.protobuf.json_format import MessageToDict

from arena.games.cheater.rules import actions, events, views
from arena.games.cheater.rules.actions import (
    ALLOW,
    DRAW,
    DRAW_TWO,
    TAKE_TOP,
    Attack,
    Bust,
    Demand,
    Discard,
    Hide,
    Play,
    Take,
)
from arena.games.cheater.rules.game import CHEATER
from arena.games.cheater.rules.questions import ActOptions, DiscardOptions, PickOptions, ReactionOptions
from arena.games.cheater.rules.ruleset import Ruleset
from arena.games.cheater.rules.state import PendingAttack, Phase, Title
from arena.games.cheater.wire import messages as cheater
from arena.games.cheater.wire.messages import FACT_ENCODERS
from arena.match.game import Seat
from arena.server.wire import error_reasons
from cheatarena.v1 import cheater_pb2, decision_pb2, ruleset_pb2, snapshot_pb2

RH, RE, HIDE, WILD, NO_CARD = 1, 2, 26, 28, 29
ONE, TWO = Seat(1), Seat(2)

PARTS = {
    views.DealtView(3, RE, 48): ("cheater_dealt", {"seat_count": 3, "top": RE, "draw_count": 48}),
    views.HandDealt(b"\1\2\x1c"): ("cheater_hand", {"cards": b"\1\2\x1c"}),
    events.StartRolled((events.StartRoll(Seat(0), (6, 1)), events.StartRoll(ONE, (2, 5))), None): (
        "cheater_start_rolled",
        {"rolls": [{"dice": b"\6\1"}, {"seat": 1, "dice": b"\2\5"}]},
    ),
    events.StartRolled((), Seat(0)): ("cheater_start_rolled", {"first": 0}),
    events.Rolled(TWO, (3, 3), Seat(0), is_lost=True): (
        "cheater_rolled",
        {"seat": 2, "dice": b"\3\3", "cheater": 0, "is_lost": True},
    ),
    events.Rolled(TWO, (3, 4), None, is_lost=False): ("cheater_rolled", {"seat": 2, "dice": b"\3\4"}),
    views.DrewView(ONE, 2): ("cheater_drew", {"seat": 1, "count": 2}),
    views.CardsDrawn(b"\5\1"): ("cheater_drawn", {"cards": b"\5\1"}),
    events.TookTop(ONE, RH): ("cheater_took_top", {"seat": 1, "card": RH}),
    events.Discarded(ONE, b"\5\1"): ("cheater_discarded", {"seat": 1, "cards": b"\5\1"}),
    events.Attacked(ONE, TWO, Attack.BUST, WILD): (
        "cheater_attacked",
        {"seat": 1, "target": 2, "attack": "CHEATER_ATTACK_BUST", "card": WILD},
    ),
    events.Attacked(ONE, TWO, Attack.DEMAND, None): (
        "cheater_attacked",
        {"seat": 1, "target": 2, "attack": "CHEATER_ATTACK_DEMAND"},
    ),
    events.Hidden(TWO, HIDE): ("cheater_hidden", {"seat": 2, "card": HIDE}),
    events.HandShown(TWO, b"\1\2"): ("cheater_hand_shown", {"seat": 2, "cards": b"\1\2"}),
    events.DieRolled(6): ("cheater_die_rolled", {"value": 6}),
    events.Taken(ONE, TWO, RH): ("cheater_taken", {"seat": 1, "target": 2, "card": RH}),
    events.Busted(ONE, TWO, b"\2\1"): ("cheater_busted", {"seat": 1, "target": 2, "cards": b"\2\1"}),
    events.Reshuffled(40): ("cheater_reshuffled", {"draw_count": 40}),
    views.SeatLeftView(TWO, 7, 3, Seat(0)): (
        "cheater_left",
        {"seat": 2, "card_count": 7, "place": 3, "cheater": 0},
    ),
    events.Won(ONE, 0, (Title.EXCELLENT, Title.INFINITE)): (
        "cheater_won",
        {"seat": 1, "color": 0, "titles": ["CHEATER_TITLE_EXCELLENT", "CHEATER_TITLE_INFINITE"]},
    ),
    events.Won(ONE, None, ()): ("cheater_won", {"seat": 1}),
    events.Stopped(): ("cheater_stopped", {}),
}
"""Each part, and the fields of its message that are not at their default or have a presence of their own."""


def present_fields(message: Any) -> dict[str, Any]:
    """The fields of a message that are there, bytes as they are."""
    found = MessageToDict(message, preserving_proto_field_name=True)
    for field, value in message.ListFields():
        if field.type == field.TYPE_BYTES:
            found[field.name] = [*value] if isinstance(found[field.name], list) else value
        elif field.message_type is not None:
            found[field.name] = (
                present_fields(value) if field.name == "attacking" else [present_fields(each) for each in value]
            )
    return found


@pytest.mark.parametrize("part", PARTS, ids=lambda part: type(part).__name__)
def test_event_part_becomes_its_fact(part):
    name, expected = PARTS[part]

    message = FACT_ENCODERS[type(part)](part)

    assert message.WhichOneof("fact") == name
    assert present_fields(getattr(message, name)) == expected


def test_every_part_has_a_fact():
    """Public and private parts; the fields of each are all in some row of the table above."""
    parts = {
        *views.PUBLIC_EVENTS,
        views.DealtView,
        views.DrewView,
        views.SeatLeftView,
        views.HandDealt,
        views.CardsDrawn,
    }

    assert set(FACT_ENCODERS) == parts
    assert {type(part) for part in PARTS} == parts


def test_act_question():
    asked = put(ActOptions((1, 3), b"\x18\x1c", (TWO, Seat(0))))

    assert present_fields(asked.cheater_act) == {"powers": b"\1\3", "playable": b"\x18\x1c", "targets": b"\2\0"}


def test_discard_question():
    assert present_fields(put(DiscardOptions(2)).cheater_discard) == {"count": 2}


def test_reaction_question():
    asked = put(ReactionOptions(TWO, Attack.SHOW, b"\x1a\x1c"))

    assert present_fields(asked.cheater_reaction) == {
        "attacker": 2,
        "attack": "CHEATER_ATTACK_SHOW",
        "hiding": b"\x1a\x1c",
    }


def test_reaction_of_a_seat_that_cannot_hide_is_prompted_too():
    assert put(ReactionOptions(Seat(0), Attack.TAKE, b"")).WhichOneof("options") == "cheater_reaction"


def test_pick_question():
    asked = put(PickOptions(Attack.DEMAND, TWO, b"\1\2", 1))

    assert present_fields(asked.cheater_pick) == {
        "attack": "CHEATER_ATTACK_DEMAND",
        "target": 2,
        "hand": b"\1\2",
        "most": 1,
    }


def put(options: Any) -> decision_pb2.Prompt:
    prompt = decision_pb2.Prompt()
    cheater.put_options(prompt, options)
    return prompt


def test_unknown_question_has_no_message():
    with pytest.raises(TypeError):
        cheater.put_options(decision_pb2.Prompt(), "what?")


def test_ruleset_message():
    message = ruleset_pb2.Ruleset()

    cheater.put_ruleset(message, Ruleset(players_min=3, players_max=9, titles=True, max_turns=77))

    assert present_fields(message.cheater) == {"players_min": 3, "players_max": 9, "titles": True, "max_turns": 77}
    assert len(fields(Ruleset)) == 4


SEEN = views.CheaterSnapshot(
    hand=b"\1\2", hand_sizes=(7, 6, 0), known=(b"", b"\3\4", b""), draw_count=12, discards=b"\5\x18", to_move=Seat(0),
    cheater=Seat(0), phase=Phase.PICK, dice=(4, 4), attacking=PendingAttack(Attack.BUST, ONE, WILD), die=3,
    places=(0, 0, 3), turns=17,
)  # fmt: skip


def test_snapshot_message():
    seen = snapshot(SEEN)

    assert present_fields(seen) == {
        "hand": b"\1\2", "hand_sizes": b"\7\6\0", "known": [b"", b"\3\4", b""], "draw_count": 12, "discards": b"\5\x18",
        "to_move": 0, "cheater": 0, "phase": "CHEATER_PHASE_PICK", "dice": b"\4\4", "die": 3, "places": b"\0\0\3",
        "attacking": {"attack": "CHEATER_ATTACK_BUST", "target": 1, "card": WILD}, "turn_count": 17,
    }  # fmt: skip
    assert len(fields(views.CheaterSnapshot)) == 13


def test_spectator_snapshot_before_the_first_turn():
    blank = views.CheaterSnapshot(None, (7, 7), (b"", b""), 55, b"\1", None, None, Phase.START, (), None, 0, (0, 0), 0)

    seen = snapshot(blank)

    assert [seen.HasField(name) for name in ("hand", "to_move", "cheater", "attacking")] == [False] * 4
    assert (seen.dice, seen.phase) == (b"", cheater_pb2.CHEATER_PHASE_START)


def snapshot(seen: views.CheaterSnapshot) -> cheater_pb2.CheaterSnapshot:
    message = snapshot_pb2.SeatSnapshot()
    cheater.put_snapshot(message, seen)
    return message.cheater


@pytest.mark.parametrize("kind", [Attack, Title, Phase])
def test_choices_have_the_numbers_of_the_contract(kind: type[Enum]):
    """The order matches, so that neither side lacks a value; 0 is unset."""
    names = getattr(cheater_pb2, f"Cheater{kind.__name__}").keys()

    assert [name.removeprefix(f"CHEATER_{kind.__name__.upper()}_") for name in names[1:]] == [one.name for one in kind]


def test_every_code_of_the_rules_has_a_reason():
    for code in ("not_now", "not_your_turn", "not_cheater", "not_in_hand", "not_playable", "bad_target", "too_many",
                 "too_few", "game_over"):  # fmt: skip
        assert error_reasons.reason_number(code)


# ---- actions

K = {name.removeprefix("CHEATER_ACTION_KIND_"): number for name, number in cheater_pb2.CheaterActionKind.items()}
BY = {name.removeprefix("CHEATER_ATTACK_"): number for name, number in cheater_pb2.CheaterAttack.items()}


def read(**action: Any) -> Any:
    """The action of a decision that has been over the wire."""
    sent = decision_pb2.Decision(cheater=cheater_pb2.CheaterAction(**action)).SerializeToString()
    return cheater.read_action(decision_pb2.Decision.FromString(sent))


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        ({"kind": K["DRAW"]}, DRAW),
        ({"kind": K["DRAW_TWO"]}, DRAW_TWO),
        ({"kind": K["TAKE_TOP"]}, TAKE_TOP),
        ({"kind": K["DEMAND"], "target": 0}, Demand(Seat(0))),
        ({"kind": K["PLAY"], "card": 24, "target": 2}, Play(24, TWO)),
        ({"kind": K["PLAY"], "card": WILD, "target": 0, "wild_as": BY["BUST"]}, Play(WILD, Seat(0), Attack.BUST)),
        ({"kind": K["DISCARD"], "cards": b"\5\1"}, Discard(b"\5\1")),
        ({"kind": K["ALLOW"]}, ALLOW),
        ({"kind": K["HIDE"], "card": WILD}, Hide(WILD)),
        ({"kind": K["TAKE"], "card": 0}, Take(0)),
        ({"kind": K["TAKE"], "card": 3, "discard": 0}, Take(3, 0)),
        ({"kind": K["BUST"], "cards": b"\2\1"}, Bust(b"\2\1")),
        ({"kind": K["BUST"]}, Bust(b"")),
        ({"kind": K["DRAW"], "card": 3, "target": 99, "cards": b"\1", "discard": 2}, DRAW),
    ],
    ids=str,
)
def test_action_round_trips(sent, expected):
    assert read(**sent) == expected


def test_every_action_except_the_automatic_one_can_be_sent():
    """Kinds of the contract and actions of the rules, by name."""
    made = {cls.__name__ for cls in vars(actions).values() if isinstance(cls, type) and is_dataclass(cls)}

    assert {kind.replace("_", "").lower() for kind in K if K[kind]} == {name.lower() for name in made} - {"idle"}


@pytest.mark.parametrize(
    "sent",
    [
        {},
        {"kind": 11},
        {"kind": K["PLAY"], "card": 24},
        {"kind": K["PLAY"], "target": 1},
        {"kind": K["PLAY"], "card": WILD, "target": 1, "wild_as": 5},
        {"kind": K["DEMAND"]},
        {"kind": K["HIDE"]},
        {"kind": K["TAKE"], "discard": 1},
    ],
    ids=str,
)
def test_incomplete_message_is_no_action(sent):
    assert read(**sent) is None


def test_action_of_another_game_is_none():
    assert cheater.read_action(decision_pb2.Decision()) is None
    other = decision_pb2.Decision()
    other.cheat.count = 1
    assert cheater.read_action(other) is None


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        ({"kind": K["PLAY"], "card": 2**32 - 1, "target": 2**32 - 1}, Play(NO_CARD, Seat(2**32 - 1))),
        ({"kind": K["HIDE"], "card": 29}, Hide(NO_CARD)),
        ({"kind": K["TAKE"], "card": 30, "discard": 2**32 - 1}, Take(NO_CARD, NO_CARD)),
        ({"kind": K["DISCARD"], "cards": b"\x1c\x1d\xff"}, Discard(b"\x1c\x1d\x1d")),
        ({"kind": K["BUST"], "cards": bytes(4000)}, Bust(bytes(140))),
    ],
    ids=["seat", "hide", "take", "discard", "many"],
)
def test_invented_action_is_kept_and_refused_by_the_rules(sent, expected):
    """It has a text for the journal, too."""
    action = read(**sent)

    assert action == expected
    assert CHEATER.read_action(CHEATER.write_action(action)) == action
