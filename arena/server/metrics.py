"""Metrics of a server for Prometheus.

Nothing here runs for every decision: metrics are read from counters, and from the data folder, when Prometheus scrapes
them, in a thread of its own. The metrics do not contain the names of bots.
"""

import shutil
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from prometheus_client import ProcessCollector
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector, CollectorRegistry
from sqlalchemy import func, select
from sqlalchemy.exc import SQLAlchemyError

from arena import __version__
from arena.bots.submissions.submission import STEPS, SubmissionState
from arena.competition.pools.matchmaker import Matchmaker
from arena.compiled_build import describe_build
from arena.errors import ArenaError
from arena.match.referee.facts import StrikeKind
from arena.server.node.match_totals import MatchTotals
from arena.server.node.node import Node
from arena.server.store.engines import open_reader
from arena.server.store.folder_sizes import FolderMeter
from arena.server.store.store_place import find_place
from arena.server.store.tables import SUBMISSIONS

_PARTS: Final = ("journals", "packed", "database", "submissions", "other")


class NodeMetrics(Collector):
    """A node's metrics, read when Prometheus scrapes."""

    def __init__(self, node: Node) -> None:
        self._node = node

    def collect(self) -> Iterator[Metric]:
        """Yield the current metrics. This runs outside the node's thread, so it reads copies."""
        node = self._node
        matches = list(node.registry.matches.values())
        running = MatchTotals()
        for hosted in matches:
            running.add(hosted.table.referee.entrant_records)
        sums = node.ended.totals.merge(running)
        stalls = list(node.stalls_us)
        calls = CounterMetricFamily("arena_calls", "Calls that have ended.", labels=["method", "code"])
        for labels, count in dict(node.calls.counts).items():
            calls.add_metric(labels, count)
        yield calls
        seconds = dict(node.calls.seconds)
        yield _build_labelled_counter("arena_call_seconds", "How long they took together.", "method", seconds)
        yield GaugeMetricFamily("arena_sessions", "Bot processes connected.", len(node.sessions))
        yield GaugeMetricFamily("arena_matches", "Matches offered or running.", len(matches))
        yield CounterMetricFamily("arena_matches_ended", "Matches that have ended.", node.ended.count)
        yield CounterMetricFamily("arena_decisions", "Decisions that answered a prompt.", sums.decisions)
        yield _build_labelled_counter("arena_frames", "Frames, by direction.", "direction", dict(node.frames))
        strikes = {kind.value: sums.strikes[kind] for kind in StrikeKind}
        yield _build_labelled_counter(
            "arena_strikes", "Late, illegal and missing answers, and seats given up.", "kind", strikes
        )
        yield CounterMetricFamily("arena_loop_stalls", "Stalls of the loop while matches ran.", len(stalls))
        yield CounterMetricFamily("arena_loop_stall_seconds", "Their length together.", sum(stalls) / 1e6)
        yield _build_histogram("arena_think_seconds", "From a prompt to its answer.", sums)


def _build_labelled_counter(name: str, text: str, label: str, values: Mapping[str, float]) -> Metric:
    family = CounterMetricFamily(name, text, labels=[label])
    for key, value in values.items():
        family.add_metric([key], value)
    return family


def _build_histogram(name: str, text: str, sums: MatchTotals) -> Metric:
    """Return a histogram whose buckets are octaves: octave n counts times from 2**(n-1) to 2**n microseconds."""
    buckets: list[tuple[str, float]] = []
    below = 0
    for octave in range(max(sums.think_octaves, default=0) + 1):
        below += sums.think_octaves[octave]
        buckets.append((repr(2**octave / 1e6), below))
    buckets.append(("+Inf", below))
    family = HistogramMetricFamily(name, text)
    family.add_metric([], buckets, sums.think_us / 1e6)
    return family


