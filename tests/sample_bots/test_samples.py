"""The sample bots: they need only the SDK, obey the rules, and rank as their README claims."""

import ast
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from statistics import mean
from types import ModuleType
from typing import Any

import pytest

from arena.bots.launch.manifest import MANIFEST_NAME, read_manifest
from arena.errors import OptionError
from arena.practice import PracticeResult, play
from cheatarena import Pass
from cheatarena.cheater import Bust, CheaterBot, Discard
from tests.sample_bots.samples import FOLDER, load

ROOT = Path(__file__).parents[2]
README = (ROOT / "sample_bots" / "README.md").read_text(encoding="utf-8")
NAMES = ("counter", "honest", "gambler", "random_legal")
STRONG_NAMES = ("planner", "modeller", "search")
CHEAT_NAMES = (*NAMES, *STRONG_NAMES)
CHEATER_NAMES = ("forecaster", "set_chaser", "denier", "cautious")
ALL = (*CHEAT_NAMES, *CHEATER_NAMES)
TABLES = (NAMES, (*STRONG_NAMES, "random_legal"))


@pytest.fixture(scope="module")
def season() -> PracticeResult:
    """Play forty games between the four bots, always with the same cards."""
    return play([load(name) for name in NAMES], games=24, seed=7)


@pytest.mark.parametrize("name", ALL)
def test_sample_needs_only_the_sdk(name):
    """A folder of a bot can be copied to any machine that has the SDK."""
    tree = ast.parse((FOLDER / name / "bot.py").read_text(encoding="utf-8"))
    imported = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}

    assert not [module for module in imported if module.split(".")[0] in ("arena", "grpc")]


@pytest.mark.parametrize("name", ALL)
def test_copied_sample_loads_without_the_arena(name, tmp_path):
    """It runs in an empty folder, with only the SDK."""
    (tmp_path / "bot.py").write_bytes((FOLDER / name / "bot.py").read_bytes())
    code = "import runpy, sys; sys.modules.update(arena=None, sample_bots=None); runpy.run_path('bot.py')"
    command, environment = [sys.executable, "-c", code], {"PYTHONPATH": str(ROOT / "sdk")}

    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, check=False)

    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.slow
def test_samples_never_break_a_rule(season: PracticeResult):
    """A refused answer raises in practice, so finishing all games is proof enough."""
    assert len(season.places) == 24


@pytest.mark.slow
def test_memory_beats_honesty_and_honesty_beats_chance(season: PracticeResult):
    """As in sample_bots/README.md, with a margin for the randomness of two dozen games."""
    places = {name: mean(game[entrant] for game in season.places) for entrant, name in enumerate(NAMES)}

    assert places["counter"] < places["honest"] + 0.2
    assert places["honest"] + 1 < places["random_legal"]


OTHER_RULES = [
    {"passing": "pass_turn", "count": ["same"]},
    {"passing": "pass_trick", "check": "caller"},
    {"passing": "single_turn", "check": "public+"},
    {"decks": 3, "check": "arbiter"},
    {"jokers_per_deck": 0, "count": ["same", "more"]},
    {"count": ["more"], "rank_next": ["up1"]},
    {"rank_next": ["others", "up2_wrap"]},
    {"deal": "cut_and_choose", "believe": True, "honest_win": True},
    {"count_lies": True, "min_count": 3, "call_mode": "turn_action", "any_caller": False},
    {"opening_face_up": True, "banish_on_new_trick": True, "sizes_visible": False},
]


@pytest.mark.parametrize("names", TABLES, ids=",".join)
@pytest.mark.parametrize("options", OTHER_RULES, ids=str)
def test_samples_play_other_rules_too(options, names):
    """The bots read the legal options instead of assuming one ruleset."""
    result = play([load(name) for name in names], options={"max_turns": 200, **options}, games=2, seed=3)

    assert len(result.places) == 2


