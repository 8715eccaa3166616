"""Puts submissions into a store, without packages; also with programs that can be started."""

from itertools import pairwise
from pathlib import Path

from arena.bots.submissions.submission import STEPS, NewSubmission, Submission, SubmissionState
from arena.bots.submissions.submission_settings import SubmissionSettings
from arena.fleet.submissions.submitted_programs import build_path
from arena.server.store.open_store import Store, open_store

_WAY = (SubmissionState.ACCEPTED, SubmissionState.QUEUED, *STEPS, SubmissionState.ACTIVE)


async def submit(
    store: Store,
    version: str,
    state: SubmissionState = SubmissionState.QUEUED,
    *,
    bot: str = "ann-bot",
    owner: str = "ann",
    pools: tuple[str, ...] = (),
) -> Submission:
    """Add a submission of an owner who exists, and take it to a state. A refused one fails its trial games."""
    new = NewSubmission(owner, bot, version, f"{bot}{version}".encode().hex(), 1000, pools=pools)
    row = await store.submissions.accept(new, SubmissionSettings(queued=100))
    for before, after in pairwise(_WAY):
        if before is state:
            break
        following = SubmissionState.REFUSED if state is SubmissionState.REFUSED and after is _WAY[-1] else after
        assert await store.submissions.move(row.submission_id, before, following, sentence="it lies")
    return await store.submissions.get(row.submission_id)


async def submit_programs(data: Path, programs: dict[str, str], pools: tuple[str, ...] = ()) -> None:
    """Submit bots of Ann to a data folder: the source of each by its name. Version 1 of each is active and built."""
    async with await open_store(data) as store:
        await store.owners.add("ann", "", 99)
        for name, source in programs.items():
            row = await submit(store, "1", SubmissionState.ACTIVE, bot=name, pools=pools)
            folder = build_path(data, row.package)
            folder.mkdir(parents=True)
            (folder / "bot.py").write_text(source)
            (folder / "bot.toml").write_text(f'name = "{name}"\nversion = "1"\ngames = ["cheat"]\n')
