"""The action for bot authors has nothing to lose, and its own steps compare a pull request end to end."""

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
import yaml

from tests.support.boxes import skip_without_boxes
from tests.support.compared_bots import FOOL, QUICK, SANE
from tests.support.github import GitHub
from tests.support.repository import check_out, make_pull_request
from tests.support.workflow import find_known_mistakes, find_pins, find_shell_mistakes, is_pinned, read_workflow
from tests.support.workflow_job import ActionResult, CompositeAction, Job

ROOT = Path(__file__).parents[2]
WORKFLOW = ROOT / "docs" / "compare.yml"
ACTION = ROOT / "action.yml"
BOT = "bots/mine"
LOCK = "bots/arena.txt"
INSTALL = "Install the arena"
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
    return yaml.safe_load(ACTION.read_text(encoding="utf-8"))


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
    named = {re.split(r"[ .(]", found[4:])[0] for found in EXPRESSION.findall(ACTION.read_text(encoding="utf-8"))}
    assert named == {"inputs", "runner", "steps", "hashFiles"}


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
    restored, saved = (step_using(steps, f"actions/cache/{what}") for what in ("restore", "save"))

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
    saved = order.index(step_using(steps, "actions/cache/save")["name"])

    assert order.index("Build the baseline") == saved - 1
    assert [step["name"] for step in steps[:saved] if re.search(r"^ *arena ", step.get("run", ""), re.MULTILINE)] == [
        "Build the baseline"
    ]
    assert order[saved + 1 :] == ["Compare", "Upload JUnit, replays and what the bots wrote"]


def test_default_budget_is_in_games_and_playing_is_limited(workflow: Any, action: Any):
    """A bot that plays slowly is not judged by fewer games."""
    given = step_using(workflow["jobs"]["compare"]["steps"], "OWNER/cheatarena")["with"]

    assert action["inputs"]["budget"]["default"] == given["budget"] == "960"
    assert int(action["inputs"]["minutes"]["default"]) < workflow["jobs"]["compare"]["timeout-minutes"]


def test_artifacts_are_uploaded_after_failures_and_reruns_too(steps: Any):
    upload = step_using(steps, "actions/upload-artifact")

    assert upload["if"].startswith("always()")
    assert upload["with"]["overwrite"] is True
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
    """The job of docs/compare.yml for a repository with a pull request, in a folder of its own."""

    def __init__(self, folder: Path, origin: Path, *, github: GitHub | None = None, pip: str = SPOKEN_PIP) -> None:
        self.temp = folder / "temp"
        self.workspace = folder / "workspace"
        self.outputs: Mapping[str, str] = {}
        self.github = github or GitHub(folder / "github")
        self._origin = origin
        programs = folder / "bin"
        for made in (self.temp, programs, folder / "home"):
            made.mkdir(parents=True)
        (programs / "pip").write_text(f"#!/bin/sh\n{pip}")
        (programs / "pip").chmod(0o755)
        path = os.pathsep.join([str(programs), str(Path(sys.executable).parent), os.environ["PATH"]])
        self._environment = {"PATH": path, "HOME": str(folder / "home")}

    def run(self, **changed: str) -> Job:
        """Run all steps; `changed` gives other inputs to the action than the workflow does."""
        action = CompositeAction(ACTION)

        def compare(job: Job, given: Mapping[str, str]) -> ActionResult:
            done = action(job, {**given, "options": " ".join(("--mode not-worse", *QUICK)), **changed})
            self.outputs = done.outputs
            return done

        actions = {**self.github.actions, "actions/checkout": self._check_out, "OWNER/cheatarena": compare}
        job = Job(self.workspace, self.temp, self._environment, actions)
        job.run(read_workflow(WORKFLOW)["jobs"]["compare"]["steps"])
        return job

    def _check_out(self, _job: Job, given: Mapping[str, str]) -> ActionResult:
        check_out(self._origin, self.workspace, int(given["fetch-depth"]))
        return ActionResult()


