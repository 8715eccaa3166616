"""Reads the protocol guide: its sections, and the lines with which it generates code for each language."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
GUIDE = ROOT / "proto" / "README.md"

_SECTION = re.compile(r"^## (\d+)\. (.+)$", re.MULTILINE)
_LANGUAGE = re.compile(
    r"^\*\*(\S+)\*\*[^\n]*(?:\n[^\n`]+)*?:\n\n```sh\n(.*?)```\n\nThese lines write `([^`]+)`", re.MULTILINE | re.DOTALL
)


@dataclass(frozen=True)
class LanguageLines:
    """The lines that generate code for one language."""

    language: str
    script: str
    """The lines as the guide prints them."""
    written: str
    """A file that the lines write, as the guide says."""

    @property
    def needs(self) -> tuple[str, ...]:
        """The programs that have to be installed before."""
        return _NEEDS[self.language]


_NEEDS = {
    "C#": ("dotnet",),
    "C++": ("protoc", "grpc_cpp_plugin"),
    "Go": ("go", "protoc"),
    "Java": ("java", "mvn"),
    "JavaScript": ("node", "npm"),
    "Python": ("python",),
    "Rust": ("cargo", "protoc"),
    "Ruby": ("protoc", "grpc_ruby_plugin"),
    "TypeScript": ("node", "npm", "protoc"),
}


def read_guide() -> str:
    """Return the text of the guide."""
    return GUIDE.read_text(encoding="utf-8")


def read_sections() -> dict[int, tuple[str, str]]:
    """Return the title and the text of each section, by number."""
    text = read_guide()
    heads = [*_SECTION.finditer(text)]
    ends = [head.start() for head in heads[1:]] + [len(text)]
    return {int(head[1]): (head[2], text[head.end() : end]) for head, end in zip(heads, ends, strict=True)}


def list_language_lines() -> Iterator[LanguageLines]:
    """Yield the lines of each language, in the order of the guide."""
    for found in _LANGUAGE.finditer(read_sections()[1][1]):
        yield LanguageLines(found[1], found[2], found[3])