@pytest.mark.parametrize("names", TABLES, ids=",".join)
@pytest.mark.parametrize("preset", ["folk", "rank_lock", "ascending"])
def test_samples_play_every_preset(preset, names):
    result = play([load(name) for name in names], preset=preset, games=4, seed=3)

    assert {game.termination for game in result.record.games} == {"finished"}
    assert not any(sum(strikes.values()) for strikes in result.strikes)


@pytest.mark.slow
@pytest.mark.parametrize("seats", [2, 3, 7, 10])
def test_samples_play_at_tables_of_any_size(seats):
    names = (*reversed(CHEAT_NAMES), *NAMES)[:seats]

    result = play([load(name) for name in names], options={"max_turns": 200}, games=2, seed=4)

    assert len(result.places) == 2


@pytest.mark.slow
@pytest.mark.parametrize("name", CHEAT_NAMES)
def test_four_of_a_kind_finish_their_games(name):
    """A play of no cards is free, so bots could wait for each other until the turn limit."""
    result = play([load(name)] * 4, games=4, seed=6)

    assert {game.termination for game in result.record.games} == {"finished"}


@pytest.mark.parametrize("name", CHEAT_NAMES)
def test_sample_handles_situations_of_other_bots(name):
    """The bot advises a random player in every seat, and each advice is a legal answer."""
    sample: Any = load(name)
    given: list[object] = []

    class Advised(load("random_legal")):  # type: ignore[misc]  # a class that is only known when it runs
        def __init__(self):
            self.adviser = sample()

        def match_started(self, table):
            self.adviser.match_started(table)

        def saw(self, table, event):
            self.adviser.saw(table, event)

        def turn(self, table, options):
            advice = self.adviser.turn(table, options)
            given.append(advice)
            if isinstance(advice, Pass):
                assert options.can_pass
            else:
                assert options.allows(len(advice.cards)), f"{advice} from {options.counts}"
                assert advice.rank in options.ranks, f"{advice} from {options.ranks}"
                assert table.hand.has(advice.cards), f"{advice} from {table.hand}"
            return super().turn(table, options)

        def call_window(self, table, claim):
            given.append(self.adviser.call_window(table, claim))
            return super().call_window(table, claim)

    play([Advised] * 4, games=3, seed=5)

    assert len(given) > 100


@pytest.mark.slow
@pytest.mark.parametrize("name", CHEAT_NAMES)
def test_same_cards_lead_to_the_same_game(name):
    """All random choices come from the seat's own source."""
    first, second = (play([load(name)] * 3, games=3, seed=8, clock=lambda: 0).records for _ in range(2))

    assert first == second


@pytest.mark.slow
def test_cheater_samples_rank_as_in_the_readme():
    """Play thirty-two games. A refused answer would raise an error."""
    result = play([load(name) for name in CHEATER_NAMES], games=32, seed=7)
    wins = {name: sum(game[entrant] == 1 for game in result.places) for entrant, name in enumerate(CHEATER_NAMES)}

    assert wins["forecaster"] > wins["set_chaser"] > wins["denier"] > wins["cautious"]
    assert {game.termination for game in result.record.games} == {"spelled"}


@pytest.mark.parametrize("seats", [2, 5, 10])
def test_cheater_samples_play_at_tables_of_any_size(seats):
    bots = [load(CHEATER_NAMES[seat % len(CHEATER_NAMES)]) for seat in range(seats)]

    assert len(play(bots, games=2, seed=4, options={"max_turns": 300}).places) == 2


