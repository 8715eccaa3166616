"""Tokens: a secret is shown once, found only by who has it, and gone when it is revoked."""

import asyncio
import hashlib
import re
import time
import zlib
from datetime import timedelta

import pytest

from arena.errors import CapacityError, DeniedError, OptionError, UnknownNameError
from arena.server.store.account_values import Scope
from arena.server.store.open_store import Store, open_store
from arena.server.store.secret_text import SECRET_PATTERN, has_right_checksum
from arena.server.store.token_rows import MAX_TOKENS_A_DAY, MAX_TOKENS_A_NAME
from arena.server.store.token_store import TokenStore


@pytest.fixture
def tokens(store: Store, clock):
    return TokenStore(store.database, now=clock)


def base_62(number: int) -> str:
    """Six digits of base 62, by hand."""
    letters = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    return "".join(letters[number // 62**place % 62] for place in range(5, -1, -1))


async def test_new_secret_is_accepted(tokens: TokenStore):
    secret = await tokens.create("counter", ["play", "spectate"])

    identity = await tokens.check(secret)

    assert identity.name == "counter"
    assert identity.scopes == {Scope.PLAY, Scope.SPECTATE}
    assert identity.expires_at is None
    assert secret.startswith(identity.handle)


async def test_secret_is_recognisable_in_text_and_verifiable_by_checksum(tokens: TokenStore):
    """At least 160 bits: 32 letters of 62 after the handle are 190."""
    secret = await tokens.create("counter", ["play"])

    assert re.findall(SECRET_PATTERN, f"export CHEATARENA_TOKEN='{secret}'") == [secret]
    assert re.fullmatch("cat_[0-9A-Za-z]{46}", secret)
    assert secret[-6:] == base_62(zlib.crc32(secret[:-6].encode()))
    assert has_right_checksum(secret)
    assert not has_right_checksum(secret[:-1] + ("a" if secret[-1] != "a" else "b"))
    assert not has_right_checksum("cat_" + "a" * 46)


async def test_secret_is_not_in_the_store(file_store: Store):
    secret = await file_store.tokens.create("counter", ["play"])
    await file_store.close()

    kept = b"".join(path.read_bytes() for path in file_store.folder.glob("arena.db*"))

    assert secret[12:].encode() not in kept
    assert hashlib.sha256(secret.encode()).digest() in kept


async def test_two_secrets_differ(tokens: TokenStore):
    secrets = {await tokens.create("counter", ["play"]) for _ in range(10)}

    assert len(secrets) == 10


def with_letter_changed(secret: str, position: int) -> str:
    """The secret with another letter at a place and a right checksum."""
    other = "a" if secret[position] != "a" else "b"
    body = secret[:position] + other + secret[position + 1 : -6]
    return body + base_62(zlib.crc32(body.encode()))


async def test_unknown_and_wrong_secrets_get_the_same_answer(tokens: TokenStore):
    """The answer does not reveal whether a handle exists."""
    secret = await tokens.create("counter", ["play"])
    texts = set()

    for position in (5, 20):  # in the handle: unknown; behind it: wrong
        with pytest.raises(DeniedError) as refusal:
            await tokens.check(with_letter_changed(secret, position))
        texts.add(str(refusal.value))

    assert texts == {"this token is unknown here"}


@pytest.mark.parametrize("text", ["", "cat_", "counter", "cat_" + "0" * 46, "ghp_" + "a" * 46, "ž" * 50, "a" * 100_000])
async def test_malformed_secret_is_refused_before_any_lookup(store: Store, tokens: TokenStore, text):
    await store.close()
    (store.folder / "arena.db").unlink(missing_ok=True)

    with pytest.raises(DeniedError, match="not a token"):
        await tokens.check(text)


async def test_token_expires(tokens: TokenStore, clock):
    secret = await tokens.create("counter", ["play"], ttl=timedelta(hours=1))
    assert (await tokens.check(secret)).expires_at == clock.now + 3_600

    clock.now += 3_599
    await tokens.check(secret)

    clock.now += 1
    with pytest.raises(DeniedError, match="'counter' has expired"):
        await tokens.check(secret)


async def test_revoked_token_is_refused(tokens: TokenStore):
    secret = await tokens.create("counter", ["play"])

    revoked = await tokens.revoke("counter")

    assert revoked == [secret[:12]]
    with pytest.raises(DeniedError, match="'counter' was revoked"):
        await tokens.check(secret)


async def test_name_may_change_its_token_without_a_gap(tokens: TokenStore):
    """The old token is valid until it is revoked by its handle."""
    old = await tokens.create("counter", ["play"])
    new = await tokens.create("counter", ["play"])
    await tokens.check(old)

    await tokens.revoke(old[:12])

    assert (await tokens.check(new)).name == "counter"
    with pytest.raises(DeniedError):
        await tokens.check(old)


async def test_revoking_a_name_ends_all_its_tokens_and_no_others(tokens: TokenStore):
    mine = [await tokens.create("counter", ["play"]) for _ in range(3)]
    other = await tokens.create("rusher", ["play"])

    assert len(await tokens.revoke("counter")) == 3
    assert await tokens.revoke("counter") == []

    for secret in mine:
        with pytest.raises(DeniedError):
            await tokens.check(secret)
    await tokens.check(other)


async def test_revoking_unknown_name_is_an_error(tokens: TokenStore):
    with pytest.raises(UnknownNameError, match="unknown token 'nobody'"):
        await tokens.revoke("nobody")


async def test_server_learns_of_revocations_by_another_process(store: Store, tokens: TokenStore):
    """Asking again with the returned revision yields only new revocations."""
    first = await tokens.create("counter", ["play"])
    second = await tokens.create("rusher", ["play"])
    start = await tokens.revocations_since(0)
    assert start.handles == ()

    async with await open_store(store.folder) as elsewhere:
        await elsewhere.tokens.revoke("counter")
    after_one = await tokens.revocations_since(start.revision)
    await tokens.revoke("rusher")
    after_two = await tokens.revocations_since(after_one.revision)

    assert after_one.handles == (first[:12],)
    assert after_two.handles == (second[:12],)
    assert (await tokens.revocations_since(after_two.revision)).handles == ()


async def test_concurrent_revocations_wait_for_each_other(store: Store, tokens: TokenStore):
    """Each reads before it writes; no revision is assigned twice."""
    names = [f"bot {number}" for number in range(20)]
    for name in names:
        await tokens.create(name, ["play"])

    async with await open_store(store.folder) as elsewhere:
        shared = zip(names, [tokens, elsewhere.tokens] * 10, strict=True)
        await asyncio.gather(*(asked.revoke(name) for name, asked in shared))

    revoked = await tokens.revocations_since(0)
    assert revoked.revision == 20
    assert len(set(revoked.handles)) == 20


async def test_list_contains_no_secrets(tokens, clock):
    secret = await tokens.create("rusher", ["play"], ttl=timedelta(days=1))
    await tokens.create("counter", ["organize"])
    await tokens.revoke("counter")

    counter, rusher = await tokens.list()

    assert (counter.name, counter.scopes, counter.revoked_at) == ("counter", {Scope.ORGANIZE}, clock.now)
    assert (rusher.name, rusher.expires_at, rusher.revoked_at) == ("rusher", clock.now + 86_400, None)
    assert secret[12:] not in repr(rusher)


async def test_name_of_any_script_has_one_form(tokens: TokenStore):
    await tokens.create("Z\u030cofie", ["play"])

    assert [row.name for row in await tokens.list()] == ["Žofie"]


@pytest.mark.parametrize("name", ["", " a", "a ", "a" * 33, "a/b", "a\nb", "\x1b[2J", "cat_abcdefgh", "Žofi\u0435"])
async def test_name_outside_safe_set_is_refused(tokens: TokenStore, name):
    with pytest.raises(OptionError, match="option name"):
        await tokens.create(name, ["play"])


@pytest.mark.parametrize("name", ["a", "a" * 32, "A.b_c+d-e #2"])
async def test_name_within_safe_set_is_accepted(tokens: TokenStore, name):
    assert (await tokens.check(await tokens.create(name, ["play"]))).name == name


async def test_name_is_stored_in_normal_form(tokens: TokenStore):
    """Full-width letters form the same name as plain ones (NFKC)."""
    secret = await tokens.create("\uff43ounter 2", ["play"])

    assert (await tokens.check(secret)).name == "counter 2"


@pytest.mark.parametrize("scopes", [[], ["admin"], ["play", "Play"], "play"])
async def test_unknown_scopes_are_refused(tokens: TokenStore, scopes):
    with pytest.raises(OptionError, match="play, organize, spectate"):
        await tokens.create("counter", scopes)


async def test_token_lifetime_must_be_positive(tokens: TokenStore):
    with pytest.raises(OptionError, match="ttl"):
        await tokens.create("counter", ["play"], ttl=timedelta(0))


async def test_token_check_is_quick(tokens: TokenStore):
    """Best of many below 20 ms: it runs once per connection, not for each decision."""
    secret = await tokens.create("counter", ["play"])
    times = []

    for _ in range(20):
        start = time.perf_counter()
        await tokens.check(secret)
        times.append(time.perf_counter() - start)

    assert min(times) < 0.02


# ---- rotation


async def test_rotated_token_and_its_successor_are_valid_during_the_overlap(tokens: TokenStore, clock):
    old = await tokens.create("counter", ["play", "spectate"], owner="ann")

    made = await tokens.rotate("counter", timedelta(hours=1))

    first, second = await tokens.check(old), await tokens.check(made.secret)
    assert (first.expires_at, second.expires_at) == (clock.now + 3_600, None)
    assert (made.name, second.name, second.scopes, second.owner) == ("counter", "counter", first.scopes, "ann")
    clock.now += 3_600
    await tokens.check(made.secret)
    with pytest.raises(DeniedError, match="has expired"):
        await tokens.check(old)


async def test_successor_is_valid_as_long_as_the_old_token_was_at_first(tokens: TokenStore, clock):
    await tokens.create("counter", ["play"], ttl=timedelta(days=30))
    clock.now += 86_400

    made = await tokens.rotate("counter", timedelta(hours=1))
    assert (await tokens.check(made.secret)).expires_at == clock.now + 30 * 86_400

    other = await tokens.rotate("counter", timedelta(hours=1), ttl=timedelta(days=2))
    assert (await tokens.check(other.secret)).expires_at == clock.now + 2 * 86_400


async def test_overlap_does_not_lengthen_a_token(tokens: TokenStore, clock):
    old = await tokens.create("counter", ["play"], ttl=timedelta(minutes=1))

    await tokens.rotate("counter", timedelta(hours=1))

    assert (await tokens.check(old)).expires_at == clock.now + 60


async def test_token_is_rotated_once(tokens: TokenStore):
    """Its successor is rotated next."""
    old = await tokens.create("counter", ["play"])
    await tokens.rotate("counter", timedelta(hours=1))

    with pytest.raises(OptionError, match="was rotated or revoked"):
        await tokens.rotate(old[:12], timedelta(hours=1))
    await tokens.rotate("counter", timedelta(hours=1))


async def test_server_learns_of_rotations(tokens: TokenStore, clock):
    old = await tokens.create("counter", ["play"])
    gone = await tokens.create("rusher", ["play"])
    await tokens.revoke("rusher")
    start = await tokens.revocations_since(0)

    await tokens.rotate("counter", timedelta(hours=1))
    learned = await tokens.revocations_since(start.revision)
    await tokens.revoke(old[:12])
    last = await tokens.revocations_since(learned.revision)

    assert (start.handles, start.expiries) == ((gone[:12],), {})
    assert (learned.handles, learned.expiries) == ((), {old[:12]: clock.now + 3_600})
    assert (last.handles, last.expiries) == ((old[:12],), {})


async def test_name_with_tokens_for_different_purposes_is_rotated_by_handle(tokens: TokenStore):
    secret = await tokens.create("ann", ["own"], owner="ann")
    await tokens.create("ann", ["play"], owner="ann")

    with pytest.raises(OptionError, match="name one by its handle"):
        await tokens.rotate("ann", timedelta(0))

    assert (await tokens.rotate(secret[:12], timedelta(0))).scopes == {Scope.OWN}


async def test_name_has_only_so_many_valid_tokens(tokens: TokenStore):
    await tokens.create("counter", ["play"])
    for _ in range(MAX_TOKENS_A_NAME - 1):
        await tokens.rotate("counter", timedelta(days=1))

    with pytest.raises(CapacityError, match="revoke some"):
        await tokens.rotate("counter", timedelta(days=1))


async def test_rotation_without_overlap_cannot_fill_the_store(tokens: TokenStore, clock):
    """The next day, the name can be rotated again."""
    await tokens.create("counter", ["play"])
    for _ in range(MAX_TOKENS_A_DAY - 1):
        await tokens.rotate("counter", timedelta(0))

    with pytest.raises(CapacityError, match="'counter' got 100 tokens within a day"):
        await tokens.rotate("counter", timedelta(0))

    assert len(await tokens.list()) == MAX_TOKENS_A_DAY
    clock.now += 86_400
    await tokens.rotate("counter", timedelta(0))


@pytest.mark.parametrize("overlap", [timedelta(seconds=-1), timedelta(days=31)])
async def test_overlap_is_at_most_thirty_days(tokens: TokenStore, overlap):
    await tokens.create("counter", ["play"])

    with pytest.raises(OptionError, match="overlap"):
        await tokens.rotate("counter", overlap)


@pytest.mark.parametrize("call", ["rotate", "revoke"])
async def test_token_of_another_owner_does_not_exist(tokens: TokenStore, call):
    """Whether it belongs to somebody else, to nobody, or was never made: the same words."""
    foreign = await tokens.create("counter", ["play"], owner="bob")
    stray = await tokens.create("stray", ["play"])
    more = [timedelta(0)] if call == "rotate" else []

    for name in ("counter", foreign[:12], "stray", stray[:12], "nothing"):
        with pytest.raises(UnknownNameError) as refused:
            await getattr(tokens, call)(name, *more, owner="ann")
        assert str(refused.value) == f"unknown token {name!r}"
    await tokens.check(foreign)


# ---- last use


async def test_last_use_is_recorded_and_never_goes_back(tokens: TokenStore):
    secret = await tokens.create("counter", ["play"])
    other = await tokens.create("rusher", ["play"])

    await tokens.record_uses({secret[:12]: 1_000.0, "cat_unknown1": 5.0})
    await tokens.record_uses({secret[:12]: 900.0})
    await tokens.record_uses({})

    rows = {row.handle: row.last_used_at for row in await tokens.list()}
    assert rows == {secret[:12]: 1_000.0, other[:12]: None}


async def test_owner_token_neither_plays_nor_organizes(tokens: TokenStore):
    with pytest.raises(OptionError, match="own stands alone"):
        await tokens.create("ann", ["own", "play"])


async def test_token_of_a_submitted_version_says_so_and_has_no_successor(tokens: TokenStore):
    """Otherwise its owner could get a token with which any program counts as that version."""
    built = await tokens.create("counter", ["play"], owner="ann", version="1.2")
    own = await tokens.create("counter", ["play"], owner="ann")

    successor = await tokens.rotate("counter", timedelta(0), owner="ann")

    assert (await tokens.check(built)).version == "1.2"
    assert (await tokens.check(successor.secret)).version is None
    with pytest.raises(DeniedError):
        await tokens.check(own)
    with pytest.raises(OptionError, match="arena runs a submitted bot with it"):
        await tokens.rotate((await tokens.check(built)).handle, timedelta(0), owner="ann")


async def test_owner_whose_tokens_expire_after_one_was_revoked_is_not_shut_out(store: Store, tokens: TokenStore, clock):
    """The organizer left the owner a valid token, so the submitted bots play on when it has expired."""
    await store.owners.add("ann", "", 2)
    await store.owners.register_bot("ann", "rusher")
    lost, _ = [await tokens.create("ann", ["own"], timedelta(days=day), owner="ann") for day in (1, 2)]
    running = await tokens.create("rusher", ["play"], timedelta(days=30), owner="ann", version="1")
    await tokens.revoke(lost[:12])
    clock.now += timedelta(days=3).total_seconds()
    assert [each.handle for each in await tokens.list_version_tokens()] == [running[:12]]

    fresh = await tokens.create("ann", ["own"], owner="ann")
    await tokens.revoke(fresh[:12])
    assert await tokens.list_version_tokens() == []
