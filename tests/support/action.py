"""Runs the scripts of an action.yml one by one, with the real bash and the variables that GitHub gives them."""

import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import yaml

from tests.support.repository import GIT_ENVIRONMENT

_NAMED: Final = re.compile(r"\b(inputs|steps)\.([\w-]+)(?:\.outputs\.([\w-]+))?")
_BASH: Final = ("bash", "--noprofile", "--norc", "-eo", "pipefail")


def read_action(file: Path) -> Any:
    """Return an action as plain values."""
    return yaml.safe_load(file.read_text(encoding="utf-8"))


def find_unknown_names(file: Path) -> list[str]:
    """Return the inputs and outputs that an action names and does not have. GitHub takes an empty text for each."""
    values = read_action(file)
    scripts = {step["id"]: step.get("run") for step in values["runs"]["steps"] if "id" in step}
    known = {f"inputs.{name}" for name in values["inputs"]}

    def is_known(found: re.Match[str]) -> bool:
        _, name, output = found.groups()
        if output is None:
            return found[0] in known
        return name in scripts and (scripts[name] is None or re.search(rf"\b{output}\b", scripts[name]) is not None)

    uncommented = re.sub(r"#.*", "", file.read_text(encoding="utf-8"))
    return [found[0] for found in _NAMED.finditer(uncommented) if not is_known(found)]


@dataclass(slots=True)
class Action:
    """An action in a job: its inputs, and what its scripts have done so far."""

    file: Path
    workspace: Path
    temp: Path
    inputs: Mapping[str, str]
    """Those that the job gives; the others have their defaults."""
    environment: Mapping[str, str]
    time_limit_s: float = 100
    outputs: dict[str, dict[str, str]] = field(default_factory=dict)
    """By the id of the step. The output of a step that uses an action is what a test sets."""
    code: int = 0
    """Exit code of the last script."""
    log: str = ""
    summary: str = ""
    ran: list[str] = field(default_factory=list)
    """The names of the steps whose script ran, in order."""
    _steps: Mapping[str, Any] = field(init=False)

    def __post_init__(self) -> None:
        """Raise AssertionError for an input that the action does not have, and for one that is missing."""
        values = read_action(self.file)
        assert self.inputs.keys() <= values["inputs"].keys(), self.inputs
        missing = [name for name, each in values["inputs"].items() if each.get("required") and name not in self.inputs]
        assert not missing, missing
        self.inputs = {name: each.get("default", "") for name, each in values["inputs"].items()} | dict(self.inputs)
        self._steps = {step["name"]: step for step in values["runs"]["steps"]}

    def run(self, names: Sequence[str]) -> "Action":
        """Run the scripts of these steps up to the first that fails."""
        for name in names:
            self.ran.append(name)
            self._run_script(self._steps[name])
            if self.code:
                break
        return self

    def _run_script(self, step: Mapping[str, Any]) -> None:
        assert step["shell"] == "bash"
        files = {name: self.temp / f"{name}.{len(self.ran)}" for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
        for file in files.values():
            file.touch()
        own = {name: _NAMED.sub(self._look_up, value.strip("${} ")) for name, value in step.get("env", {}).items()}
        runner = {
            "RUNNER_TEMP": str(self.temp),
            "RUNNER_OS": "Linux",
            **{name: str(each) for name, each in files.items()},
        }
        done = subprocess.run(
            [*_BASH, "-c", step["run"]],
            check=False,
            cwd=self.workspace,
            env={**os.environ, **GIT_ENVIRONMENT, **runner, **self.environment, **own},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=self.time_limit_s,
        )
        self.code = done.returncode
        self.log += done.stdout
        self.summary += files["GITHUB_STEP_SUMMARY"].read_text()
        lines = (line.partition("=") for line in files["GITHUB_OUTPUT"].read_text().splitlines())
        self.outputs.setdefault(step.get("id", ""), {}).update((name, value) for name, _, value in lines)

    def _look_up(self, found: re.Match[str]) -> str:
        kind, name, output = found.groups()
        return self.inputs[name] if kind == "inputs" else self.outputs[name].get(output, "")
