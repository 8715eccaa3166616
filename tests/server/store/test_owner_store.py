"""Owners and bots: no name is taken twice, by sight or by letter, and an owner has only a limited number of bots."""

from datetime import timedelta

import pytest

from arena.errors import CapacityError, DeniedError, OptionError, RequestError, UnknownNameError
from arena.server.store.account_values import Scope
from arena.server.store.open_store import Store


async def test_new_bot_has_a_token_to_play_that_belongs_to_its_owner(people: Store):
    made = await people.owners.create_bot("bob", "rusher")

    identity = await people.tokens.check(made.secret)

    assert (made.name, identity.name, identity.owner, identity.scopes) == (
        "rusher",
        "rusher",
        "bob",
        frozenset({Scope.PLAY}),
    )


async def test_owner_is_shown_with_bots_and_valid_tokens(people: Store):
    made = await people.owners.create_bot("ann", "rusher")
    await people.tokens.revoke(made.secret[:12])

    owner = await people.owners.get("ann")

    assert (owner.name, owner.contact, owner.bot_limit) == ("ann", "ann@example.org", 2)
    assert [(bot.name, len(bot.tokens)) for bot in owner.bots] == [("counter", 1), ("rusher", 0)]
    assert [each.name for each in await people.owners.list()] == ["ann", "bob"]


async def test_token_with_which_the_arena_runs_a_version_is_not_shown_as_the_owners(people: Store):
    """The owner does not hold it, and would ask where it comes from."""
    await people.tokens.create("counter", ["play"], owner="ann", version="1.2")

    (bot,) = (await people.owners.get("ann")).bots

    assert [token.version for token in bot.tokens] == [None]
    assert len(await people.tokens.list_version_tokens()) == 1


@pytest.mark.parametrize("name", ["house-honest", "House Honest", "h0use.new", "entrant 1", "entrant-3"])
async def test_name_that_only_a_server_gives_is_taken_from_the_start(people: Store, name):
    """Otherwise a pool that names its house bot later would never get it, and its players would wait for ever."""
    with pytest.raises(OptionError, match="only the arena gives such names"):
        await people.owners.create_bot("bob", name)
    with pytest.raises(OptionError, match="only the arena gives such names"):
        await people.owners.add(name, "", 2)
    with pytest.raises(OptionError, match="only the arena gives such names"):
        await people.invitations.create(name, 1, timedelta(days=1))

    assert await people.tokens.create_local("house-honest", timedelta(days=1))


@pytest.mark.parametrize("name", ["counter", "Counter", "c0unter", "coun.ter", "ann", "Ann"])
async def test_name_that_looks_like_something_of_another_owner_is_refused(people: Store, name):
    with pytest.raises(OptionError, match="taken"):
        await people.owners.create_bot("bob", name)
    with pytest.raises(OptionError, match="taken"):
        await people.owners.add(name, "", 1)

    assert (await people.owners.get("bob")).bots == []


async def test_own_bots_may_look_alike_but_not_be_equal(people: Store):
    await people.owners.create_bot("ann", "C0unter")

    await people.owners.create_bot("bob", "rusher")
    with pytest.raises(OptionError, match="has a bot of this name already"):
        await people.owners.create_bot("bob", "rusher")


async def test_bot_that_the_arena_runs_may_get_a_token_of_its_owner(people: Store):
    """With it the owner reads the bot's matches. Another one is refused."""
    await people.owners.create_bot("ann", "quiet")
    await people.tokens.revoke("quiet")
    await people.tokens.create("quiet", ["play"], owner="ann", version="1.2")

    secret = (await people.owners.create_bot("ann", "quiet")).secret

    assert (await people.tokens.check(secret)).version is None
    with pytest.raises(CapacityError, match="'ann' has 2 bots already"):
        await people.owners.create_bot("ann", "quiet")


async def test_bot_may_be_named_like_its_owner(people: Store):
    assert (await people.owners.create_bot("bob", "Bob")).name == "Bob"


async def test_name_that_ever_had_a_token_is_not_free(people: Store):
    """Recorded games bear it, and its tokens may still be in use."""
    secret = await people.tokens.create("veteran", ["play"])
    await people.tokens.revoke(secret[:12])

    with pytest.raises(OptionError, match="looks like 'veteran'"):
        await people.owners.create_bot("bob", "Veteran")


async def test_organizer_gives_an_existing_bot_to_an_owner(people: Store):
    """Its tokens keep working and belong to the owner from then on; asking again changes nothing."""
    secret = await people.tokens.create("veteran", ["play"])

    for _ in range(2):
        assert await people.owners.register_bot("bob", "veteran") == "veteran"

    assert (await people.tokens.check(secret)).owner == "bob"
    assert await people.owners.owner_of("veteran") == "bob"
    with pytest.raises(OptionError, match="taken"):
        await people.owners.register_bot("ann", "veteran")


