"""Puts submissions into a store, without packages."""

from itertools import pairwise

from arena.store.open_store import Store
from arena.store.submission_rows import NewSubmission, SubmissionQuotas, SubmissionRow
from arena.store.submission_states import STEPS, SubmissionState

_WAY = (SubmissionState.ACCEPTED, SubmissionState.QUEUED, *STEPS, SubmissionState.ACTIVE)


async def hand_in(
    store: Store,
    version: str,
    state: SubmissionState = SubmissionState.QUEUED,
    *,
    bot: str = "ann-bot",
    owner: str = "ann",
    pools: tuple[str, ...] = (),
) -> SubmissionRow:
    """Add a submission of an owner who exists, and take it to a state. A refused one fails its trial games."""
    new = NewSubmission(owner, bot, version, f"{bot}{version}".encode().hex(), 1000, pools=pools)
    row = await store.submissions.accept(new, SubmissionQuotas(queued=100))
    for before, after in pairwise(_WAY):
        if before is state:
            break
        following = SubmissionState.REFUSED if state is SubmissionState.REFUSED and after is _WAY[-1] else after
        assert await store.submissions.move(row.submission_id, before, following, sentence="it lies")
    return await store.submission_reader.get(row.submission_id)
