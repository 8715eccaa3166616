"""Invitations: a code works once, for what the organizer allowed, and its refusal tells nothing."""

import asyncio
from datetime import timedelta

import pytest

from arena.errors import InvitationRefusedError, OptionError, UnknownNameError
from arena.server.store.account_values import Scope
from arena.server.store.invitation_store import InvitationStore
from arena.server.store.open_store import Store, open_store
from arena.server.store.owner_store import OwnerStore
from arena.server.store.secret_text import has_right_checksum
from tests.support.wall_clock import WallClock

WEEK = timedelta(days=7)


@pytest.fixture
def invitations(store: Store, clock: WallClock) -> InvitationStore:
    return InvitationStore(store.database, now=clock)


async def test_redeemed_code_gives_owner_bots_and_tokens(store: Store, invitations: InvitationStore):
    code = await invitations.create(None, 2, WEEK)

    account = await invitations.redeem(code, "ann", "ann@example.org", ["counter", "rusher"])

    owner = await store.tokens.check(account.secret)
    bots = [await store.tokens.check(bot.secret) for bot in account.bots]
    assert (account.owner, owner.name, owner.owner, owner.scopes) == ("ann", "ann", "ann", frozenset({Scope.OWN}))
    assert [(bot.name, bot.owner, bot.scopes) for bot in bots] == [
        ("counter", "ann", frozenset({Scope.PLAY})), ("rusher", "ann", frozenset({Scope.PLAY})),
    ]  # fmt: skip
    assert (await store.owners.get("ann")).contact == "ann@example.org"


async def test_code_is_not_in_the_store(store: Store, invitations: InvitationStore):
    code = await invitations.create(None, 1, WEEK)
    (row,) = await invitations.list()
    await store.close()

    kept = b"".join(path.read_bytes() for path in store.folder.glob("arena.db*"))

    assert has_right_checksum(code)
    assert code.startswith(row.handle)
    assert code[12:].encode() not in kept


async def test_every_refusal_of_a_code_is_the_same(invitations: InvitationStore, clock: WallClock):
    """Unknown, wrong, used, revoked, expired, or no code at all: one text."""
    used, revoked, expired, wrong = [await invitations.create(None, 1, WEEK) for _ in range(4)]
    await invitations.redeem(used, "ann", "", [])
    await invitations.revoke(revoked[:12])
    said = set()

    for code in (used, revoked, wrong[:-1] + ("a" if wrong[-1] != "a" else "b"), "cai_" + "a" * 46, "", "x" * 5000):
        with pytest.raises(InvitationRefusedError) as refused:
            await invitations.redeem(code, "bob", "", [])
        said.add(str(refused.value))
    clock.now += WEEK.total_seconds()
    with pytest.raises(InvitationRefusedError) as refused:
        await invitations.redeem(expired, "bob", "", [])

    assert said | {str(refused.value)} == {str(InvitationRefusedError())}


async def test_refused_name_leaves_the_code_valid_and_nothing_behind(store: Store, invitations: InvitationStore):
    await store.owners.add("bob", "", 1)
    code = await invitations.create(None, 2, WEEK)

    for owner, bots in [("b0b", []), ("", []), ("ann", ["one", "bob"]), ("ann", ["one", "one"]), ("ann", ["\x07"])]:
        with pytest.raises(OptionError):
            await invitations.redeem(code, owner, "", bots)

    assert [each.name for each in await store.owners.list()] == ["bob"]
    assert await store.tokens.list() == []
    assert (await invitations.redeem(code, "ann", "", ["one"])).owner == "ann"


async def test_no_more_bots_than_the_invitation_allows(store: Store, invitations: InvitationStore):
    code = await invitations.create(None, 1, WEEK)

    with pytest.raises(OptionError, match="this invitation allows 1"):
        await invitations.redeem(code, "ann", "", ["one", "two"])

    await invitations.redeem(code, "ann", "", [])
    assert (await store.owners.get("ann")).bot_limit == 1


async def test_invitation_for_a_name_is_for_nobody_else(invitations: InvitationStore):
    code = await invitations.create("ann", 1, WEEK)

    with pytest.raises(OptionError, match="this invitation is for 'ann'"):
        await invitations.redeem(code, "bob", "", [])

    assert (await invitations.redeem(code, "", "", ["counter"])).owner == "ann"


async def test_known_owner_gets_further_bots(store: Store, invitations: InvitationStore, clock: WallClock):
    """So an author who lost the tokens gets new ones."""
    owners = OwnerStore(store.database, now=clock)
    await owners.add("ann", "ann@example.org", 1)
    await owners.create_bot("ann", "counter")
    code = await invitations.create("ann", 1, WEEK)

    account = await invitations.redeem(code, "ann", "ignored", ["rusher"])

    owner = await store.owners.get("ann")
    assert (account.owner, owner.contact, owner.bot_limit) == ("ann", "ann@example.org", 2)
    assert [bot.name for bot in owner.bots] == ["counter", "rusher"]


async def test_code_that_is_redeemed_twice_at_once_works_once(store: Store, invitations: InvitationStore):
    """Also in two processes."""
    code = await invitations.create(None, 1, WEEK)

    async with await open_store(store.folder) as elsewhere:
        shared = [invitations, InvitationStore(elsewhere.database, now=lambda: 1_700_000_000.0)] * 4
        ended = await asyncio.gather(
            *(asked.redeem(code, f"owner {number}", "", []) for number, asked in enumerate(shared)),
            return_exceptions=True,
        )

    assert sum(isinstance(each, InvitationRefusedError) for each in ended) == 7
    assert len(await store.owners.list()) == 1


