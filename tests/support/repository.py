"""Makes a repository with a pull request or with tags, and checks it out as `actions/checkout` does."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Final

GIT_ENVIRONMENT: Final = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "Ann",
    "GIT_AUTHOR_EMAIL": "ann@example",
    "GIT_COMMITTER_NAME": "Ann",
    "GIT_COMMITTER_EMAIL": "ann@example",
}
"""Environment of git that ignores the configuration of the person who runs the tests."""
_MERGE: Final = "refs/pull/1/merge"


def make_pull_request(folder: Path, before: Mapping[str, str], *commits: Mapping[str, str]) -> Path:
    """Return a new repository with files on `main`, and a pull request whose commits change them.

    `main` has two more commits: one from before the pull request's test merge, and one from after it.
    """
    work, origin = folder / "work", folder / "origin.git"
    run_git(folder, "init", "--quiet", "--bare", "--initial-branch=main", str(origin))
    run_git(folder, "init", "--quiet", "--initial-branch=main", str(work))
    run_git(work, "remote", "add", "origin", str(origin))
    commit_files(work, before)
    run_git(work, "checkout", "--quiet", "-b", "change")
    for files in commits:
        commit_files(work, files)
    run_git(work, "checkout", "--quiet", "main")
    commit_files(work, {"notes.txt": "of others, before"})
    run_git(work, "checkout", "--quiet", "--detach")
    run_git(work, "merge", "--quiet", "--no-ff", "--message", "merge", "change")
    run_git(work, "push", "--quiet", "origin", f"HEAD:{_MERGE}", "change")
    run_git(work, "checkout", "--quiet", "main")
    commit_files(work, {"notes.txt": "of others, after"})
    run_git(work, "push", "--quiet", "origin", "main")
    return origin


def check_out(origin: Path, place: Path, depth: int) -> Path:
    """Check out what `actions/checkout` does: the merge of the pull request, detached, without branches.

    ``depth`` is the number of commits of its history.
    """
    place.mkdir(parents=True)
    run_git(place, "init", "--quiet")
    run_git(place, "remote", "add", "origin", origin.as_uri())
    commit = run_git(origin, "rev-parse", _MERGE).strip()
    here = _MERGE.replace("refs/", "refs/remotes/")
    run_git(place, "fetch", "--quiet", "--no-tags", f"--depth={depth}", "origin", f"+{commit}:{here}")
    run_git(place, "checkout", "--quiet", "--force", here)
    return place


def check_out_tag(origin: Path, place: Path, tag: str) -> None:
    """Check out what `actions/checkout` does for a tag: its commit alone, detached."""
    place.mkdir(parents=True)
    run_git(place, "init", "--quiet")
    run_git(place, "fetch", "--quiet", "--depth=1", origin.as_uri(), f"+refs/tags/{tag}:refs/tags/{tag}")
    run_git(place, "checkout", "--quiet", "--force", f"refs/tags/{tag}")


def commit_files(work: Path, files: Mapping[str, str]) -> None:
    """Commit files to a repository, by their paths in it."""
    for name, text in files.items():
        path = work / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    run_git(work, "add", "--all")
    run_git(work, "commit", "--quiet", "--message", f"write {', '.join(files)}")


def run_git(folder: Path, *words: str) -> str:
    """Run git in a folder and return what it printed. The configuration of the person who runs the tests is ignored."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | GIT_ENVIRONMENT
    return subprocess.run(
        ["git", *words], cwd=folder, env=environment, check=True, stdout=subprocess.PIPE, text=True
    ).stdout
