"""The lines about a match: they cost nothing if nobody reads them."""

import logging
from typing import Any

import pytest

from cheatarena.match_log import MatchLog


class UnreadTable:
    """A table that fails if it is read, as reading a table makes it apply its facts."""

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f"{name} is read")


@pytest.mark.parametrize("kind", ["match_started", "fault", "game_ended", "match_ended"])
def test_no_table_is_read_for_lines_that_nobody_reads(caplog: pytest.LogCaptureFixture, kind: str):
    table: Any = UnreadTable()

    with caplog.at_level(logging.WARNING, "cheatarena"):
        MatchLog(table).note_fact(kind)

    assert not caplog.records


def test_table_is_read_for_lines_that_somebody_reads(caplog: pytest.LogCaptureFixture):
    table: Any = UnreadTable()

    with caplog.at_level(logging.INFO, "cheatarena"), pytest.raises(AssertionError, match="is read"):
        MatchLog(table).note_fact("match_started")
