"""Log lines and metrics."""

import io
import json
import logging
import re
from collections import Counter
from datetime import datetime, timedelta
from types import SimpleNamespace
from typing import Any

from arena.log_lines import Log
from arena.match.entrant_record import EntrantRecord
from arena.match.facts import StrikeKind
from arena.match.scalars import EntrantIndex
from arena.metrics import EndedMatches, NodeMetrics, build_metrics_registry
from arena.telemetry import set_up_logging
from tests.support.commands import restore_logging


def test_log_lines_are_json_without_a_terminal():
    """They include the values and tracebacks; lines of libraries get the same treatment."""
    stream = io.StringIO()
    with restore_logging():
        set_up_logging("info", stream)
        Log("arena.x").info("seat left", match="M", seat=2, odd={3})
        Log("arena.x").debug("not told")
        try:
            int("ouch")
        except ValueError:
            Log("arena.x").exception("failed", count=3)
        logging.getLogger("library").warning("trouble with %s", "it")

    first, second, third = (json.loads(line) for line in stream.getvalue().splitlines())

    assert list(first) == ["match", "seat", "odd", "event", "level", "timestamp"]
    assert (first["event"], first["match"], first["seat"], first["odd"]) == ("seat left", "M", 2, "{3}")
    assert datetime.fromisoformat(first["timestamp"]).utcoffset() == timedelta(0)
    assert (second["event"], second["level"], second["count"]) == ("failed", "error", 3)
    assert second["exception"].splitlines()[-1] == "ValueError: invalid literal for int() with base 10: 'ouch'"
    assert (third["event"], third["level"]) == ("trouble with it", "warning")


def test_log_lines_are_coloured_text_on_a_terminal():
    """Values are in the order of their names, in quotes if they have spaces or what a terminal would act on."""

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    stream = Terminal()
    with restore_logging():
        set_up_logging("info", stream)
        Log("arena.x").warning("loop stalled", gap_ms=70, by="a b", bot="x\x1b[2J", at="y")

    plain = re.sub(r"\x1b\[[0-9;]*m", "", stream.getvalue())
    assert re.fullmatch(
        r"\d{4}-\d\d-\d\dT[\d:.]+Z \[warning  \] loop stalled {18} at=y bot='x\\x1b\[2J' by='a b' gap_ms=70\n", plain
    )


def make_record(decisions: int, think_us: int, strikes: dict[StrikeKind, int]) -> EntrantRecord:
    record = EntrantRecord(EntrantIndex(0), 0)
    record.decision_count = decisions
    record.think_us = think_us * decisions
    record.think_octaves = Counter({think_us.bit_length(): decisions})
    record.strikes.update(strikes)
    return record


def make_match(*records: EntrantRecord) -> Any:
    return SimpleNamespace(table=SimpleNamespace(referee=SimpleNamespace(entrant_records=records)))


def test_figures_include_past_and_running_matches():
    """3 decisions of 100 us in an ended match, 2 of 1000 us in a running one; 2**7 = 128, 2**10 = 1024."""
    running = make_match(make_record(2, 1000, {StrikeKind.LATE: 1}))
    vitals = SimpleNamespace(
        registry=SimpleNamespace(matches={1: running}),
        sessions={"a": 1},
        stalls_us=[60_000],
        frames={"in": 5, "out": 6},
    )
    ended = EndedMatches()
    figures = NodeMetrics(vitals, ended)
    ended.on_match_ended(make_match(make_record(3, 100, {StrikeKind.LATE: 1, StrikeKind.GONE: 1})))
    registry = build_metrics_registry(figures)

    def value(name, **labels):
        return registry.get_sample_value(name, labels)

    assert value("arena_sessions") == 1
    assert value("arena_matches") == 1
    assert value("arena_matches_ended_total") == 1
    assert value("arena_decisions_total") == 5
    assert value("arena_strikes_total", kind="late") == 2
    assert value("arena_strikes_total", kind="gone") == 1
    assert value("arena_frames_total", direction="out") == 6
    assert value("arena_loop_stall_seconds_total") == 0.06
    assert value("arena_think_seconds_bucket", le="0.000128") == 3
    assert value("arena_think_seconds_bucket", le="0.001024") == 5
    assert value("arena_think_seconds_count") == 5
    assert round(value("arena_think_seconds_sum") * 1e6) == 2300
