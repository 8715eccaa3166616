"""A worker of the author archive in a thread of the test's own process. It starts much faster than a process."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from arena.replays.archive import author_archive
from arena.replays.archive.author_reader import AuthorReader


class ThreadWorker(ThreadPoolExecutor):
    """Takes the place of the pool with one process."""

    def __init__(self, count: int, *_: Any) -> None:
        super().__init__(count, thread_name_prefix="author")

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Close what the worker has opened."""
        self.submit(_close_readers).result()
        super().shutdown(wait, cancel_futures=cancel_futures)


_opened: list[tuple[asyncio.Runner, AuthorReader]] = []


def use_thread_worker(monkeypatch: Any) -> None:
    """Let archives that are opened from now on work in a thread."""
    known: dict[Any, tuple[asyncio.Runner, AuthorReader]] = {}

    def open_reader(*setting: Any) -> tuple[asyncio.Runner, AuthorReader]:
        if setting not in known:
            known[setting] = open_anew(*setting)
            _opened.append(known[setting])
        return known[setting]

    open_anew = author_archive._open_reader.__wrapped__
    monkeypatch.setattr(author_archive, "_open_reader", open_reader)
    monkeypatch.setattr(author_archive, "ProcessPoolExecutor", ThreadWorker)


def _close_readers() -> None:
    while _opened:
        runner, reader = _opened.pop()
        runner.run(reader._results._database.close())
        runner.close()
