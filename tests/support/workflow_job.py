"""Runs the steps of a job of a workflow, and of the actions that it uses, as GitHub does on Linux.

Scripts are run by the real bash. What a step uses is looked up by the name of its action: `CompositeAction` runs the
steps of an action.yml, and a test gives stand-ins for the actions that would need GitHub.
"""

import hashlib
import os
import re
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import yaml

from tests.support.repository import GIT_ENVIRONMENT
from tests.support.workflow_expression import Functions, evaluate, fill_in

_STATUS: Final = re.compile(r"\b(?:always|success|failure|cancelled)\(")
_STEP_KEYS: Final = {"name", "id", "if", "uses", "with", "run", "shell", "env"}
"""What a step of an action may have. A step of a workflow may have more, which the workflows here do not use."""
_BASH: Final = ("bash", "--noprofile", "--norc", "-eo", "pipefail")


@dataclass(frozen=True, slots=True)
class ActionResult:
    """How a script or an action ended."""

    code: int = 0
    outputs: Mapping[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Job:
    """A job while it runs: where it runs, and what its steps have done so far."""

    workspace: Path
    temp: Path
    environment: Mapping[str, str]
    actions: Mapping[str, "Action"]
    """The actions that steps may use, by their names without the commit."""
    event: str = "pull_request"
    secrets: Mapping[str, str] = field(default_factory=dict)
    step_limit_s: float = 100
    code: int = 0
    """Exit code of the first step that failed; 0 if none did."""
    summary: str = ""
    ran: list[str] = field(default_factory=list)
    """The names of the steps that ran a script, in order."""
    _printed: str = ""
    _masks: list[str] = field(default_factory=list)

    @property
    def output(self) -> str:
        """The log as GitHub shows it: without what a step has masked."""
        shown = self._printed
        for mask in self._masks:
            shown = shown.replace(mask, "***")
        return shown

    def run(self, steps: Sequence[Mapping[str, Any]]) -> None:
        """Run the steps of the job."""
        contexts = {"secrets": self.secrets, "github": {"event_name": self.event, "ref": "refs/pull/1/merge"}}
        self.code, _ = self.run_steps(steps, contexts)

    def run_steps(
        self, steps: Sequence[Mapping[str, Any]], contexts: Mapping[str, Any]
    ) -> tuple[int, Mapping[str, Mapping[str, str]]]:
        """Run steps one after the other; after a failure only those whose condition says so.

        Return the exit code of the first that failed, or 0, and the outputs of each step that has an id.
        """
        code, outputs = 0, dict[str, Mapping[str, str]]()
        known = {**contexts, "steps": outputs, "runner": {"os": "Linux", "temp": str(self.temp)}}
        for step in steps:
            assert step.keys() <= _STEP_KEYS, step
            functions = self._functions(code == 0)
            if not _is_due(step.get("if", "success()"), known, functions):
                outputs |= {step["id"]: {}} if "id" in step else {}
                continue
            done = self._run_step(step, known, functions)
            code = code or done.code
            outputs |= {step["id"]: done.outputs} if "id" in step else {}
        return code, outputs

    def _run_step(self, step: Mapping[str, Any], contexts: Mapping[str, Any], functions: Functions) -> ActionResult:
        if "uses" in step:
            action = self.actions[step["uses"].partition("@")[0]]
            given = {name: fill_in(str(value), contexts, functions) for name, value in step.get("with", {}).items()}
            return action(self, given)
        assert step["shell"] == "bash"
        self.ran.append(step["name"])
        own = {name: fill_in(str(value), contexts, functions) for name, value in step.get("env", {}).items()}
        return self._run_script(fill_in(step["run"], contexts, functions), own)

    def _run_script(self, text: str, own: Mapping[str, str]) -> ActionResult:
        """Run a script with variables of its own. What it tells GitHub is read from files."""
        names = ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_ENV", "GITHUB_PATH")
        script = self.script(self.ran[-1])
        place = script.parent
        place.mkdir()
        files = {name: place / name for name in names}
        for file in files.values():
            file.touch()
        script.write_text(text)
        here = {
            "GITHUB_WORKSPACE": str(self.workspace),
            "GITHUB_EVENT_NAME": self.event,
            "RUNNER_TEMP": str(self.temp),
            "RUNNER_OS": "Linux",
            **{name: str(file) for name, file in files.items()},
        }
        done = subprocess.run(
            [*_BASH, script],
            check=False,
            cwd=self.workspace,
            env={**os.environ, **GIT_ENVIRONMENT, **self.environment, **own, **here},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=self.step_limit_s,
        )
        self._masks += re.findall(r"^::add-mask::(.+)$", done.stdout, re.MULTILINE)
        self._printed += done.stdout
        self.summary += files["GITHUB_STEP_SUMMARY"].read_text()
        assert not any(files[name].read_text() for name in ("GITHUB_ENV", "GITHUB_PATH")), "changes later steps"
        lines = files["GITHUB_OUTPUT"].read_text().splitlines()
        return ActionResult(done.returncode, dict(line.split("=", 1) for line in lines))

    def script(self, step: str) -> Path:
        """Return the file with the script of a step that has begun. The files for GitHub are beside it."""
        return self.temp / f"step{self.ran.index(step)}" / "script.sh"

    def _functions(self, is_well: bool) -> Functions:
        return {"always": lambda: True, "success": lambda: is_well, "hashFiles": self._hash_file}

    def _hash_file(self, name: str) -> str:
        path = self.workspace / name
        return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


Action = Callable[[Job, Mapping[str, str]], ActionResult]
"""What runs an action in a job, with its inputs."""


class CompositeAction:
    """An action that consists of steps, from its action.yml."""

    def __init__(self, path: Path) -> None:
        self.values: Any = yaml.safe_load(path.read_text(encoding="utf-8"))
        assert self.values["runs"]["using"] == "composite"

    def __call__(self, job: Job, given: Mapping[str, str]) -> ActionResult:
        """Run the steps. An input that the action does not have is an error, and so is one that is missing."""
        inputs = self.values["inputs"]
        assert given.keys() <= inputs.keys(), given
        missing = [name for name, each in inputs.items() if each.get("required") and name not in given]
        assert not missing, missing
        values = {name: given.get(name, each.get("default")) for name, each in inputs.items()}
        code, outputs = job.run_steps(self.values["runs"]["steps"], {"inputs": values})
        named = self.values["outputs"].items()
        return ActionResult(code, {name: fill_in(each["value"], {"steps": outputs}, {}) for name, each in named})


def _is_due(condition: str, contexts: Mapping[str, Any], functions: Functions) -> bool:
    """Return whether a step runs. A condition that asks for no status holds only while no step has failed."""
    asks_status = bool(_STATUS.search(condition))
    return bool((asks_status or functions["success"]()) and evaluate(condition, contexts, functions))
