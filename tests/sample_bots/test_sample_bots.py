"""The samples obey the rules wherever they sit, and stand in the order that their README says."""

import ast
import importlib.util
import re
import statistics
import subprocess
import sys
from pathlib import Path

import pytest

import sample_bots
from arena.launch.manifest import MANIFEST_NAME, read_manifest
from arena.launch.programs import BotProgram, find_bot, sample_names
from cheatarena import Bot, Call, Decline, Play
from cheatarena.testing import Rehearsal, play_through
from tests.sample_bots.parlour import Parlour

SAMPLES = Path(sample_bots.__path__[0])
NAMES = ("counter", "gambler", "honest", "random_legal")
SDK = str(SAMPLES.parent / "sdk")


def load(name: str) -> type[Bot]:
    """Load the bot of a sample, which judges its own answers by what the server offers."""
    spec = importlib.util.spec_from_file_location(f"sample_{name}", SAMPLES / "python" / name / "bot.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    sample = next(each for each in vars(module).values() if isinstance(each, type) and each.__module__ == spec.name)

    class Judged(sample):
        def turn(self, table, options):
            move = super().turn(table, options)
            if isinstance(move, Play):
                assert options.allows(len(move.cards)), f"{move} from {options.counts}"
                assert move.rank in options.ranks
                assert table.hand.has(move.cards)
            else:
                assert options.can_pass
            return move

        def on_refused(self, table, decision, reason):
            raise AssertionError(f"{decision} was refused: {reason}")

    return Judged


BOTS = {name: load(name) for name in NAMES}

FIELDS = [
    ("all four", NAMES, {}),
    ("two seats", ("counter", "gambler"), {}),
    ("seven seats and two packs", (*NAMES, "honest", "gambler", "counter"), {"decks": 2}),
    ("passing a turn, verdicts alone", NAMES, {"passing": "pass_turn", "check": "arbiter"}),
    ("passing a trick, the caller sees", NAMES, {"passing": "pass_trick", "check": "caller"}),
    ("one move a trick, the pile is shown", NAMES, {"passing": "single_turn", "check": "public+"}),
    ("without jokers", NAMES, {"jokers_per_deck": 0}),
    ("never fewer cards, no waiting", NAMES, {"count": ["same", "more"]}),
    ("counts and ranks run out", NAMES, {"count": ["more"], "rank_next": ["up1"]}),
    ("large steps", NAMES, {"rank_next": ["others", "up2_wrap"]}),
]


@pytest.mark.parametrize(("names", "options"), [row[1:] for row in FIELDS], ids=[row[0] for row in FIELDS])
def test_nobody_commits_a_fault_or_raises_whatever_the_rules(names, options):
    """Three games a field; what a bot raises is raised here too."""
    match = Parlour([BOTS[name] for name in names], games=3, seed=1, max_turns=600, **options).play()

    assert match.faults == []
    assert len(match.table.referee.results) == 3


@pytest.fixture(scope="module")
def recorded():
    """Return what four random players were told, in a game of their own."""
    return Parlour([BOTS["random_legal"]] * 4, seed=3).play().told


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("entrant", range(4))
def test_situations_that_others_got_into_are_answered_legally(recorded, name, entrant):
    answers = play_through(BOTS[name], recorded[entrant])

    assert answers
    assert None not in answers


@pytest.mark.parametrize("name", NAMES)
def test_a_bot_that_comes_back_in_the_middle_answers(name):
    """It knows no more then than the snapshot says."""
    match = Parlour([BOTS["gambler"]] * 3, seed=4)
    asked = 0

    while match.step():
        for entrant in range(3):
            message = match.snapshot(entrant)
            rehearsal = Rehearsal(BOTS[name])
            answers = rehearsal.take(message)
            asked += len(answers)
            open_ids = {prompt.id for prompt in message.snapshot.prompts} - {*message.snapshot.answered}
            assert open_ids <= rehearsal.answers.keys()

    assert asked > 20


@pytest.mark.parametrize("name", NAMES)
def test_the_same_match_is_played_the_same_again(name):
    """All chance comes from the seat's own source."""
    twice = [Parlour([BOTS[name]] * 3, seed=5).play().told for _ in range(2)]

    assert twice[0] == twice[1]


@pytest.mark.parametrize("name", NAMES)
def test_four_of_a_kind_finish_their_games(name):
    """A zero-card play is legal and costs nothing, so bots could wait for each other until the last turn."""
    match = Parlour([BOTS[name]] * 4, games=3, seed=6).play()

    assert {result.termination for result in match.table.referee.results} == {"finished"}


def test_the_order_of_strength():
    """`counter` before `honest` before `random_legal`; the README says by how much, from many more games."""
    places: dict[str, list[int]] = {name: [] for name in NAMES}
    for seed in range(8):
        order = NAMES[seed % 4 :] + NAMES[: seed % 4]
        match = Parlour([BOTS[name] for name in order], games=4, seed=100 + seed).play()
        for name, own in zip(order, match.places(), strict=True):
            places[name] += own

    mean = {name: statistics.mean(own) for name, own in places.items()}

    assert mean["counter"] < mean["honest"] < mean["random_legal"] - 1, mean


@pytest.mark.parametrize("name", NAMES)
def test_a_sample_needs_the_sdk_alone(name, tmp_path):
    """A copy of its script in an empty folder can be loaded where there is no arena."""
    script = SAMPLES / "python" / name / "bot.py"
    copy = tmp_path / "bot.py"
    copy.write_bytes(script.read_bytes())
    code = "import sys, runpy; sys.modules.update(arena=None, sample_bots=None); runpy.run_path('bot.py')"

    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env={"PYTHONPATH": SDK}, capture_output=True)

    assert (done.returncode, done.stderr) == (0, b"")
    imported = {
        (node.module or "").split(".")[0] if isinstance(node, ast.ImportFrom) else node.names[0].name
        for node in ast.walk(ast.parse(script.read_text()))
        if isinstance(node, ast.Import | ast.ImportFrom)
    }
    assert imported - sys.stdlib_module_names == {"cheatarena"}


