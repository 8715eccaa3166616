"""Tells which files of the repository the build of an image sees: those that its ignore file lets in."""

import re
from pathlib import Path


def is_sent(path: str, rules: list[str]) -> bool:
    """Return whether a build is given a file: the last rule that matches it, or a folder of it, decides."""
    is_ignored = False
    for rule in rules:
        if ignore_pattern(rule.removeprefix("!")).match(path):
            is_ignored = not rule.startswith("!")
    return not is_ignored


def ignore_pattern(rule: str) -> re.Pattern[str]:
    """Return what a line of an ignore file matches."""
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", rule)
    words = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return re.compile("".join(words.get(part) or re.escape(part) for part in parts) + "(?:/.*)?$")


def read_ignore_rules(file: Path) -> list[str]:
    """Return the rules of an ignore file."""
    lines = file.read_text(encoding="utf-8").splitlines()
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]
