"""The workflow for bot authors has nothing to lose, and its own steps compare a pull request end to end."""

import json
import os
import re
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import parse

import pytest

from tests.support.compared_bots import FOOL, QUICK, SANE
from tests.support.workflow import (
    JobResult,
    check_out,
    find_known_mistakes,
    find_pins,
    is_pinned,
    make_pull_request,
    read_workflow,
    run_steps,
)

FILE = Path(__file__).parents[2] / "docs" / "compare.yml"
BOT = "bots/mine"
INSTALL = "Install the arena"
"""The one step that is not run: the arena of this checkout is on the PATH instead."""
EXPRESSION = re.compile(r"\$\{\{.*?\}\}")
DOWNLOADS = ["~/.cache/pip", "~/.cargo/registry", "~/.npm", "~/go/pkg/mod"]

needs_bash = pytest.mark.skipif(
    os.name != "posix" or not shutil.which("git") or not shutil.which("bash"), reason="its steps are for bash and git"
)


@pytest.fixture(scope="module")
def workflow() -> Any:
    return read_workflow(FILE)


@pytest.fixture(scope="module")
def steps(workflow: Any) -> Any:
    (job,) = workflow["jobs"].values()
    return job["steps"]


def step_using(steps: Any, action: str) -> Any:
    """Return the one step that uses an action."""
    (step,) = (step for step in steps if step.get("uses", "").startswith(f"actions/{action}@"))
    return step


# ---- what it may do


def test_workflow_runs_only_for_pull_requests_with_read_only_access(workflow: Any):
    assert workflow["on"] == {"pull_request": None}
    assert workflow["permissions"] == {"contents": "read"}
    assert not [job for job in workflow["jobs"].values() if "permissions" in job]


def test_workflow_knows_no_secret_and_leaves_no_credentials_to_bots(steps: Any):
    text = FILE.read_text(encoding="utf-8")

    assert not [word for word in ("secrets.", "github.token", "GITHUB_TOKEN") if word in text]
    assert step_using(steps, "checkout")["with"]["persist-credentials"] is False


def test_pull_request_text_never_becomes_a_command(workflow: Any, steps: Any):
    """Scripts interpolate nothing, and nothing anywhere depends on text that a pull request's author chooses."""
    assert not [step["run"] for step in steps if EXPRESSION.search(step.get("run", ""))]
    assert set(EXPRESSION.findall(FILE.read_text(encoding="utf-8"))) == {
        "${{ github.ref }}",
        "${{ runner.os }}",
        "${{ runner.temp }}",
        "${{ env.BOT }}",
        "${{ env.BUILT }}",
        "${{ hashFiles(env.ARENA) }}",
        "${{ steps.baseline.outputs.commit }}",
        "${{ steps.cache.outputs.cache-hit }}",
        "${{ steps.cache.outputs.cache-primary-key }}",
    }


def test_every_action_comes_from_github_and_is_pinned_by_hash(steps: Any):
    """A tag can be moved to other code, a hash cannot. The comment beside it says which version it is."""
    assert len(find_pins(FILE)) == len([step for step in steps if "uses" in step])
    assert [pin for pin in find_pins(FILE) if not is_pinned(pin)] == []


def test_known_mistakes_of_workflows_are_absent():
    assert "No findings to report" in find_known_mistakes(FILE)


def test_downloads_and_baseline_build_are_cached_but_results_are_not(steps: Any):
    restored, saved = (step_using(steps, f"cache/{what}") for what in ("restore", "save"))

    built = "${{ runner.temp }}/baseline/${{ env.BOT }}/${{ env.BUILT }}"
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
    saved = order.index(step_using(steps, "cache/save")["name"])

    before, after = steps[:saved], steps[saved + 1 :]
    assert order.index("Build the baseline") == saved - 1
    assert not [step["name"] for step in before if re.search(r'"\$BOT"', step.get("run", ""))]
    assert [step["name"] for step in after] == ["Compare", "Upload JUnit, replays and what the bots wrote"]


def test_arena_is_installed_from_wheels_with_hashes(steps: Any):
    (install,) = (step for step in steps if step["name"] == INSTALL)

    assert install["run"].split()[:5] == ["pip", "install", "--require-hashes", "--only-binary", ":all:"]


def test_default_budget_is_in_games_and_playing_is_limited(workflow: Any, steps: Any):
    """A bot that plays slowly is not judged by fewer games."""
    (compare,) = (step for step in steps if step["name"] == "Compare")

    assert re.search(r"--budget \d+$", workflow["env"]["OPTIONS"])
    assert compare["timeout-minutes"] < workflow["jobs"]["compare"]["timeout-minutes"]


def test_artifacts_are_uploaded_after_failures_and_reruns_too(steps: Any):
    upload = step_using(steps, "upload-artifact")

    assert upload["if"] == "always()"
    assert upload["with"]["overwrite"] is True
    assert upload["with"]["path"].splitlines() == ["${{ runner.temp }}/comparison", "${{ runner.temp }}/arena/bots"]
    assert steps[-1] is upload