async def test_list_says_what_became_of_each_invitation(invitations: InvitationStore, clock: WallClock):
    used, revoked, _ = [await invitations.create(None, 1, WEEK) for _ in range(3)]
    await invitations.redeem(used, "ann", "", [])

    assert await invitations.revoke(revoked[:12])
    assert not await invitations.revoke(used[:12])

    rows = {row.handle: row for row in await invitations.list()}
    assert (rows[used[:12]].used_by, rows[used[:12]].used_at) == ("ann", clock.now)
    assert rows[revoked[:12]].revoked_at == clock.now
    assert [row.is_open(clock.now) for row in rows.values()].count(True) == 1


async def test_unknown_invitation_cannot_be_revoked(invitations: InvitationStore):
    with pytest.raises(UnknownNameError, match="unknown invitation"):
        await invitations.revoke("cai_12345678")


@pytest.mark.parametrize(
    ("owner", "bots", "ttl"),
    [(None, 0, WEEK), (None, 1001, WEEK), (None, 1, timedelta(0)), (None, 1, timedelta(days=366)), ("a ", 1, WEEK)],
)
async def test_impossible_invitation_is_refused(invitations: InvitationStore, owner, bots, ttl):
    with pytest.raises(OptionError):
        await invitations.create(owner, bots, ttl)


async def test_invitation_for_a_taken_name_is_refused_when_it_is_made(store: Store, invitations: InvitationStore):
    await store.tokens.create("veteran", ["play"])

    with pytest.raises(OptionError, match="looks like 'veteran'"):
        await invitations.create("Veteran", 1, WEEK)


async def test_invitation_for_an_owner_restores_a_revoked_bot(store: Store, invitations: InvitationStore):
    await invitations.redeem(await invitations.create(None, 1, WEEK), "ann", "", ["counter"])
    await store.tokens.revoke("counter", "ann")

    account = await invitations.redeem(await invitations.create("ann", 1, WEEK), "", "", ["counter"])

    assert (await store.tokens.check(account.bots[0].secret)).name == "counter"


# ---- the name in an invitation is kept for the invited


@pytest.mark.parametrize("name", ["alice", "Alice", "a1ice", "al.ice"])
async def test_name_of_an_open_invitation_is_free_for_its_code_alone(
    store: Store, invitations: InvitationStore, clock: WallClock, name
):
    named, anybody = await invitations.create("alice", 1, WEEK), await invitations.create(None, 1, WEEK)
    owners = OwnerStore(store.database, now=clock)
    await owners.add("bob", "", 1)

    with pytest.raises(OptionError, match="taken"):
        await invitations.redeem(anybody, name, "", [])
    with pytest.raises(OptionError, match="taken"):
        await invitations.redeem(anybody, "mallory", "", [name])
    with pytest.raises(OptionError, match="taken"):
        await owners.create_bot("bob", name)
    with pytest.raises(OptionError, match="taken"):
        await owners.add(name, "", 1)

    assert (await invitations.redeem(named, "", "", ["Alice"])).owner == "alice"


@pytest.mark.parametrize("end", ["revoked", "expired"])
async def test_name_of_an_invitation_that_ended_is_free(invitations: InvitationStore, clock: WallClock, end):
    code = await invitations.create("alice", 1, timedelta(days=1))
    if end == "revoked":
        await invitations.revoke(code[:12])
    else:
        clock.now += timedelta(days=1).total_seconds()

    anybody = await invitations.create(None, 1, WEEK)

    assert (await invitations.redeem(anybody, "alice", "", [])).owner == "alice"


async def test_owner_with_a_further_invitation_may_name_a_bot_like_the_owner(
    store: Store, invitations: InvitationStore, clock: WallClock
):
    await invitations.redeem(await invitations.create("alice", 1, WEEK), "", "", [])
    await invitations.create("alice", 1, WEEK)

    assert (await OwnerStore(store.database, now=clock).create_bot("alice", "Alice")).name == "Alice"


async def test_two_open_invitations_for_one_name_may_not_differ(invitations: InvitationStore):
    """The same name may be invited again, and either code creates the owner."""
    await invitations.create("alice", 1, WEEK)
    again = await invitations.create("alice", 1, WEEK)

    with pytest.raises(OptionError, match="taken"):
        await invitations.create("a1ice", 1, WEEK)

    assert (await invitations.redeem(again, "", "", [])).owner == "alice"


async def test_invitation_gives_nothing_to_an_owner_who_came_later(
    store: Store, invitations: InvitationStore, clock: WallClock
):
    """Stores of earlier versions may have such an owner, who need not be the invited one."""
    early = await invitations.create("alice", 1, WEEK)
    first = await invitations.create("alice", 1, WEEK)
    clock.now += 1
    await invitations.redeem(first, "", "", [])

    with pytest.raises(OptionError, match="created after the invitation was made"):
        await invitations.redeem(early, "", "", ["alicebot"])

    assert (await store.owners.get("alice")).bots == []


async def test_owner_is_listed_the_invitations_that_were_given_or_used(store: Store, invitations: InvitationStore):
    used = await invitations.create(None, 1, WEEK)
    given = await invitations.create("ann", 1, WEEK)
    await invitations.create("bob", 1, WEEK)
    await invitations.redeem(used, "cid", "", ["counter"])

    assert [row.handle for row in await invitations.list("ann")] == [given[:12]]
    assert [row.handle for row in await invitations.list("cid")] == [used[:12]]
