"""What owners say of their bots: only what a page can show as it is, and only while they may be here."""

import pytest

from arena.errors import BannedError, OptionError, UnknownNameError
from arena.server.store.account_values import BotProfile
from arena.server.store.open_store import Store
from arena.server.store.profile_store import MAX_LANGUAGE, MAX_LINK, MAX_TEXT

PROFILE = BotProfile("Zählt Karten; 数える! <b>", "C++ & SIMD", "https://git.example:8443/ann/counter?a=1&b=2#x")


async def test_profile_is_replaced_whole_and_read_by_everybody(people: Store):
    assert await people.profiles.find("counter") == BotProfile()

    await people.profiles.change("ann", "counter", PROFILE)
    assert await people.profiles.find("counter") == PROFILE
    assert (await people.owners.get("ann")).bots[0].profile == PROFILE

    await people.profiles.change("ann", "counter", BotProfile(language="Go"))
    assert await people.profiles.find("counter") == BotProfile(language="Go")


@pytest.mark.parametrize("owner", ["bob", "nobody", ""])
async def test_bot_of_others_is_unknown(people: Store, owner):
    with pytest.raises(UnknownNameError):
        await people.profiles.change(owner, "counter", PROFILE)


@pytest.mark.parametrize(
    "text",
    [
        "two\nlines",
        "\x1b[2J",
        "a\u202eb",
        "a\u2066b",
        "a\u200bb",
        "a\u3164b",
        "Z\u0300\u0301\u0302\u0303",
        "\ud800",
        "\0",
    ],
)
async def test_text_that_is_not_visible_or_covers_others_is_refused(people: Store, text):
    for profile in (BotProfile(text=text), BotProfile(language=text)):
        with pytest.raises(OptionError, match="visible characters"):
            await people.profiles.change("ann", "counter", profile)


@pytest.mark.parametrize(
    "link",
    [
        "javascript:alert(1)",
        "data:text/html,x",
        "//example.org",
        "example.org",
        "ftp://example.org",
        "https://",
        "https://bank.example@evil.example",
        "https://example.org/ x",
        'https://example.org/"x',
        "https://example.org/<b>",
        "https://ex\u0430mple.org",
        "https://example.org/\u202e",
        "https://example.org\n",
        "https://example.org\\@evil.example",
        " https://example.org",
    ],
)
async def test_link_that_is_no_plain_web_address_is_refused(people: Store, link):
    with pytest.raises(OptionError, match="must be a web address such as"):
        await people.profiles.change("ann", "counter", BotProfile(link=link))


@pytest.mark.parametrize(
    ("longest", "field"),
    [("x" * MAX_TEXT, "text"), ("x" * MAX_LANGUAGE, "language"), ("http://" + "x" * (MAX_LINK - 7), "link")],
)
async def test_longest_value_is_taken_and_no_longer_one(people: Store, longest, field):
    await people.profiles.change("ann", "counter", BotProfile(**{field: longest}))

    with pytest.raises(OptionError, match=f"at most {len(longest)}"):
        await people.profiles.change("ann", "counter", BotProfile(**{field: f"{longest}x"}))


async def test_banned_owner_says_nothing_until_the_ban_is_lifted(people: Store):
    await people.profiles.change("ann", "counter", PROFILE)
    await people.bans.ban("ann", "rude")

    assert await people.profiles.find("counter") == BotProfile()
    with pytest.raises(BannedError):
        await people.profiles.change("ann", "counter", BotProfile("again"))

    await people.bans.lift("ann")
    assert await people.profiles.find("counter") == PROFILE


async def test_organizer_clears_a_profile(people: Store):
    await people.profiles.change("ann", "counter", PROFILE)

    await people.profiles.clear("counter")

    assert await people.profiles.find("counter") == BotProfile()
    with pytest.raises(UnknownNameError):
        await people.profiles.clear("nobody")
