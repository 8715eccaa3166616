"""A policy sees over the wire what it saw in its environment, and its answers count."""

from dataclasses import replace
from random import Random

import numpy as np
import pytest

from arena.author.practice.bot_runtime import CoroutineRunner
from arena.author.practice.play import play
from arena.envs.env_spec import EnvSpec, resolve_spec
from arena.envs.learned_bot import load_bot_class, main
from arena.envs.learner_tables import random_opponent
from arena.envs.policy_bot import build_bot_class
from arena.envs.reinforce import Network
from arena.errors import IllegalActionError, OptionError, UnknownNameError
from arena.games.catalogue import pack_of
from arena.games.cheat import seen_values
from arena.games.sdk_values import terms_for_bots
from cheatarena import Offer
from tests.envs.wire_games import ShakenMatch, find_differences, make_terms
from tests.support.env_rules import EVERY_PRESET, draw_rules

SHORT = {"max_turns": 24}
HISTORY = {
    *("known", "pile_known", "banished_known", "record"),
    *("move_seat", "move_rank", "move_count", "move_laid", "move_caller", "move_verdict"),
    *("move_kind", "move_target", "move_card"),
}
"""The rows that depend on earlier events."""
LOST = HISTORY | {"passed", "last_rank", "last_count", "last_seat"}
"""The rows that a snapshot does not bring back."""


@pytest.mark.parametrize("preset", EVERY_PRESET)
def test_arrays_of_every_decision_are_those_of_the_environment(preset):
    for encoding in resolve_spec(preset).arrays.encodings:
        assert find_differences(resolve_spec(preset, SHORT, 4, encoding), seed=1) == []


def draw_spec(seed: int) -> EnvSpec:
    return resolve_spec(*draw_rules(Random(seed), max_turns=30))


@pytest.mark.parametrize("count", [24, pytest.param(400, marks=(pytest.mark.slow, pytest.mark.long))])
def test_arrays_are_the_same_whatever_the_rules(count):
    for seed in range(count):
        spec = draw_spec(seed)
        assert find_differences(spec, seed) == [], spec.arguments


@pytest.mark.parametrize("seats", [2, 3, 5, 10])
def test_arrays_are_the_same_at_every_table_of_cheater(seats):
    assert find_differences(resolve_spec("cheater", SHORT, seats), seats) == []


@pytest.mark.replaces_code
def test_missing_cards_are_found(monkeypatch):
    """A bot that misses what a call shows to it alone knows less than its environment."""
    monkeypatch.setattr(seen_values, "PRIVATE", seen_values.PRIVATE[:1])
    assert "known" in find_differences(resolve_spec("standard", {"check": "caller", **SHORT}), 1)


def shake(spec: EnvSpec, seed: int, losses: float, leaves: float) -> set[str]:
    """Play a match whose bots lose their memory and leave now and then. Return the rows that were not right."""
    with CoroutineRunner() as runner:
        match = ShakenMatch(spec, seed, runner, losses, leaves)
        match.play()
    assert match.compared
    return match.differences


@pytest.mark.parametrize("seed", range(8))
def test_seats_that_leave_change_nothing_that_a_bot_sees(seed):
    assert shake(draw_spec(seed), seed, losses=0, leaves=0.03) <= HISTORY


@pytest.mark.parametrize("seed", range(8))
def test_after_a_snapshot_a_bot_knows_all_but_what_has_passed(seed):
    assert shake(draw_spec(seed), seed, losses=0.1, leaves=0.01) <= LOST


def test_after_a_snapshot_a_bot_of_cheater_has_forgotten_the_last_steps():
    spec = resolve_spec("cheater", SHORT)
    assert shake(spec, 1, losses=0.1, leaves=0.01) <= HISTORY - {"known"}


@pytest.mark.parametrize(("deal", "is_accepted"), [("round_robin", True), ("cut_and_choose", False)])
def test_ruleset_that_the_arrays_cannot_hold_is_declined(deal, is_accepted, caplog):
    game = pack_of("cheat")
    ruleset = game.game.build_ruleset("standard", {"deal": deal})
    terms = replace(make_terms(resolve_spec("standard")), ruleset=ruleset)
    offer = Offer(7, 0, terms_for_bots(terms, game.load_sdk_values()))

    assert build_bot_class(random_opponent).accepts(offer) is is_accepted
    assert is_accepted or "match 7: the seat is declined: option deal" in caplog.text


def test_ruleset_that_the_arrays_cannot_hold_is_refused_in_practice():
    with pytest.raises(OptionError, match="the arrays have no action for a cut"):
        play([build_bot_class(random_opponent)] * 2, "standard", {"deal": "cut_and_choose"})


@pytest.mark.parametrize("preset", ["standard", "cheater"])
def test_saved_network_plays(preset, tmp_path):
    spec = resolve_spec(preset, SHORT, 2)
    network = Network.draw(spec.arrays.observation.size, spec.actions.size, np.random.default_rng(1))
    network.save(tmp_path / "net", spec.game.name)

    result = play([load_bot_class(tmp_path / "net")] * 2, preset, SHORT, seed=1)

    assert min(result.places[0]) == 1


@pytest.mark.parametrize(
    ("text", "told"),
    [(None, "net cannot be read: No such file or directory"), ("x", "net is no network that arena.envs.reinforce has")],
)
def test_file_without_a_network_is_refused(text, told, tmp_path, monkeypatch):
    if text is not None:
        (tmp_path / "net").write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["learned_bot", "net"])
    with pytest.raises(SystemExit, match=told):
        main()


def test_illegal_action_is_named():
    bot = build_bot_class(lambda _, __, ___: np.array([3]))
    with pytest.raises(IllegalActionError, match="the policy has chosen action 3, which its mask forbids"):
        play([bot] * 2, "standard", seed=1)


def test_unknown_game_or_encoding_is_refused():
    with pytest.raises(UnknownNameError):
        build_bot_class(lambda *_: 0, "chess")
    with pytest.raises(OptionError, match="encoding must be steps or macro"):
        build_bot_class(lambda *_: 0, "cheat", "letters")
