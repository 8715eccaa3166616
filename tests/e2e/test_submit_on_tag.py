"""The action that submits a bot when a tag is pushed: its scripts, a wheel of the arena, and a server with boxes."""

import os
import shutil
import sysconfig
import venv
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.e2e.test_join_and_play import run_command
from tests.e2e.test_pools import query
from tests.e2e.test_submissions import PATIENCE_S, SAMPLES, Site, open_site
from tests.support.action import Action
from tests.support.boxes import skip_without_boxes
from tests.support.repository import check_out_tag, commit_files, run_git
from tests.support.wheels import ROOT, build_wheels, pin_by_hash
from tests.support.workflow import read_workflow

pytestmark = [
    pytest.mark.skipif(os.name != "posix" or not shutil.which("git"), reason="its scripts are for bash and git"),
    pytest.mark.timeout(1200),  # it waits for builds, checks and games
]

ACTION = ROOT / "submit" / "action.yml"
JOB = ROOT / "docs" / "submit.yml"
BOT = "bots/mine"
LOCK = "bots/arena.txt"


@pytest.fixture(scope="module")
def lock(tmp_path_factory) -> str:
    """The lines of a file that pins the wheels of this tree by their hashes."""
    return pin_by_hash(build_wheels(tmp_path_factory.mktemp("wheels")))


class Repository:
    """A repository with a bot, whose tags submit it to a server."""

    def __init__(self, site: Site, lock: str) -> None:
        self._site = site
        self._work = site.folder / "repository"
        self._lock = lock
        self._job_count = 0
        self.token = run_command("submission", "token", environment=site.owner).strip()
        run_git(site.folder, "init", "--quiet", "--initial-branch=main", str(self._work))

    def push_tag(self, tag: str, files: Mapping[str, str]) -> None:
        """Commit the bot, and let a tag name the commit. A tag that is there already moves."""
        commit_files(self._work, {LOCK: self._lock, **{f"{BOT}/{name}": text for name, text in files.items()}})
        run_git(self._work, "tag", "--force", tag)

    def run_job(self, tag: str) -> Action:
        """Run the scripts with the inputs of docs/submit.yml, as on a new machine: no arena is installed there."""
        self._job_count += 1
        folder = self._site.folder / f"job{self._job_count}"
        workspace, temp, home = folder / "workspace", folder / "temp", folder / "home"
        temp.mkdir(parents=True)
        home.mkdir()
        check_out_tag(self._work, workspace, tag)
        given = read_workflow(JOB)["jobs"]["submit"]["steps"][1]["with"]
        inputs = {**given, "to": self._site.address, "token": self.token}
        path = os.pathsep.join([str(make_python(folder / "python")), os.environ["PATH"]])
        environment = {"PATH": path, "HOME": str(home), "PIP_NO_INDEX": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
        action = Action(ACTION, workspace, temp, inputs, environment, time_limit_s=PATIENCE_S)
        action.run(["Install the arena", "Submit"])
        assert self.token not in action.log
        return action

    def states(self) -> list[tuple[str, str]]:
        """Return version and state of each submission, the oldest first."""
        found = query(self._site.data, "select version, state from submission order by submission_id")
        return [(str(version), str(state)) for version, state in found]


def make_python(place: Path) -> Path:
    """Make an environment of Python, and return its folder of programs.

    It has pip and what the arena needs, by the folder of this Python's packages. What is installed in editable mode is
    not there: its path is in a .pth file, and no .pth file is read in a folder that another one adds.
    """
    venv.create(place, symlinks=True)
    programs = place / "bin"
    (packages,) = place.glob("lib/python*/site-packages")
    (packages / "shared.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    (programs / "pip").write_text(f'#!/bin/sh\nexec "{programs / "python"}" -m pip "$@"\n')
    (programs / "pip").chmod(0o755)
    return programs


def bot_files(version: str, **keys: str) -> Mapping[str, str]:
    """Return the files of a bot that plays in the pool of the server."""
    lines = {"name": "ann-bot", "version": version, **keys}
    manifest = "".join(f"{key} = '''{value}'''\n" for key, value in lines.items())
    return {"bot.py": (SAMPLES / "honest" / "bot.py").read_text(), "bot.toml": f'{manifest}pools = ["quick"]\n'}


@contextmanager
def open_repository(folder: Path, lock: str) -> Iterator[Repository]:
    skip_without_boxes()
    with open_site(folder) as site:
        yield Repository(site, lock)


@pytest.mark.slow
@pytest.mark.long
def test_tag_hands_in_the_bot_once_and_a_failed_build_shows_its_log(tmp_path, lock):
    with open_repository(tmp_path, lock) as repository:
        repository.push_tag("v1", bot_files("1"))
        first = repository.run_job("v1")
        assert first.code == 0, first.log
        assert (tmp_path / "job1" / "python" / "bin" / "arena").exists()
        assert first.summary.startswith("## arena submit: submitted\n"), first.summary
        assert "ann-bot@1 is active, in quick\n" in first.summary
        assert repository.states() == [("1", "active")]

        again = repository.run_job("v1")
        assert again.code == 0, again.log
        assert (
            "submitted before, with the same files: nothing changes\nann-bot@1 is active, in quick\n" in again.summary
        )

        repository.push_tag("v1", {**bot_files("1"), "notes.txt": "another program of the same version"})
        moved = repository.run_job("v1")
        assert moved.code == 64, moved.log
        assert "ann-bot@1 was submitted before and is active: give the package another version" in moved.summary

        repository.push_tag("v2", bot_files("2", build="sh -c 'echo no rule to make a bot >&2; exit 2'"))
        broken = repository.run_job("v2")
        assert broken.code == 1, broken.log
        assert broken.summary.startswith("## arena submit: not submitted, exit code 1\n")
        assert "no rule to make a bot\n" in broken.summary
        assert "ann-bot@2 is refused (building): " in broken.summary

        assert repository.states() == [("1", "active"), ("2", "refused")]
