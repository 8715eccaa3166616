"""Reads workflows of GitHub, and searches them and actions for known mistakes."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml


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


def find_shell_mistakes(script: str) -> str:
    """Return what the program `shellcheck` says about a script for bash; empty if it finds no mistake."""
    shellcheck = Path(sys.executable).with_name("shellcheck")
    words = [str(shellcheck), "--shell=bash", "-"]
    return subprocess.run(words, check=False, input=script, capture_output=True, text=True, timeout=60).stdout
