"""Log lines and metrics."""

import io
import json
import logging
from collections import Counter
from types import SimpleNamespace
from typing import Any

import structlog

from arena.bots.submissions.submission import RunNote, SubmissionState
from arena.fleet.telemetry import set_up_logging
from arena.match.referee.entrant_record import EntrantRecord
from arena.match.referee.facts import StrikeKind
from arena.match.referee.scalars import EntrantIndex
from arena.server.metrics import FolderMetrics, NodeMetrics, build_metrics_registry
from arena.server.node.call_totals import CallTotals
from arena.server.node.match_totals import EndedMatches
from arena.server.store.data_folder import STORE_NOTE
from arena.server.store.open_store import open_store
from tests.support.commands import restore_logging
from tests.support.submission_data import add_owners, add_submission, try_submission


def test_log_lines_are_json_without_a_terminal():
    """They include the bound context; lines of libraries get the same treatment."""
    stream = io.StringIO()
    with restore_logging():
        set_up_logging("info", stream)
        with structlog.contextvars.bound_contextvars(match="M", seat=2):
            structlog.get_logger("arena.x").info("seat left", count=3)
            structlog.get_logger("arena.x").debug("not told")
        logging.getLogger("library").warning("trouble with %s", "it")

    first, second = (json.loads(line) for line in stream.getvalue().splitlines())

    assert (first["event"], first["match"], first["seat"], first["count"]) == ("seat left", "M", 2, 3)
    assert (second["event"], second["level"]) == ("trouble with it", "warning")


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
    ended = EndedMatches()
    vitals: Any = SimpleNamespace(
        ended=ended,
        registry=SimpleNamespace(matches={1: running}),
        sessions={"a": 1},
        stalls_us=[60_000],
        frames={"in": 5, "out": 6},
        calls=CallTotals(),
    )
    figures = NodeMetrics(vitals)
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


async def test_boxes_are_counted_by_what_the_store_says_of_versions(tmp_path):
    """One version waits, one is built, one plays, and one does not keep running."""
    async with await open_store(tmp_path) as store:
        await add_owners(store)
        await add_submission(store, "1", "waiter")
        built = await add_submission(store, "1", "builder")
        await store.submissions.move(built.submission_id, SubmissionState.QUEUED, SubmissionState.BUILDING)
        for bot, trouble in (("player", ""), ("crasher", "it does not keep running")):
            row = await add_submission(store, "1", bot, "Bea")
            await try_submission(store, row.submission_id)
            await store.submissions.note_runs([RunNote(row.submission_id, "it runs", trouble, "")])
        registry = build_metrics_registry(FolderMetrics(tmp_path, None))

        boxes = {
            state: registry.get_sample_value("arena_boxes", {"state": state})
            for state in ("running", "waiting", "failing")
        }

    assert boxes == {"running": 2, "waiting": 1, "failing": 1}
    assert registry.get_sample_value("arena_submissions", {"state": "active"}) == 2


async def test_store_that_cannot_be_read_leaves_the_other_metrics(tmp_path):
    async with await open_store(tmp_path):
        registry = build_metrics_registry(FolderMetrics(tmp_path, None))
        (tmp_path / STORE_NOTE).write_text("postgresql://nobody@127.0.0.1:1/nothing")

        assert registry.get_sample_value("arena_boxes", {"state": "running"}) is None
        assert (registry.get_sample_value("arena_disk_bytes") or 0) > 0
