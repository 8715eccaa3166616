"""Stand-ins for the actions that would need GitHub: a cache on disk, a list of artifacts, and no new Python."""

import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.workflow_job import Action, ActionResult, Job


@dataclass(frozen=True, slots=True)
class GitHub:
    """What GitHub keeps from one job to the next."""

    folder: Path
    """Where the contents of caches are, each below its key."""
    keys: list[str] = field(default_factory=list)
    """The keys of the caches, oldest first."""
    artifacts: dict[str, list[str]] = field(default_factory=dict)
    """For each artifact its files, by their paths from the runner's temporary folder."""

    @property
    def actions(self) -> Mapping[str, Action]:
        """GitHub's own actions that the actions here use."""
        return {
            "actions/setup-python": lambda _job, _given: ActionResult(),
            "actions/cache/restore": self.restore,
            "actions/cache/save": self.save,
            "actions/upload-artifact": self.upload,
        }

    def restore(self, job: Job, given: Mapping[str, str]) -> ActionResult:
        """Copy the files of a cache to where they were: the one with the key, or the newest that begins so."""
        key, start = given["key"], given["restore-keys"]
        similar = [each for each in self.keys if each.startswith(start)]
        found = key if key in self.keys else similar[-1] if similar else ""
        for number, path in enumerate(_paths(job, given)):
            kept = self.folder / found / str(number)
            if found and kept.exists():
                shutil.copytree(kept, path, dirs_exist_ok=True)
        hit = "" if not found else "true" if found == key else "false"
        return ActionResult(0, {"cache-hit": hit, "cache-primary-key": key})

    def save(self, job: Job, given: Mapping[str, str]) -> ActionResult:
        """Keep the files that exist, unless there is a cache with the key."""
        key = given["key"]
        if key not in self.keys:
            self.keys.append(key)
            for number, path in enumerate(_paths(job, given)):
                if path.exists():
                    shutil.copytree(path, self.folder / key / str(number))
        return ActionResult()

    def upload(self, job: Job, given: Mapping[str, str]) -> ActionResult:
        """Note the files of an artifact."""
        files = [path for place in _paths(job, given) for path in place.rglob("*") if path.is_file()]
        self.artifacts[given["name"]] = sorted(path.relative_to(job.temp).as_posix() for path in files)
        return ActionResult()


def _paths(job: Job, given: Mapping[str, str]) -> list[Path]:
    """Return the folders that an action is given, one a line."""
    home = job.environment["HOME"]
    return [Path(line.replace("~", home, 1) if line.startswith("~") else line) for line in given["path"].splitlines()]
