"""The action for bot authors has nothing to lose, and its scripts compare a pull request end to end."""

import json
import os
import re
import shutil
import sys
import zipfile
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import parse

import pytest

from tests.support.action import Action, find_unknown_names, read_action
from tests.support.boxes import skip_without_boxes
from tests.support.compared_bots import FOOL, QUICK, SANE
from tests.support.repository import check_out, make_pull_request
from tests.support.workflow import find_known_mistakes, find_pins, find_shell_mistakes, is_pinned, read_workflow

ROOT = Path(__file__).parents[2]
WORKFLOW = ROOT / "docs" / "compare.yml"
ACTION = ROOT / "action.yml"
BOT = "bots/mine"
LOCK = "bots/arena.txt"
CHECK_OUT, INSTALL, BUILD, COMPARE = SCRIPTS = (
    "Check out the baseline",
    "Install the arena",
    "Build the baseline",
    "Compare",
)
RECALL, REMEMBER = "Recall how many comparisons got no yes", "Remember a comparison without a yes"
EXPRESSION = re.compile(r"\$\{\{.*?\}\}")
DOWNLOADS = ["~/.cache/pip", "~/.cargo/registry", "~/.npm", "~/go/pkg/mod"]
SPOKEN_PIP = 'echo "pip $*"\n'
"""A stand-in for pip that only says how it was called: the arena of this checkout is on the PATH."""

needs_bash = pytest.mark.skipif(
    os.name != "posix" or not shutil.which("git") or not shutil.which("bash") or not shutil.which("timeout"),
    reason="its steps are for bash, git and timeout",
)


@pytest.fixture(scope="module")
def workflow() -> Any:
    return read_workflow(WORKFLOW)


@pytest.fixture(scope="module")
def action() -> Any:
    return read_action(ACTION)


@pytest.fixture(scope="module")
def steps(action: Any) -> Any:
    return action["runs"]["steps"]


def step_using(steps: Any, action: str) -> Any:
    """Return the one step that uses an action."""
    (step,) = (step for step in steps if step.get("uses", "").startswith(f"{action}@"))
    return step


def step_named(steps: Any, name: str) -> Any:
    (step,) = (step for step in steps if step["name"] == name)
    return step


# ---- what it may do


def test_workflow_runs_only_for_pull_requests_with_read_only_access(workflow: Any):
    assert workflow["on"] == {"pull_request": None}
    assert workflow["permissions"] == {"contents": "read"}
    assert not [job for job in workflow["jobs"].values() if "permissions" in job]


def test_nothing_knows_a_secret_or_leaves_credentials_to_bots(workflow: Any):
    for file in (WORKFLOW, ACTION):
        text = file.read_text(encoding="utf-8")
        assert not [word for word in ("secrets.", "github.token", "GITHUB_TOKEN") if word in text]
    checkout = step_using(workflow["jobs"]["compare"]["steps"], "actions/checkout")
    assert checkout["with"]["persist-credentials"] is False


def test_pull_request_text_never_becomes_a_command(steps: Any):
    """Scripts interpolate nothing, and nothing anywhere depends on text that a pull request's author chooses."""
    assert not [step["name"] for step in steps if EXPRESSION.search(step.get("run", ""))]
    assert set(EXPRESSION.findall(WORKFLOW.read_text(encoding="utf-8"))) == {"${{ github.ref }}"}
    found = EXPRESSION.findall(ACTION.read_text(encoding="utf-8"))
    named = {each[4:-3] if each[4:].startswith("github") else re.split(r"[ .(]", each[4:])[0] for each in found}
    of_github = {found for found in named if found.startswith("github")}
    assert of_github == {"github.event.pull_request.number", "github.run_id", "github.run_attempt"}  # are numbers
    assert named - of_github == {"inputs", "runner", "steps", "hashFiles"}


def test_every_script_stops_at_its_first_failure_and_has_no_known_mistake(steps: Any):
    scripts = [step["run"] for step in steps if "run" in step]

    assert scripts
    assert [script for script in scripts if not script.startswith("set -euo pipefail\n")] == []
    assert "".join(map(find_shell_mistakes, scripts)) == ""


def test_every_action_comes_from_github_and_is_pinned_by_hash(workflow: Any, steps: Any):
    """A tag can be moved to other code, a hash cannot. The comment beside it says which version it is."""
    assert len(find_pins(ACTION)) == len([step for step in steps if "uses" in step])
    assert [pin for pin in find_pins(ACTION) if not is_pinned(pin)] == []
    checkout, own = find_pins(WORKFLOW)
    assert is_pinned(checkout)
    assert re.fullmatch(r"OWNER/cheatarena@[0-9a-f]{40}  # .*", own)