@pytest.mark.parametrize("name", NAMES)
def test_a_sample_is_found_by_its_name_and_run_in_its_folder(name):
    found = find_bot(f"sample:{name}")

    assert isinstance(found, BotProgram)
    assert found.name == name
    assert found.folder == SAMPLES.resolve() / "python" / name


def test_every_folder_with_a_bot_is_a_sample():
    folders = {path.parent.name for path in SAMPLES.glob("python/*/bot.py")}

    assert folders == {*NAMES}
    assert folders <= {*sample_names()}


def test_manifests_are_valid(tmp_path):
    """Those of samples, and the one that the README tells people to write."""
    shown = re.findall(r"```toml\n(.*?)```", (SAMPLES / "README.md").read_text(), re.DOTALL)
    (tmp_path / MANIFEST_NAME).write_text(shown[0])

    for path in [tmp_path / MANIFEST_NAME, *SAMPLES.glob(f"*/*/{MANIFEST_NAME}")]:
        assert read_manifest(path).command


def test_the_bot_of_the_readme_plays():
    """What people copy from there works as it stands."""
    shown = re.findall(r"```python\n(.*?)```", (SAMPLES / "README.md").read_text(), re.DOTALL)
    names: dict[str, object] = {"__name__": "readme"}
    exec(shown[0], names)
    bot = next(each for each in names.values() if isinstance(each, type) and issubclass(each, Bot) and each is not Bot)

    match = Parlour([bot, BOTS["honest"], BOTS["honest"]], games=3, seed=7).play()

    assert match.faults == []


def test_the_test_of_the_readme_passes():
    """The example that puts a scripted story to a sample."""
    shown = re.findall(r"```python\n(.*?)```", (SAMPLES / "README.md").read_text(), re.DOTALL)
    code = shown[1].replace("from bot import Honest\n", "")

    exec(code + "\ntest_it_calls_what_cannot_be_true()", {"Honest": BOTS["honest"], "Call": Call, "Decline": Decline})
