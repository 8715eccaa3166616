"""The action that submits a bot keeps its token secret, and does nothing for a pull request.

`arena submit` is a stand-in here that shows how it was called: what it does is tested with the command itself.
"""

import os
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.support.action import Action, find_unknown_names, read_action
from tests.support.workflow import find_known_mistakes, find_pins, find_shell_mistakes, is_pinned, read_workflow

ROOT = Path(__file__).parents[2]
WORKFLOW = ROOT / "docs" / "submit.yml"
ACTION = ROOT / "submit" / "action.yml"
REFUSE, HIDE, INSTALL, SUBMIT = SCRIPTS = (
    "Refuse what anybody can cause", "Hide the token", "Install the arena", "Submit"
)  # fmt: skip
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
    return read_action(ACTION)["runs"]["steps"]


# ---- what it may do


def test_workflow_runs_only_for_tags_with_read_only_access(workflow: Any):
    assert workflow["on"] == {"push": {"tags": ["v*"]}}
    assert workflow["permissions"] == {"contents": "read"}
    assert not [job for job in workflow["jobs"].values() if "permissions" in job]
    assert workflow["jobs"]["submit"]["environment"] == "arena"


def test_only_two_steps_see_the_token_and_no_script_interpolates_it(workflow: Any, steps: Any):
    """One hides it, and one submits the bot. Installing the arena runs without it."""
    seeing = [step["name"] for step in steps if "${{ inputs.token }}" in step.get("env", {}).values()]

    assert seeing == ["Hide the token", "Submit"]
    assert ACTION.read_text(encoding="utf-8").count("inputs.token") == 2
    assert not [step["name"] for step in steps if "${{" in step.get("run", "")]
    secrets = re.findall(r"secrets\.\w+", WORKFLOW.read_text(encoding="utf-8"))
    assert secrets == ["secrets.ARENA_TOKEN"]
    assert workflow["jobs"]["submit"]["steps"][0]["with"] == {"persist-credentials": False}


def test_scripts_run_in_this_order_and_name_what_exists(steps: Any):
    """The token is hidden before anything else runs. No step but the submission gives an exit code."""
    assert [step["name"] for step in steps if "run" in step] == [*SCRIPTS]
    assert [step["name"] for step in steps if "if" in step] == []
    assert find_unknown_names(ACTION) == []


@pytest.mark.parametrize(("name", "typed"), [("inputs.ca", "inputs.cat"), ("steps.submit.", "steps.sumbit.")])
def test_planted_typing_error_is_found(tmp_path: Path, name: str, typed: str):
    wrong = tmp_path / "action.yml"
    wrong.write_text(ACTION.read_text(encoding="utf-8").replace(name, typed), encoding="utf-8")

    assert [found for found in find_unknown_names(wrong) if found.startswith(typed)] != []


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


def submit(folder: Path, *, event: str = "push", token: str = TOKEN, code: int = 0, **changed: str) -> Action:
    """Run the scripts with the inputs of docs/submit.yml; `changed` gives others."""
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
        "GITHUB_EVENT_NAME": event,
    }
    inputs = {**read_workflow(WORKFLOW)["jobs"]["submit"]["steps"][1]["with"], "token": token, **changed}
    return Action(ACTION, workspace, temp, inputs, environment).run(SCRIPTS)


@needs_bash
def test_tag_hands_in_the_bot_with_the_token_in_the_environment_alone(tmp_path):
    done = submit(tmp_path)

    assert done.code == 0, done.log
    assert "called: arena submit bots/mine --to arena.example:7777\nauthority: none\n" in done.log
    assert (tmp_path / "temp" / "got").read_text() == TOKEN
    assert TOKEN not in (tmp_path / "temp" / "cmdline").read_text()
    install = "pip install --require-hashes --only-binary :all: --requirement bots/arena.txt, token: none"
    assert install in done.log
    assert done.summary.startswith("## arena submit: submitted\n\n```text\ncalled: ")
    assert done.outputs["submit"] == {"exit-code": "0"}


@needs_bash
@pytest.mark.parametrize("token", [TOKEN, f"{TOKEN}\n", f"\ufeff{TOKEN}\r\n"])
def test_token_is_hidden_before_anything_prints_it(tmp_path, token):
    """A mark before it and a line end after it do not count."""
    done = submit(tmp_path, token=token)

    assert done.code == 0, done.log
    assert done.log.startswith(f"::add-mask::{TOKEN}\n")


@needs_bash
def test_refused_bot_makes_the_job_red_with_the_reason_in_its_summary(tmp_path):
    done = submit(tmp_path, code=65)

    assert (done.code, done.outputs["submit"]) == (65, {"exit-code": "65"})
    assert done.summary.startswith("## arena submit: not submitted, exit code 65\n\n```text\ncalled: ")


@needs_bash
def test_authority_of_the_server_may_be_a_file(tmp_path):
    assert "authority: bots/ca.pem\n" in submit(tmp_path, ca="bots/ca.pem").log


@needs_bash
@pytest.mark.parametrize("event", ["pull_request", "pull_request_target", "workflow_run", "issue_comment"])
def test_event_that_anybody_can_cause_hands_in_nothing(tmp_path, event):
    """Even if the secret is there, as it is with pull_request_target."""
    done = submit(tmp_path, event=event)

    assert done.code == 64
    assert f"does not submit a bot for the event {event}: a pull request may come from a fork" in done.log
    assert done.ran == [REFUSE]


@needs_bash
@pytest.mark.parametrize("token", ["", "\n", "two words", "a\nb"])
def test_missing_or_mangled_token_is_refused_with_a_sentence(tmp_path, token):
    """In a pull request of a fork the secret is empty."""
    done = submit(tmp_path, token=token)

    assert done.code == 64
    assert "::error::token: expected one word; is the secret set, and may this job read it?" in done.log
    assert done.ran == [REFUSE, HIDE]