@pytest.mark.slow
@pytest.mark.parametrize("seats", [2, pytest.param(4, marks=pytest.mark.long), 10])
@pytest.mark.parametrize("name", CHEATER_NAMES)
def test_cheater_sample_handles_situations_of_other_bots(name, seats):
    """The bot advises a random player in every seat, and each advice is a legal answer."""
    given: list[str] = []

    class Advised(CheaterBot):
        def __init__(self):
            self.adviser = load(name)()

        def ask(self, method, table, options):
            answer = getattr(self.adviser, method)(table, options)
            assert set_of_cards(answer) in [set_of_cards(each) for each in options.choices()]
            given.append(method)
            return table.random.choice(options.choices())

        def act(self, table, options):
            return self.ask("act", table, options)

        def discard(self, table, options):
            return self.ask("discard", table, options)

        def reaction(self, table, options):
            return self.ask("reaction", table, options)

        def pick(self, table, options):
            return self.ask("pick", table, options)

    play([Advised] * seats, games=2, seed=5, options={"max_turns": 150, "titles": False})

    assert set(given) == {"act", "discard", "reaction", "pick"}


def set_of_cards(answer):
    """Return an answer without the order of its cards, which no rule restricts."""
    return replace(answer, cards=tuple(sorted(answer.cards))) if isinstance(answer, Discard | Bust) else answer


@pytest.mark.slow
@pytest.mark.parametrize("name", CHEATER_NAMES)
def test_cheater_samples_are_repeatable(name):
    first, second = (play([load(name)] * 3, games=3, seed=8, clock=lambda: 0).records for _ in range(2))

    assert first == second


def test_bots_of_two_games_do_not_meet():
    with pytest.raises(OptionError, match="bots of one game"):
        play([load("honest"), load("denier")])


def test_cheater_bot_of_the_readme_plays():
    names: dict[str, object] = {"__name__": "readme"}
    exec(readme_blocks("python")[0], names)
    mine = names["Grabber"]
    assert isinstance(mine, type)

    assert len(play([mine, load("denier"), load("cautious")], games=3, seed=9).places) == 3


def test_bot_of_the_readme_plays():
    """Code copied from there works unchanged."""
    names: dict[str, object] = {"__name__": "readme"}
    exec(readme_blocks("python")[1], names)
    mine = names["Cautious"]
    assert isinstance(mine, type)

    result = play([mine, load("honest"), load("honest")], games=3, seed=9)

    assert len(result.places) == 3


def test_test_of_the_readme_passes(monkeypatch):
    module = ModuleType("bot")
    module.__dict__["Honest"] = load("honest")
    monkeypatch.setitem(sys.modules, "bot", module)
    names: dict[str, object] = {}

    exec(
        next(each for each in readme_blocks("python") if "def test_it_calls" in each)
        + "\ntest_it_calls_what_cannot_be_true()\n",
        names,
    )


def test_manifests_are_valid(tmp_path):
    """This covers the README's example manifest and those of samples that have one."""
    (tmp_path / MANIFEST_NAME).write_text(readme_blocks("toml")[0], encoding="utf-8")

    assert read_manifest(tmp_path / MANIFEST_NAME).command
    for path in FOLDER.glob(f"*/{MANIFEST_NAME}"):
        manifest = read_manifest(path)
        assert (manifest.name, len(manifest.games)) == (path.parent.name, 1)


def readme_blocks(language: str) -> list[str]:
    """Return the code blocks of a language in the README."""
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


@pytest.mark.parametrize(
    ("name", "setting", "value"),
    [
        ("gambler", "NERVE", "-1"),
        ("gambler", "NERVE", "5"),
        ("counter", "CAUTION", "11"),
        ("counter", "CAUTION", "nan"),
        ("search", "DEALS", "2"),
    ],
)
def test_sample_declares_its_tunable_parameters(monkeypatch, name, setting, value):
    monkeypatch.setenv(setting, value)

    with pytest.raises(SystemExit, match=f"{setting} is .*: expected a number from [03] to"):
        load(name)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "setting"), [("gambler", "NERVE"), ("counter", "CAUTION")])
def test_tuned_sample_plays_differently(monkeypatch, name, setting):
    usual = play([load(name)] * 3, games=3, seed=8, clock=lambda: 0).records
    monkeypatch.setenv(setting, "0.2")

    assert play([load(name)] * 3, games=3, seed=8, clock=lambda: 0).records != usual
