"""Tokens: a secret is shown once, found only by who has it, and gone when it is revoked."""

import asyncio
import hashlib
import re
import time
import zlib
from datetime import timedelta

import pytest

from arena.errors import DeniedError, OptionError, UnknownNameError
from arena.store.open_store import Store, open_store
from arena.store.token_identity import Scope
from arena.store.token_store import SECRET_PATTERN, TokenStore, has_right_checksum


class Clock:
    """A wall clock that tests can move."""

    def __init__(self) -> None:
        self.now = 1_700_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock():
    return Clock()


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


async def test_secret_is_not_in_the_store(store: Store, tokens: TokenStore):
    secret = await tokens.create("counter", ["play"])
    await store.close()

    kept = b"".join(path.read_bytes() for path in store.folder.glob("arena.db*"))

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
    store.database.path.unlink()

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


@pytest.mark.parametrize("name", ["", " a", "a ", "a" * 33, "a/b", "a\nb", "\x1b[2J", "cat_abcdefgh", "Žofie"])
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
