"""The action that hands in a bot keeps its token secret, and does nothing for a pull request.

`arena submit` is a stand-in here that shows how it was called: what it does is tested with the command itself.
"""

import os
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.github import GitHub
from tests.support.workflow import find_known_mistakes, find_pins, find_shell_mistakes, is_pinned, read_workflow
from tests.support.workflow_job import ActionResult, CompositeAction, Job

ROOT = Path(__file__).parents[2]
WORKFLOW = ROOT / "docs" / "submit.yml"
ACTION = ROOT / "submit" / "action.yml"
TOKEN = "cat_planted_0123456789"
STAND_IN = """\
echo "called: arena $*"
echo "authority: ${CHEATARENA_CA-none}"
echo "token $CHEATARENA_TOKEN, which no program should print"
tr '\\0' ' ' < /proc/$$/cmdline > "$RUNNER_TEMP/cmdline"
printf '%s' "$CHEATARENA_TOKEN" > "$RUNNER_TEMP/got"
exit "${EXIT_CODE-0}"
"""

needs_bash = pytest.mark.skipif(
    not Path("/proc/self/cmdline").exists() or not shutil.which("bash"), reason="its steps are for bash on Linux"
)


@pytest.fixture(scope="module")
def workflow() -> Any:
    return read_workflow(WORKFLOW)


@pytest.fixture(scope="module")
def steps() -> Any:
    return yaml.safe_load(ACTION.read_text(encoding="utf-8"))["runs"]["steps"]


# ---- what it may do


def test_workflow_runs_only_for_tags_with_read_only_access(workflow: Any):
    assert workflow["on"] == {"push": {"tags": ["v*"]}}
    assert workflow["permissions"] == {"contents": "read"}
    assert not [job for job in workflow["jobs"].values() if "permissions" in job]
    assert workflow["jobs"]["submit"]["environment"] == "arena"


def test_only_two_steps_see_the_token_and_no_script_interpolates_it(workflow: Any, steps: Any):
    """One hides it, and one hands in the bot. Installing the arena runs without it."""
    seeing = [step["name"] for step in steps if "${{ inputs.token }}" in step.get("env", {}).values()]

    assert seeing == ["Hide the token", "Submit"]
    assert ACTION.read_text(encoding="utf-8").count("inputs.token") == 2
    assert not [step["name"] for step in steps if "${{" in step.get("run", "")]
    secrets = re.findall(r"secrets\.\w+", WORKFLOW.read_text(encoding="utf-8"))
    assert secrets == ["secrets.ARENA_TOKEN"]
    assert workflow["jobs"]["submit"]["steps"][0]["with"] == {"persist-credentials": False}


def test_every_script_stops_at_its_first_failure_and_has_no_known_mistake(steps: Any):
    scripts = [step["run"] for step in steps if "run" in step]

    assert [script for script in scripts if not script.startswith("set -euo pipefail\n")] == []
    assert "".join(map(find_shell_mistakes, scripts)) == ""


def test_every_action_is_pinned_by_hash():
    assert [pin for pin in find_pins(ACTION) if not is_pinned(pin)] == []
    checkout, own = find_pins(WORKFLOW)
    assert is_pinned(checkout)
    assert re.fullmatch(r"OWNER/cheatarena/submit@[0-9a-f]{40}  # .*", own)


@pytest.mark.parametrize("file", [ACTION, WORKFLOW], ids=lambda path: path.name)
def test_known_mistakes_of_workflows_are_absent(file: Path):
    assert "No findings to report" in find_known_mistakes(file)


# ---- what it does


