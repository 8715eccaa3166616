"""Counts the calls that have ended, by method and status, and the time that they took."""

from collections import Counter, defaultdict


class CallTotals:
    """Nothing here runs for a decision: a bot plays in one call."""

    def __init__(self) -> None:
        self.counts: Counter[tuple[str, str]] = Counter()
        """By method, such as `AccountService/ListBots`, and status, such as `OK`."""
        self.seconds: defaultdict[str, float] = defaultdict(float)
        """By method: how long its calls took together, streams too."""

    def note(self, method: str, status: str, seconds: float) -> None:
        self.counts[method, status] += 1
        self.seconds[method] += seconds
