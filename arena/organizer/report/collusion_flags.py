"""The values that a report shows for a flagged pair: how often the two called or attacked each other, and evidence."""

from collections.abc import Mapping

from arena.replays.analytics.collusion_screen import PairEvidence


def collusion_values(evidence: PairEvidence) -> Mapping[str, str | float]:
    """Return the values of a pair by column, with both directions added up. `p_value` is corrected for all pairs."""
    one, other = evidence.directions
    return {
        "first": one.caller,
        "second": one.accused,
        "chances": one.chances + other.chances,
        "taken": one.taken + other.taken,
        "expected": one.expected + other.expected,
        "p_value": evidence.p_of_all,
        "evidence": f"{one.caller} on {one.accused}: {one.taken:g} of {one.expected:.1f} expected;"
        f" {other.caller} on {other.accused}: {other.taken:g} of {other.expected:.1f}; together"
        f" {evidence.ratio:.2f} of what was to be expected, z = {evidence.z:.1f}",
    }
