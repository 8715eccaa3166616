"""Bans: while one lasts, the store refuses its owner everything, and lifting it gives back what there was."""

from datetime import timedelta

import pytest

from arena.bots.submissions.submission import NewSubmission
from arena.bots.submissions.submission_settings import SubmissionSettings
from arena.errors import BannedError, OptionError, RequestError, UnknownNameError
from arena.server.store.open_store import Store


async def test_ban_refuses_every_secret_of_an_owner_until_it_is_lifted(people: Store):
    own = await people.tokens.create("ann", ["own"], owner="ann")
    play = (await people.owners.create_bot("ann", "rusher")).secret
    session = await people.logins.redeem_code((await people.logins.create_code("ann"))[0])
    code = (await people.logins.create_code("ann"))[0]
    await people.bans.ban("ann", " two accounts ")

    for check in (
        people.tokens.check(own),
        people.tokens.check(play),
        people.logins.check_session(session),
        people.logins.redeem_code(code),
    ):
        with pytest.raises(BannedError, match=r"'ann' is banned from this server: two accounts$"):
            await check

    await people.bans.lift("ann")
    assert (await people.tokens.check(own)).name == "ann"
    assert (await people.tokens.check(play)).name == "rusher"
    assert await people.logins.check_session(session) == "ann"
    assert await people.logins.redeem_code(code)


async def test_banned_owner_gets_nothing_new(people: Store):
    """Not even in a call that was let in just before."""
    code = await people.invitations.create("ann", 2, timedelta(days=1))
    await people.tokens.create("ann", ["own"], owner="ann")
    await people.bans.ban("ann", "two accounts")

    for ask in (
        people.tokens.create("counter", ["play"], owner="ann", version="1"),
        people.tokens.create_submit_token("ann", timedelta(days=1)),
        people.tokens.rotate("counter", timedelta(0)),
        people.owners.create_bot("ann", "rusher"),
        people.invitations.redeem(code, "ann", "", ()),
        people.submissions.check_admission("ann", "counter", 100, SubmissionSettings()),
        people.submissions.accept(NewSubmission("ann", "counter", "1", "ab", 100), SubmissionSettings()),
    ):
        with pytest.raises(BannedError, match="two accounts"):
            await ask

    await people.bans.lift("ann")
    assert (await people.invitations.redeem(code, "ann", "", ())).owner == "ann"
    assert [bot.name for bot in (await people.owners.get("ann")).bots] == ["counter"]


async def test_bans_stay_on_record(people: Store):
    await people.bans.ban("bob", "first")
    with pytest.raises(RequestError, match="'bob' is banned already: first"):
        await people.bans.ban("bob", "second")
    with pytest.raises(BannedError):
        await people.owners.remove("bob")
    await people.bans.lift("bob")
    with pytest.raises(RequestError, match="'bob' is not banned"):
        await people.bans.lift("bob")
    await people.bans.ban("bob", "second")

    bans = await people.bans.list_of("bob")
    assert [(ban.because, ban.lifted_at is None) for ban in bans] == [("first", False), ("second", True)]


@pytest.mark.parametrize("because", ["", "  ", "two\nlines", "x" * 301])
async def test_reason_for_a_ban_is_one_short_line(people: Store, because: str):
    with pytest.raises(OptionError, match="must be 1 to 300 printable characters"):
        await people.bans.ban("bob", because)


async def test_stranger_cannot_be_banned(people: Store):
    with pytest.raises(UnknownNameError):
        await people.bans.ban("zoe", "two accounts")