@pytest.mark.slow
@needs_bash
def test_pull_request_with_equally_good_bot_is_green(tmp_path):
    """All its results can be found. The next push finds the baseline built, if the base branch is the same."""
    half_done = SANE.replace("run(Sane)", "run()")
    origin = make_pull_request(tmp_path, bot(FOOL), {f"{BOT}/source.py": half_done}, {f"{BOT}/source.py": SANE})
    compared = Compared(tmp_path / "first", origin)

    job = compared.run()

    assert job.code == 0, job.output
    assert job.summary.startswith("## arena compare: not worse\n\n```text\nnot worse: +"), job.summary
    assert (compared.outputs["verdict"], compared.outputs["exit-code"]) == ("not worse", "0")
    assert Path(compared.outputs["summary"]).read_text() == job.summary
    temp, workspace = compared.temp, compared.workspace
    assert job.output.index("building mine") < job.output.index("comparing ")
    assert (temp / "baseline" / "notes.txt").read_text() == (workspace / "notes.txt").read_text() == "of others, before"
    for place, source in ((workspace, SANE), (temp / "baseline", FOOL)):
        assert (place / BOT / "target" / "bot.py").read_text() == source
    suite = parse(temp / "comparison" / "junit.xml").getroot()[0]
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("3", "0", "0")
    assert {"comparison/summary.md", "comparison/junit.xml"} <= set(compared.github.artifacts["comparison"])


@pytest.mark.slow
@needs_bash
def test_build_of_the_baseline_is_kept_for_its_commit_alone(tmp_path: Path):
    """The second push of a pull request starts from it. Another base branch gets the downloads, but not the build."""
    github = GitHub(tmp_path / "github")
    origins = [tmp_path / "one", tmp_path / "two"]
    for origin, (before, after) in zip(origins, ((FOOL, SANE), (SANE, FOOL)), strict=True):
        origin.mkdir()
        make_pull_request(origin, bot(before), bot(after))

    def push(name: str, origin: Path) -> Path:
        folder = tmp_path / name
        compared = Compared(folder, origin / "origin.git", github=github)
        (folder / "home" / ".npm").mkdir()
        compared.run(options="--mode nonsense")
        return folder

    push("first", origins[0])
    (key,) = github.keys
    (built,) = (path.parent for path in github.folder.glob(f"{key}/*/bot.py"))
    for place in (built, github.folder / key / "2"):
        (place / "kept").touch()
    same = push("same", origins[0])
    other = push("other", origins[1])

    target = Path("temp", "baseline", BOT, "target")
    assert (same / target / "kept").exists()
    assert (other / target / "bot.py").exists()
    assert not (other / target / "kept").exists()
    assert all((folder / "home" / ".npm" / "kept").exists() for folder in (same, other))
    assert len(github.keys) == 2


@pytest.mark.slow
@needs_bash
def test_pull_request_with_worse_bot_is_red_and_keeps_its_lost_games(tmp_path):
    origin = make_pull_request(tmp_path, bot(SANE), {f"{BOT}/source.py": FOOL})
    compared = Compared(tmp_path / "job", origin)

    job = compared.run()

    assert job.code == 1, job.output
    assert job.summary.startswith("## arena compare: worse\n"), job.summary
    assert (compared.outputs["verdict"], compared.outputs["exit-code"]) == ("worse", "1")
    assert [name for name in compared.github.artifacts["comparison"] if name.startswith("comparison/replays/")]


@pytest.mark.slow
@needs_bash
def test_pull_request_with_crashing_bot_is_red_and_says_so(tmp_path):
    origin = make_pull_request(tmp_path, bot(FOOL), {f"{BOT}/source.py": "raise SystemExit('not today')"})
    compared = Compared(tmp_path / "job", origin)

    job = compared.run()

    assert job.code == 3, job.output
    assert job.summary.startswith("## arena compare: crashed\n\n```text\ncandidate crashed again and again"), (
        job.summary
    )
    assert (compared.outputs["verdict"], compared.outputs["exit-code"]) == ("crashed", "3")
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

    job = compared.run(untrusted="true")

    assert job.code == 0, job.output
    assert "bots run in boxes that they cannot leave" in " ".join(job.output.split())
    assert spoilt.read_text() == FOOL
    said = {path.name: path.read_text() for path in (compared.temp / "arena" / "bots").iterdir()}
    assert [name for name, text in said.items() if "REFUSED" in text and "build" in name]
    assert [name for name, text in said.items() if "REFUSED" in text and "build" not in name]
    assert "READ" not in "".join(said.values())
    for place in (compared.workspace, compared.temp / "baseline"):
        assert not (place / BOT / "target").exists(), "nothing is built outside a box"


