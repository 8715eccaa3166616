"""Metrics of a server for Prometheus.

Nothing here runs for every decision: metrics are read from the node's counters when Prometheus scrapes them. The
metrics do not contain the names of bots.
"""

from collections.abc import Iterator, Mapping

from prometheus_client import ProcessCollector
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector, CollectorRegistry

from arena.match.referee.facts import StrikeKind
from arena.server.node.match_totals import MatchTotals
from arena.server.node.node import Node


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


def _build_labelled_counter(name: str, text: str, label: str, values: Mapping[str, int]) -> Metric:
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


def build_metrics_registry(figures: NodeMetrics) -> CollectorRegistry:
    """Return a registry with these metrics and those of the process."""
    registry = CollectorRegistry()
    registry.register(figures)
    ProcessCollector(registry=registry)
    return registry