@pytest.mark.parametrize("file", [ACTION, WORKFLOW], ids=lambda path: path.name)
def test_known_mistakes_of_workflows_are_absent(file: Path):
    assert "No findings to report" in find_known_mistakes(file)


def test_downloads_and_baseline_build_are_cached_but_results_are_not(steps: Any):
    restored, saved = (step_named(steps, f"{what} downloads and the baseline's build") for what in ("Restore", "Save"))

    built = "${{ runner.temp }}/baseline/${{ inputs.bot }}/${{ inputs.built }}"
    assert restored["with"]["path"].splitlines() == saved["with"]["path"].splitlines() == [*DOWNLOADS, built]
    assert restored["with"]["key"].endswith("${{ steps.baseline.outputs.commit }}")
    assert restored["with"]["restore-keys"] == restored["with"]["key"].removesuffix(
        "${{ steps.baseline.outputs.commit }}"
    )
    assert saved["with"]["key"] == "${{ steps.cache.outputs.cache-primary-key }}"
    assert not [step for step in steps if "cache" in step.get("with", {})]


def test_nothing_of_the_pull_request_runs_before_the_cache_is_saved(steps: Any):
    """The candidate could otherwise leave a baseline that plays badly, for the comparisons of later pushes."""
    order = [step["name"] for step in steps]
    saved = order.index("Save downloads and the baseline's build")

    assert order.index("Build the baseline") == saved - 1
    assert [step["name"] for step in steps[:saved] if re.search(r"^ *arena ", step.get("run", ""), re.MULTILINE)] == [
        "Build the baseline"
    ]
    assert order[saved + 1 :] == [RECALL, "Compare", REMEMBER, "Upload JUnit, replays and what the bots wrote"]


def test_tries_are_remembered_for_a_pull_request_unless_the_answer_is_yes(steps: Any):
    """Each run keeps its own count, and the next restores the newest of the same bot and pull request.

    A cancelled one keeps it too, or its author could watch the games and push again before a no.
    """
    recall, remember = (step_named(steps, name) for name in (RECALL, REMEMBER))
    of_bot = "tries-${{ inputs.bot }}-${{ github.event.pull_request.number }}-"

    assert recall["if"] == "inputs.memory == 'true' && github.event.pull_request.number"
    assert recall["with"]["key"] == of_bot + "${{ github.run_id }}-${{ github.run_attempt }}"
    assert recall["with"]["restore-keys"] == of_bot
    assert remember["if"].split(" && ") == [
        "always()", "steps.tries.outputs.cache-primary-key != ''", "steps.compare.outputs.exit-code != '0'",
    ]  # fmt: skip
    assert remember["with"]["key"] == "${{ steps.tries.outputs.cache-primary-key }}"
    assert remember["with"]["path"] == recall["with"]["path"] == "${{ runner.temp }}/tries"


def test_default_budget_is_in_games_and_playing_is_limited(workflow: Any, action: Any):
    """A bot that plays slowly is not judged by fewer games."""
    given = step_using(workflow["jobs"]["compare"]["steps"], "OWNER/cheatarena")["with"]

    assert action["inputs"]["budget"]["default"] == given["budget"] == "960"
    assert int(action["inputs"]["minutes"]["default"]) < workflow["jobs"]["compare"]["timeout-minutes"]


def test_inputs_and_outputs_that_it_names_exist(action: Any, steps: Any):
    """The baseline is built only if it is a commit; the answer is the one of the step that compares."""
    assert find_unknown_names(ACTION) == []
    assert [step["name"] for step in steps if "run" in step] == [*SCRIPTS]
    assert step_named(steps, BUILD)["if"] == "steps.baseline.outputs.commit != ''"
    assert [each["value"] for each in action["outputs"].values()] == [
        f"${{{{ steps.compare.outputs.{name} }}}}" for name in ("verdict", "exit-code", "summary")
    ]


def test_artifacts_are_uploaded_after_failures_and_reruns_too(steps: Any):
    upload = step_using(steps, "actions/upload-artifact")

    assert upload["if"].startswith("always()")
    assert upload["with"]["overwrite"] is True
    assert upload["with"]["path"].split("\n")[:2] == [
        f"${{{{ runner.temp }}}}/{name}" for name in ("comparison", "arena/bots")
    ]
    assert steps[-1] is upload


# ---- what it does