async def test_owner_creates_no_more_bots_than_allowed(people: Store):
    await people.owners.create_bot("ann", "rusher")

    with pytest.raises(CapacityError, match="'ann' has 2 bots already"):
        await people.owners.create_bot("ann", "third")


async def test_owner_gives_a_revoked_bot_a_new_token_even_at_the_limit(people: Store):
    await people.owners.create_bot("ann", "rusher")
    await people.tokens.revoke("counter", "ann")

    made = await people.owners.create_bot("ann", "counter")

    identity = await people.tokens.check(made.secret)
    assert (identity.name, identity.owner, identity.scopes) == ("counter", "ann", frozenset({Scope.PLAY}))
    assert [bot.name for bot in (await people.owners.get("ann")).bots] == ["counter", "rusher"]
    with pytest.raises(CapacityError):
        await people.owners.create_bot("ann", "third")


async def test_token_of_the_owner_does_not_count_for_a_bot_of_the_same_name(people: Store):
    await people.tokens.create("bob", ["own"], owner="bob")
    first = await people.owners.create_bot("bob", "bob")
    await people.tokens.revoke(first.secret[:12])

    assert (await people.owners.create_bot("bob", "bob")).name == "bob"


async def test_revoked_bot_stays_the_name_of_its_owner(people: Store):
    await people.tokens.revoke("counter", "ann")

    for name in ("counter", "c0unter"):
        with pytest.raises(OptionError, match="taken"):
            await people.owners.create_bot("bob", name)


async def test_owner_with_bots_is_not_removed(people: Store):
    with pytest.raises(RequestError, match=r"'ann' has bots \(counter\)"):
        await people.owners.remove("ann")

    assert len((await people.owners.get("ann")).bots) == 1


async def test_tokens_of_a_removed_owner_are_invalid(people: Store):
    secret = await people.tokens.create("bob", ["own"], owner="bob")

    await people.owners.remove("bob")

    with pytest.raises(DeniedError, match="revoked"):
        await people.tokens.check(secret)
    with pytest.raises(UnknownNameError, match="unknown owner 'bob'"):
        await people.owners.get("bob")


async def test_contact_is_changed(people: Store):
    await people.owners.change_contact("bob", "bob@example.org")

    assert (await people.owners.get("bob")).contact == "bob@example.org"


@pytest.mark.parametrize("contact", ["two\nlines", "\x1b[2J", "x" * 201])
async def test_contact_is_one_short_line(people: Store, contact):
    with pytest.raises(OptionError, match="contact must be"):
        await people.owners.change_contact("bob", contact)


@pytest.mark.parametrize("call", ["get", "remove"])
async def test_unknown_owner_is_named(people: Store, call):
    with pytest.raises(UnknownNameError, match="unknown owner 'carol'"):
        await getattr(people.owners, call)("carol")
    with pytest.raises(UnknownNameError, match="unknown owner 'carol'"):
        await people.owners.register_bot("carol", "x")


# ---- names of bots that the arena itself starts


@pytest.mark.parametrize("name", ["counter", "c0unter", "ann"])
async def test_local_bot_never_has_the_name_of_an_owner_or_an_owners_bot(people: Store, name):
    """The owner's tokens would open its seats."""
    before = await people.tokens.list()

    with pytest.raises(OptionError, match=r"owner's bot, or looks like '(counter|ann)': rename the local bot"):
        await people.tokens.create_local(name, timedelta(days=1))
    with pytest.raises(OptionError, match="rename the local bot"):
        await people.tokens.reserve_local(["free", name])

    assert await people.tokens.list() == before


async def test_owner_cannot_take_the_name_of_a_local_bot(people: Store):
    """Neither while it plays nor later, nor while its league has not begun."""
    playing = await people.tokens.create_local("playing", timedelta(days=1))
    ended = await people.tokens.create_local("ended", timedelta(days=1))
    await people.tokens.revoke(ended[:12])
    await people.tokens.reserve_local(["awaited", "playing"])

    for name in ("playing", "P1aying", "ended", "awaited"):
        with pytest.raises(OptionError, match="taken"):
            await people.owners.create_bot("bob", name)

    assert (await people.tokens.check(playing)).owner is None


async def test_reserved_name_has_no_valid_token(people: Store):
    for _ in range(2):
        await people.tokens.reserve_local(["awaited"])

    (row,) = [row for row in await people.tokens.list() if row.name == "awaited"]
    assert not row.is_valid(row.created_at)


async def test_local_bot_has_no_name_by_which_somebody_is_invited(people: Store):
    await people.invitations.create("alice", 1, timedelta(days=1))

    with pytest.raises(OptionError, match="looks like 'alice'"):
        await people.tokens.create_local("a1ice", timedelta(days=1))


async def test_owners_of_several_bots_are_found_at_once(people: Store):
    """A bot without an owner is left out, and no name is too strange to ask for."""
    assert await people.owners.owners_of(["counter", "nobody", "'; --\0"]) == {"counter": "ann"}
