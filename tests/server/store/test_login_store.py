"""Logins to the web page: a code works once and for ten minutes, and a session lasts until it or its owner is ended."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from arena.errors import CapacityError, DeniedError
from arena.server.store.login_store import LoginStore
from arena.server.store.open_store import Store
from arena.server.store.secret_text import has_right_checksum
from tests.support.wall_clock import WallClock

START = WallClock().now


@pytest.fixture
async def logins(store: Store, clock: WallClock) -> LoginStore:
    """The logins of a store in which ann is an owner with a token."""
    for owner in ("ann", "bob"):
        await store.owners.add(owner, "", 1)
        await store.tokens.create(owner, ["own"], owner=owner)
    return LoginStore(store.database, clock)


async def refuse(call: Any) -> str:
    with pytest.raises(DeniedError) as refusal:
        await call
    return str(refusal.value)


async def test_code_gives_a_session_of_its_owner(logins: LoginStore):
    code, expires_at = await logins.create_code("ann")

    session = await logins.redeem_code(code)

    assert expires_at == START + 600
    assert await logins.check_session(session) == "ann"
    assert code.startswith("cal_")
    assert session.startswith("cas_")
    assert has_right_checksum(code)
    assert has_right_checksum(session)


async def test_code_works_once_even_if_two_try_at_the_same_time(logins: LoginStore):
    code, _ = await logins.create_code("ann")

    results = await asyncio.gather(*(logins.redeem_code(code) for _ in range(4)), return_exceptions=True)

    assert sorted(type(each).__name__ for each in results) == ["DeniedError"] * 3 + ["str"]


@pytest.mark.parametrize(("waited_s", "is_valid"), [(599.9, True), (600.0, False), (600.1, False)])
async def test_code_is_valid_for_ten_minutes(logins: LoginStore, clock: WallClock, waited_s: float, is_valid: bool):
    code, _ = await logins.create_code("ann")

    clock.now += waited_s

    if is_valid:
        assert await logins.redeem_code(code)
    else:
        await refuse(logins.redeem_code(code))


async def test_refusal_does_not_say_what_is_wrong(logins: LoginStore, clock: WallClock):
    used, _ = await logins.create_code("ann")
    old, _ = await logins.create_code("ann")
    session = await logins.redeem_code(used)
    clock.now += 601
    codes = [used, old, session, "cal_" + "a" * 46, "", "\x1b[31m", used[:-1] + ("a" if used[-1] != "a" else "b")]

    texts = {await refuse(logins.redeem_code(code)) for code in codes}

    assert len(texts) == 1


async def test_owner_has_five_valid_codes_at_most(logins: LoginStore, clock: WallClock):
    codes = [(await logins.create_code("ann"))[0] for _ in range(5)]

    with pytest.raises(CapacityError, match="ann"):
        await logins.create_code("ann")

    await logins.create_code("bob")  # who is not affected
    await logins.redeem_code(codes[0])
    await logins.create_code("ann")
    clock.now += 601
    for _ in range(5):
        await logins.create_code("ann")


@pytest.mark.parametrize(("waited", "is_valid"), [(timedelta(days=13.9), True), (timedelta(days=14), False)])
async def test_session_lasts_two_weeks(logins: LoginStore, clock: WallClock, waited: timedelta, is_valid: bool):
    session = await logins.redeem_code((await logins.create_code("ann"))[0])

    clock.now += waited.total_seconds()

    if is_valid:
        assert await logins.check_session(session) == "ann"
    else:
        await refuse(logins.check_session(session))


async def test_ended_session_and_a_code_are_no_session(logins: LoginStore):
    code, _ = await logins.create_code("ann")
    session = await logins.redeem_code(code)
    other = await logins.redeem_code((await logins.create_code("ann"))[0])

    await logins.end_session(session)
    await logins.end_session(session)
    await logins.end_session("cas_nobody")

    assert len({await refuse(logins.check_session(each)) for each in (session, code, "", "cas_" + "b" * 46)}) == 1
    assert await logins.check_session(other) == "ann"


async def test_no_token_no_login(logins: LoginStore, store: Store):
    """An organizer who revokes the tokens of an owner ends the owner's sessions and codes too."""
    session = await logins.redeem_code((await logins.create_code("ann"))[0])
    code, _ = await logins.create_code("ann")

    await store.tokens.revoke("ann")

    await refuse(logins.check_session(session))
    await refuse(logins.redeem_code(code))


async def test_newest_twenty_sessions_stay(logins: LoginStore, clock: WallClock):
    sessions = []
    for _ in range(21):
        clock.now += 1
        sessions.append(await logins.redeem_code((await logins.create_code("ann"))[0]))

    await refuse(logins.check_session(sessions[0]))
    assert await logins.check_session(sessions[1]) == await logins.check_session(sessions[-1]) == "ann"


async def test_store_has_no_secret_in_the_clear(file_store: Store):
    logins = file_store.logins
    await file_store.owners.add("ann", "", 1)
    await file_store.tokens.create("ann", ["own"], owner="ann")
    code, _ = await logins.create_code("ann")
    session = await logins.redeem_code(code)

    content = b"".join(path.read_bytes() for path in file_store.folder.glob("arena.db*"))

    assert code[:12].encode() in content
    assert session[:12].encode() in content
    assert code[12:].encode() not in content
    assert session[12:].encode() not in content