def bot(source: str) -> Mapping[str, str]:
    """Return the files of a bot with a build step, whose program does not exist before."""
    command = json.dumps([sys.executable, "target/bot.py"])
    return {
        f"{BOT}/bot.toml": f'name = "mine"\ncommand = {command}\nbuild = "sh build.sh"\nstart_time_s = 60\n',
        f"{BOT}/build.sh": "mkdir -p target && cp source.py target/bot.py\n",
        f"{BOT}/source.py": source,
        LOCK: "the lock of the arena\n",
    }


class Compared:
    """A repository with a pull request, checked out as docs/compare.yml does, in a folder of its own."""

    def __init__(self, folder: Path, origin: Path) -> None:
        self.folder = folder
        self.temp = folder / "temp"
        self.workspace = folder / "workspace"
        self._origin = origin
        for made in (self.temp, folder / "bin", folder / "home"):
            made.mkdir(parents=True)

    def action(self, *, pip: str = SPOKEN_PIP, depth: str = "", **changed: str) -> Action:
        """Return the action with the inputs of the workflow; `changed` gives others."""
        checkout, compare = read_workflow(WORKFLOW)["jobs"]["compare"]["steps"]
        check_out(self._origin, self.workspace, int(depth or checkout["with"]["fetch-depth"]))
        program = self.folder / "bin" / "pip"
        program.write_text(f"#!/bin/sh\n{pip}")
        program.chmod(0o755)
        path = os.pathsep.join([str(program.parent), str(Path(sys.executable).parent), os.environ["PATH"]])
        inputs = {**compare["with"], "options": " ".join(("--mode not-worse", *QUICK)), **changed}
        environment = {"PATH": path, "HOME": str(self.folder / "home")}
        return Action(ACTION, self.workspace, self.temp, inputs, environment, outputs={"cache": {}, "tries": {}})

    def run(self, **changed: str) -> Action:
        """Run the scripts in their order, but the build only for a commit."""
        action = self.action(**changed).run([CHECK_OUT])
        if action.code:
            return action
        return action.run([name for name in SCRIPTS[1:] if name != BUILD or action.outputs["baseline"]["commit"]])


def answer(action: Action) -> tuple[str, str]:
    """Return the verdict and the exit code that the action gives to later steps."""
    return action.outputs["compare"]["verdict"], action.outputs["compare"]["exit-code"]


@pytest.mark.slow
@needs_bash
@pytest.mark.long
def test_pull_request_with_equally_good_bot_is_green(tmp_path):
    """All its results can be found."""
    half_done = SANE.replace("run(Sane)", "run()")
    origin = make_pull_request(tmp_path, bot(FOOL), {f"{BOT}/source.py": half_done}, {f"{BOT}/source.py": SANE})
    compared = Compared(tmp_path / "first", origin)

    done = compared.run()

    assert done.code == 0, done.log
    assert done.summary.startswith("## arena compare: not worse\n\n```text\nnot worse: +"), done.summary
    assert answer(done) == ("not worse", "0")
    temp, workspace = compared.temp, compared.workspace
    results = temp / "comparison"
    assert done.outputs["compare"]["summary"] == str(results / "summary.md")
    assert (results / "summary.md").read_text() == done.summary
    assert done.log.index("building mine") < done.log.index("comparing ")
    assert (temp / "baseline" / "notes.txt").read_text() == (workspace / "notes.txt").read_text() == "of others, before"
    for place, source in ((workspace, SANE), (temp / "baseline", FOOL)):
        assert (place / BOT / "target" / "bot.py").read_text() == source
    suite = parse(results / "junit.xml").getroot()[0]
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("3", "0", "0")


@pytest.mark.slow
@needs_bash
@pytest.mark.parametrize(("hit", "is_kept"), [("true", True), ("false", False), ("", False)])
def test_build_of_the_baseline_is_kept_for_its_commit_alone(tmp_path: Path, hit: str, is_kept: bool):
    """The cache of another commit gives its downloads, but not what was built there."""
    compared = Compared(tmp_path / "job", make_pull_request(tmp_path, bot(FOOL), bot(SANE)))
    action = compared.action().run([CHECK_OUT])
    target = compared.temp / "baseline" / BOT / "target"
    target.mkdir()
    (target / "kept").touch()
    action.outputs["cache"] = {"cache-hit": hit}

    action.run([BUILD])

    assert (action.code, (target / "bot.py").read_text()) == (0, FOOL), action.log
    assert (target / "kept").exists() is is_kept


@pytest.mark.slow
@needs_bash
def test_pull_request_with_worse_bot_is_red_and_keeps_its_lost_games(tmp_path):
    compared = Compared(tmp_path / "job", make_pull_request(tmp_path, bot(SANE), {f"{BOT}/source.py": FOOL}))

    done = compared.run()

    assert done.code == 1, done.log
    assert done.summary.startswith("## arena compare: worse\n"), done.summary
    assert answer(done) == ("worse", "1")
    assert [*(compared.temp / "comparison" / "replays").iterdir()]