def submit(folder: Path, *, event: str = "push", token: str = TOKEN, code: int = 0, **changed: str) -> Job:
    """Run the job of docs/submit.yml; `changed` gives other inputs than the file does."""
    workspace, temp, programs = (folder / name for name in ("workspace", "temp", "bin"))
    for place in (workspace / "bots" / "mine", temp, programs):
        place.mkdir(parents=True)
    for name, text in (("arena", STAND_IN), ("pip", 'echo "pip $*, token: ${CHEATARENA_TOKEN-none}"\n')):
        (programs / name).write_text(f"#!/bin/bash\n{text}")
        (programs / name).chmod(0o755)
    environment = {
        "PATH": os.pathsep.join([str(programs), os.environ["PATH"]]),
        "HOME": str(folder),
        "EXIT_CODE": str(code),
    }
    action = CompositeAction(ACTION)

    def hand_in(job: Job, given: Mapping[str, str]) -> ActionResult:
        return action(job, {**given, **changed})

    actions = {
        **GitHub(folder / "github").actions,
        "actions/checkout": lambda _job, _given: ActionResult(),
        "OWNER/cheatarena/submit": hand_in,
    }
    job = Job(workspace, temp, environment, actions, event=event, secrets={"ARENA_TOKEN": token})
    job.run(read_workflow(WORKFLOW)["jobs"]["submit"]["steps"])
    return job


@needs_bash
def test_tag_hands_in_the_bot_with_the_token_in_the_environment_alone(tmp_path):
    job = submit(tmp_path)

    assert job.code == 0, job.output
    assert "called: arena submit bots/mine --to arena.example:7777\nauthority: none\n" in job.output
    assert (tmp_path / "temp" / "got").read_text() == TOKEN
    assert TOKEN not in (tmp_path / "temp" / "cmdline").read_text()
    install = "pip install --require-hashes --only-binary :all: --requirement bots/arena.txt, token: none"
    assert install in job.output
    assert job.summary.startswith("## arena submit: handed in\n\n```text\ncalled: ")


@needs_bash
def test_log_never_shows_the_token(tmp_path):
    """The stand-in prints it, and GitHub hides it, because the action said so first."""
    job = submit(tmp_path)

    assert "token ***, which no program should print" in job.output
    assert job.ran.index("Hide the token") < job.ran.index("Submit")
    assert TOKEN not in job.output


@needs_bash
def test_refused_bot_makes_the_job_red_with_the_reason_in_its_summary(tmp_path):
    job = submit(tmp_path, code=65)

    assert job.code == 65
    assert job.summary.startswith("## arena submit: not handed in, exit code 65\n\n```text\ncalled: ")


@needs_bash
def test_authority_of_the_server_may_be_a_file(tmp_path):
    assert "authority: bots/ca.pem\n" in submit(tmp_path, ca="bots/ca.pem").output


@needs_bash
@pytest.mark.parametrize("event", ["pull_request", "pull_request_target", "workflow_run", "issue_comment"])
def test_event_that_anybody_can_cause_hands_in_nothing(tmp_path, event):
    """Even if the secret is there, as it is with pull_request_target."""
    job = submit(tmp_path, event=event)

    assert job.code == 64
    assert f"does not hand in a bot for the event {event}: a pull request may come from a fork" in job.output
    assert job.ran == ["Refuse what anybody can cause"]
    assert not (tmp_path / "temp" / "got").exists()


@needs_bash
@pytest.mark.parametrize("token", [f"{TOKEN}\n", f"\ufeff{TOKEN}\r\n"])
def test_mark_and_line_end_of_a_token_do_not_count(tmp_path, token):
    job = submit(tmp_path, token=token)

    assert job.code == 0, job.output
    assert "***" in job.output
    assert TOKEN not in job.output


@needs_bash
@pytest.mark.parametrize("token", ["", "\n", "two words", "a\nb"])
def test_missing_or_mangled_token_is_refused_with_a_sentence(tmp_path, token):
    """In a pull request of a fork the secret is empty."""
    job = submit(tmp_path, token=token)

    assert job.code == 64
    assert "::error::token: expected one word; is the secret set, and may this job read it?" in job.output
    assert "Submit" not in job.ran
