"""Values that are converted directly equal those that a bot reads from messages: facts, options, rulesets, answers."""

from collections.abc import Iterator
from dataclasses import fields
from random import Random
from typing import Any

import pytest

from arena.games.catalogue import pack_of
from arena.games.sdk_values import terms_for_bots
from arena.match.game import ChanceRequest, GameSetup, Seat, Style
from arena.match.referee.pace import Pace
from arena.match.referee.terms import Terms
from arena.server.wire.proto_codec import terms_message
from cheatarena import Believe, Bot, Call, Choose, Cut, Decline, Pass, Play, cheater
from cheatarena.cheat.cards import CARDS, RANKS
from cheatarena.cheater import CheaterBot
from cheatarena.terms import read_terms
from cheatarena.v1 import decision_pb2
from tests.games.sdk_values.differences import comparable

GAMES = {"cheat": Bot.game, "cheater": CheaterBot.game}
GAME_COUNT = 80
MAX_STEPS = 250
LEAVES = 0.01


def random_steps(game: str, seed: int) -> Iterator[tuple[Any, Any]]:
    """Play a random game under a random ruleset. Yield each state with the events that led to it. Some seats leave."""
    pack, rng = pack_of(game), Random(seed)
    rules, model = pack.game, pack.load_knowledge_model()
    preset, options, seat_count = model.draw_ruleset(rng)
    ruleset = rules.build_ruleset(preset, {**options, "max_turns": 80})
    state = rules.initial_state(ruleset, GameSetup(seat_count, 0, Style.SEALED))
    for _ in range(MAX_STEPS):
        chance, groups = rules.chance_request(state), rules.open_groups(state)
        if chance is not None:
            step = rules.apply_chance(state, draw(chance, rng))
        elif not groups:
            return
        elif rng.random() < LEAVES:
            step = rules.leave(state, Seat(rng.randrange(seat_count)))
        else:
            kind, answers = groups[0].kind, {}
            for question in groups[0].questions:
                action = model.draw_decision(state, kind, question, rng)(state)
                if rules.why_illegal(state, question.seat, action, kind) is not None:
                    action = rules.automatic_action(state, question.seat, kind)
                answers[question.seat] = action
            step = rules.resolve(state, kind, answers)
        state = step.state
        yield state, step.events


def draw(chance: ChanceRequest, rng: Random) -> list[int]:
    if chance.faces:
        return [rng.randrange(chance.faces) for _ in range(chance.count)]
    return rng.sample(range(chance.count), chance.count)


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_facts_and_options_equal_those_of_messages(game):
    """Over random games under random rulesets, in which every kind of fact and of question occurs."""
    pack, sdk = pack_of(game), GAMES[game]
    codec, values = pack.load_codec(), pack.load_sdk_values()
    seen, asked = set(), set()
    for seed in range(GAME_COUNT):
        for state, events in random_steps(game, seed):
            for event in events:
                public, private = pack.game.redact(event)
                for part in (public, *(part for parts in private.values() for part in parts)):
                    if part is not None:
                        handler, fact = sdk.read_event(codec.facts[type(part)](part).SerializeToString())
                        direct = values.facts[type(part)](part)
                        assert sdk.fact_handlers[type(direct)] is handler
                        assert comparable(direct) == comparable(fact)
                        seen.add(type(part))
            for group in pack.game.open_groups(state):
                for question in group.questions:
                    prompt = decision_pb2.Prompt()
                    codec.put_options(prompt, question.options)
                    name = prompt.WhichOneof("options")
                    kind, convert = values.legal_options[type(question.options)]
                    assert kind == name
                    legal = sdk.kinds[kind].read(getattr(prompt, kind))
                    assert comparable(convert(question.options)) == comparable(legal)
                    asked.add(kind)

    assert seen == set(values.facts) == set(codec.facts)
    assert asked == set(sdk.kinds)


@pytest.mark.parametrize("game", GAMES)
def test_terms_equal_those_of_messages(game):
    pack, sdk = pack_of(game), GAMES[game]
    rules, model = pack.game, pack.load_knowledge_model()
    for seed in range(200):
        preset, options, seat_count = model.draw_ruleset(Random(seed))
        names = tuple(f"bot {entrant}" for entrant in range(seat_count))
        ruleset = rules.build_ruleset(preset, options)
        terms = Terms(rules, preset, ruleset, Pace.sealed_defaults(), names, anonymous=seed % 2 == 1)

        read = read_terms(terms_message(terms, pack.load_codec()), sdk.read_ruleset)

        assert comparable(terms_for_bots(terms, pack.load_sdk_values())) == comparable(read)


KING = RANKS[12]
NO_CARD: Any = 200
NO_RANK: Any = 40
NEGATIVE: Any = -1
"""What a bot may give by mistake, although types forbid it."""
ANSWERS = {
    "cheat": [
        Play.of("KS 4D", "K"),
        Play.of("4D KS", "A", "a note"),
        Play.of("KS", "K", count=3),
        Play.of("KS", "K", count=0),
        Play((), KING),
        Play(CARDS[:3], KING, count=5_000_000),
        Play((CARDS[0], NO_CARD), KING),
        Play((CARDS[0],), NO_RANK),
        Pass(),
        Call(),
        Decline(),
        Believe(),
        Cut((1, 2, 3_000_000)),
        Choose(0),
        Choose(2_000_000),
    ],
    "cheater": [
        cheater.Draw(),
        cheater.DrawTwo(),
        cheater.TakeTop(),
        cheater.Demand(2),
        *(cheater.Play(cheater.Card.of("WILD"), 1, attack) for attack in cheater.Attack if attack.name != "DEMAND"),
        cheater.Play(cheater.Card.of("TAKE"), 0),
        cheater.Discard.of("YC BA"),
        cheater.Discard((NO_CARD,) * 200),
        cheater.Allow(),
        cheater.Hide(cheater.Card.of("HIDE")),
        cheater.Take(cheater.Card.of("YC")),
        cheater.Take(cheater.Card.of("YC"), cheater.Card.of("BA")),
        cheater.Take(NO_CARD),
        cheater.Bust.of("YC BA"),
        cheater.Bust(()),
    ],
}


@pytest.mark.parametrize(
    ("game", "answer"), [pytest.param(game, each, id=str(each)[:40]) for game in GAMES for each in ANSWERS[game]]
)
def test_actions_equal_those_of_messages(game, answer):
    pack = pack_of(game)
    decision = decision_pb2.Decision.FromString(GAMES[game].write_action(answer))

    assert pack.load_sdk_values().actions[type(answer)](answer) == pack.load_codec().read_action(decision)


@pytest.mark.parametrize("game", GAMES)
def test_every_answer_has_an_action(game):
    assert set(pack_of(game).load_sdk_values().actions) == {type(answer) for answer in ANSWERS[game]}


@pytest.mark.parametrize(
    "answer", [Play((CARDS[0],), NEGATIVE), Choose(-1), Cut((-1, 2)), Play((CARDS[0],), KING, count=-1)]
)
def test_negative_numbers_become_values_that_no_rules_allow(answer):
    """A negative index would choose from the end."""
    action = pack_of("cheat").load_sdk_values().actions[type(answer)](answer)

    assert all(
        number >= 0 for value in vars_of(action) for number in (value if isinstance(value, tuple | bytes) else (value,))
    )


def vars_of(action: Any) -> list[Any]:
    return [getattr(action, field.name) for field in fields(action)]