@pytest.mark.slow
@needs_bash
@pytest.mark.long
def test_pull_request_with_crashing_bot_is_red_and_says_so(tmp_path):
    origin = make_pull_request(tmp_path, bot(FOOL), {f"{BOT}/source.py": "raise SystemExit('not today')"})
    compared = Compared(tmp_path / "job", origin)

    done = compared.run()

    assert done.code == 3, done.log
    told = "## arena compare: crashed\n\n```text\ncandidate crashed again and again"
    assert done.summary.startswith(told), done.summary
    assert answer(done) == ("crashed", "3")
    assert parse(compared.temp / "comparison" / "junit.xml").getroot()[0].get("failures") == "1"
    bots = compared.temp / "arena" / "bots"
    assert [path for path in bots.iterdir() if "not today" in path.read_text()]


@pytest.mark.slow
@needs_bash
def test_untrusted_pull_request_is_built_and_plays_in_boxes(tmp_path):
    """Its build and its bot try to spoil the baseline, and have an empty network."""
    skip_without_boxes()
    compared = Compared(tmp_path / "job", tmp_path / "origin.git")
    spoilt = compared.temp / "baseline" / BOT / "source.py"
    spoil = f"echo 'raise SystemExit(1)' > {spoilt} || echo REFUSED; cat {spoilt} && echo READ\n"
    changes = {
        f"{BOT}/build.sh": f"mkdir -p target && cp source.py target/bot.py\n{spoil}true\n",
        f"{BOT}/source.py": f"import subprocess\nsubprocess.run({spoil!r}, shell=True)\n{SANE}",
    }
    make_pull_request(tmp_path, bot(FOOL), changes)

    done = compared.run(untrusted="true")

    assert done.code == 0, done.log
    assert "bots run in boxes that they cannot leave" in " ".join(done.log.split())
    assert spoilt.read_text() == FOOL
    said = {path.name: path.read_text() for path in (compared.temp / "arena" / "bots").iterdir()}
    assert [name for name, text in said.items() if "REFUSED" in text and "build" in name]
    assert [name for name, text in said.items() if "REFUSED" in text and "build" not in name]
    assert "READ" not in "".join(said.values())
    for place in (compared.workspace, compared.temp / "baseline"):
        assert not (place / BOT / "target").exists(), "nothing is built outside a box"


@needs_bash
def test_missing_bot_on_base_branch_is_no_failure(tmp_path):
    compared = Compared(tmp_path / "job", make_pull_request(tmp_path, {"README.md": "bots to come"}, bot(SANE)))

    done = compared.run()

    assert done.code == 0, done.log
    assert done.summary == "## nothing to compare with: the baseline has no bots/mine yet\n"
    assert answer(done) == ("nothing to compare with", "0")
    assert not (compared.temp / "arena").exists()


@pytest.mark.slow
@needs_bash
def test_missing_bot_is_red_and_not_mistaken_for_a_new_one(tmp_path):
    compared = Compared(tmp_path / "job", make_pull_request(tmp_path, bot(FOOL), bot(SANE)))

    done = compared.run(bot="bots/mien")

    assert done.code == 3, done.log
    assert done.summary.startswith("## arena compare: not started\n"), done.summary


@pytest.mark.slow
@needs_bash
def test_baseline_may_be_a_folder_which_a_commit_of_the_same_name_hides(tmp_path):
    """A folder of the pull request is never built before the cache is saved, and cannot stand for the base branch."""
    files = {**bot(SANE), "old/bot.py": SANE, "HEAD^1/bots/mine/bot.py": "raise SystemExit('a weak baseline')"}
    origin = make_pull_request(tmp_path, bot(FOOL), files)
    folder, commit = (Compared(tmp_path / name, origin) for name in ("folder", "commit"))

    of_folder = folder.action(baseline="old").run([CHECK_OUT])
    of_commit = commit.action(baseline="HEAD^1").run([CHECK_OUT, BUILD])

    assert (of_folder.outputs["baseline"]["commit"], of_folder.outputs["baseline"]["bot"]) == ("", "old")
    assert not (folder.temp / "baseline").exists()
    assert of_commit.outputs["baseline"]["commit"]
    assert (commit.temp / "baseline" / BOT / "target" / "bot.py").read_text() == FOOL