def test_installation_is_the_only_step_these_tests_skip(steps: Any):
    assert [step["name"] for step in steps if "pip" in step.get("run", "")] == [INSTALL]


# ---- what it does


def bot(source: str) -> Mapping[str, str]:
    """Return the files of a bot with a build step, whose program does not exist before."""
    command = json.dumps([sys.executable, "target/bot.py"])
    return {
        f"{BOT}/bot.toml": f'name = "mine"\ncommand = {command}\nbuild = "sh build.sh"\nstart_time_s = 60\n',
        f"{BOT}/build.sh": "mkdir -p target && cp source.py target/bot.py\n",
        f"{BOT}/source.py": source,
    }


def run_job(folder: Path, workflow: Any, origin: Path, named: str = BOT) -> JobResult:
    """Run the job for a repository's pull request; its files are then in `folder / "temp"`."""
    (job,) = workflow["jobs"].values()
    workspace = check_out(origin, folder / "workspace", step_using(job["steps"], "checkout")["with"]["fetch-depth"])
    (folder / "temp").mkdir()
    environment = {
        **workflow["env"],
        "BOT": named,
        "OPTIONS": " ".join(("--mode not-worse", *QUICK)),
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
    }
    steps = [step for step in job["steps"] if step["name"] != INSTALL]
    return run_steps(steps, workspace, folder / "temp", environment)


@needs_bash
def test_pull_request_with_equally_good_bot_is_green(tmp_path, workflow: Any):
    half_done = SANE.replace("run(Sane)", "run()")
    origin = make_pull_request(tmp_path, bot(FOOL), {f"{BOT}/source.py": half_done}, {f"{BOT}/source.py": SANE})

    job = run_job(tmp_path, workflow, origin)

    assert job.code == 0, job.output
    assert job.summary.startswith("## arena compare: not worse\n\n```text\nnot worse: +"), job.summary
    temp, workspace = tmp_path / "temp", tmp_path / "workspace"
    assert job.output.index("building mine") < job.output.index("comparing ")
    assert (temp / "baseline" / "notes.txt").read_text() == (workspace / "notes.txt").read_text() == "of others, before"
    for place, source in ((workspace, SANE), (temp / "baseline", FOOL)):
        assert (place / BOT / "target" / "bot.py").read_text() == source
    suite = parse(temp / "comparison" / "junit.xml").getroot()[0]
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("3", "0", "0")


@needs_bash
def test_pull_request_with_worse_bot_is_red_and_keeps_its_lost_games(tmp_path, workflow: Any):
    origin = make_pull_request(tmp_path, bot(SANE), {f"{BOT}/source.py": FOOL})

    job = run_job(tmp_path, workflow, origin)

    assert job.code == 1, job.output
    assert job.summary.startswith("## arena compare: worse\n"), job.summary
    assert any((tmp_path / "temp" / "comparison" / "replays").iterdir())


@needs_bash
def test_pull_request_with_crashing_bot_is_red_and_says_so(tmp_path, workflow: Any):
    origin = make_pull_request(tmp_path, bot(FOOL), {f"{BOT}/source.py": "raise SystemExit('not today')"})

    job = run_job(tmp_path, workflow, origin)

    assert job.code == 3, job.output
    assert job.summary.startswith("## arena compare: crashed\n\n```text\ncandidate crashed again and again"), (
        job.summary
    )
    temp = tmp_path / "temp"
    assert parse(temp / "comparison" / "junit.xml").getroot()[0].get("failures") == "1"
    assert [path for path in (temp / "arena" / "bots").iterdir() if "not today" in path.read_text()]


@needs_bash
def test_missing_bot_on_base_branch_is_no_failure(tmp_path, workflow: Any):
    origin = make_pull_request(tmp_path, {"README.md": "bots to come"}, bot(SANE))

    job = run_job(tmp_path, workflow, origin)

    assert job.code == 0, job.output
    assert job.summary == "## nothing to compare with: the base branch has no bots/mine yet\n"
    assert not (tmp_path / "temp" / "arena").exists()


@needs_bash
def test_missing_bot_is_red_and_not_mistaken_for_a_new_one(tmp_path, workflow: Any):
    origin = make_pull_request(tmp_path, bot(FOOL), bot(SANE))

    job = run_job(tmp_path, workflow, origin, named="bots/mien")

    assert job.code == 3, job.output
    assert job.summary.startswith("## arena compare: not started\n"), job.summary


@needs_bash
def test_commit_that_is_no_merge_is_not_compared_with_its_parent(tmp_path, workflow: Any, steps: Any):
    origin = make_pull_request(tmp_path, bot(FOOL), bot(SANE))
    workspace = check_out(origin, tmp_path / "workspace", depth=1)
    (tmp_path / "temp").mkdir()

    job = run_steps(steps, workspace, tmp_path / "temp", {"BOT": BOT})

    assert (job.code, job.ran) == (1, ("Check out the baseline",))
    assert "this is no merge of a pull request" in job.output