class PoolMetrics(Collector):
    """Who waits in each pool, and how long those who were seated had waited."""

    def __init__(self, matchmaker: Matchmaker) -> None:
        self._matchmaker = matchmaker

    def collect(self) -> Iterator[Metric]:
        pools = self._matchmaker.pools.items()
        counts = {name: self._matchmaker.entries.count(running.pool) for name, running in pools}
        bots, waiting = ({name: each[index] for name, each in counts.items()} for index in (0, 1))
        matches = {name: len(self._matchmaker.open_matches(name)) for name in counts}
        seated = {name: self._matchmaker.seated_count[name] for name in counts}
        yield _build_labelled_gauge("arena_pool_bots", "Bots of a pool, without house bots.", "pool", bots)
        yield _build_labelled_gauge("arena_pool_waiting", "Those that wait for a table.", "pool", waiting)
        yield _build_labelled_gauge("arena_pool_matches", "Its matches that have not ended.", "pool", matches)
        yield _build_labelled_counter("arena_pool_seated", "Seats given to bots that waited.", "pool", seated)
        waited = dict(self._matchmaker.waited_s)
        yield _build_labelled_counter("arena_pool_waited_seconds", "How long they had waited.", "pool", waited)


class FolderMetrics(Collector):
    """What is in the data folder, how much room is left, when the certificate ends, and which build runs."""

    def __init__(self, data: Path, certificate: Path | None) -> None:
        """`certificate` is None for a server without TLS."""
        self._data = data
        self._meter = FolderMeter(data)
        self._certificate = certificate

    def collect(self) -> Iterator[Metric]:
        disk = shutil.disk_usage(self._data)
        yield GaugeMetricFamily("arena_disk_free_bytes", "Free on the disk of the data folder.", disk.free)
        yield GaugeMetricFamily("arena_disk_bytes", "Size of this disk.", disk.total)
        sizes = self._meter.measure()
        parts = {name: getattr(sizes, name) for name in _PARTS}
        yield _build_labelled_gauge("arena_folder_bytes", "What the data folder takes, by part.", "part", parts)
        with suppress(SQLAlchemyError, ArenaError):  # while the store cannot be read
            submissions, failing = _count_submissions(self._data)
            yield _build_labelled_gauge("arena_submissions", "Submissions, by state.", "state", submissions)
            boxes = {
                "running": sum(submissions[state] for state in (*STEPS, SubmissionState.ACTIVE)) - failing,
                "waiting": submissions[SubmissionState.QUEUED],
                "failing": failing,
            }
            yield _build_labelled_gauge("arena_boxes", "Boxes of submitted bots, by state.", "state", boxes)
        if self._certificate is not None:
            with suppress(OSError, ValueError):  # while it is renewed
                ends_at = _certificate_end(self._certificate)
                yield GaugeMetricFamily("arena_certificate_ends_seconds", "When it ends, since 1970.", ends_at)
        build = GaugeMetricFamily("arena_build_info", "Version and build.", labels=["version", "build"])
        build.add_metric([__version__, describe_build()], 1)
        yield build


def _certificate_end(path: Path) -> float:
    from cryptography import x509  # noqa: PLC0415  slow to load, and a server without TLS has no certificate

    return x509.load_pem_x509_certificates(path.read_bytes())[0].not_valid_after_utc.timestamp()


def _count_submissions(data: Path) -> tuple[Mapping[str, int], int]:
    """Return how many submissions are in each state, and how many active ones do not keep running.

    Metrics are read in a thread of their own, so is the store. Raises StoreError, SQLAlchemyError.
    """
    state, is_troubled = SUBMISSIONS.c.state, SUBMISSIONS.c.sentence != ""
    wanted = select(state, is_troubled, func.count()).group_by(state, is_troubled)
    engine = open_reader(find_place(data))
    try:
        with engine.connect() as connection:
            rows = connection.execute(wanted).all()
    finally:
        engine.dispose()
    counts = dict.fromkeys(map(str, SubmissionState), 0)
    for name, _, count in rows:
        counts[name] += count
    return counts, sum(count for name, troubled, count in rows if troubled and name == SubmissionState.ACTIVE)


def _build_labelled_gauge(name: str, text: str, label: str, values: Mapping[str, float]) -> Metric:
    family = GaugeMetricFamily(name, text, labels=[label])
    for key, value in values.items():
        family.add_metric([key], value)
    return family


def build_metrics_registry(*parts: Collector) -> CollectorRegistry:
    """Return a registry with these metrics and those of the process."""
    registry = CollectorRegistry()
    for part in parts:
        registry.register(part)
    ProcessCollector(registry=registry)
    return registry
