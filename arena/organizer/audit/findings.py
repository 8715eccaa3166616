"""What an audit finds: one sentence for each difference."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from arena.plain_data import canonical_json, to_plain

_MAX_SHOWN = 48
"""The largest number of bytes of a value, as JSON text, that a sentence repeats."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A difference between the store and the journals, or within one of them."""

    subject: str
    """What differs: a match, a deal, a journal, a league or the receipt key."""
    difference: str

    def __str__(self) -> str:
        return f"{self.subject}: {self.difference}"


@dataclass(slots=True)
class AuditReport:
    """What was audited, and what was found."""

    findings: list[Finding] = field(default_factory=list)
    notes: list[Finding] = field(default_factory=list)
    """Remarks that are not faults: what a killed server left, or what this version cannot compute again."""
    journals: int = 0
    matches: int = 0
    games: int = 0
    deals: int = 0
    blocks: int = 0

    def add(self, subject: str, difference: str) -> None:
        self.findings.append(Finding(subject, difference))

    def note(self, subject: str, remark: str) -> None:
        """Add a remark about this subject that is not a fault."""
        self.notes.append(Finding(subject, remark))

    def as_dict(self) -> dict[str, Any]:
        values: dict[str, Any] = to_plain(self)
        return values


def differences(stored: object, derived: object, *names: str, source: str = "its journal") -> Iterator[str]:
    """Yield a sentence for each of these attributes that differs between a stored value and the derived one."""
    for name in names:
        left, right = (canonical_json(to_plain(getattr(each, name))) for each in (stored, derived))
        if left == right:
            continue
        if max(len(left), len(right)) <= _MAX_SHOWN:
            yield f"its {name} is {left.decode()} in the store and {right.decode()} by {source}"
        else:
            yield f"its {name} in the store differs from what follows from {source}"
