"""Runs the steps of a workflow as GitHub does, on a pull request that a test makes.

Only the scripts under `run` are run. Actions are skipped; `check_out` does what `actions/checkout` does.
"""

import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

_GIT = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "Ann",
    "GIT_AUTHOR_EMAIL": "ann@example",
    "GIT_COMMITTER_NAME": "Ann",
    "GIT_COMMITTER_EMAIL": "ann@example",
}
"""Environment of git that ignores the configuration of the person who runs the tests."""
_MERGE = "refs/pull/1/merge"


def read_workflow(path: Path) -> Any:
    """Return a workflow as plain values. Its key `on`, which YAML 1.1 reads as true, becomes a text again."""
    values = yaml.safe_load(path.read_text(encoding="utf-8"))
    values["on"] = values.pop(True)
    return values


def find_pins(path: Path) -> list[str]:
    """Return what a workflow uses, with the comment beside it."""
    return re.findall(r"uses: (.*)", path.read_text(encoding="utf-8"))


is_pinned = re.compile(r"actions/[a-z/-]+@[0-9a-f]{40}  # v\d+\.\d+\.\d+").fullmatch
"""Tells whether an action comes from GitHub and is pinned by its hash, with its version as a comment."""


def find_known_mistakes(path: Path) -> str:
    """Return what the program `zizmor` says about a workflow.

    As "auditor" it also reports what is only perhaps a mistake.
    """
    zizmor = Path(sys.executable).with_name("zizmor")
    words = [str(zizmor), "--offline", "--no-config", "--persona=auditor", "--no-progress", str(path)]
    searched = subprocess.run(words, check=False, capture_output=True, text=True, timeout=60)
    return searched.stdout + searched.stderr


@dataclass(frozen=True)
class JobResult:
    """The result of a job."""

    code: int
    """Exit code of the first step that failed; 0 if none did."""
    summary: str
    output: str
    ran: tuple[str, ...]
    """The names of the steps that ran, in order."""


def run_steps(
    steps: Sequence[Mapping[str, Any]],
    workspace: Path,
    temp: Path,
    environment: Mapping[str, str],
    step_limit_s: float = 100,
) -> JobResult:
    """Run the steps of a job that have a script, each in a shell of its own. `step_limit_s` limits each step."""
    code, summary, output, ran = 0, "", "", []
    for number, step in enumerate(steps):
        condition = step.get("if", "success()")
        if "run" not in step:
            continue
        assert condition in ("success()", "always()"), condition
        if code and condition == "success()":
            continue
        script, summary_file = temp / f"step{number}.sh", temp / f"summary{number}.md"
        script.write_text(step["run"])
        summary_file.touch()
        here = {
            "GITHUB_WORKSPACE": str(workspace),
            "RUNNER_TEMP": str(temp),
            "GITHUB_STEP_SUMMARY": str(summary_file),
            "GITHUB_OUTPUT": str(temp / "output"),
        }
        done = subprocess.run(
            ["bash", "-e", script],
            check=False,
            cwd=workspace,
            env={**os.environ, **_GIT, **environment, **here},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=step_limit_s,
        )
        code = code or done.returncode
        summary += summary_file.read_text()
        output += done.stdout
        ran.append(step["name"])
    return JobResult(code, summary, output, tuple(ran))


def make_pull_request(folder: Path, before: Mapping[str, str], *commits: Mapping[str, str]) -> Path:
    """Return a new repository with files on `main`, and a pull request whose commits change them.

    `main` has two more commits: one from before the pull request's test merge, and one from after it.
    """
    work, origin = folder / "work", folder / "origin.git"
    _git(folder, "init", "--quiet", "--bare", "--initial-branch=main", str(origin))
    _git(folder, "init", "--quiet", "--initial-branch=main", str(work))
    _git(work, "remote", "add", "origin", str(origin))
    _commit(work, before)
    _git(work, "checkout", "--quiet", "-b", "change")
    for files in commits:
        _commit(work, files)
    _git(work, "checkout", "--quiet", "main")
    _commit(work, {"notes.txt": "of others, before"})
    _git(work, "checkout", "--quiet", "--detach")
    _git(work, "merge", "--quiet", "--no-ff", "--message", "merge", "change")
    _git(work, "push", "--quiet", "origin", f"HEAD:{_MERGE}", "change")
    _git(work, "checkout", "--quiet", "main")
    _commit(work, {"notes.txt": "of others, after"})
    _git(work, "push", "--quiet", "origin", "main")
    return origin


def check_out(origin: Path, place: Path, depth: int) -> Path:
    """Check out what `actions/checkout` does: the merge of the pull request, detached, without branches.

    ``depth`` is the number of commits of its history.
    """
    place.mkdir(parents=True)
    _git(place, "init", "--quiet")
    _git(place, "remote", "add", "origin", origin.as_uri())
    commit = _git(origin, "rev-parse", _MERGE).strip()
    here = _MERGE.replace("refs/", "refs/remotes/")
    _git(place, "fetch", "--quiet", "--no-tags", f"--depth={depth}", "origin", f"+{commit}:{here}")
    _git(place, "checkout", "--quiet", "--force", here)
    return place


def _commit(work: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = work / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    _git(work, "add", "--all")
    _git(work, "commit", "--quiet", "--message", f"write {', '.join(files)}")


def _git(folder: Path, *words: str) -> str:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | _GIT
    return subprocess.run(
        ["git", *words], cwd=folder, env=environment, check=True, stdout=subprocess.PIPE, text=True
    ).stdout