@needs_bash
@pytest.mark.parametrize(
    ("inputs", "sentence"),
    [
        ({"baseline": "v1.2"}, "baseline: v1.2 is neither a commit of this checkout nor a file in it"),
        ({"baseline": "--all"}, "baseline: --all is neither a commit of this checkout nor a file in it"),
        ({"memory": "yes"}, "memory: expected true or false, and it is yes"),
        ({"untrusted": "yes"}, "untrusted: expected true or false, and it is yes"),
    ],
)
def test_wrong_input_is_refused_before_anything_runs(tmp_path, inputs, sentence):
    done = Compared(tmp_path / "job", make_pull_request(tmp_path, bot(FOOL), bot(SANE))).run(**inputs)

    assert done.code == 64
    assert f"::error::{sentence}" in done.log
    assert done.ran == [CHECK_OUT]


@needs_bash
def test_comparison_without_an_answer_says_why(tmp_path):
    """A wrong option, and games that take too long."""
    origin = make_pull_request(tmp_path, {"README.md": "no bot"}, {"old.py": SANE, "new.py": SANE, LOCK: ""})
    wrong, slow = Compared(tmp_path / "wrong", origin), Compared(tmp_path / "slow", origin)

    refused = wrong.run(bot="new.py", baseline="old.py", options="--mode nonsense")
    stopped = slow.run(bot="new.py", baseline="old.py", minutes="0.001")

    assert (refused.code, *answer(refused)) == (64, "no answer", "64")
    assert refused.summary.startswith("## arena compare: no answer, because arena compare ended with exit code 64")
    assert (stopped.code, *answer(stopped)) == (130, "no answer", "130")
    assert "because the games took longer than 0.001 minutes" in stopped.summary


@needs_bash
@pytest.mark.parametrize(("before", "number", "budget"), [(None, 1, 960), (0, 1, 960), (3, 4, 1920)])
def test_each_try_of_a_pull_request_is_told_its_number(tmp_path, before, number, budget):
    """A later one gets twice the games. It is counted before anything plays."""
    compared = Compared(tmp_path / "job", make_pull_request(tmp_path, bot(FOOL), bot(SANE)))
    arena = compared.folder / "bin" / "arena"
    arena.write_text('#!/bin/sh\ncat "$RUNNER_TEMP/tries"; echo "arena $*"\nexit 1\n')
    arena.chmod(0o755)
    action = compared.action().run([CHECK_OUT])
    action.outputs["tries"] = {"cache-primary-key": "tries-bots/mine-7-1-1"}
    if before is not None:
        (compared.temp / "tries").write_text(f"{before}\n")

    action.run([COMPARE])

    assert answer(action) == ("no answer", "1")
    assert f"{number}\narena compare" in action.log
    assert f" --try {number} --budget {budget} " in action.log


@needs_bash
def test_commit_that_is_no_merge_is_not_compared_with_its_parent(tmp_path):
    compared = Compared(tmp_path / "job", make_pull_request(tmp_path, bot(FOOL), bot(SANE)))

    done = compared.action(depth="1").run([CHECK_OUT])

    assert done.code == 64
    assert "this is no merge of a pull request" in done.log


@pytest.mark.slow
@needs_bash
@pytest.mark.parametrize("is_genuine", [True, False], ids=["genuine", "replaced"])
def test_arena_is_installed_only_from_the_wheels_that_the_lock_names(tmp_path, is_genuine):
    """The real pip, on a wheel that stands for the arena's. A wheel with other contents ends the job."""
    wheel = write_wheel(tmp_path)
    hashed = sha256(wheel.read_bytes()).hexdigest() if is_genuine else "0" * 64
    lock = f"cheatarena-server @ {wheel.as_uri()} --hash=sha256:{hashed}\n"
    origin = make_pull_request(tmp_path, bot(FOOL), {**bot(SANE), LOCK: lock})
    real = f'exec {sys.executable} -m pip "$@" --no-index --target {tmp_path / "installed"}\n'

    done = Compared(tmp_path / "job", origin).action(pip=real).run([INSTALL])

    assert (tmp_path / "installed" / "planted.py").exists() is is_genuine
    assert (done.code == 0) is is_genuine
    assert ("DO NOT MATCH THE HASHES" in done.log) is not is_genuine


def write_wheel(folder: Path) -> Path:
    """Write a wheel with one module."""
    wheel = folder / "cheatarena_server-9-py3-none-any.whl"
    information = "cheatarena_server-9.dist-info"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("planted.py", "")
        archive.writestr(f"{information}/METADATA", "Metadata-Version: 2.1\nName: cheatarena-server\nVersion: 9\n")
        archive.writestr(f"{information}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{information}/RECORD", "")
    return wheel