@needs_bash
def test_missing_bot_on_base_branch_is_no_failure(tmp_path):
    origin = make_pull_request(tmp_path, {"README.md": "bots to come"}, bot(SANE))
    compared = Compared(tmp_path / "job", origin)

    job = compared.run()

    assert job.code == 0, job.output
    assert job.summary == "## nothing to compare with: the baseline has no bots/mine yet\n"
    assert compared.outputs["verdict"] == "nothing to compare with"
    assert not (compared.temp / "arena").exists()


@pytest.mark.slow
@needs_bash
def test_missing_bot_is_red_and_not_mistaken_for_a_new_one(tmp_path):
    compared = Compared(tmp_path / "job", make_pull_request(tmp_path, bot(FOOL), bot(SANE)))

    job = compared.run(bot="bots/mien")

    assert job.code == 3, job.output
    assert job.summary.startswith("## arena compare: not started\n"), job.summary


@needs_bash
def test_baseline_may_be_a_folder_which_a_commit_of_the_same_name_hides(tmp_path):
    """A folder of the pull request is never built before the cache is saved, and cannot stand for the base branch."""
    files = {**bot(SANE), "old/bot.py": SANE, "HEAD^1/bots/mine/bot.py": "raise SystemExit('a weak baseline')"}
    origin = make_pull_request(tmp_path, bot(FOOL), files)
    folder = Compared(tmp_path / "folder", origin)
    commit = Compared(tmp_path / "commit", origin)

    of_folder = folder.run(baseline="old", options="--mode nonsense")
    of_commit = commit.run(baseline="HEAD^1", options="--mode nonsense")

    assert "Build the baseline" not in of_folder.ran
    assert not (folder.temp / "baseline").exists()
    assert "Build the baseline" in of_commit.ran
    assert (commit.temp / "baseline" / BOT / "target" / "bot.py").read_text() == FOOL


@needs_bash
@pytest.mark.parametrize(
    ("inputs", "sentence"),
    [
        ({"baseline": "v1.2"}, "baseline: v1.2 is neither a commit of this checkout nor a file in it"),
        ({"baseline": "--all"}, "baseline: --all is neither a commit of this checkout nor a file in it"),
        ({"untrusted": "yes"}, "untrusted: expected true or false, and it is yes"),
    ],
)
def test_wrong_input_is_refused_before_anything_runs(tmp_path, inputs, sentence):
    job = Compared(tmp_path / "job", make_pull_request(tmp_path, bot(FOOL), bot(SANE))).run(**inputs)

    assert job.code == 64
    assert f"::error::{sentence}" in job.output
    assert INSTALL not in job.ran


@needs_bash
def test_comparison_without_an_answer_says_why(tmp_path):
    """A wrong option, and games that take too long."""
    origin = make_pull_request(tmp_path, {"README.md": "no bot"}, {"old.py": SANE, "new.py": SANE, LOCK: ""})
    wrong, slow = Compared(tmp_path / "wrong", origin), Compared(tmp_path / "slow", origin)

    refused = wrong.run(bot="new.py", baseline="old.py", options="--mode nonsense")
    stopped = slow.run(bot="new.py", baseline="old.py", minutes="0.001")

    assert (refused.code, wrong.outputs["verdict"], wrong.outputs["exit-code"]) == (64, "no answer", "64")
    assert refused.summary.startswith("## arena compare: no answer, because arena compare ended with exit code 64")
    assert (stopped.code, slow.outputs["verdict"], slow.outputs["exit-code"]) == (130, "no answer", "130")
    assert "because the games took longer than 0.001 minutes" in stopped.summary


@needs_bash
def test_commit_that_is_no_merge_is_not_compared_with_its_parent(tmp_path):
    origin = make_pull_request(tmp_path, bot(FOOL), bot(SANE))
    compared = Compared(tmp_path / "job", origin)
    check_out(origin, compared.workspace, depth=1)
    job = Job(compared.workspace, compared.temp, {"HOME": str(tmp_path)}, compared.github.actions)

    done = CompositeAction(ACTION)(job, {"bot": BOT, "arena": LOCK})

    assert (done.code, job.ran[0]) == (64, "Check out the baseline")
    assert "this is no merge of a pull request" in job.output
    assert INSTALL not in job.ran


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
    compared = Compared(tmp_path / "job", origin, pip=real)

    job = compared.run(options="--mode nonsense")

    assert (tmp_path / "installed" / "planted.py").exists() is is_genuine
    assert ("Build the baseline" in job.ran) is is_genuine
    assert ("DO NOT MATCH THE HASHES" in job.output) is not is_genuine


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
